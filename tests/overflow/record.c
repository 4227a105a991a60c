/* SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sanitizers.h"
#include "check.h"

/* In the executable, so that it needs no allocation when a handler touches it first. */
_Thread_local struct record record;

void record_need_prompt_signals(void)
{
	if (!THREAD_SANITIZER)
		return;
	printf("skipped: ThreadSanitizer delivers signals late\n");
	exit(77);
}

void record_refuse_watched(void)
{
	static struct work_cell cell;
	char name[WORK_NAME];
	int set, state;

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	EXPECT_ERROR(PAPI_ENOSUPP, RECORD_REFUSED_WATCH,
		PAPI_overflow(set, record_code(set, 0), 1, PAPI_OVERFLOW_HARDWARE, record_handler));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 100);
	EXPECT_EQUAL(100, work_stop(set));
	work_discard(set);
	check_skip("breakpoints do not overflow in the thread that they count, on this processor");
}

void record_clear(void)
{
	memset((void *)&record, 0, sizeof(record));
	record.lowest = (void *)~0ul;
}

void record_handler(int set, void *address, long long vector, void *context)
{
	if (record.calls < RECORD_KEPT)
		record.addresses[record.calls] = address;
	record.calls++;
	record.vectors |= vector;
	record.set = set;
	record.contexts += context != NULL;
	if ((char *)address < (char *)record.lowest)
		record.lowest = address;
	if ((char *)address > (char *)record.highest)
		record.highest = address;
}

void record_forking_handler(int set, void *address, long long vector, void *context)
{
	pid_t child;

	record_handler(set, address, vector, context);
	if (record.calls > 3)
		return;
	child = fork();
	if (child == 0)
		_exit(record.calls > 3);
	EXPECT_EQUAL(0, work_wait(child));
}

int record_code(int set, int position)
{
	int codes[8], number = (int)COUNT_OF(codes);

	REQUIRE_OK(PAPI_list_events(set, codes, &number));
	REQUIRE(position < number);
	return codes[position];
}

int record_set(const char *event, int threshold, int flags)
{
	int set = work_set(event, NULL, NULL);

	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), threshold, flags, record_handler));
	/* The first start and the first signal make pages of their own. */
	REQUIRE_OK(PAPI_start(set));
	record_faults((size_t)threshold < 100 ? (size_t)threshold * 2 : 1);
	REQUIRE_OK(PAPI_stop(set, NULL));
	record_clear();
	return set;
}

/* One after the other in a section of their own: where the code of record_touch ends is where the next begins. */
__attribute__((section("text_touch"))) WORK_PLAIN void record_touch(char *pages, size_t n)
{
	size_t page = work_bytes(1);

	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * page] = 1;
}

extern char __start_text_touch[], __stop_text_touch[];

bool record_in_touch(const void *address)
{
	return (const char *)address >= __start_text_touch && (const char *)address < __stop_text_touch;
}

void record_faults(size_t n)
{
	char *pages;

	if (!n)
		return;
	pages = work_pages(n);
	record_touch(pages, n);
	work_unmap(pages, n);
}

long long record_delivered(int set)
{
	long long delivered = -1;

	EXPECT_OK(PAPI_get_overflow_counts(set, record_code(set, 0), &delivered, NULL));
	return delivered;
}

long long record_lost(int set)
{
	long long lost = -1;

	EXPECT_OK(PAPI_get_overflow_counts(set, record_code(set, 0), NULL, &lost));
	return lost;
}

static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void record_spin(int ms)
{
	long long end = cpu_ns() + ms * 1000000LL;

	while (cpu_ns() < end)
		;
}
