/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the Programmer's Reference 3.5 that 7.0 dropped or renamed, and the extensions of this library. */
#include "layout.h"

SIGNATURE(PAPI_num_counters, int, (void));
SIGNATURE(PAPI_start_counters, int, (int *, int));
SIGNATURE(PAPI_stop_counters, int, (long_long *, int));
SIGNATURE(PAPI_read_counters, int, (long_long *, int));
SIGNATURE(PAPI_accum_counters, int, (long_long *, int));
SIGNATURE(PAPI_flips, int, (float *, float *, long_long *, float *));
SIGNATURE(PAPI_flops, int, (float *, float *, long_long *, float *));
SIGNATURE(PAPI_get_substrate_info, const PAPI_substrate_info_t *, (void));
SIGNATURE(PAPI_encode_events, int, (char *, int));
SIGNATURE(PAPI_set_event_info, int, (PAPI_event_info_t *, int *, int));

SIGNATURE(PAPI_error_detail, const char *, (void));
SIGNATURE(PAPI_get_event_times, int, (int, long long *, long long *));
SIGNATURE(PAPI_perror_code, int, (int, char *, int));

TYPE(long_long, long long);
TYPE(PAPI_substrate_info_t, PAPI_component_info_t);
TYPE(PAPI_preload_option_t, PAPI_preload_info_t);

ALIAS(PAPI_event_info_t, event_note, note);
ALIAS(PAPI_multiplex_option_t, us, ns);
MEMBER(PAPI_option_t, sub_info, PAPI_substrate_info_t *, 0, 8);

/* Members of the substrate lie where 7.0 reserves room: after component_type and pmu_names, before the bits. */
MEMBER(PAPI_substrate_info_t, multiplex_timer_sig, int, 2232, 4);
MEMBER(PAPI_substrate_info_t, multiplex_timer_num, int, 2236, 4);
MEMBER(PAPI_substrate_info_t, opcode_match_width, int, 2240, 4);
MEMBER(PAPI_substrate_info_t, reserved_ints, int[4], 2244, 16);

VALUE(PAPI_ESBSTR, PAPI_ECMP);
VALUE(PAPI_SUBSTRATEINFO, PAPI_COMPONENTINFO);
VALUE(PAPI_PRESET_AVAIL, PAPI_PRESET_ENUM_AVAIL);
VALUE(PAPI_PENT4_ENUM_GROUPS, PAPI_ENUM_EVENTS);
VALUE(PAPI_PENT4_ENUM_COMBOS, PAPI_NTV_ENUM_UMASK_COMBOS);
VALUE(PAPI_PENT4_ENUM_BITS, PAPI_NTV_ENUM_UMASKS);
VALUE(PAPI_ITA_ENUM_IARR, PAPI_NTV_ENUM_IARR);
VALUE(PAPI_ITA_ENUM_DARR, PAPI_NTV_ENUM_DARR);
VALUE(PAPI_ITA_ENUM_OPCM, PAPI_NTV_ENUM_OPCM);
VALUE(PAPI_ITA_ENUM_IEAR, PAPI_NTV_ENUM_IEAR);
VALUE(PAPI_ITA_ENUM_DEAR, PAPI_NTV_ENUM_DEAR);
VALUE(PAPI_PWR4_ENUM_GROUPS, PAPI_NTV_ENUM_GROUPS);
VALUE(PAPI_DEF_MPX_USEC, 100);

/* States that the reference reserves must not collide with those that exist. */
VALUE(PAPI_ACCUMULATING &(PAPI_CPU_ATTACHED * 2 - 1), 0);
VALUE(PAPI_HWPROFILING &(PAPI_CPU_ATTACHED * 2 - 1), 0);
VALUE(PAPI_HWPROFILING &PAPI_ACCUMULATING, 0);

/* Versions take apart what they put together. */
VALUE(PAPI_VERSION_NUMBER(7, 1, 2, 3), 0x07010203);
VALUE(PAPI_VERSION_MAJOR(0x07010203), 7);
VALUE(PAPI_VERSION_MINOR(0x07010203), 1);
VALUE(PAPI_VERSION_REVISION(0x07010203), 2);
VALUE(PAPI_VERSION_INCREMENT(0x07010203), 3);
