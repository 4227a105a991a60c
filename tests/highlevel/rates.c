/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_flips, PAPI_flops, PAPI_ipc, PAPI_flips_rate, PAPI_flops_rate, PAPI_epc and PAPI_rate_stop in one thread. */
#include <float.h>
#include <stdio.h>

#include "check.h"
#include "presets.h"
#include "work.h"

/* What one call said, and between which readings of the clocks it read them. */
struct call {
	float rtime, ptime, rate;
	long long n;
	long long real_before, real_after, cpu_before, cpu_after; /* ns */
};

/* The functions that take the same arguments. */
typedef int (*function)(float *rtime, float *ptime, long long *n, float *rate);

static struct call call(function rate)
{
	struct call made = { .rtime = -7, .ptime = -7, .rate = -7, .n = -7 };

	made.real_before = PAPI_get_real_nsec();
	made.cpu_before = PAPI_get_virt_nsec();
	EXPECT_OK(rate(&made.rtime, &made.ptime, &made.n, &made.rate));
	made.cpu_after = PAPI_get_virt_nsec();
	made.real_after = PAPI_get_real_nsec();
	return made;
}

/* least and most in ns, got in seconds with the precision of a float. */
static void within(long long least, float got, long long most)
{
	double error = 2 * FLT_EPSILON * (double)got;

	EXPECT((double)least * 1e-9 - error <= (double)got);
	EXPECT((double)got <= (double)most * 1e-9 + error);
}

/* Times are those since the first call. */
static void check_times(const struct call *first, const struct call *now)
{
	within(now->real_before - first->real_after, now->rtime, now->real_after - first->real_before);
	within(now->cpu_before - first->cpu_after, now->ptime, now->cpu_after - first->cpu_before);
}

/* The rate is that since the call before, per second of CPU time: times are floats, so it is known this well only. */
static void check_per_second(const struct call *before, const struct call *now)
{
	double millions = (double)(now->n - before->n) * 1e-6;
	double time = (double)now->ptime - (double)before->ptime, error = 2 * FLT_EPSILON * (double)now->ptime;

	EXPECT(time > error);
	EXPECT(now->rate > 0);
	EXPECT((double)now->rate <= millions / (time - error) * (1 + FLT_EPSILON));
	EXPECT((double)now->rate >= millions / (time + error) * (1 - FLT_EPSILON));
}

static void expect_zeros(const struct call *made)
{
	EXPECT_EQUAL(0, made->n);
	EXPECT(made->rtime == 0 && made->ptime == 0 && made->rate == 0);
}

static int flips_rate(float *rtime, float *ptime, long long *n, float *rate)
{
	return PAPI_flips_rate(PAPI_VEC_SP, rtime, ptime, n, rate);
}

static int flops_rate(float *rtime, float *ptime, long long *n, float *rate)
{
	return PAPI_flops_rate(PAPI_DP_OPS, rtime, ptime, n, rate);
}

/* Pages PAPI_flips and PAPI_ipc: zeros first, then totals since the first call and the rate since the last. */
static void totals_and_rates(function rate, bool per_cycle)
{
	const int work[] = { 1000, 100, 300 };
	struct call calls[1 + COUNT_OF(work)];
	long long n = 0;

	presets_warm_up();
	PAPI_shutdown();
	calls[0] = call(rate);
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	expect_zeros(&calls[0]);
	EXPECT_OK(PAPI_rate_stop());
	calls[0] = call(rate);
	for (size_t i = 0; i < COUNT_OF(work); i++) {
		presets_work((size_t)work[i]);
		calls[i + 1] = call(rate);
	}
	EXPECT_OK(PAPI_rate_stop());
	expect_zeros(&calls[0]);
	for (size_t i = 1; i < COUNT_OF(calls); i++) {
		n += work[i - 1];
		EXPECT_EQUAL(n, calls[i].n);
		check_times(&calls[0], &calls[i]);
		EXPECT(calls[i].rtime >= calls[i - 1].rtime && calls[i].ptime >= calls[i - 1].ptime);
		if (per_cycle)
			EXPECT(calls[i].rate == 1.0F / PRESETS_CORE);
		else
			check_per_second(&calls[i - 1], &calls[i]);
	}
}

static void flips(void)
{
	totals_and_rates(PAPI_flips, false);
}

static void flops(void)
{
	totals_and_rates(PAPI_flops, false);
}

static void ipc(void)
{
	totals_and_rates(PAPI_ipc, true);
}

static void flips_with_an_event(void)
{
	totals_and_rates(flips_rate, false);
}

static void flops_with_an_event(void)
{
	totals_and_rates(flops_rate, false);
}

/* Rates are of what happened since the last call, and that may be nothing. */
static void nothing_in_between(void)
{
	struct call made;

	presets_warm_up();
	call(PAPI_ipc);
	presets_work(100);
	call(PAPI_ipc);
	made = call(PAPI_ipc);
	EXPECT_EQUAL(100, made.n);
	EXPECT(made.rate == 0);
	EXPECT_OK(PAPI_rate_stop());
	call(PAPI_flops);
	presets_work(100);
	call(PAPI_flops);
	made = call(PAPI_flops);
	EXPECT_EQUAL(100, made.n);
	EXPECT(made.rate == 0);
	EXPECT_OK(PAPI_rate_stop());
}

/* After a stop the next call is a first one. */
static void stopping_and_starting_again(void)
{
	struct call made;

	presets_warm_up();
	for (int i = 1; i <= 3; i++) {
		made = call(PAPI_ipc);
		expect_zeros(&made);
		presets_work((size_t)i * 100);
		made = call(PAPI_ipc);
		EXPECT_EQUAL(i * 100, made.n);
		EXPECT_OK(PAPI_rate_stop());
		EXPECT_ERROR(PAPI_ENOTRUN, "measures no rate", PAPI_rate_stop());
	}
}

static void expect_epc(int event, long long n, float rate)
{
	float rtime = -7, ptime = -7, epc = -7;
	long long reference = -7, core = -7, events = -7;

	EXPECT_OK(PAPI_epc(event, &rtime, &ptime, &reference, &core, &events, &epc));
	EXPECT_EQUAL(event == PAPI_TOT_CYC      ? n * PRESETS_CORE
			: event == PAPI_REF_CYC ? n * PRESETS_REFERENCE
						: n,
		events);
	EXPECT_EQUAL(n * PRESETS_CORE, core);
	EXPECT_EQUAL(n * PRESETS_REFERENCE, reference);
	EXPECT(epc == rate);
	EXPECT(n ? rtime > 0 && ptime > 0 : rtime == 0 && ptime == 0);
}

/* Any event may be given, cycles too, which are counted anyway. */
static void events_per_cycle(void)
{
	const struct {
		int event;
		float rate;
	} cases[] = {
		{ 0, 1.0F / PRESETS_CORE },
		{ PAPI_TOT_INS, 1.0F / PRESETS_CORE },
		{ PAPI_FP_OPS, 1.0F / PRESETS_CORE },
		{ PAPI_TOT_CYC, 1 },
		{ PAPI_REF_CYC, (float)PRESETS_REFERENCE / PRESETS_CORE },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		presets_warm_up();
		expect_epc(cases[i].event, 0, 0);
		presets_work(100);
		expect_epc(cases[i].event, 100, cases[i].rate);
		presets_work(200);
		expect_epc(cases[i].event, 300, cases[i].rate);
		EXPECT_OK(PAPI_rate_stop());
	}
}

/* 0 and PAPI_TOT_INS are the same; a native event's code will do. */
static void codes_of_events(void)
{
	float times[3];
	long long counts[3];
	int native;

	presets_warm_up();
	expect_epc(0, 0, 0);
	presets_work(10);
	expect_epc(PAPI_TOT_INS, 10, 1.0F / PRESETS_CORE);
	EXPECT_OK(PAPI_rate_stop());
	EXPECT_OK(PAPI_event_name_to_code(work_event(WORK_A), &native));
	expect_epc(native, 0, 0);
	presets_work(10);
	expect_epc(native, 10, 1.0F / PRESETS_CORE);
	EXPECT_OK(PAPI_rate_stop());
	EXPECT_ERROR(PAPI_EINVAL, "is no event code",
		PAPI_epc(77, &times[0], &times[1], &counts[0], &counts[1], &counts[2], &times[2]));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_flips_rate: event 0x80000066 is not",
		PAPI_flips_rate(PAPI_FP_OPS, &times[0], &times[1], &counts[0], &times[2]));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_flops_rate: event 0x00000000 is not",
		PAPI_flops_rate(0, &times[0], &times[1], &counts[0], &times[2]));
	EXPECT_ERROR(PAPI_ENOTRUN, "measures no rate", PAPI_rate_stop());
}

static void null_pointers(void)
{
	const function functions[] = { PAPI_flips, PAPI_flops, PAPI_ipc, flips_rate, flops_rate };
	float t, *const nowhere = NULL;
	long long n;

	presets_warm_up();
	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		EXPECT_ERROR(PAPI_EINVAL, "null", functions[i](nowhere, &t, &n, &t));
		EXPECT_ERROR(PAPI_EINVAL, "null", functions[i](&t, nowhere, &n, &t));
		EXPECT_ERROR(PAPI_EINVAL, "null", functions[i](&t, &t, NULL, &t));
		EXPECT_ERROR(PAPI_EINVAL, "null", functions[i](&t, &t, &n, nowhere));
	}
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_epc", PAPI_epc(0, nowhere, &t, &n, &n, &n, &t));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_epc", PAPI_epc(0, &t, nowhere, &n, &n, &n, &t));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_epc", PAPI_epc(0, &t, &t, NULL, &n, &n, &t));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_epc", PAPI_epc(0, &t, &t, &n, NULL, &n, &t));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_epc", PAPI_epc(0, &t, &t, &n, &n, NULL, &t));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_epc", PAPI_epc(0, &t, &t, &n, &n, &n, nowhere));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_rate_stop());
}

/* Pages PAPI_flips and PAPI_ipc: both the event and the cycles must exist. The 7.0 functions need no cycles. */
static void events_that_do_not_exist(void)
{
	float rtime, ptime, rate;
	long long n;
	char lines[256];

	snprintf(lines, sizeof(lines), "PRESET,PAPI_FP_OPS,NOT_DERIVED,%s\n", work_event(WORK_A));
	presets_define(lines);
	PAPI_shutdown();
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_TOT_CYC is not defined", PAPI_flops(&rtime, &ptime, &n, &rate));
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_FP_INS is not defined", PAPI_flips(&rtime, &ptime, &n, &rate));
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_TOT_INS is not defined", PAPI_ipc(&rtime, &ptime, &n, &rate));
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_TOT_INS is not defined", PAPI_epc(0, &rtime, &ptime, &n, &n, &n, &rate));
	EXPECT_ERROR(
		PAPI_ENOEVNT, "PAPI_TOT_CYC is not defined", PAPI_epc(PAPI_FP_OPS, &rtime, &ptime, &n, &n, &n, &rate));
	EXPECT_ERROR(
		PAPI_ENOEVNT, "PAPI_VEC_DP is not defined", PAPI_flips_rate(PAPI_VEC_DP, &rtime, &ptime, &n, &rate));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(NULL, 0));
	EXPECT_OK(PAPI_flops_rate(PAPI_FP_OPS, &rtime, &ptime, &n, &rate));
	EXPECT_OK(PAPI_rate_stop());
	presets_define(NULL);
	PAPI_shutdown();
}

/* Not every processor has a constant clock to count: the rest is told all the same. */
static void no_reference_cycles(void)
{
	const char *event = work_event(WORK_A);
	char lines[512];
	float rtime, ptime, rate;
	long long reference = -7, core = -7, n = -7;

	snprintf(lines, sizeof(lines),
		"PRESET,PAPI_TOT_INS,NOT_DERIVED,%s\nPRESET,PAPI_FP_OPS,NOT_DERIVED,%s\n"
		"PRESET,PAPI_TOT_CYC,DERIVED_POSTFIX,N0|%d|*|,%s\n",
		event, event, PRESETS_CORE, event);
	presets_define(lines);
	PAPI_shutdown();
	for (int i = 0; i < 2; i++) {
		presets_warm_up();
		EXPECT_OK(PAPI_epc(0, &rtime, &ptime, &reference, &core, &n, &rate));
		presets_work(100);
		EXPECT_OK(PAPI_epc(PAPI_TOT_INS, &rtime, &ptime, &reference, &core, &n, &rate));
		EXPECT_EQUAL(100, n);
		EXPECT_EQUAL(100 * PRESETS_CORE, core);
		EXPECT_EQUAL(0, reference);
		EXPECT(rate == 1.0F / PRESETS_CORE);
		EXPECT_OK(PAPI_rate_stop());
		EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_REF_CYC is not defined",
			PAPI_epc(PAPI_REF_CYC, &rtime, &ptime, &reference, &core, &n, &rate));
	}
	presets_define(NULL);
	PAPI_shutdown();
}

/* Cycles of another component: the clock itself, in nanoseconds, so that the rate can be checked against it. */
static void events_of_two_components(void)
{
	struct call first, second, third;
	long long least, most;
	char lines[256];

	snprintf(lines, sizeof(lines),
		"PRESET,PAPI_TOT_INS,NOT_DERIVED,%s\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,rusage:::realtime\n",
		work_event(WORK_A));
	presets_define(lines);
	PAPI_shutdown();
	for (int i = 0; i < 2; i++) {
		first = call(PAPI_ipc);
		presets_work(100);
		second = call(PAPI_ipc);
		presets_work(500);
		third = call(PAPI_ipc);
		EXPECT_OK(PAPI_rate_stop());
	}
	least = third.real_before - second.real_after;
	most = third.real_after - second.real_before;
	expect_zeros(&first);
	EXPECT_EQUAL(100, second.n);
	EXPECT_EQUAL(600, third.n);
	EXPECT((double)third.rate <= 500 / (double)least * (1 + FLT_EPSILON));
	EXPECT((double)third.rate >= 500 / (double)most * (1 - FLT_EPSILON));
	presets_define(NULL);
	PAPI_shutdown();
}

static void rate_in_child(void)
{
	struct call made;

	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_rate_stop());
	made = call(PAPI_ipc);
	expect_zeros(&made);
	presets_work(100);
	EXPECT_OK(PAPI_rate_stop());
	made = call(PAPI_ipc);
	presets_work(100);
	made = call(PAPI_ipc);
	EXPECT_EQUAL(100, made.n);
}

/* The child's first call is a first call; so is one after PAPI_shutdown. */
static void fork_and_shutdown_in_between(void)
{
	struct call made;

	if (!presets_can_fork()) {
		check_skip("ThreadSanitizer does not understand what the library does to its lock in a child");
		return;
	}
	presets_warm_up();
	call(PAPI_ipc);
	EXPECT_EQUAL(0, work_in_process(rate_in_child));
	made = call(PAPI_ipc);
	EXPECT(made.n >= 0 && made.rtime > 0);
	PAPI_shutdown();
	presets_work(100);
	made = call(PAPI_ipc);
	expect_zeros(&made);
	EXPECT_OK(PAPI_rate_stop());
}

int main(void)
{
	static const struct test tests[] = {
		{ "flips", flips },
		{ "flops", flops },
		{ "ipc", ipc },
		{ "flips with an event", flips_with_an_event },
		{ "flops with an event", flops_with_an_event },
		{ "nothing in between", nothing_in_between },
		{ "stopping and starting again", stopping_and_starting_again },
		{ "events per cycle", events_per_cycle },
		{ "codes of events", codes_of_events },
		{ "null pointers", null_pointers },
		{ "events that do not exist", events_that_do_not_exist },
		{ "no reference cycles", no_reference_cycles },
		{ "events of two components", events_of_two_components },
		{ "fork and shutdown in between", fork_and_shutdown_in_between },
	};

	presets_begin();
	return presets_end(check_run(tests, COUNT_OF(tests)));
}
