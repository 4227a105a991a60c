/* SPDX-License-Identifier: BSD-3-Clause */
/* Fortran: counters and rates of the high level. */
#include "fortran/papif.h"

void papif_num_counters_(int *number)
{
	*number = PAPI_num_counters();
}

void papif_start_counters_(int *events, const int *array_len, int *check)
{
	*check = PAPI_start_counters(events, *array_len);
}

void papif_stop_counters_(long long *values, const int *array_len, int *check)
{
	*check = PAPI_stop_counters(values, *array_len);
}

void papif_read_counters_(long long *values, const int *array_len, int *check)
{
	*check = PAPI_read_counters(values, *array_len);
}

void papif_accum_counters_(long long *values, const int *array_len, int *check)
{
	*check = PAPI_accum_counters(values, *array_len);
}

void papif_flips_(float *real_time, float *proc_time, long long *flpins, float *mflips, int *check)
{
	*check = PAPI_flips(real_time, proc_time, flpins, mflips);
}

void papif_flops_(float *real_time, float *proc_time, long long *flpops, float *mflops, int *check)
{
	*check = PAPI_flops(real_time, proc_time, flpops, mflops);
}

void papif_ipc_(float *real_time, float *proc_time, long long *ins, float *ipc, int *check)
{
	*check = PAPI_ipc(real_time, proc_time, ins, ipc);
}

void papif_flips_rate_(
	const int *event, float *real_time, float *proc_time, long long *flpins, float *mflips, int *check)
{
	*check = PAPI_flips_rate(*event, real_time, proc_time, flpins, mflips);
}

void papif_flops_rate_(
	const int *event, float *real_time, float *proc_time, long long *flpops, float *mflops, int *check)
{
	*check = PAPI_flops_rate(*event, real_time, proc_time, flpops, mflops);
}

void papif_epc_(const int *event, float *real_time, float *proc_time, long long *ref, long long *core, long long *evt,
	float *epc, int *check)
{
	*check = PAPI_epc(*event, real_time, proc_time, ref, core, evt, epc);
}

void papif_rate_stop_(int *check)
{
	*check = PAPI_rate_stop();
}

#include "highlevel_spellings.h"
