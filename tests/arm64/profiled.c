/* SPDX-License-Identifier: BSD-3-Clause */
#include "profiled.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "components/vpmu/profile_log.h"

#define PLACES      65536 /* instructions of a profile, at most; a power of two */
#define MAX_CALLS   8192
#define MAX_EXTENTS 1024
#define MAX_THREADS 64

long profiled_slowness = 1;

void profiled_interrupted(void (*work)(void), long microseconds)
{
	struct sigaction action = { .sa_sigaction = count_tick, .sa_flags = SA_SIGINFO };
	struct itimerval once = { { 0, 0 }, { 0, 0 } };
	uint64_t last = PROFILED_TICKS;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	while (ticks < PROFILED_TICKS) {
		/* The next when one has come: however slow all is, it goes on. */
		if (ticks != last) {
			last = ticks;
			once.it_value.tv_usec = profiled_slowness * (microseconds + (long)(37 * ticks % 1000));
			setitimer(ITIMER_REAL, &once, NULL);
		}
		work();
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_interval = { 0, 0 } }, NULL);
}

/* ---- an agent of the process itself ---- */

/*
 * The work is done by a thread that is made when all is counted, and the first thread is not looked at: what its
 * counters hold is told when a thread ends. Pages cannot be lent where an emulator has no second mapping of memory.
 */
static struct {
	uint64_t counters[PAPI_AGENT_COUNTERS];
	unsigned n_threads;
	struct profiled_thread threads[MAX_THREADS];
} * ended;

static void *take(void)
{
	return NULL;
}

static void begin(void *page, int tid)
{
	(void)page;
	(void)tid;
}

static void add(uint64_t *counters, int tid)
{
	unsigned n = __atomic_fetch_add(&ended->n_threads, 1, __ATOMIC_RELAXED), counter;

	if (n < MAX_THREADS)
		ended->threads[n].tid = tid;
	for (unsigned i = 0; i < PAPI_AGENT_LANES * PAPI_AGENT_COUNTERS; i++) {
		counter = i % PAPI_AGENT_COUNTERS;
		__atomic_fetch_add(&ended->counters[counter], counters[i], __ATOMIC_RELAXED);
		if (n < MAX_THREADS && counter < PROFILED_COUNTERS)
			ended->threads[n].counters[counter] += counters[i];
		counters[i] = 0;
	}
}

static void take_back(unsigned counter, uint64_t number)
{
	__atomic_fetch_sub(&ended->counters[counter], number, __ATOMIC_RELAXED);
}

static void nothing(void)
{
}

static void lose(const char *reason)
{
	printf("not counted: %s\n", reason);
	_exit(3);
}

/* library: code that is not counted, nor anything that it calls; by_work: that begins to count itself. */
struct task {
	void (*work)(void *);
	void *argument;
	uint64_t library_start, library_end;
	bool by_work;
};

static void *do_task(void *task)
{
	((struct task *)task)->work(((struct task *)task)->argument);
	return NULL;
}

static void run_here(const struct papi_agent_plan *plan, struct task *task)
{
	static const struct papi_agent agent = { take, begin, add, take_back, nothing, nothing, lose };
	pthread_t thread;
	sigset_t alarm;

	/* That is for the work alone, which unblocks it. */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	if (papi_agent_lend(&agent, task->library_start, task->library_end) != PAPI_OK ||
		(!task->by_work && papi_agent_start(plan) != PAPI_OK)) {
		printf("%s\n", PAPI_error_detail());
		_exit(2);
	}
	if (task->by_work) {
		task->work(task->argument);
		_exit(0);
	}
	if (pthread_create(&thread, NULL, do_task, task) || pthread_join(thread, NULL))
		_exit(4);
	_exit(0);
}

static void run(const struct papi_agent_plan *plan, struct task *task)
{
	int status;
	pid_t child;

	if (!ended)
		ended = mmap(NULL, sizeof(*ended), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(ended != MAP_FAILED);
	memset(ended, 0, sizeof(*ended));
	fflush(NULL);
	child = fork();
	REQUIRE(child >= 0);
	if (!child)
		run_here(plan, task);
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(EXPECT_EQUAL(0, status));
}

void profiled_run(
	const struct papi_agent_plan *plan, void (*work)(void *), void *argument, uint64_t counters[PROFILED_COUNTERS])
{
	struct task task = { .work = work, .argument = argument };

	run(plan, &task);
	memcpy(counters, ended->counters, PROFILED_COUNTERS * sizeof(*counters));
}

/* ---- what a profile says ---- */

struct place {
	uint64_t pc, runs, counters[PROFILED_COUNTERS];
};
static struct place *places;

struct call {
	uint64_t site, target, times, within[PAPI_AGENT_EXACT];
};
static struct call *calls;
static unsigned n_calls;

static struct place *place_of(uint64_t pc)
{
	for (unsigned i = (unsigned)(pc / 4) % PLACES;; i = (i + 1) % PLACES) {
		if (places[i].pc && places[i].pc != pc)
			continue;
		places[i].pc = pc;
		return &places[i];
	}
}

/* The files, in memory. */
struct file {
	const uint8_t *bytes;
	uint64_t size;
};
static struct file log_file, counts_file;

static const struct papi_vpmu_log_head *head(void)
{
	return (const void *)log_file.bytes;
}

static const struct papi_vpmu_log_entry *entry_at(uint64_t offset)
{
	return (const void *)(log_file.bytes + offset);
}

#define FOR_EACH_ENTRY(entry)                                                                       \
	for (const struct papi_vpmu_log_entry *entry = entry_at(sizeof(struct papi_vpmu_log_head)); \
		(const uint8_t *)entry < log_file.bytes + head()->used;                             \
		entry = (const void *)((const uint8_t *)entry + (entry->size + 7) / 8 * 8))

static const struct papi_vpmu_log_extent *extents[MAX_EXTENTS];
static unsigned n_extents;

/* Of all lanes in [first, last]. */
static void find_extents(unsigned first, unsigned last)
{
	n_extents = 0;
	FOR_EACH_ENTRY(entry)
	{
		const struct papi_vpmu_log_extent *extent = (const void *)entry;

		if (entry->type != PAPI_VPMU_LOG_EXTENT || extent->lane < first || extent->lane > last)
			continue;
		REQUIRE(n_extents < MAX_EXTENTS && extent->offset + 8ull * extent->number <= counts_file.size);
		extents[n_extents++] = extent;
	}
}

static uint64_t count_of(uint32_t number)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n_extents; i++) {
		const uint64_t *counts = (const void *)(counts_file.bytes + extents[i]->offset);

		if (number >= extents[i]->first && number - extents[i]->first < extents[i]->number)
			sum += counts[number - extents[i]->first];
	}
	return sum;
}

/* What has been counted at the last instruction of that way alone. */
static void add_counted(const struct papi_vpmu_log_block *block, struct papi_vpmu_way way, uint64_t times)
{
	unsigned counter = way.kind - (unsigned)PAPI_VPMU_WAY_COUNTED;

	REQUIRE(counter <= PAPI_VPMU_LAST_MODELLED);
	place_of(block->pc + 4 * (way.n - 1u))->counters[counter] += times;
}

/* So many times that way of the block. */
static void add_way(const struct papi_vpmu_log_block *block, struct papi_vpmu_way way, uint64_t times)
{
	const uint8_t *at = (const uint8_t *)(block->ways + block->n_ways);
	uint64_t pc = block->pc;

	if (!times)
		return;
	REQUIRE(way.n > 0 && way.n <= block->n_instructions && way.kind != PAPI_VPMU_WAY_ITERATIONS);
	if (way.kind >= PAPI_VPMU_WAY_COUNTED) {
		add_counted(block, way, times);
		return;
	}
	for (unsigned i = 1; i <= way.n; i++) {
		struct place *place = place_of(pc);
		unsigned n = at[1];

		pc += at[0];
		at += 2;
		if (way.kind != PAPI_VPMU_WAY_TAKEN && n) {
			place->runs += times;
			for (unsigned j = 0; j < n; j++)
				place->counters[at[2 * j]] += times * at[2 * j + 1];
		}
		at += 2 * n;
		if (i == way.n && way.kind != PAPI_VPMU_WAY_PREFIX)
			place->counters[PAPI_VPMU_BRANCHES_TAKEN] += times;
	}
}

static void read_block(const struct papi_vpmu_log_block *block)
{
	REQUIRE(EXPECT_EQUAL(1, block->copies));
	for (unsigned i = 0; i < block->n_ways; i++)
		add_way(block, block->ways[i], count_of(block->first_way + i));
	for (uint32_t next = block->more; next;) {
		const struct papi_vpmu_log_way *way = (const void *)entry_at(next);

		add_way(block, way->way, count_of(way->number));
		next = way->more;
	}
}

static void read_pair(const struct papi_vpmu_log_pair *pair)
{
	const struct papi_vpmu_log_block *block = (const void *)entry_at(pair->block);
	struct call *call = &calls[n_calls++];
	uint32_t number = pair->number;

	REQUIRE(n_calls < MAX_CALLS);
	call->site = pair->block ? block->pc + 4ull * (block->n_instructions - 1u) : 0;
	call->target = pair->target;
	call->times = count_of(number++);
	for (uint64_t left = head()->profile; left; left &= left - 1)
		call->within[__builtin_ctzll(left)] = count_of(number++);
}

static void read_file(const char *directory, const char *suffix, struct file *file)
{
	DIR *names = opendir(directory);
	const struct dirent *name;
	char path[600] = "";

	REQUIRE(names);
	while ((name = readdir(names)))
		if (strlen(name->d_name) > strlen(suffix) &&
			!strcmp(name->d_name + strlen(name->d_name) - strlen(suffix), suffix)) {
			REQUIRE(!path[0]); /* one process, one profile */
			snprintf(path, sizeof(path), "%s/%s", directory, name->d_name);
		}
	closedir(names);
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	FILE *stream = fopen(path, "r");
	struct stat status;
	REQUIRE(stream && !fstat(fileno(stream), &status));
	file->size = (uint64_t)status.st_size;
	file->bytes = mmap(NULL, file->size, PROT_READ, MAP_SHARED, fileno(stream), 0);
	REQUIRE(file->bytes != MAP_FAILED);
	fclose(stream);
	REQUIRE(unlink(path) == 0);
}

/* What these lanes count. */
static void read_lanes(unsigned first, unsigned last)
{
	find_extents(first, last);
	free(places);
	free(calls);
	places = calloc(PLACES, sizeof(*places));
	calls = calloc(MAX_CALLS, sizeof(*calls));
	n_calls = 0;
	REQUIRE(places && calls);
	FOR_EACH_ENTRY(entry)
	{
		if (entry->type == PAPI_VPMU_LOG_BLOCK)
			read_block((const void *)entry);
		else if (entry->type == PAPI_VPMU_LOG_PAIR)
			read_pair((const void *)entry);
	}
}

/* Of all threads, or of all but the first. */
static void read_profile(const struct papi_agent_plan *plan, bool of_all)
{
	read_file(plan->directory, PAPI_VPMU_LOG_SUFFIX, &log_file);
	read_file(plan->directory, PAPI_VPMU_LOG_COUNTS, &counts_file);
	REQUIRE(rmdir(plan->directory) == 0);
	REQUIRE(head()->magic == PAPI_VPMU_LOG_MAGIC && head()->version == PAPI_VPMU_LOG_VERSION);
	REQUIRE(EXPECT_EQUAL((long long)plan->profile, (long long)head()->profile));
	read_lanes(of_all ? 1 : 2, UINT32_MAX);
}

const struct profiled_thread *profiled_read_thread(unsigned n)
{
	const struct profiled_thread *thread = &ended->threads[n];

	if (n >= ended->n_threads || n >= MAX_THREADS)
		return NULL;
	FOR_EACH_ENTRY(entry)
	{
		const struct papi_vpmu_log_lane *lane = (const void *)entry;

		if (entry->type == PAPI_VPMU_LOG_LANE && lane->tid == thread->tid) {
			read_lanes(lane->lane, lane->lane);
			return thread;
		}
	}
	printf("no lane of thread %d\n", thread->tid);
	EXPECT(false);
	return NULL;
}

static void make_directory(struct papi_agent_plan *plan)
{
	snprintf(plan->directory, sizeof(plan->directory), "%s/profiled.XXXXXX", getenv("TMPDIR") ?: "/tmp");
	REQUIRE(mkdtemp(plan->directory));
}

void profiled_make(uint64_t counters, bool with_calls, uint32_t contexts, void (*work)(void *), void *argument)
{
	struct papi_agent_plan plan = { .profile = counters, .calls = with_calls, .contexts = contexts };
	struct task task = { .work = work, .argument = argument };

	make_directory(&plan);
	run(&plan, &task);
	read_profile(&plan, false);
}

void profiled_run_by(struct papi_agent_plan *plan, const void *start, const void *end, void (*work)(void *),
	void *argument, uint64_t counters[PROFILED_COUNTERS])
{
	struct task task = { work, argument, (uintptr_t)start, (uintptr_t)end, true };

	if (plan->profile)
		make_directory(plan);
	run(plan, &task);
	memcpy(counters, ended->counters, PROFILED_COUNTERS * sizeof(*counters));
	if (plan->profile)
		read_profile(plan, true);
}

uint64_t profiled_in(const void *start, const void *end, unsigned counter)
{
	uint64_t sum = 0;

	for (uint64_t pc = (uintptr_t)start; pc < (uintptr_t)end; pc += 4)
		sum += place_of(pc)->counters[counter];
	return sum;
}

void profiled_sums(uint64_t counters[PROFILED_COUNTERS])
{
	memset(counters, 0, PROFILED_COUNTERS * sizeof(*counters));
	for (unsigned i = 0; i < PLACES; i++)
		for (unsigned j = 0; j < PROFILED_COUNTERS; j++)
			counters[j] += places[i].counters[j];
}

void profiled_print(const void *start, const void *end)
{
	for (uint64_t pc = (uintptr_t)start; pc < (uintptr_t)end; pc += 4)
		if (place_of(pc)->runs)
			printf("%#llx %llu\n", (unsigned long long)(pc), (unsigned long long)place_of(pc)->runs);
}

static bool is_from(const struct call *call, const void *start, const void *end, const void *target)
{
	return call->target == (uintptr_t)target &&
		(!end || (call->site >= (uintptr_t)start && call->site < (uintptr_t)end));
}

uint64_t profiled_calls(const void *start, const void *end, const void *target)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n_calls; i++)
		sum += is_from(&calls[i], start, end, target) ? calls[i].times : 0;
	return sum;
}

uint64_t profiled_within(const void *start, const void *end, const void *target, unsigned counter)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n_calls; i++)
		sum += is_from(&calls[i], start, end, target) ? calls[i].within[counter] : 0;
	return sum;
}
