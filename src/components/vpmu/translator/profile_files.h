/* SPDX-License-Identifier: BSD-3-Clause */
/* The two files of a process's profile (components/vpmu/profile_log.h). As profile.h, of which this is a part. */
#ifndef PAPI_VPMU_TRANSLATOR_PROFILE_FILES_H
#define PAPI_VPMU_TRANSLATOR_PROFILE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/profile_log.h"

#pragma GCC visibility push(hidden)

/* Makes them. NULL, or the reason why not. */
const char *papi_vpmu_files_begin(const char *directory, uint64_t profile, uint64_t modelled);
/* The child of a fork has none; those of its parent are mapped no more. */
void papi_vpmu_files_forked(void);

/* A new entry of the log, of that size and type, all else 0; it is there once papi_vpmu_log_close() is called. Its
 * address holds until the next is opened. NULL: there is no room, and the agent has been told. */
void *papi_vpmu_log_open(enum papi_vpmu_log_type type, uint64_t size);
void papi_vpmu_log_close(void);
/* The entry at an offset; and the offset of one. */
void *papi_vpmu_log_at(uint32_t offset);
uint32_t papi_vpmu_log_offset(const void *entry);
struct papi_vpmu_log_head *papi_vpmu_log_head(void);

/*
 * Room for n times so many bytes in the file of counts, each piece mapped at one of these addresses. Returns the offset
 * in the file of the first piece; 0: there is no room, the agent has been told, and nothing is mapped.
 */
uint64_t papi_vpmu_counts_map(void *const *places, unsigned n, uint64_t size);

#pragma GCC visibility pop

#endif
