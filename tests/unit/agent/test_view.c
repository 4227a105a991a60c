/* SPDX-License-Identifier: BSD-3-Clause */
/* agent/view.h: what ends while somebody looks is neither missing nor counted twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/view.h"

#define THREADS 40
#define ROUNDS  400
#define EACH    1000 /* that a thread counts */

static struct papi_agent_process *begin(void)
{
	papi_agent_table = mmap(NULL, sizeof(*papi_agent_table), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(papi_agent_table, MAP_FAILED);
	papi_agent_own.pid = getpid();
	papi_agent_own.entry = papi_agent_entry_take(PAPI_AGENT_COUNTED, getpid(), "program");
	return papi_agent_own.entry;
}

static void end(void)
{
	munmap(papi_agent_table, sizeof(*papi_agent_table));
	papi_agent_table = NULL;
}

/* The page of a thread, with counts in several lanes, of an exact event and of a modelled one. */
static uint64_t *make_thread(int tid)
{
	uint64_t(*page)[PAPI_AGENT_COUNTERS] = papi_agent_page_take();

	assert_non_null(page);
	page[0][0] = EACH - 10;
	page[5][0] = 10;
	page[0][PAPI_AGENT_EXACT] = 7;
	page[3][PAPI_AGENT_EXACT] = 3; /* of the first lane, a part */
	if (tid)
		papi_agent_page_begin(page, tid);
	return page[0];
}

static void threads_and_the_whole(void **state)
{
	struct papi_agent_view view = { .number = 0 };
	struct papi_agent_process *entry = begin();
	uint64_t *second;

	(void)state;
	assert_true(papi_agent_view_take(&view, papi_agent_table));
	assert_int_equal(view.number, 0);
	assert_int_equal(view.whole[0], 0);
	make_thread(101);
	second = make_thread(102);
	make_thread(0); /* whose thread has not said who it is: of the whole alone */
	assert_true(papi_agent_view_take(&view, papi_agent_table));
	assert_int_equal(view.number, 2);
	assert_int_equal(view.threads[0].tid, 101);
	assert_int_equal(view.threads[1].tid, 102);
	assert_int_equal(view.threads[1].pid, getpid());
	assert_int_equal(view.threads[1].serial, 1);
	assert_int_equal(view.threads[1].counters[0], EACH);
	assert_int_equal(view.threads[1].counters[PAPI_AGENT_EXACT], 7);
	assert_int_equal(view.whole[0], 3 * EACH);
	assert_int_equal(view.whole[PAPI_AGENT_EXACT], 21);
	papi_agent_page_begin(second, -102);
	papi_agent_counters_add(second, 102);
	assert_true(papi_agent_view_take(&view, papi_agent_table));
	assert_int_equal(view.number, 1);
	assert_int_equal(view.threads[0].tid, 101);
	assert_int_equal(view.whole[0], 3 * EACH);
	assert_int_equal(view.whole[PAPI_AGENT_EXACT], 21);
	papi_agent_entry_fold(entry);
	assert_true(papi_agent_view_take(&view, papi_agent_table));
	assert_int_equal(view.number, 0);
	assert_int_equal(view.whole[0], 3 * EACH);
	papi_agent_view_free(&view);
	end();
}

static void *end_threads(void *made)
{
	uint64_t *const *pages = made;

	for (unsigned i = 0; i < THREADS; i++)
		papi_agent_counters_add(pages[i], 200 + (int)i);
	return NULL;
}

static void moved_meanwhile(void **state)
{
	struct papi_agent_view view = { .number = 0 };
	uint64_t *pages[THREADS], whole = 0;
	pthread_t thread;

	(void)state;
	begin();
	for (unsigned i = 0; i < THREADS; i++)
		pages[i] = make_thread(200 + (int)i);
	for (unsigned round = 0; round < ROUNDS; round++) {
		/* What was moved before stays where it is. */
		whole = (uint64_t)(round + 1) * THREADS * EACH;
		assert_int_equal(pthread_create(&thread, NULL, end_threads, pages), 0);
		for (unsigned i = 0; i < 5; i++)
			if (papi_agent_view_take(&view, papi_agent_table))
				assert_int_equal(view.whole[0], whole);
		pthread_join(thread, NULL);
		assert_true(papi_agent_view_take(&view, papi_agent_table));
		assert_int_equal(view.whole[0], whole);
		for (unsigned i = 0; i < THREADS; i++)
			pages[i][0] = EACH;
	}
	papi_agent_view_free(&view);
	end();
}

/* Somebody was killed in the middle: the others are read all the same, and until then nothing is what it was not. */
static void a_move_that_never_ends(void **state)
{
	struct papi_agent_view view = { .number = 0 };

	(void)state;
	begin();
	make_thread(301);
	atomic_fetch_add(&papi_agent_table->folds_begun, 1);
	assert_true(papi_agent_view_take(&view, papi_agent_table));
	assert_int_equal(view.whole[0], EACH);
	assert_int_equal(view.number, 1);
	papi_agent_view_free(&view);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_the_whole),
		cmocka_unit_test(moved_meanwhile),
		cmocka_unit_test(a_move_that_never_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
