/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow on the model kernel: the most precise samples that the PMU knows, less where it refuses them, and none where
 * it gives no interrupts.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "sanitizers.h"
#include "sets.h"

#define SOMEWHERE 0x401000u

static volatile long calls;
static volatile uint64_t wrong;

static void handler(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)context;
	wrong += address != (void *)(uintptr_t)SOMEWHERE || vector != 1;
	calls++;
}

static int code_of(const char *name)
{
	int code;

	assert_ok(PAPI_event_name_to_code(name, &code));
	return code;
}

static void core_pmu(unsigned precise, int refusal)
{
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW, .counters = 4, .precise = precise, .refusal = refusal });
}

static struct fake_event *sampled(void)
{
	for (unsigned i = 0; fake_event(i); i++)
		if (fake_event(i)->attr.sample_period)
			return fake_event(i);
	return NULL;
}

/* Starts the set, lets its event occur, and sees every overflow. */
static void expect_overflows(int set, const char *name, uint64_t threshold)
{
	long long values[4], delivered, lost;

	for (int run = 0; run < 2; run++) {
		calls = 0;
		wrong = 0;
		assert_ok(PAPI_start(set));
		fake_occur(sampled(), 10 * threshold + 3, SOMEWHERE);
		assert_int_equal(calls, 10);
		assert_ok(PAPI_stop(set, values));
		assert_int_equal(values[0], 10 * threshold + 3);
		assert_int_equal(calls, 10);
		assert_int_equal(wrong, 0);
		assert_ok(PAPI_get_overflow_counts(set, code_of(name), &delivered, &lost));
		assert_int_equal(delivered, 10);
		assert_int_equal(lost, 0);
	}
}

/* Each attempt is one step less precise than the one before. */
static void precision_falls_back(void **state)
{
	static const int refusals[] = { EOPNOTSUPP, EINVAL };

	(void)state;
	for (size_t i = 0; i < LENGTH(refusals); i++) {
		for (unsigned precise = 0; precise <= 2; precise++) {
			int set = SET_OF("r01");
			unsigned first = fake.n_events;

			core_pmu(precise, refusals[i]);
			fake_calls_clear();
			assert_ok(PAPI_overflow(set, code_of("r01"), 100, PAPI_OVERFLOW_HARDWARE, handler));
			assert_int_equal(fake.calls[FAKE_OPEN], 3 - precise);
			assert_int_equal(fake.n_events, first + 1);
			assert_non_null(sampled());
			assert_int_equal(sampled()->attr.precise_ip, precise);
			assert_int_equal(sampled()->attr.sample_period, 100);
			assert_int_equal(sampled()->attr.sample_type, PERF_SAMPLE_IP);
			assert_int_equal(sampled()->attr.wakeup_events, 1);
			expect_overflows(set, "r01", 100);
			/* Counting alone asks for no precision. */
			assert_ok(PAPI_overflow(set, code_of("r01"), 0, 0, NULL));
			assert_null(sampled());
			assert_int_equal(fake_event(0)->attr.precise_ip, 0);
			destroy_set(set);
		}
	}
}

/* Only what overflows is precise, and its group stays together. */
static void others_are_as_they_were(void **state)
{
	int set = SET_OF("r01", "r02", "r03");

	(void)state;
	core_pmu(1, 0);
	assert_ok(PAPI_overflow(set, code_of("r01"), 7, 0, handler));
	assert_int_equal(fake.n_open, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(fake_event(i)->attr.precise_ip, i == 0);
		assert_int_equal(fake_event(i)->attr.sample_period, i == 0 ? 7 : 0);
		assert_ptr_equal(fake_event(i)->leader, fake_event(0));
	}
	expect_overflows(set, "r01", 7);
	/* With another event the most precise is tried once more: it may be able to. */
	core_pmu(2, 0);
	assert_ok(PAPI_overflow(set, code_of("r02"), 9, 0, handler));
	assert_int_equal(fake_event(0)->attr.precise_ip, 2);
	assert_int_equal(fake_event(1)->attr.precise_ip, 2);
	assert_int_equal(fake_event(2)->attr.precise_ip, 0);
	destroy_set(set);
}

/* Breakpoints and software events know where they are: they are asked for nothing. */
static void software_is_exact_anyway(void **state)
{
	int set = SET_OF("mem:0x1000:w");

	(void)state;
	core_pmu(0, 0);
	fake_calls_clear();
	assert_ok(PAPI_overflow(set, code_of("mem:0x1000:w"), 5, 0, handler));
	assert_int_equal(fake.calls[FAKE_OPEN], 1);
	assert_int_equal(sampled()->attr.precise_ip, 0);
	expect_overflows(set, "mem:0x1000:w", 5);
	destroy_set(set);
}

/* What has nothing to do with precision is not tried again, and what was there still counts. */
static void other_errors_are_told(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	core_pmu(2, 0);
	fake_fail(FAKE_OPEN, 1, EMFILE);
	fake_calls_clear();
	assert_refused(PAPI_overflow(set, code_of("r01"), 100, PAPI_OVERFLOW_HARDWARE, handler), PAPI_ESYS, "open");
	/* Once so, and once as it was before. */
	assert_int_equal(fake.calls[FAKE_OPEN], 2);
	assert_null(sampled());
	assert_ok(PAPI_start(set));
	fake_count(11);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 11);
	destroy_set(set);
}

static void no_interrupts(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW, .counters = 4, .no_interrupts = true });
	fake_calls_clear();
	assert_refused(
		PAPI_overflow(set, code_of("r01"), 100, PAPI_OVERFLOW_HARDWARE, handler), PAPI_ENOSUPP, "no interrupt");
	/* Three times precise, less and less, and then as it was. */
	assert_int_equal(fake.calls[FAKE_OPEN], 4);
	assert_null(sampled());
	/* By timer it can. */
	assert_ok(PAPI_overflow(set, code_of("r01"), 100, 0, handler));
	assert_null(sampled());
	assert_ok(PAPI_start(set));
	fake_count(11);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 11);
	assert_ok(PAPI_overflow(set, code_of("r01"), 0, 0, NULL));
	destroy_set(set);
}

/* A ring that nobody can empty: what does not fit is counted. */
static void full_rings(void **state)
{
	int set = SET_OF("r01"), code = code_of("r01");
	long long value, delivered, lost;
	sigset_t blocked, before;

	(void)state;
	core_pmu(1, 0);
	assert_ok(PAPI_overflow(set, code, 1, 0, handler));
	calls = 0;
	assert_ok(PAPI_start(set));
	sigfillset(&blocked);
	assert_int_equal(sigprocmask(SIG_SETMASK, &blocked, &before), 0);
	fake_occur(sampled(), sampled()->ring / 16 + 50, SOMEWHERE);
	assert_int_equal(calls, 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	assert_int_equal(calls, sampled()->ring / 16);
	value = (long long)(sampled()->ring / 16);
	assert_ok(PAPI_stop(set, NULL));
	assert_ok(PAPI_get_overflow_counts(set, code, &delivered, &lost));
	assert_int_equal(delivered, value);
	assert_int_equal(lost, 50);
	destroy_set(set);
}

/* Then the thread that is counted must not be the one that gets the signal. */
static void signals_before_the_access(void **state)
{
	int set = SET_OF("mem:0x1000:w"), code = code_of("mem:0x1000:w");

	(void)state;
	fake.breakpoints_first = true;
	assert_refused(PAPI_overflow(set, code, 5, PAPI_OVERFLOW_HARDWARE, handler), PAPI_ENOSUPP, "counted again");
	assert_null(sampled());
	/* Without the flag it is done by timer. */
	assert_ok(PAPI_overflow(set, code, 5, 0, handler));
	assert_null(sampled());
	assert_ok(PAPI_overflow(set, code, 0, 0, NULL));
	assert_ok(PAPI_attach(set, (unsigned long)getppid()));
	assert_ok(PAPI_overflow(set, code, 5, PAPI_OVERFLOW_HARDWARE, handler));
	expect_overflows(set, "mem:0x1000:w", 5);
	assert_ok(PAPI_detach(set));
	assert_refused(PAPI_start(set), PAPI_ENOSUPP, "counted again");
	assert_ok(PAPI_overflow(set, code, 0, 0, NULL));
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_stop(set, NULL));
	destroy_set(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(precision_falls_back),
		test_on_model(others_are_as_they_were),
		test_on_model(software_is_exact_anyway),
		test_on_model(other_errors_are_told),
		test_on_model(no_interrupts),
		test_on_model(full_rings),
		test_on_model(signals_before_the_access),
	};

	if (!THREAD_SANITIZER)
		return cmocka_run_group_tests(tests, NULL, NULL);
	print_message("skipped: ThreadSanitizer delivers signals late\n");
	return 77;
}
