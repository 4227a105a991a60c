/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What tests of the virtual PMU have to know of the processor: the registers that a signal handler may look at, the
 * instructions that make faults, and functions of a few instructions, as programs write them at run time.
 */
#ifndef PAPI_TESTS_VPMU_PROCESSOR_H
#define PAPI_TESTS_VPMU_PROCESSOR_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <ucontext.h>

/* Each is one instruction, so many bytes long. */
#ifdef __aarch64__
#define ILLEGAL         "udf #0"
#define ILLEGAL_SIZE    4
#define BREAKPOINT      "brk #0"
#define BREAKPOINT_SIZE 4
#else
#define ILLEGAL         "ud2"
#define ILLEGAL_SIZE    2
#define BREAKPOINT      "int3"
#define BREAKPOINT_SIZE 1
#endif

/* Where a breakpoint leaves the program: a handler that does nothing goes on there. */
#ifdef __aarch64__
#define BEHIND_BREAKPOINT 0
#else
#define BEHIND_BREAKPOINT BREAKPOINT_SIZE
#endif

static inline uintptr_t processor_pc(const void *context)
{
	const ucontext_t *program = context;

#ifdef __aarch64__
	return (uintptr_t)program->uc_mcontext.pc;
#else
	return (uintptr_t)program->uc_mcontext.gregs[REG_RIP];
#endif
}

static inline void processor_set_pc(void *context, uintptr_t pc)
{
	ucontext_t *program = context;

#ifdef __aarch64__
	program->uc_mcontext.pc = pc;
#else
	program->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
#endif
}

static inline uintptr_t processor_stack(const void *context)
{
	const ucontext_t *program = context;

#ifdef __aarch64__
	return (uintptr_t)program->uc_mcontext.sp;
#else
	return (uintptr_t)program->uc_mcontext.gregs[REG_RSP];
#endif
}

static inline void processor_set_stack(void *context, uintptr_t stack)
{
	ucontext_t *program = context;

#ifdef __aarch64__
	program->uc_mcontext.sp = stack;
#else
	program->uc_mcontext.gregs[REG_RSP] = (greg_t)stack;
#endif
}

/* Some registers, which inline assembly names: r8, r9 and rax; x8, x9 and x0. */
enum processor_register { REGISTER_8, REGISTER_9, REGISTER_RESULT };

static inline uint64_t *processor_register(void *context, enum processor_register which)
{
	ucontext_t *program = context;
#ifdef __aarch64__
	static const unsigned char indices[] = { [REGISTER_8] = 8, [REGISTER_9] = 9, [REGISTER_RESULT] = 0 };

	return (uint64_t *)&program->uc_mcontext.regs[indices[which]];
#else
	static const unsigned char indices[] = {
		[REGISTER_8] = REG_R8, [REGISTER_9] = REG_R9, [REGISTER_RESULT] = REG_RAX
	};

	return (uint64_t *)&program->uc_mcontext.gregs[indices[which]];
#endif
}

/* What has been written to code, through whatever view of it, runs from now on. */
static inline void processor_code_written(void *code, size_t size)
{
	__builtin___clear_cache((char *)code, (char *)code + size);
}

#define FUNCTION_SIZE 12 /* of processor_write_function(), at most */

/* A function that returns the number; processor_code_written() is the caller's. */
static inline void processor_write_function(unsigned char *code, uint32_t number)
{
#ifdef __aarch64__
	const uint32_t words[] = { 0x52800000 | (number & 0xffff) << 5, 0x72a00000 | number >> 16 << 5, 0xd65f03c0 };

	memcpy(code, words, sizeof(words)); /* mov w0, #number; movk w0, #number, lsl #16; ret */
#else
	code[0] = 0xb8; /* mov $number, %eax; ret */
	memcpy(code + 1, &number, 4);
	code[5] = 0xc3;
#endif
}

/*
 * Whether it is an emulator of programs, without a kernel: QEMU's has no ptrace. Blocks that it has joined go on as
 * they are when their code is written through another view, and signals come between its blocks only.
 */
static inline bool processor_is_emulated(void)
{
	errno = 0;
	ptrace(PTRACE_DETACH, -1, NULL, NULL);
	return errno == ENOSYS;
}

#endif
