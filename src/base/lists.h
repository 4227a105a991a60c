/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of numbers as the kernel writes them: "0-3,8,10-11", of CPUs, NUMA nodes and the like.
 *
 * A list can be visited number by number, or read into a set. Sets are plain values of a kilobyte, wide enough for
 * every CPU that Linux can be configured for; a number beyond that makes the list invalid (ERANGE), as does anything
 * that is not a list (EINVAL). An empty list is valid: "no CPU is isolated" is written that way.
 *
 * Nothing is shared: any thread may call these at any time. Failures are told by -1 and errno.
 */
#ifndef PAPI_BASE_LISTS_H
#define PAPI_BASE_LISTS_H

#include <stdbool.h>
#include <stdint.h>

/* One more than the largest number in a list: the kernel's largest NR_CPUS. */
#define PAPI_LIST_LIMIT 8192

/* Called for each number, in the order of the list. Whatever is not 0 ends the walk. */
typedef int (*papi_list_visit_t)(int number, void *data);

/* Returns how many numbers were visited. A list that is wrong somewhere is visited up to that place and returns -1. */
int papi_linux_parse_list(const char *text, papi_list_visit_t visit, void *data);
int papi_linux_read_list(const char *path, papi_list_visit_t visit, void *data);

typedef struct papi_id_set {
	uint64_t words[PAPI_LIST_LIMIT / 64];
} papi_id_set_t;

/* Makes the set empty first and returns the number of members; on failure the set is left empty. */
int papi_id_set_read(papi_id_set_t *set, const char *path);

void papi_id_set_clear(papi_id_set_t *set);
void papi_id_set_add(papi_id_set_t *set, int number);
bool papi_id_set_has(const papi_id_set_t *set, int number);
int papi_id_set_count(const papi_id_set_t *set);
void papi_id_set_intersect(papi_id_set_t *set, const papi_id_set_t *other);

/* The smallest member that is at least number, -1 when there is none: for (i = next(s, 0); i >= 0; i = next(s, i +
 * 1)). */
int papi_id_set_next(const papi_id_set_t *set, int number);

#endif
