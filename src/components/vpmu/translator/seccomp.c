/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"

/* What the runtime does between two instructions of the program. A mapping for code says so in its third argument. */
static const struct call {
	int number;
	uint64_t third;
} needed[] = {
	{ SYS_mmap, PROT_READ | PROT_WRITE },
	{ SYS_mmap, PROT_READ | PROT_EXEC },
	{ SYS_munmap, 0 },
	{ SYS_mremap, 0 },
	{ SYS_openat, 0 },
	{ SYS_read, 0 },
	{ SYS_close, 0 },
	{ SYS_rt_sigprocmask, 0 },
	{ SYS_rt_sigaction, 0 },
	{ SYS_rt_sigreturn, 0 },
	{ SYS_sigaltstack, 0 },
	{ SYS_rt_tgsigqueueinfo, 0 },
	{ SYS_tgkill, 0 },
	{ SYS_getpid, 0 },
	{ SYS_gettid, 0 },
	{ SYS_sched_yield, 0 },
};

/* A filter in the course of being run. */
struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
};

static uint32_t calculate(unsigned operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	default:
		return -a; /* BPF_NEG */
	}
}

static bool holds(unsigned comparison, uint32_t a, uint32_t b)
{
	switch (comparison) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return a & b; /* BPF_JSET */
	}
}

static uint32_t load(const struct machine *m, const struct sock_filter *instruction)
{
	switch (BPF_MODE(instruction->code)) {
	case BPF_ABS:
		return instruction->k <= sizeof(*m->data) - 4
			? *(const uint32_t *)(const void *)((const char *)m->data + (instruction->k & ~3u))
			: 0;
	case BPF_LEN:
		return sizeof(*m->data);
	case BPF_MEM:
		return m->memory[instruction->k % BPF_MEMWORDS];
	default:
		return instruction->k; /* BPF_IMM */
	}
}

/* Returns how many instructions to skip. */
static uint32_t jump(const struct machine *m, const struct sock_filter *instruction)
{
	if (BPF_OP(instruction->code) == BPF_JA)
		return instruction->k;
	return holds(BPF_OP(instruction->code), m->a, BPF_SRC(instruction->code) == BPF_X ? m->x : instruction->k)
		? instruction->jt
		: instruction->jf;
}

/* All but jumps and the end. */
static void execute(struct machine *m, const struct sock_filter *instruction)
{
	switch (BPF_CLASS(instruction->code)) {
	case BPF_LD:
		m->a = load(m, instruction);
		break;
	case BPF_LDX:
		m->x = load(m, instruction);
		break;
	case BPF_ST:
		m->memory[instruction->k % BPF_MEMWORDS] = m->a;
		break;
	case BPF_STX:
		m->memory[instruction->k % BPF_MEMWORDS] = m->x;
		break;
	case BPF_ALU:
		m->a = calculate(
			BPF_OP(instruction->code), m->a, BPF_SRC(instruction->code) == BPF_X ? m->x : instruction->k);
		break;
	default: /* BPF_MISC: tax, txa */
		if (BPF_MISCOP(instruction->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
		break;
	}
}

/* What it says to a call. Jumps only go forward. A filter that cannot be read, or does not end, the kernel refuses:
 * libseccomp asks so what the kernel knows. */
static uint32_t run(const struct sock_fprog *program, const struct seccomp_data *data)
{
	struct machine m = { .data = data };
	struct sock_filter instruction;

	for (uint64_t at = 0; at < program->len; at++) {
		if (!papi_vpmu_guarded_copy(&instruction, program->filter + at, sizeof(instruction)))
			break;
		if (BPF_CLASS(instruction.code) == BPF_RET)
			return BPF_RVAL(instruction.code) == BPF_A ? m.a : instruction.k;
		if (BPF_CLASS(instruction.code) == BPF_JMP)
			at += jump(&m, &instruction);
		else
			execute(&m, &instruction);
	}
	return SECCOMP_RET_ALLOW;
}

static bool lets_through(const struct sock_fprog *program, int number, uint64_t third)
{
	const struct seccomp_data data = { .nr = number, .arch = papi_vpmu_processor_audit, .args = { 0, 0, third } };
	uint32_t action = run(program, &data) & SECCOMP_RET_ACTION_FULL;

	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

/* Its files grow. */
static bool lets_profile_through(const struct sock_fprog *program)
{
	return lets_through(program, SYS_fallocate, 0) && lets_through(program, SYS_pwrite64, 0) &&
		lets_through(program, SYS_prlimit64, 0);
}

static bool lets_all_through(uint64_t address)
{
	struct sock_fprog program;

	if (!papi_vpmu_guarded_copy(&program, (const void *)(uintptr_t)address, sizeof(program)))
		return true;
	for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!lets_through(&program, needed[i].number, needed[i].third))
			return false;
	return lets_through(&program, papi_vpmu_processor_needed_call, 0) &&
		(!papi_vpmu_profile_is_on() || lets_profile_through(&program));
}

const char *papi_vpmu_seccomp_obstacle(const struct papi_vpmu_call *call)
{
	const uint64_t *a = call->arguments;
	bool strict, filter;

	if (call->number == SYS_prctl) {
		strict = a[0] == PR_SET_SECCOMP && a[1] == SECCOMP_MODE_STRICT;
		filter = a[0] == PR_SET_SECCOMP && a[1] == SECCOMP_MODE_FILTER;
	} else {
		strict = a[0] == SECCOMP_SET_MODE_STRICT && !a[1] && !a[2];
		filter = a[0] == SECCOMP_SET_MODE_FILTER;
	}
	if (strict || (filter && !lets_all_through(a[2])))
		return "the program forbids itself system calls that counting needs (seccomp)";
	return NULL;
}
