/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Fortran interface: what a Fortran program calls when it says call PAPIF_read(...).
 *
 * Each routine calls the C function of its name, and its last argument, check, gets what that returns. A routine whose
 * only result is a number puts it in its only output argument, an error code included. doc/fortran.md is the manual.
 *
 * Fortran passes the address of everything. The length of a CHARACTER argument follows behind all other arguments, by
 * value, one for each in their order; strings.h says how such strings are read and written.
 *
 * Compilers spell an external name in one of four ways: papif_read, papif_read_, papif_read__, PAPIF_READ. A routine is
 * written once, with the spelling of gfortran, as here; the others are aliases made by spellings.sh, which looks for
 * lines that begin with "void papif_". Each file includes what was made for it as its last line.
 *
 * Any thread may call these, as the C functions. Nothing here is for C programs, and the header is not installed.
 */
#ifndef PAPI_FORTRAN_PAPIF_H
#define PAPI_FORTRAN_PAPIF_H

#include "fortran/strings.h"
#include "papi.h"

/* ---- library.c: initialization and errors -------------------------------------------------------------- */

PAPI_API void papif_library_init_(int *check); /* in: PAPI_VER_CURRENT */
PAPI_API void papif_is_initialized_(int *level);
PAPI_API void papif_shutdown_(void);
PAPI_API void papif_set_debug_(const int *debug, int *check);
/* Two routines in one, see its definition: (code, destination, check) of 3.5, (message) of 7.0. */
PAPI_API void papif_perror_(const void *first, void *second, int *check, papif_length length);
/* Extension of this library. */
PAPI_API void papif_error_detail_(char *detail, papif_length length);

/* ---- eventsets.c: making and filling event sets -------------------------------------------------------- */

PAPI_API void papif_create_eventset_(int *EventSet, int *check);
PAPI_API void papif_cleanup_eventset_(const int *EventSet, int *check);
PAPI_API void papif_destroy_eventset_(int *EventSet, int *check);
PAPI_API void papif_assign_eventset_component_(const int *EventSet, const int *cidx, int *check);
PAPI_API void papif_add_event_(const int *EventSet, const int *EventCode, int *check);
PAPI_API void papif_add_events_(const int *EventSet, int *EventCodes, const int *number, int *check);
PAPI_API void papif_add_named_event_(const int *EventSet, const char *EventName, int *check, papif_length length);
PAPI_API void papif_remove_event_(const int *EventSet, const int *EventCode, int *check);
PAPI_API void papif_remove_events_(const int *EventSet, int *EventCodes, const int *number, int *check);
PAPI_API void papif_remove_named_event_(const int *EventSet, const char *EventName, int *check, papif_length length);
PAPI_API void papif_list_events_(const int *EventSet, int *Events, int *number, int *check);
PAPI_API void papif_num_events_(const int *EventSet, int *count);
PAPI_API void papif_state_(const int *EventSet, int *status, int *check);

/* ---- counting.c: counting with event sets -------------------------------------------------------------- */

PAPI_API void papif_start_(const int *EventSet, int *check);
PAPI_API void papif_stop_(const int *EventSet, long long *values, int *check);
PAPI_API void papif_read_(const int *EventSet, long long *values, int *check);
PAPI_API void papif_read_ts_(const int *EventSet, long long *values, long long *cycles, int *check);
PAPI_API void papif_accum_(const int *EventSet, long long *values, int *check);
PAPI_API void papif_reset_(const int *EventSet, int *check);
PAPI_API void papif_write_(const int *EventSet, long long *values, int *check);

/* ---- events.c: events and what they mean --------------------------------------------------------------- */

PAPI_API void papif_event_code_to_name_(const int *EventCode, char *EventName, int *check, papif_length length);
PAPI_API void papif_event_name_to_code_(const char *EventName, int *EventCode, int *check, papif_length length);
PAPI_API void papif_query_event_(const int *EventCode, int *check);
PAPI_API void papif_query_named_event_(const char *EventName, int *check, papif_length length);
PAPI_API void papif_enum_event_(int *EventCode, const int *modifier, int *check);
PAPI_API void papif_get_event_info_(const int *EventCode, char *symbol, char *long_descr, char *short_descr, int *count,
	char *event_note, int *flags, int *check, papif_length symbol_length, papif_length long_length,
	papif_length short_length, papif_length note_length);
PAPI_API void papif_num_hwctrs_(int *num);
PAPI_API void papif_num_cmp_hwctrs_(const int *cidx, int *num);

/* ---- options.c ----------------------------------------------------------------------------------------- */

PAPI_API void papif_set_domain_(const int *domain, int *check);
PAPI_API void papif_set_cmp_domain_(const int *domain, const int *cidx, int *check);
PAPI_API void papif_set_event_domain_(const int *EventSet, const int *domain, int *check);
PAPI_API void papif_get_domain_(const int *EventSet, int *domain, const int *mode, int *check);
PAPI_API void papif_set_granularity_(const int *granularity, int *check);
PAPI_API void papif_set_cmp_granularity_(const int *granularity, const int *cidx, int *check);
PAPI_API void papif_get_granularity_(const int *EventSet, int *granularity, const int *mode, int *check);
PAPI_API void papif_set_inherit_(const int *inherit, int *check);
PAPI_API void papif_multiplex_init_(int *check);
PAPI_API void papif_set_multiplex_(const int *EventSet, int *check);
PAPI_API void papif_get_multiplex_(const int *EventSet, int *check);
PAPI_API void papif_get_clockrate_(int *clockrate);
PAPI_API void papif_get_preload_(char *preload, int *check, papif_length length);

/* ---- system.c: threads, timers, machine, program ------------------------------------------------------- */

PAPI_API void papif_thread_init_(int (*handle)(void), int *check);
PAPI_API void papif_thread_id_(int *id);
PAPI_API void papif_register_thread_(int *check);
PAPI_API void papif_unregister_thread_(int *check);
/* The 7.0 library exports the name without its second "i" too. */
PAPI_API void papif_unregster_thread_(int *check);
PAPI_API void papif_lock_(const int *lock);
PAPI_API void papif_unlock_(const int *lock);
PAPI_API void papif_get_real_cyc_(long long *real_cyc);
PAPI_API void papif_get_real_nsec_(long long *time);
PAPI_API void papif_get_real_usec_(long long *time);
PAPI_API void papif_get_virt_cyc_(long long *virt_cyc);
PAPI_API void papif_get_virt_usec_(long long *time);
PAPI_API void papif_get_dmem_info_(long long *dmem, int *check);
PAPI_API void papif_get_exe_info_(char *fullname, char *name, long long *text_start, long long *text_end,
	long long *data_start, long long *data_end, long long *bss_start, long long *bss_end, int *check,
	papif_length fullname_length, papif_length name_length);
PAPI_API void papif_get_hardware_info_(int *ncpu, int *nnodes, int *totalcpus, int *vendor, char *vendor_string,
	int *model, char *model_string, float *revision, float *mhz, papif_length vendor_length,
	papif_length model_length);

/* ---- devices.c ----------------------------------------------------------------------------------------- */

PAPI_API void papif_enum_dev_type_(const int *modifier, int *handle, int *check);
/* Attributes with CHAR in their names write the string only, the others the value only. */
PAPI_API void papif_get_dev_type_attr_(
	const int *handle, const int *attribute, int *value, char *string, int *check, papif_length length);
PAPI_API void papif_get_dev_attr_(const int *handle, const int *id, const int *attribute, int *value, char *string,
	int *check, papif_length length);

/* ---- highlevel.c: counters, rates and regions ---------------------------------------------------------- */

PAPI_API void papif_num_counters_(int *number);
PAPI_API void papif_start_counters_(int *events, const int *array_len, int *check);
PAPI_API void papif_stop_counters_(long long *values, const int *array_len, int *check);
PAPI_API void papif_read_counters_(long long *values, const int *array_len, int *check);
PAPI_API void papif_accum_counters_(long long *values, const int *array_len, int *check);
PAPI_API void papif_flips_(float *real_time, float *proc_time, long long *flpins, float *mflips, int *check);
PAPI_API void papif_flops_(float *real_time, float *proc_time, long long *flpops, float *mflops, int *check);
PAPI_API void papif_ipc_(float *real_time, float *proc_time, long long *ins, float *ipc, int *check);
PAPI_API void papif_flips_rate_(
	const int *event, float *real_time, float *proc_time, long long *flpins, float *mflips, int *check);
PAPI_API void papif_flops_rate_(
	const int *event, float *real_time, float *proc_time, long long *flpops, float *mflops, int *check);
PAPI_API void papif_epc_(const int *event, float *real_time, float *proc_time, long long *ref, long long *core,
	long long *evt, float *epc, int *check);
PAPI_API void papif_rate_stop_(int *check);
PAPI_API void papif_hl_region_begin_(const char *region, int *check, papif_length length);
PAPI_API void papif_hl_read_(const char *region, int *check, papif_length length);
PAPI_API void papif_hl_region_end_(const char *region, int *check, papif_length length);
PAPI_API void papif_hl_stop_(int *check);

/* ---- metrics.c: extensions of this library ------------------------------------------------------------- */

/* After an error all that comes back is blank and zero. */
PAPI_API void papif_metric_load_(const char *file, int *check, papif_length length);
PAPI_API void papif_metric_groups_(int *number);
PAPI_API void papif_metric_group_(const char *name, int *group, papif_length length);
PAPI_API void papif_metric_group_info_(const int *group, char *name, char *description, char *file, int *metrics,
	int *events, int *rules, int *check, papif_length name_length, papif_length description_length,
	papif_length file_length);
PAPI_API void papif_metric_info_(const int *group, const int *metric, char *name, char *unit, char *short_descr,
	char *long_descr, char *worth, char *why, int *check, papif_length name_length, papif_length unit_length,
	papif_length short_length, papif_length long_length, papif_length worth_length, papif_length why_length);
PAPI_API void papif_metric_event_(const int *group, const int *event, char *name, int *check, papif_length length);
PAPI_API void papif_metric_add_(const int *group, const int *EventSet, int *check);
PAPI_API void papif_metric_values_(const int *group, const int *EventSet, const long long *values,
	const double *seconds, double *metrics, int *check);
PAPI_API void papif_metric_evaluate_(
	const int *group, const double *counts, const double *seconds, double *metrics, int *check);
PAPI_API void papif_metric_text_(
	const int *group, const int *metric, const double *value, char *text, int *check, papif_length length);
PAPI_API void papif_metric_finding_(const int *group, const int *rule, const double *metrics, double *beyond,
	char *sentence, int *check, papif_length length);

/* ---- perfometer.c: extensions of this library ---------------------------------------------------------- */

PAPI_API void papif_perfometer_(int *listens);
PAPI_API void papif_mark_perfometer_(const int *color, int *check);

#endif
