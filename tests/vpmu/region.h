/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region(set, values, run, data): the program's part of it is REGION_AROUND instructions, of which one is a call, which
 * on x86-64 is a store, and what run does, up to its return. Passing the arguments of PAPI_stop and the call itself
 * belong to the library. For one file of a program.
 */
#ifndef PAPI_TESTS_VPMU_REGION_H
#define PAPI_TESTS_VPMU_REGION_H

#define REGION_AROUND 2

void region(int set, long long *values, void (*run)(void *), void *argument);
#ifdef __aarch64__
__asm__(".text\n"
	".type region, %function\n"
	"region:\n\t"
	"stp x29, x30, [sp, #-48]!\n\t"
	"stp x19, x20, [sp, #16]\n\t"
	"stp x21, x22, [sp, #32]\n\t"
	"mov w19, w0\n\t"
	"mov x20, x1\n\t"
	"mov x21, x2\n\t"
	"mov x22, x3\n\t"
	"bl PAPI_start\n\t"
	"mov x0, x22\n\t"
	"blr x21\n\t"
	"mov w0, w19\n\t"
	"mov x1, x20\n\t"
	"bl PAPI_stop\n\t"
	"ldp x19, x20, [sp, #16]\n\t"
	"ldp x21, x22, [sp, #32]\n\t"
	"ldp x29, x30, [sp], #48\n\t"
	"ret\n\t"
	".size region, . - region\n");
#else
__asm__(".text\n"
	"region:\n\t"
	"push %rbx\n\t"
	"push %r12\n\t"
	"push %r13\n\t"
	"push %r14\n\t"
	"push %r15\n\t"
	"mov %edi, %ebx\n\t"
	"mov %rsi, %r12\n\t"
	"mov %rdx, %r13\n\t"
	"mov %rcx, %r14\n\t"
	"call PAPI_start@PLT\n\t"
	"mov %r14, %rdi\n\t"
	"call *%r13\n\t"
	"mov %ebx, %edi\n\t"
	"mov %r12, %rsi\n\t"
	"call PAPI_stop@PLT\n\t"
	"pop %r15\n\t"
	"pop %r14\n\t"
	"pop %r13\n\t"
	"pop %r12\n\t"
	"pop %rbx\n\t"
	"ret\n");
#endif

#endif
