/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls_x86_64.S and calls_arm64.S have of their processor, for subject.c.
 *
 * void pass_registers(uint64_t flags) calls keeps() with a number of its own in each of REGISTERS registers, CONTENT
 * and 8 more than in the one before, and those flags. Both store what they find: keeps() in at_entry, its caller in
 * at_return, with the flags last.
 *
 * long ping(long n, long sum) and pong() jump to each other, n times in all, and return sum + n.
 *
 * long slow_load(const long *place) loads what is there, by its second instruction.
 *
 * On arm64 the functions of ENTRIES have a first instruction that refers to where it is, or goes on in two ways, or is
 * behind one that has to stay: a number of n and of what such an instruction finds. with_condition() calls one with
 * flags.
 *
 * A timer's signal comes to translated code in less than TICK_US, in an emulated machine too.
 */
#ifndef PROBE_MACHINE_H
#define PROBE_MACHINE_H

#ifdef __aarch64__
#define REGISTERS   27
#define CONTENT     0x112200003344
#define FLAGS       0xf0000000
#define OTHER_FLAGS 0
#define TICK_US     1000
#define ENTRIES(each)                                                                                                  \
	each(adr) each(adrp) each(load_w) each(load_x) each(load_sw) each(load_s) each(load_d) each(load_q)            \
		each(prefetch) each(zero) each(not_zero) each(bit) each(not_bit) each(jump) each(landing) each(signed) \
			each(signed_b)
#else
#define ENTRIES(each)
#define REGISTERS   15
#define CONTENT     0x1122334455667700
#define FLAGS       0x8d5
#define OTHER_FLAGS 0x202
#define TICK_US     100
#endif

#endif
