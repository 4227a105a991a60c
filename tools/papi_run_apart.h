/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the parts of papi_run that tell the kernel's events of threads apart: papi_run_apart.c, which counts them and
 * reads the kernel's records, and papi_run_apart_tasks.c, which knows whose they are. One thread, and one run.
 */
#ifndef PAPI_RUN_APART_H
#define PAPI_RUN_APART_H

#include "papi_run.h"

/* The program is that process, and a thread that ends has so many records. */
void papi_run_apart_begin(const struct run_list *list, const struct run_tasks *tasks, pid_t pid, size_t records);
/* A record of the event at that place in the list: what a thread had when it ended. */
void papi_run_apart_record(size_t member, const void *record);
/* A record that tells of a thread or of a name. */
void papi_run_apart_announce(const void *record);
/* Records are missing: what is nobody's then stays so. */
void papi_run_apart_lost(void);
/* When all records have come, and totals are in the list. Gives back what it has. */
void papi_run_apart_conclude(const struct run_list *list, struct run_tasks *tasks, size_t run);

#endif
