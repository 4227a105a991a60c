/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread on arm64. When the tracer sees a stop that has interrupted a system call, the kernel has sent the thread
 * back to its instruction already, with the first argument in x0 again, and remembers, where nobody can ask, whether
 * that is to be the call that goes on with the rest of a sleep. As soon as the thread has other registers it forgets.
 * So a thread that is at such an instruction is let into the kernel, where it stops before the call is made: there x8
 * tells which one it is. It goes on from there, or leaves without a call and comes back later. What it calls is
 * interrupted at once then, by its tracer's leaving, and made again by the kernel; a signal that comes at any time ends
 * it as it would have.
 */
#include <asm/ptrace.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/registers.h"

#define LIMIT_MS 60000 /* for a thread that only has to be given a processor */

#ifndef NT_ARM_SSVE
#define NT_ARM_SSVE 0x40b /* scalable vectors of the streaming mode */
#endif
#define NOT_IN_CALL (-1) /* of NT_ARM_SYSTEM_CALL */

#define CALL_LENGTH 4
#define CALL        0xd4000001u /* svc #0 */

/* Of the processor's state. */
#define BRANCH_TYPE 0xc00u    /* of the branch that has led here, where landing places are guarded */
#define SINGLE_STEP 0x200000u /* the kernel's */

#define CALL_NUMBER 8 /* its register */
#define LINK        30

_Static_assert(sizeof(struct user_pt_regs) <= sizeof(struct papi_remote_registers), "there is no room for it");

static struct user_pt_regs *in(struct papi_remote_registers *registers)
{
	return (struct user_pt_regs *)(void *)registers;
}

static const struct user_pt_regs *of(const struct papi_remote_registers *registers)
{
	return (const struct user_pt_regs *)(const void *)registers;
}

static bool get(pid_t id, int set, void *to, size_t size)
{
	struct iovec words = { to, size };

	return !ptrace(PTRACE_GETREGSET, id, set, &words);
}

static bool set(pid_t id, int set, const void *from, size_t size)
{
	struct iovec words = { (void *)(uintptr_t)from, size };

	return !ptrace(PTRACE_SETREGSET, id, set, &words);
}

bool papi_remote_registers_read(pid_t id, struct papi_remote_registers *registers)
{
	return get(id, NT_PRSTATUS, registers, sizeof(struct user_pt_regs));
}

bool papi_remote_registers_write(pid_t id, const struct papi_remote_registers *registers)
{
	return set(id, NT_PRSTATUS, registers, sizeof(struct user_pt_regs));
}

uint64_t papi_remote_registers_pc(const struct papi_remote_registers *registers)
{
	return of(registers)->pc;
}

uint64_t papi_remote_registers_stack(const struct papi_remote_registers *registers)
{
	return of(registers)->sp;
}

uint64_t papi_remote_registers_result(const struct papi_remote_registers *registers)
{
	return of(registers)->regs[0];
}

/* ---- vectors ---- */

/* What they are, and then they themselves: with scalable ones where the processor has those, which the kernel gives
 * with a header that says how long all is. */
struct vectors {
	uint64_t set, padding;
	union {
		struct user_sve_header header;
		struct user_fpsimd_state plain;
		unsigned char all[12288];
	};
};

size_t papi_remote_vectors_read(pid_t id, void *to, size_t room)
{
	struct vectors *vectors = to;

	if (room < sizeof(*vectors))
		return 0;
	vectors->set = NT_ARM_SVE;
	if (get(id, NT_ARM_SVE, vectors->all, sizeof(vectors->all)))
		return vectors->header.size <= sizeof(vectors->all) ? vectors->header.size : 0;
	vectors->set = NT_PRFPREG;
	return get(id, NT_PRFPREG, &vectors->plain, sizeof(vectors->plain)) ? sizeof(vectors->plain) : 0;
}

bool papi_remote_vectors_write(pid_t id, const void *from, size_t size)
{
	const struct vectors *vectors = from;

	return set(id, (int)vectors->set, vectors->all, size);
}

/* Since its last system call it has used more of them than everybody has. */
static bool has_scalable_vectors(const struct papi_remote_thread *thread)
{
	const struct vectors *vectors = (const void *)thread->vectors;

	return vectors->set == NT_ARM_SVE && (vectors->header.flags & SVE_PT_REGS_MASK) == SVE_PT_REGS_SVE;
}

/* Then library code cannot run: the processor has no other vectors. */
static bool is_streaming(pid_t id)
{
	struct user_sve_header header = { .flags = 0 };

	return get(id, NT_ARM_SSVE, &header, sizeof(header)) && (header.flags & SVE_PT_REGS_MASK) == SVE_PT_REGS_SVE;
}

/* ---- breakpoints ---- */

/* The kernel's struct user_hwdebug_state, with one of them. */
struct breakpoint {
	uint32_t info, padding;
	uint64_t address;
	uint32_t control, rest;
};

bool papi_remote_breakpoint(pid_t id, uint64_t address)
{
	/* On an instruction of four bytes, in the program. */
	const struct breakpoint breakpoint = { .address = address, .control = address ? 0xfu << 5 | 2u << 1 | 1 : 0 };

	return set(id, NT_ARM_HW_BREAK, &breakpoint, sizeof(breakpoint));
}

/* ---- calls ---- */

const unsigned papi_remote_trap_passed = 0;

void papi_remote_prepare_system_call(
	struct papi_remote_registers *registers, uint64_t at, long number, const uint64_t arguments[6])
{
	struct user_pt_regs *r = in(registers);

	memcpy(r->regs, arguments, 6 * sizeof(arguments[0]));
	r->regs[CALL_NUMBER] = (uint64_t)number;
	r->pc = at;
	r->pstate &= ~(uint64_t)(BRANCH_TYPE | SINGLE_STEP);
}

bool papi_remote_prepare_function_call(const struct papi_remote *remote, struct papi_remote_registers *registers,
	uint64_t function, uint64_t stack, uint64_t trap, const uint64_t arguments[4])
{
	struct user_pt_regs *r = in(registers);

	(void)remote;
	memcpy(r->regs, arguments, 4 * sizeof(arguments[0]));
	r->regs[29] = 0;
	r->regs[LINK] = trap;
	r->sp = stack & ~(uint64_t)15;
	r->pc = function;
	r->pstate &= ~(uint64_t)(BRANCH_TYPE | SINGLE_STEP);
	return true;
}

/* ---- system calls that were interrupted ---- */

/* EINTR takes the place of the first argument. A thread that goes to sleep between this and its stop is told EINTR. */
void papi_remote_look(struct papi_remote_thread *thread)
{
	unsigned long long words[9];
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)thread->remote->pid, (int)thread->id);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%llu %llx %llx %llx %llx %llx %llx %llx %llx", &words[0], &words[1], &words[2], &words[3],
		    &words[4], &words[5], &words[6], &words[7], &words[8]) == 9) {
		thread->slept.number = words[0];
		thread->slept.first = words[1];
		thread->slept.stack = words[7];
		thread->slept.pc = words[8];
	}
	fclose(file);
}

static bool is_at_call(const struct papi_remote_thread *thread, uint64_t pc)
{
	uint32_t code;

	return papi_remote_read(thread->remote, pc, &code, sizeof(code)) && code == CALL;
}

/* Because of the stop alone. */
static bool has_ended_by_stop(const struct papi_remote_thread *thread)
{
	const struct user_pt_regs *r = of(&thread->registers);

	return (int64_t)r->regs[0] == -EINTR && papi_remote_ends_by_stop(r->regs[CALL_NUMBER]) &&
		thread->slept.number == r->regs[CALL_NUMBER] && thread->slept.pc == r->pc &&
		thread->slept.stack == r->sp;
}

static bool is_in_front(int status)
{
	return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

/* From its instruction into the kernel; with all signals blocked, for they would come first. What cannot be blocked is
 * to come again. */
static bool enter(struct papi_remote_thread *thread)
{
	const uint64_t all = ~(uint64_t)0;
	int status = 0;

	if (ptrace(PTRACE_SETSIGMASK, thread->id, sizeof(all), &all) ||
		ptrace(PTRACE_SYSCALL, thread->id, NULL, NULL) ||
		papi_remote_wait(thread->id, &status, LIMIT_MS) != PAPI_REMOTE_STOPPED)
		return papi_remote_fail(thread->remote, "it has ended");
	thread->entering = is_in_front(status);
	if (!thread->entering && !(status >> 16))
		syscall(SYS_tgkill, thread->remote->pid, thread->id, WSTOPSIG(status));
	return thread->entering ||
		papi_remote_fail(thread->remote, "it could not be stopped in front of its system call");
}

static bool settle_in_call(struct papi_remote_thread *thread)
{
	struct papi_remote_registers now = { { 0 } };
	bool good = enter(thread) && papi_remote_registers_read(thread->id, &now);

	if (good)
		in(&thread->registers)->regs[CALL_NUMBER] = of(&now)->regs[CALL_NUMBER];
	thread->again = good;
	return !ptrace(PTRACE_SETSIGMASK, thread->id, sizeof(thread->mask), &thread->mask) && good;
}

/* Where a signal is pending, EINTR is the program's own, or will be. */
bool papi_remote_settle(struct papi_remote_thread *thread)
{
	struct user_pt_regs *r = in(&thread->registers);

	thread->again = thread->entering = false;
	if (is_streaming(thread->id))
		return papi_remote_fail(thread->remote, "a thread is in the streaming mode of scalable vectors");
	if (has_ended_by_stop(thread) && !papi_remote_has_signal(thread)) {
		r->pc -= CALL_LENGTH;
		r->regs[0] = thread->slept.first;
		if (!papi_remote_registers_write(thread->id, &thread->registers))
			return papi_remote_fail(thread->remote, "it has ended");
	}
	if (!is_at_call(thread, r->pc))
		return true;
	if (papi_remote_has_signal(thread))
		return papi_remote_fail(thread->remote, "a signal is about to end its system call");
	thread->again = true;
	return papi_remote_ends_by_stop(r->regs[CALL_NUMBER]) || settle_in_call(thread);
}

bool papi_remote_is_interrupted(const struct papi_remote_thread *thread)
{
	return thread->again;
}

bool papi_remote_was_ended(const struct papi_remote_thread *thread)
{
	(void)thread;
	return false;
}

bool papi_remote_leave_call(struct papi_remote_thread *thread)
{
	const int number = NOT_IN_CALL;

	if (!thread->entering)
		return true;
	thread->entering = false;
	return set(thread->id, NT_ARM_SYSTEM_CALL, &number, sizeof(number));
}

/* A call that ends by a stop would do so again, and is entered only where a signal is to end it. A thread that does not
 * come there makes the call from its instruction. */
bool papi_remote_put_back(struct papi_remote_thread *thread)
{
	bool enters = thread->again &&
		(papi_remote_will_have_signal(thread) ||
			!papi_remote_ends_by_stop(of(&thread->registers)->regs[CALL_NUMBER]));

	if (thread->entering)
		return true;
	if (!papi_remote_registers_write(thread->id, &thread->registers))
		return false;
	if (enters)
		enter(thread);
	return true;
}

bool papi_remote_show(const struct papi_remote_thread *thread, struct papi_agent_moved *moved)
{
	const struct user_pt_regs *r = of(&thread->registers);

	if (has_scalable_vectors(thread))
		return papi_remote_fail(thread->remote, "it has values in scalable vectors (SVE), which would be lost");
	if (!get(thread->id, NT_ARM_TLS, &moved->thread_pointer, sizeof(moved->thread_pointer)))
		return papi_remote_fail(thread->remote, "it has ended");
	memcpy(moved->registers, r->regs, sizeof(r->regs));
	moved->registers[31] = r->sp;
	moved->base = 0;
	moved->pc = r->pc;
	moved->flags = r->pstate & ~(uint64_t)SINGLE_STEP;
	return true;
}

void papi_remote_take(struct papi_remote_registers *registers, const struct papi_agent_moved *moved)
{
	struct user_pt_regs *r = in(registers);

	memcpy(r->regs, moved->registers, sizeof(r->regs));
	r->sp = moved->registers[31];
	r->pc = moved->pc;
	r->pstate = moved->flags;
}
