/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of libpfm4 that names_pfm.c uses.
 *
 * The shared library does not depend on libpfm4, but loads it when it is first needed (pfm_loaded.c): the loader alone
 * takes a millisecond for its tables, in every process, and who counts virtual presets needs none of them. The static
 * library is linked with it (pfm_linked.c).
 */
#ifndef PAPI_PERF_PFM_H
#define PAPI_PERF_PFM_H

#include <linux/perf_event.h>
/* libpfm4 carries an older copy of the kernel's header, which would declare everything twice. */
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>

/* X for each of them. clang-format would take turns between two layouts. */
/* clang-format off */
#define PAPI_PFM_FUNCTIONS \
	X(initialize) X(terminate) X(get_version) X(strerror) \
	X(get_pmu_info) X(get_event_info) X(get_event_next) X(get_event_attr_info) \
	X(find_event) X(get_os_event_encoding)
/* clang-format on */

struct papi_pfm {
#define X(name) __typeof__(&pfm_##name) name; // NOLINT(bugprone-macro-parentheses): it is a name
	PAPI_PFM_FUNCTIONS
#undef X
};

/* NULL: this machine does not have it. Any thread; waits for the loader, whose lock a constructor may hold. */
const struct papi_pfm *papi_pfm_library(void);

#endif
