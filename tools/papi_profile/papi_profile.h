/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_profile - where a program's events happen. What its files share.
 *
 *	papi_profile.c	main and the commands		capture.c	recording: options and the order of things
 *	event_list.[ch]	from names to what is sampled	sampler.[ch]	perf_event: opening, rings, what was lost
 *	records.c	from the kernel's records to	places.[ch]	processes, their mappings, modules,
 *			samples of places				addresses
 *	modules.[ch]	files: build-id, segments	counts.[ch]	sums in memory, and into the store
 *	stacks.[ch]	callers by unwind tables	table.[ch]	a hash table
 *	gzip.[ch]	files that are not compressed
 *
 * Each command besides recording is a file with one entry point, papi_profile_<command>(argc, argv), whose argv[0] is
 * the name of the command; it returns the exit status.
 *
 * The program that is sampled shares nothing with papi_profile: descriptors are close-on-exec, signals are blocked and
 * never caught. One thread.
 */
#ifndef PAPI_PROFILE_H
#define PAPI_PROFILE_H

#include <stddef.h>

#define PAPI_PROFILE_FILE "papi_profile.db" /* where nobody says otherwise */

/* One line on standard error, escaped. */
void papi_profile_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* realloc that ends papi_profile when there is no memory; what is committed in the store stays. */
void *papi_profile_allocate(void *old, size_t number, size_t size);

/* Records a profile: all of the command line. */
int papi_profile_capture(int argc, char **argv);
/* The command that makes a profile of a file, or of raw data that was left. */
int papi_profile_import(int argc, char **argv);

#endif
