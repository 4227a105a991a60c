/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_flips, PAPI_flops, PAPI_ipc; PAPI_flips_rate, PAPI_flops_rate, PAPI_epc and PAPI_rate_stop are of the
 * 7.0 interface.
 *
 * All of them are one function, rate(), which begins on its first call and tells totals and changes on later ones.
 * Counts are never reset in between, so totals are exact; a change is the difference of two of them.
 */
#include "api/highlevel.h"

#include "linux/time/clock.h"

/* What counts[] of the totals holds. */
enum role { EVENT, CORE_CYCLES, REFERENCE_CYCLES };

/* The reference has cycles in all of its three; the rates of 7.0 make do without, so more machines have them. */
static unsigned roles(enum papi_measurement_kind kind)
{
	switch (kind) {
	case PAPI_MEASURE_FLIPS_RATE:
	case PAPI_MEASURE_FLOPS_RATE:
		return EVENT + 1;
	case PAPI_MEASURE_EPC:
		return REFERENCE_CYCLES + 1;
	default:
		return CORE_CYCLES + 1;
	}
}

/* The events to count, each once, and the place of each role among them. Returns how many events there are. */
static unsigned plan(enum papi_measurement_kind kind, int event, int events[], unsigned place[])
{
	const int wanted[PAPI_RATE_EVENTS] = {
		[EVENT] = event,
		[CORE_CYCLES] = PAPI_TOT_CYC,
		[REFERENCE_CYCLES] = PAPI_REF_CYC,
	};
	unsigned n = 0;

	for (unsigned role = 0; role < roles(kind); role++) {
		unsigned i = 0;

		while (i < n && events[i] != wanted[role])
			i++;
		if (i == n)
			events[n++] = wanted[role];
		place[role] = i;
	}
	return n;
}

/* Of a measurement whose EventSet the caller is inside of: where it stands, and what changed since the last call. */
static int proceed(struct papi_measurement *running, struct papi_eventset *set, struct papi_rate_totals *total,
	struct papi_rate_totals *change)
{
	struct papi_rate_totals *last = &running->last, now = { 0 };
	int events[PAPI_RATE_EVENTS], status;
	unsigned place[PAPI_RATE_EVENTS];

	now.real = papi_clock_real_ns() - running->real_start;
	now.cpu = papi_clock_virtual_ns() - running->cpu_start;
	status = papi_count_read(set, running->scratch);
	if (status != PAPI_OK)
		return status;
	plan(running->kind, running->event, events, place);
	for (unsigned role = 0; role < roles(running->kind); role++)
		if (place[role] < set->n_events)
			now.counts[role] = running->scratch[place[role]];
	change->real = now.real - last->real;
	change->cpu = now.cpu - last->cpu;
	for (unsigned role = 0; role < PAPI_RATE_EVENTS; role++)
		change->counts[role] = now.counts[role] - last->counts[role];
	*last = *total = now;
	return PAPI_OK;
}

/* Not every processor has a constant clock that can be counted; PAPI_epc() then tells 0 of it, which comes last. */
static int begin(enum papi_measurement_kind kind, int event)
{
	int events[PAPI_RATE_EVENTS], status;
	unsigned place[PAPI_RATE_EVENTS], n = plan(kind, event, events, place);

	status = papi_measurement_begin(kind, event, events, n);
	if (status == PAPI_ENOEVNT && kind == PAPI_MEASURE_EPC && place[REFERENCE_CYCLES] == n - 1 && n > 1)
		status = papi_measurement_begin(kind, event, events, n - 1);
	return status;
}

/* The first call of a kind gives zeros. */
static int rate(
	enum papi_measurement_kind kind, int event, struct papi_rate_totals *total, struct papi_rate_totals *change)
{
	struct papi_measurement *running;
	struct papi_slot *slot;
	int status = papi_measurement_enter(&running, &slot);

	*total = *change = (struct papi_rate_totals){ 0 };
	if (status == PAPI_ENOTRUN)
		return begin(kind, event);
	if (status != PAPI_OK)
		return status;
	if (running->kind != kind)
		status = papi_error(PAPI_EINVAL,
			"%s: the counters of this thread were started by %s; call "
			"PAPI_stop_counters%s first",
			papi_measurement_name(kind), papi_measurement_name(running->kind),
			running->kind == PAPI_MEASURE_COUNTERS ? "" : " or PAPI_rate_stop");
	else if (running->event != event)
		status = papi_error(PAPI_EINVAL,
			"%s: it has started to count another event in this thread; call "
			"PAPI_rate_stop first",
			papi_measurement_name(kind));
	else
		status = proceed(running, slot->set, total, change);
	papi_handle_leave(slot);
	return status;
}

static float seconds(long long nanoseconds)
{
	return (float)((double)nanoseconds * 1e-9);
}

/* Of two calls with nothing in between. */
static float ratio(double dividend, long long divisor)
{
	return divisor ? (float)(dividend / (double)divisor) : 0.0F;
}

static int null_among(enum papi_measurement_kind kind)
{
	return papi_error(
		PAPI_EINVAL, "%s: one of its pointers is null; all of them are needed", papi_measurement_name(kind));
}

/* What flips, flops and ipc have in common; *last is the rate. */
static int simple_rate(
	enum papi_measurement_kind kind, int event, float *rtime, float *ptime, long long *count, float *last)
{
	struct papi_rate_totals total, change;
	int status;

	if (!rtime || !ptime || !count || !last)
		return papi_result(null_among(kind));
	status = rate(kind, event, &total, &change);
	if (status != PAPI_OK)
		return papi_result(status);
	*rtime = seconds(total.real);
	*ptime = seconds(total.cpu);
	*count = total.counts[EVENT];
	/* Millions per second are thousands per nanosecond. */
	*last = kind == PAPI_MEASURE_IPC ? ratio((double)change.counts[EVENT], change.counts[CORE_CYCLES])
					 : ratio((double)change.counts[EVENT] * 1e3, change.cpu);
	return PAPI_OK;
}

int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips)
{
	return simple_rate(PAPI_MEASURE_FLIPS, PAPI_FP_INS, rtime, ptime, flpins, mflips);
}

int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops)
{
	return simple_rate(PAPI_MEASURE_FLOPS, PAPI_FP_OPS, rtime, ptime, flpops, mflops);
}

int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc)
{
	return simple_rate(PAPI_MEASURE_IPC, PAPI_TOT_INS, rtime, ptime, ins, ipc);
}

int PAPI_flips_rate(int event, float *rtime, float *ptime, long long *flpins, float *mflips)
{
	if (event != PAPI_FP_INS && event != PAPI_VEC_SP && event != PAPI_VEC_DP)
		return papi_result(papi_error(PAPI_EINVAL,
			"PAPI_flips_rate: event 0x%08x is not PAPI_FP_INS, PAPI_VEC_SP "
			"or PAPI_VEC_DP",
			(unsigned)event));
	return simple_rate(PAPI_MEASURE_FLIPS_RATE, event, rtime, ptime, flpins, mflips);
}

int PAPI_flops_rate(int event, float *rtime, float *ptime, long long *flpops, float *mflops)
{
	if (event != PAPI_FP_OPS && event != PAPI_SP_OPS && event != PAPI_DP_OPS)
		return papi_result(papi_error(PAPI_EINVAL,
			"PAPI_flops_rate: event 0x%08x is not PAPI_FP_OPS, PAPI_SP_OPS "
			"or PAPI_DP_OPS",
			(unsigned)event));
	return simple_rate(PAPI_MEASURE_FLOPS_RATE, event, rtime, ptime, flpops, mflops);
}

int PAPI_epc(int event, float *rtime, float *ptime, long long *ref, long long *core, long long *evt, float *epc)
{
	struct papi_rate_totals total, change;
	int status;

	if (!rtime || !ptime || !ref || !core || !evt || !epc)
		return papi_result(null_among(PAPI_MEASURE_EPC));
	status = rate(PAPI_MEASURE_EPC, event ? event : PAPI_TOT_INS, &total, &change);
	if (status != PAPI_OK)
		return papi_result(status);
	*rtime = seconds(total.real);
	*ptime = seconds(total.cpu);
	*ref = total.counts[REFERENCE_CYCLES];
	*core = total.counts[CORE_CYCLES];
	*evt = total.counts[EVENT];
	*epc = ratio((double)change.counts[EVENT], change.counts[CORE_CYCLES]);
	return PAPI_OK;
}

static int rate_stop(void)
{
	struct papi_measurement *running;
	struct papi_slot *slot;
	int status = papi_measurement_enter(&running, &slot);

	if (status == PAPI_OK && running->kind == PAPI_MEASURE_COUNTERS) {
		papi_handle_leave(slot);
		return papi_error(PAPI_ENOTRUN,
			"PAPI_rate_stop: this thread measures no rate; PAPI_stop_counters ends what "
			"PAPI_start_counters began");
	}
	if (status == PAPI_ENOTRUN)
		return papi_error(PAPI_ENOTRUN, "PAPI_rate_stop: this thread measures no rate");
	if (status != PAPI_OK)
		return status;
	status = papi_count_stop_and_leave(slot, NULL);
	papi_measurement_end(running);
	return status;
}

int PAPI_rate_stop(void)
{
	return papi_result(rate_stop());
}
