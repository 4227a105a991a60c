/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls of the library cost, in instructions of the user and of the kernel, counted by the PMU of the guest.
 *
 * Two counters outside of any library, one for each mode, are read before and after a single call; what the same costs
 * with a function in its place that only returns is taken off, so that the numbers are those of the function, from its
 * first instruction to its last. The least of many calls is what a call costs: a tick of the kernel's timer only ever
 * adds. Prints a line for each case: name, user, kernel. Works with any libpapi 7.0.
 *
 * The sets hold two hardware counters, cycles and instructions.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPEATS 64

static int user_counter, kernel_counter; /* members of one group */
static int set = PAPI_NULL, other = PAPI_NULL;
static int raw_group = -1;
static long long values[4];
static uint64_t words[16];
static volatile long long sink;

static void give_up(const char *what, int status)
{
	fprintf(stderr, "costs: %s: %s\n", what, status ? PAPI_strerror(status) : strerror(errno));
	exit(EXIT_FAILURE);
}

static void expect(int status, const char *what)
{
	if (status < 0)
		give_up(what, status);
}

static int open_counter(uint64_t config, int leader, int user, int kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP,
		.disabled = leader < 0,
		.exclude_user = !user,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		give_up("perf_event_open", 0);
	return fd;
}

static void open_counters(void)
{
	user_counter = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1, 1, 0);
	kernel_counter = open_counter(PERF_COUNT_HW_INSTRUCTIONS, user_counter, 0, 1);
	ioctl(user_counter, PERF_EVENT_IOC_ENABLE, 0);
}

struct cost {
	uint64_t user, kernel;
};

static struct cost now(void)
{
	uint64_t group[5];

	if (syscall(SYS_read, user_counter, group, sizeof(group)) != sizeof(group) || group[1] != group[2])
		give_up("read of the counters around a call", 0);
	return (struct cost){ group[3], group[4] };
}

static struct cost least_of(void (*call)(void))
{
	struct cost least = { UINT64_MAX, UINT64_MAX };

	for (int i = 0; i < REPEATS; i++) {
		struct cost before = now(), after;

		call();
		after = now();
		if (after.user - before.user < least.user)
			least.user = after.user - before.user;
		if (after.kernel - before.kernel < least.kernel)
			least.kernel = after.kernel - before.kernel;
	}
	return least;
}

static void print(const char *name, struct cost cost)
{
	printf("%s %llu %llu\n", name, (unsigned long long)cost.user, (unsigned long long)cost.kernel);
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

/* One instruction, ret; so what a function with the same arguments costs more is all of it but its own. */
int empty_of_set(int) __asm__("empty");
int empty_of_values(int, long long *) __asm__("empty");
long long empty_timer(void) __asm__("empty");
__asm__(".text\n.globl empty\n.type empty, %function\nempty: ret\n.size empty, . - empty\n");

/* What is called: the library's functions, or the empty one. */
static struct calls {
	int (*start)(int);
	int (*stop)(int, long long *);
	int (*read)(int, long long *);
	int (*accum)(int, long long *);
	int (*reset)(int);
	long long (*timer)(void);
} calls;

static const struct calls empty_calls = {
	empty_of_set,
	empty_of_values,
	empty_of_values,
	empty_of_values,
	empty_of_set,
	empty_timer,
};

static void nothing(void)
{
}

static void raw_read(void)
{
	if (syscall(SYS_read, raw_group, words, sizeof(words)) <= 0)
		give_up("read", 0);
}

static void raw_cycle(void)
{
	ioctl(raw_group, PERF_EVENT_IOC_ENABLE, 0);
	raw_read();
	ioctl(raw_group, PERF_EVENT_IOC_DISABLE, 0);
}

static void read_set(void)
{
	expect(calls.read(set, values), "PAPI_read");
}

static void accum(void)
{
	expect(calls.accum(set, values), "PAPI_accum");
}

static void reset(void)
{
	expect(calls.reset(set), "PAPI_reset");
}

static void start_stop(void)
{
	int status = calls.start(set);

	status |= calls.stop(set, values);
	expect(status, "PAPI_start, PAPI_stop");
}

static void alternate(void)
{
	int status = calls.start(set);

	status |= calls.stop(set, values);
	status |= calls.start(other);
	status |= calls.stop(other, values);
	expect(status, "PAPI_start, PAPI_stop of two sets");
}

static void ask_timer(void)
{
	sink = calls.timer();
}

/* A case makes n_calls; each of them has a ret that the empty function has too. */
static void measure(const char *name, void (*run)(void), unsigned n_calls)
{
	const struct calls real = calls;
	struct cost cost = least_of(run), without;

	calls = empty_calls;
	without = least_of(n_calls ? run : nothing);
	calls = real;
	print(name, (struct cost){ cost.user - without.user + n_calls, cost.kernel - without.kernel });
}

/* ---- Cases --------------------------------------------------------------------------------------------- */

/* Raw groups of n events, in user mode as those of a set. */
static void measure_raw(int n, const char *read_name, const char *cycle_name)
{
	int fds[4];

	for (int i = 0; i < n; i++)
		fds[i] = open_counter(i ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES, i ? fds[0] : -1, 1, 0);
	raw_group = fds[0];
	measure(cycle_name, raw_cycle, 0);
	ioctl(raw_group, PERF_EVENT_IOC_ENABLE, 0);
	measure(read_name, raw_read, 0);
	while (n--)
		close(fds[n]);
}

static int make_set(void)
{
	int made = PAPI_NULL;

	expect(PAPI_create_eventset(&made), "PAPI_create_eventset");
	expect(PAPI_add_named_event(made, "perf::CYCLES"), "perf::CYCLES");
	expect(PAPI_add_named_event(made, "perf::INSTRUCTIONS"), "perf::INSTRUCTIONS");
	return made;
}

/* The first use of a library can be measured once in a process. */
static void measure_init(void)
{
	struct cost before = now(), after;
	int version = PAPI_library_init(PAPI_VER_CURRENT);

	after = now();
	if (version != PAPI_VER_CURRENT)
		give_up("PAPI_library_init", version < 0 ? version : PAPI_EINVAL);
	print("library_init", (struct cost){ after.user - before.user, after.kernel - before.kernel });
}

static void measure_counting(void)
{
	set = make_set();
	other = make_set();
	start_stop();
	measure("start-stop", start_stop, 2);
	measure("alternate", alternate, 4);
	start_stop();
	expect(PAPI_start(set), "PAPI_start");
	measure("read", read_set, 1);
	measure("accum", accum, 1);
	measure("reset", reset, 1);
	expect(PAPI_stop(set, values), "PAPI_stop");
	if (values[0] <= 0 || values[1] <= 0)
		give_up("the set has counted nothing", PAPI_EMISC);
}

static void measure_timers(void)
{
	static const struct {
		const char *name;
		long long (*timer)(void);
	} timers[] = {
		{ "real_usec", PAPI_get_real_usec },
		{ "real_nsec", PAPI_get_real_nsec },
		{ "real_cyc", PAPI_get_real_cyc },
		{ "virt_usec", PAPI_get_virt_usec },
		{ "virt_nsec", PAPI_get_virt_nsec },
		{ "virt_cyc", PAPI_get_virt_cyc },
	};

	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++) {
		calls.timer = timers[i].timer;
		measure(timers[i].name, ask_timer, 1);
	}
}

int main(void)
{
	open_counters();
	measure_init();
	calls = (struct calls){ PAPI_start, PAPI_stop, PAPI_read, PAPI_accum, PAPI_reset, PAPI_get_real_usec };
	measure_raw(2, "raw-read-2", "raw-cycle-2");
	measure_raw(4, "raw-read-4", "raw-cycle-4");
	measure_counting();
	measure_timers();
	return EXIT_SUCCESS;
}
