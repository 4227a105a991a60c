/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences of calls on the model kernel, three bytes each: what to do, with which set, and a number.
 *
 * Beside the library a few lines keep what each set must show: events count when the model says so, from the last start
 * or reset on. Calls of the kernel are made to fail on demand; then a set may lose its counts, but must say so, and
 * count right after its next start. Counters can be read from user space, as in tests/unit/perf_event/test_direct.c, so
 * that sets are kept counting. At the end nothing may be left behind.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "kernel.h"
#include "machine.h"
#include "papi.h"

#define SETS   4
#define EVENTS 3

static const char *const names[EVENTS] = { "r01", "r02", "r03" };

static struct {
	int handle, n, codes[EVENTS];
	bool running, known; /* known: nothing has failed since the last start */
	long long expected, stopped;
} sets[SETS];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fake_machine_begin();
	fake_machine_write("/sys/bus/event_source/devices/cpu/type", "4\n");
	fake_machine_write("/proc/sys/kernel/perf_event_paranoid", "-1\n");
	fake_machine_write("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu rdpmc\n");
	atexit(fake_machine_end);
	return 0;
}

/* The events that count advance, in their pages too. */
static void advance(unsigned amount)
{
	fake_count(amount);
	for (unsigned i = 0; i < fake.n_events; i++) {
		struct fake_event *event = &fake.events[i];

		if (!event->open || !event->page)
			continue;
		event->page->offset = (int64_t)event->count;
		event->page->index = fake_is_counting(event);
		event->page->lock += 2;
	}
	for (int i = 0; i < SETS; i++)
		if (sets[i].running)
			sets[i].expected += amount;
}

static void check_values(int i, const long long values[], long long expected)
{
	for (int j = 0; sets[i].known && j < sets[i].n; j++)
		CHECK(values[j] == expected);
}

/* Any failure has a code, and makes the counts of the set unknown. */
static bool went_well(int i, int status)
{
	CHECK(status <= PAPI_OK && status > -PAPI_NUM_ERRORS && status != PAPI_EBUG);
	if (status == PAPI_OK)
		return true;
	sets[i].known = false;
	return false;
}

static void start(int i)
{
	int status = PAPI_start(sets[i].handle);

	if (sets[i].running) {
		CHECK(status == PAPI_EISRUN);
	} else if (!sets[i].n) {
		CHECK(status == PAPI_EINVAL);
	} else if (went_well(i, status)) {
		sets[i].running = sets[i].known = true;
		sets[i].expected = 0;
	}
}

static void stop(int i)
{
	long long values[EVENTS] = { -1, -1, -1 };
	int status = PAPI_stop(sets[i].handle, values);

	if (!sets[i].running) {
		CHECK(status == PAPI_ENOTRUN);
		return;
	}
	sets[i].running = false;
	if (went_well(i, status))
		check_values(i, values, sets[i].expected);
	sets[i].stopped = sets[i].expected;
}

static void read_it(int i)
{
	long long values[EVENTS] = { -1, -1, -1 };

	if (went_well(i, PAPI_read(sets[i].handle, values)))
		check_values(i, values, sets[i].running ? sets[i].expected : sets[i].stopped);
}

static void reset(int i)
{
	if (went_well(i, PAPI_reset(sets[i].handle)))
		sets[i].expected = sets[i].stopped = 0;
}

static void add(int i)
{
	int status;

	if (sets[i].n == EVENTS)
		return;
	status = PAPI_add_named_event(sets[i].handle, names[sets[i].n]);
	if (sets[i].running)
		CHECK(status == PAPI_EISRUN);
	else if (went_well(i, status))
		sets[i].n++;
	/* The new one has counted nothing yet. */
	sets[i].known = sets[i].known && sets[i].running;
}

static void remove_last(int i)
{
	int code, status;

	if (!sets[i].n || PAPI_event_name_to_code(names[sets[i].n - 1], &code) != PAPI_OK)
		return;
	status = PAPI_remove_event(sets[i].handle, code);
	if (sets[i].running)
		CHECK(status == PAPI_EISRUN);
	else if (PAPI_num_events(sets[i].handle) == sets[i].n - 1)
		sets[i].n--;
}

static void times(int i)
{
	long long enabled[EVENTS], running[EVENTS];

	if (sets[i].n)
		went_well(i, PAPI_get_event_times(sets[i].handle, enabled, running));
}

static void call(uint8_t what, int i, uint8_t number)
{
	switch (what % 11) {
	case 0:
		start(i);
		break;
	case 1:
		stop(i);
		break;
	case 2:
		read_it(i);
		break;
	case 3:
		reset(i);
		break;
	case 4:
		add(i);
		break;
	case 5:
		remove_last(i);
		break;
	case 6:
		times(i);
		break;
	case 7:
		advance(number);
		break;
	case 8:
		fake_fail((enum fake_call)(number % FAKE_CLOSE), 1 + number / 64, number & 32 ? EINTR : EIO);
		break;
	case 9:
		fake_faults_clear();
		break;
	default:
		start(i);
		advance(number);
		stop(i);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fake_reset();
	fake.mappable = true;
	fake.page.cap_user_rdpmc = fake.page.cap_user_time = 1;
	fake.page.index = 1;
	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < SETS; i++) {
		sets[i].handle = PAPI_NULL;
		CHECK(PAPI_create_eventset(&sets[i].handle) == PAPI_OK);
	}
	for (size_t at = 0; at + 3 <= size && at < 3 * 300; at += 3) {
		/* As many faults as there is room for; older ones have come or will not. */
		if (data[at] % 11 == 8)
			fake_faults_clear();
		call(data[at], data[at + 1] % SETS, data[at + 2]);
	}
	fake_faults_clear();
	PAPI_shutdown();
	CHECK(!fake.n_open && !fake.n_mapped && !fake.misuses && !fake.without_cloexec);
	return 0;
}
