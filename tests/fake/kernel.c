/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "components/perf_event/kernel.h"

/* Above what a test has open, and below what the library keeps of events that overflow. */
#define FIRST_FD 0xc0000

struct fake_kernel fake;

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* Counts the call; true, with errno, if it is one that must fail. */
static bool fails(enum fake_call call)
{
	bool hit = false;

	fake.calls[call]++;
	for (unsigned i = 0; i < FAKE_FAULTS; i++) {
		struct fake_fault *fault = &fake.faults[i];

		if (!fault->nth || (fault->call != FAKE_ANY && fault->call != call) || ++fault->seen != fault->nth)
			continue;
		errno = fault->error;
		fake.fault_hit = hit = true;
	}
	return hit;
}

static struct fake_event *event_of(int fd)
{
	struct fake_event *event = &fake.events[fd - FIRST_FD];

	if (fd >= FIRST_FD && fd < FIRST_FD + (int)fake.n_events && event->open)
		return event;
	fake.misuses++;
	errno = EBADF;
	return NULL;
}

/* The kinds of events that need no hardware. */
static bool is_software(unsigned type)
{
	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT;
}

/* Generic and raw events are counted by the PMU of the cores, which is that of raw events. */
static unsigned pmu_type(unsigned type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ? PERF_TYPE_RAW : type;
}

static struct fake_pmu *pmu_of(unsigned type)
{
	for (unsigned i = 0; i < FAKE_PMUS; i++)
		if (fake.pmus[i].type && fake.pmus[i].type == pmu_type(type))
			return &fake.pmus[i];
	return NULL;
}

static int check_permission(const struct perf_event_attr *attr, pid_t pid)
{
	if (fake.paranoid >= 3 || (fake.paranoid >= 2 && !attr->exclude_kernel) || (fake.paranoid >= 1 && pid == -1) ||
		(fake.paranoid >= 0 && attr->type == PERF_TYPE_TRACEPOINT))
		return EACCES;
	return 0;
}

static int check_attr(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	const struct fake_pmu *pmu = pmu_of(attr->type);

	if (attr->size != sizeof(*attr) || (pid == -1 && cpu == -1))
		return EINVAL;
	if (fake.old_inherit && attr->inherit && attr->read_format & PERF_FORMAT_GROUP)
		return EINVAL;
	if (is_software(attr->type))
		return 0;
	if (!pmu)
		return ENOENT;
	if (pmu->no_modes && (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv))
		return EINVAL;
	if ((pmu->no_interrupts && attr->sample_period) || attr->precise_ip > pmu->precise)
		return pmu->refusal ? pmu->refusal : EOPNOTSUPP;
	return pmu->wide && pid != -1 ? EINVAL : 0;
}

static int check_group(const struct perf_event_attr *attr, pid_t pid, int cpu, const struct fake_event *leader)
{
	const struct fake_pmu *pmu = pmu_of(attr->type);
	unsigned used = 0;

	if (leader->leader != leader || leader->pid != pid || leader->cpu != cpu || attr->pinned)
		return EINVAL;
	for (unsigned i = 0; i < fake.n_events && !is_software(attr->type); i++) {
		const struct fake_event *member = &fake.events[i];

		if (!member->open || member->leader != leader || is_software(member->attr.type))
			continue;
		if (pmu_of(member->attr.type) != pmu)
			return EINVAL;
		used++;
	}
	return pmu && pmu->counters && used >= pmu->counters ? EINVAL : 0;
}

static bool is_stop(const struct perf_event_attr *attr)
{
	return attr->bp_type == HW_BREAKPOINT_X;
}

/* Registers are taken by whatever is open, enabled or not. */
static int check_breakpoint(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	unsigned most = is_stop(attr) && fake.stops ? fake.stops : fake.watches, used = 0;

	if (attr->type != PERF_TYPE_BREAKPOINT || !fake.watches)
		return 0;
	for (unsigned i = 0; i < fake.n_events; i++) {
		const struct fake_event *event = &fake.events[i];

		if (!event->open || event->attr.type != PERF_TYPE_BREAKPOINT || event->pid != pid || event->cpu != cpu)
			continue;
		used += !fake.stops || is_stop(&event->attr) == is_stop(attr);
	}
	return used >= most ? ENOSPC : 0;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	struct fake_event *leader = NULL, *event = &fake.events[fake.n_events];
	int error = check_permission(attr, pid);

	if (fails(FAKE_OPEN))
		return -1;
	if (!error)
		error = check_attr(attr, pid, cpu);
	if (!error)
		error = check_breakpoint(attr, pid, cpu);
	if (!error && group != -1) {
		leader = event_of(group);
		error = leader ? check_group(attr, pid, cpu, leader) : EBADF;
	}
	if (!error && ((fake.most_open && fake.n_open >= fake.most_open) || fake.n_events == FAKE_EVENTS))
		error = EMFILE;
	if (error)
		return refuse(error);
	*event = (struct fake_event){ .fd = FIRST_FD + (int)fake.n_events,
		.attr = *attr,
		.pid = pid,
		.cpu = cpu,
		.leader = leader ? leader : event,
		.open = true,
		.enabled = !attr->disabled };
	fake.n_events++;
	fake.n_open++;
	fake.without_cloexec += !(flags & PERF_FLAG_FD_CLOEXEC);
	return event->fd;
}

/* What the read format asks for, into words; returns their number. */
static size_t answer(const struct fake_event *event, uint64_t *words)
{
	const struct fake_event *leader = event->leader;
	bool grouped = event->attr.read_format & PERF_FORMAT_GROUP;
	size_t n = 0, n_members = 0;

	if (!grouped)
		words[n++] = event->count;
	else
		n++;
	if (event->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = grouped ? leader->enabled_time : event->enabled_time;
	if (event->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = grouped ? leader->running_time : event->running_time;
	for (unsigned i = 0; grouped && i < fake.n_events; i++) {
		if (!fake.events[i].open || fake.events[i].leader != leader)
			continue;
		words[n++] = fake.events[i].count;
		n_members++;
	}
	if (grouped)
		words[0] = n_members;
	return n;
}

static ssize_t read_event(int fd, void *buffer, size_t size)
{
	static uint64_t words[3 + FAKE_EVENTS];
	const struct fake_event *event = event_of(fd);
	size_t length;

	if (fails(FAKE_READ) || !event)
		return -1;
	if (fake.before_read)
		fake.before_read();
	if (event->leader->error)
		return 0;
	length = answer(event, words) * sizeof(words[0]);
	if (size < length)
		return refuse(ENOSPC);
	if (fake.short_read)
		length = fake.short_read;
	memcpy(buffer, words, length);
	return (ssize_t)length;
}

/* Another address for a breakpoint. All else must be as it was; it stays in a register for data or for instructions. */
static int modify_event(struct fake_event *event, const struct perf_event_attr *wanted)
{
	struct perf_event_attr attr = *wanted;

	attr.disabled = event->attr.disabled;
	attr.bp_type = event->attr.bp_type;
	attr.bp_addr = event->attr.bp_addr;
	attr.bp_len = event->attr.bp_len;
	if (event->attr.type != PERF_TYPE_BREAKPOINT || memcmp(&attr, &event->attr, sizeof(attr)))
		return refuse(EINVAL);
	if (fake.stops && is_stop(wanted) != is_stop(&event->attr))
		return refuse(ENOSPC);
	event->attr = *wanted;
	event->enabled = !wanted->disabled;
	return 0;
}

/* A group that is enabled gets time while a test is not looking; how much is not for tests to know. */
static void try_out(struct fake_event *leader)
{
	const struct fake_pmu *pmu = pmu_of(leader->attr.type);
	unsigned used = 0;

	for (unsigned i = 0; i < fake.n_events; i++)
		used += fake.events[i].open && fake.events[i].leader == leader;
	leader->enabled_time += 3;
	leader->running_time += pmu && pmu->counters && used + pmu->held > pmu->counters ? 0 : 3;
}

static int control_event(int fd, unsigned long request, unsigned long argument)
{
	struct fake_event *event = event_of(fd);

	if (fails(FAKE_IOCTL) || !event)
		return -1;
	if (request == PERF_EVENT_IOC_MODIFY_ATTRIBUTES)
		return modify_event(event, (const struct perf_event_attr *)(uintptr_t)argument);
	if (request == PERF_EVENT_IOC_PERIOD) {
		event->left = event->attr.sample_period = *(const uint64_t *)(uintptr_t)argument;
		return 0;
	}
	if (fake.trial && request == PERF_EVENT_IOC_ENABLE && event->leader == event)
		try_out(event);
	if ((request != PERF_EVENT_IOC_ENABLE && request != PERF_EVENT_IOC_DISABLE) || argument)
		return refuse(EINVAL);
	event->enabled = request == PERF_EVENT_IOC_ENABLE;
	/* The kernel moves the group onto the counters, or off them, and says so in the pages. */
	for (unsigned i = 0; i < fake.n_events; i++)
		if (fake.events[i].page && fake.events[i].leader == event->leader)
			fake.events[i].page->lock += 2;
	return 0;
}

static void *map_page(int fd, size_t size)
{
	struct fake_event *event = event_of(fd);

	if (fails(FAKE_MAP) || !event)
		return NULL;
	if (!fake.mappable || event->page || size < sizeof(*event->page)) {
		errno = EINVAL;
		return NULL;
	}
	event->page = malloc(sizeof(*event->page));
	if (!event->page)
		return NULL;
	memcpy(event->page, &fake.page, sizeof(fake.page));
	fake.n_mapped++;
	return event->page;
}

/* A page of facts, then samples. */
static void *map_ring(int fd, size_t size)
{
	struct fake_event *event = event_of(fd);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (fails(FAKE_MAP) || !event)
		return NULL;
	if (event->page || size <= page || ((size - page) & (size - page - 1))) {
		errno = EINVAL;
		return NULL;
	}
	event->page = calloc(1, size);
	if (!event->page)
		return NULL;
	event->ring = size - page;
	fake.n_mapped++;
	return event->page;
}

static int direct_signals(int fd, int command, unsigned long argument)
{
	struct fake_event *event = event_of(fd);

	if (!event)
		return -1;
	if (command == F_SETFL)
		event->asynchronous = argument & O_ASYNC;
	else if (command == F_SETSIG)
		event->signal = (int)argument;
	else if (command == F_SETOWN_EX)
		event->thread = ((const struct f_owner_ex *)(uintptr_t)argument)->pid;
	else
		return refuse(EINVAL);
	return 0;
}

static void forget_page(struct fake_event *event)
{
	free(event->page);
	event->page = NULL;
	fake.n_mapped--;
}

static int unmap_page(void *page, size_t size)
{
	bool fault = fails(FAKE_UNMAP);

	for (unsigned i = 0; i < fake.n_events; i++) {
		if (fake.events[i].page != page || size < sizeof(*fake.events[i].page))
			continue;
		forget_page(&fake.events[i]);
		return fault ? -1 : 0;
	}
	fake.misuses++;
	return refuse(EINVAL);
}

/* As in Linux, a close that fails has closed. */
static int close_event(int fd)
{
	struct fake_event *event = event_of(fd);
	bool fault = fails(FAKE_CLOSE);

	if (!event)
		return -1;
	event->open = false;
	fake.n_open--;
	for (unsigned i = 0; i < fake.n_events; i++)
		if (fake.events[i].open && fake.events[i].leader == event)
			fake.events[i].leader = &fake.events[i];
	return fault ? -1 : 0;
}

static bool breakpoints_count(void)
{
	return !fake.breakpoints_lost;
}

static bool breakpoints_come_first(void)
{
	return fake.breakpoints_first;
}

static const struct papi_perf_kernel model = {
	.open = open_event,
	.read = read_event,
	.ioctl = control_event,
	.map = map_page,
	.map_ring = map_ring,
	.unmap = unmap_page,
	.fcntl = direct_signals,
	.close = close_event,
	.breakpoints_count = breakpoints_count,
	.breakpoints_come_first = breakpoints_come_first,
};

void fake_reset(void)
{
	for (unsigned i = 0; i < fake.n_events; i++)
		free(fake.events[i].page);
	memset(fake.events, 0, fake.n_events * sizeof(fake.events[0]));
	memset(&fake, 0, offsetof(struct fake_kernel, events));
	fake.n_events = 0;
	fake.paranoid = -1;
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW, .counters = 4 });
	papi_perf_kernel = &model;
}

void fake_calls_clear(void)
{
	memset(fake.calls, 0, sizeof(fake.calls));
}

unsigned fake_calls_all(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FAKE_ANY; i++)
		n += fake.calls[i];
	return n;
}

void fake_pmu_set(struct fake_pmu pmu)
{
	unsigned place = 0;

	while (fake.pmus[place].type && fake.pmus[place].type != pmu.type)
		place++;
	fake.pmus[place] = pmu;
}

void fake_pmu_remove(unsigned type)
{
	for (unsigned i = 0; i < FAKE_PMUS; i++)
		if (fake.pmus[i].type == type)
			fake.pmus[i] = (struct fake_pmu){ 0 };
}

void fake_fail(enum fake_call call, unsigned nth, int error)
{
	unsigned place = 0;

	while (fake.faults[place].nth)
		place++;
	fake.faults[place] = (struct fake_fault){ .call = call, .nth = nth, .error = error };
}

void fake_faults_clear(void)
{
	memset(fake.faults, 0, sizeof(fake.faults));
	fake.fault_hit = false;
}

struct fake_event *fake_event(unsigned nth)
{
	for (unsigned i = 0; i < fake.n_events; i++)
		if (fake.events[i].open && !nth--)
			return &fake.events[i];
	return NULL;
}

bool fake_is_counting(const struct fake_event *event)
{
	return event->open && event->enabled && event->leader->enabled && !event->leader->error;
}

void fake_run(uint64_t enabled, uint64_t running)
{
	for (unsigned i = 0; i < fake.n_events; i++) {
		if (!fake_is_counting(&fake.events[i]))
			continue;
		fake.events[i].enabled_time += enabled;
		fake.events[i].running_time += running;
	}
}

void fake_count(uint64_t amount)
{
	for (unsigned i = 0; i < fake.n_events; i++)
		if (fake_is_counting(&fake.events[i]))
			fake.events[i].count += amount;
}

/* Records are of a size that divides that of a ring: none goes over its end. */
static void write_sample(const struct fake_event *event, uint64_t address)
{
	const struct {
		struct perf_event_header header;
		uint64_t address;
	} record = { { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) }, address };
	char *samples = (char *)event->page + sysconf(_SC_PAGESIZE);
	uint64_t head;

	if (!event->page)
		return;
	head = event->page->data_head;
	if (head - event->page->data_tail + sizeof(record) > event->ring)
		return;
	memcpy(samples + head % event->ring, &record, sizeof(record));
	__atomic_store_n(&event->page->data_head, head + sizeof(record), __ATOMIC_RELEASE);
}

static void send_signal(const struct fake_event *event)
{
	siginfo_t info = { .si_signo = event->signal, .si_code = POLL_IN };

	info.si_fd = event->fd;
	if (event->asynchronous && event->signal)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), event->thread, event->signal, &info);
}

void fake_occur(struct fake_event *event, uint64_t times, uint64_t address)
{
	for (; times && fake_is_counting(event); times--) {
		event->count++;
		if (!event->attr.sample_period || --event->left)
			continue;
		event->left = event->attr.sample_period;
		write_sample(event, address);
		send_signal(event);
	}
}
