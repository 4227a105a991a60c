/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which function of the high level may follow which: every one that starts something with every one that starts, reads
 * or stops.
 */
#include "check.h"
#include "presets.h"
#include "work.h"

#define COUNTERS 0

/* What a call of one of the starters left. */
struct outcome {
	float rtime, ptime, rate;
	long long n, core, reference;
};

static int two[] = { PAPI_TOT_INS, PAPI_TOT_CYC };

static int counters(struct outcome *outcome)
{
	(void)outcome;
	return PAPI_start_counters(two, 2);
}

static int flips(struct outcome *outcome)
{
	return PAPI_flips(&outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int flops(struct outcome *outcome)
{
	return PAPI_flops(&outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int ipc(struct outcome *outcome)
{
	return PAPI_ipc(&outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int flips_rate(struct outcome *outcome)
{
	return PAPI_flips_rate(PAPI_FP_INS, &outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int flips_rate_vector(struct outcome *outcome)
{
	return PAPI_flips_rate(PAPI_VEC_SP, &outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int flops_rate(struct outcome *outcome)
{
	return PAPI_flops_rate(PAPI_FP_OPS, &outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int flops_rate_double(struct outcome *outcome)
{
	return PAPI_flops_rate(PAPI_DP_OPS, &outcome->rtime, &outcome->ptime, &outcome->n, &outcome->rate);
}

static int epc(struct outcome *outcome)
{
	return PAPI_epc(
		0, &outcome->rtime, &outcome->ptime, &outcome->reference, &outcome->core, &outcome->n, &outcome->rate);
}

static int epc_of_operations(struct outcome *outcome)
{
	return PAPI_epc(PAPI_FP_OPS, &outcome->rtime, &outcome->ptime, &outcome->reference, &outcome->core, &outcome->n,
		&outcome->rate);
}

static const struct {
	const char *name; /* as the error detail names it */
	int (*call)(struct outcome *outcome);
	size_t n_events;
} starters[] = {
	[COUNTERS] = { "PAPI_start_counters", counters, 2 },
	{ "PAPI_flips", flips, 2 },
	{ "PAPI_flops", flops, 2 },
	{ "PAPI_ipc", ipc, 2 },
	{ "PAPI_flips_rate", flips_rate, 1 },
	{ "PAPI_flips_rate", flips_rate_vector, 1 },
	{ "PAPI_flops_rate", flops_rate, 1 },
	{ "PAPI_flops_rate", flops_rate_double, 1 },
	{ "PAPI_epc", epc, 3 },
	{ "PAPI_epc", epc_of_operations, 3 },
};

static const struct outcome untouched = { -7, -7, -7, -7, -7, -7 };

static bool same(const struct outcome *a, const struct outcome *b)
{
	return a->rtime == b->rtime && a->ptime == b->ptime && a->rate == b->rate && a->n == b->n &&
		a->core == b->core && a->reference == b->reference;
}

/* Everything but the same function with the same event is refused, says who is in the way, and writes nothing. */
static void refuse_others(size_t running)
{
	long long values[3] = { -7, -7, -7 };

	for (size_t i = 0; i < COUNT_OF(starters); i++) {
		struct outcome outcome = untouched;

		if (i == running && i != COUNTERS)
			continue;
		EXPECT_ERROR(
			i == COUNTERS ? PAPI_EISRUN : PAPI_EINVAL, starters[running].name, starters[i].call(&outcome));
		EXPECT(same(&untouched, &outcome));
	}
	if (running != COUNTERS) {
		EXPECT_ERROR(PAPI_EINVAL, starters[running].name, PAPI_read_counters(values, 3));
		EXPECT_ERROR(PAPI_EINVAL, starters[running].name, PAPI_accum_counters(values, 3));
	} else {
		EXPECT_ERROR(PAPI_ENOTRUN, "PAPI_stop_counters", PAPI_rate_stop());
	}
	EXPECT_EQUAL(-7, values[0]);
}

static void each_with_each(void)
{
	for (size_t i = 0; i < COUNT_OF(starters); i++) {
		struct outcome outcome = untouched;
		long long values[4] = { -7, -7, -7, -7 };

		presets_warm_up();
		EXPECT_OK(starters[i].call(&outcome));
		if (i != COUNTERS)
			EXPECT_EQUAL(0, outcome.n);
		refuse_others(i);
		EXPECT_OK(PAPI_stop_counters(values, 4));
		for (size_t j = 0; j < COUNT_OF(values); j++)
			EXPECT(j < starters[i].n_events ? values[j] >= 0 : values[j] == -7);
		EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(values, 4));
		EXPECT_STATUS(PAPI_ENOTRUN, PAPI_rate_stop());
	}
}

/* After either way to stop, any other may start. */
static void each_after_each(void)
{
	presets_warm_up();
	for (size_t i = 0; i < COUNT_OF(starters); i++) {
		for (size_t j = 0; j < COUNT_OF(starters); j++) {
			struct outcome outcome = untouched;
			long long values[3];

			EXPECT_OK(starters[i].call(&outcome));
			EXPECT_OK(i == COUNTERS || j % 2 ? PAPI_stop_counters(values, 3) : PAPI_rate_stop());
			EXPECT_OK(starters[j].call(&outcome));
			if (j != COUNTERS)
				EXPECT_EQUAL(0, outcome.n);
			EXPECT_OK(PAPI_stop_counters(values, 3));
		}
	}
}

/* A refused call does not disturb the counts either: once all of them have been made, so that their code is in
 * memory. */
static void refusals_do_not_disturb(void)
{
	for (size_t i = 1; i < COUNT_OF(starters); i++) {
		struct outcome outcome = untouched;

		presets_warm_up();
		EXPECT_OK(starters[i].call(&outcome));
		presets_work(100);
		refuse_others(i);
		presets_work(100);
		EXPECT_OK(starters[i].call(&outcome));
		EXPECT_EQUAL(200, outcome.n);
		EXPECT_OK(PAPI_rate_stop());
	}
}

/* Page PAPI_flips: PAPI_stop_counters makes PAPI_start_counters possible again. What it stores need not be wanted. */
static void stopping_a_rate(void)
{
	struct outcome outcome;
	long long values[3] = { -7, -7, -7 };

	presets_warm_up();
	EXPECT_OK(flops(&outcome));
	presets_work(100);
	EXPECT_ERROR(PAPI_EINVAL, "array_len is -1", PAPI_stop_counters(values, -1));
	EXPECT_ERROR(PAPI_EINVAL, "values is a null pointer", PAPI_stop_counters(NULL, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100, values[0]);
	EXPECT_EQUAL(100 * PRESETS_CORE, values[1]);
	values[1] = -7;
	EXPECT_OK(flops(&outcome));
	presets_work(50);
	EXPECT_OK(PAPI_stop_counters(values, 1));
	EXPECT_EQUAL(50, values[0]);
	EXPECT_EQUAL(-7, values[1]);
	EXPECT_OK(epc(&outcome));
	presets_work(50);
	EXPECT_OK(PAPI_stop_counters(values, 3));
	EXPECT_EQUAL(50, values[0]);
	EXPECT_EQUAL(50 * PRESETS_CORE, values[1]);
	EXPECT_EQUAL(50 * PRESETS_REFERENCE, values[2]);
	EXPECT_OK(flops(&outcome));
	EXPECT_OK(PAPI_stop_counters(NULL, 0));
	EXPECT_OK(counters(&outcome));
	EXPECT_OK(PAPI_stop_counters(values, 2));
}

int main(void)
{
	static const struct test tests[] = {
		{ "each with each", each_with_each },
		{ "each after each", each_after_each },
		{ "refusals do not disturb", refusals_do_not_disturb },
		{ "stopping a rate", stopping_a_rate },
	};

	presets_begin();
	return presets_end(check_run(tests, COUNT_OF(tests)));
}
