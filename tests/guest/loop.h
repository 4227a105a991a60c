/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of a known number of instructions, on a PMU that counts them exactly: loop(n) has 2n, and a few around it that
 * are the same for every n. In the guest an instruction is two cycles and two nanoseconds.
 *
 * So two regions that differ in n only differ in instructions by 2n, to the last one, where nothing else is in them.
 */
#ifndef PAPI_TESTS_GUEST_LOOP_H
#define PAPI_TESTS_GUEST_LOOP_H

#include <stdint.h>

#define LOOP_INSTRUCTIONS 2
#define CYCLES_EACH       2

/* From loop to loop_end is its code. */
void loop(uint64_t n);
extern const char loop_end[];

/* The guest's kernel lets programs read counters by themselves: the sysctl is 1. */
int loop_user_access(void);

/* PAPI_library_init(); ends with 77 where there is no PMU with a known number of cycles for each instruction. */
void loop_begin(void);

/* From the third run on, each is like the one before. */
void loop_warm_up(int set);

/* A set of one event, running once around loop(n): its count. */
long long loop_counted(int set, uint64_t n);

#endif
