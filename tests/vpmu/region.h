/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region(set, values, run, data): the program's part of it is mov, call, which is a store, and what run does, up to its
 * ret. Passing the arguments of PAPI_stop and the call itself belong to the library. For one file of a program.
 */
#ifndef PAPI_TESTS_VPMU_REGION_H
#define PAPI_TESTS_VPMU_REGION_H

void region(int set, long long *values, void (*run)(void *), void *argument);
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
