/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread on x86-64. The kernel makes an interrupted system call again when the thread goes on with the registers that
 * it had, which tell it so; nothing that is done in between takes that from it.
 */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "process/registers.h"

/* Results of system calls that no program sees: the kernel's own, which it makes EINTR or another call of. */
#define RESTARTSYS           (-512)
#define RESTARTNOINTR        (-513)
#define RESTARTNOHAND        (-514)
#define RESTART_RESTARTBLOCK (-516)

#define CALL_LENGTH        2
#define TRAP_AND_DIRECTION 0x500u
#define NOT_IN_CALL        ((uint64_t)-1) /* of orig_rax */

_Static_assert(sizeof(struct user_regs_struct) <= sizeof(struct papi_remote_registers), "there is no room for it");

static struct user_regs_struct *in(struct papi_remote_registers *registers)
{
	return (struct user_regs_struct *)(void *)registers;
}

static const struct user_regs_struct *of(const struct papi_remote_registers *registers)
{
	return (const struct user_regs_struct *)(const void *)registers;
}

bool papi_remote_registers_read(pid_t id, struct papi_remote_registers *registers)
{
	return !ptrace(PTRACE_GETREGS, id, NULL, registers);
}

bool papi_remote_registers_write(pid_t id, const struct papi_remote_registers *registers)
{
	return !ptrace(PTRACE_SETREGS, id, NULL, registers);
}

uint64_t papi_remote_registers_pc(const struct papi_remote_registers *registers)
{
	return of(registers)->rip;
}

uint64_t papi_remote_registers_stack(const struct papi_remote_registers *registers)
{
	return of(registers)->rsp;
}

uint64_t papi_remote_registers_result(const struct papi_remote_registers *registers)
{
	return of(registers)->rax;
}

size_t papi_remote_vectors_read(pid_t id, void *to, size_t room)
{
	struct iovec vectors = { to, room };

	return ptrace(PTRACE_GETREGSET, id, NT_X86_XSTATE, &vectors) ? 0 : vectors.iov_len;
}

bool papi_remote_vectors_write(pid_t id, const void *from, size_t size)
{
	struct iovec vectors = { (void *)(uintptr_t)from, size };

	return !ptrace(PTRACE_SETREGSET, id, NT_X86_XSTATE, &vectors);
}

bool papi_remote_breakpoint(pid_t id, uint64_t address)
{
	const size_t registers = offsetof(struct user, u_debugreg);

	return !ptrace(PTRACE_POKEUSER, id, registers, address) &&
		!ptrace(PTRACE_POKEUSER, id, registers + 7 * sizeof(long), address ? 1 : 0);
}

/* ---- calls ---- */

const unsigned papi_remote_trap_passed = 1;

void papi_remote_prepare_system_call(
	struct papi_remote_registers *registers, uint64_t at, long number, const uint64_t arguments[6])
{
	struct user_regs_struct *r = in(registers);

	r->rip = at;
	r->rax = (uint64_t)number;
	r->orig_rax = NOT_IN_CALL;
	r->rdi = arguments[0];
	r->rsi = arguments[1];
	r->rdx = arguments[2];
	r->r10 = arguments[3];
	r->r8 = arguments[4];
	r->r9 = arguments[5];
	r->eflags &= ~(uint64_t)TRAP_AND_DIRECTION;
}

bool papi_remote_prepare_function_call(const struct papi_remote *remote, struct papi_remote_registers *registers,
	uint64_t function, uint64_t stack, uint64_t trap, const uint64_t arguments[4])
{
	struct user_regs_struct *r = in(registers);

	r->rsp = (stack & ~(uint64_t)15) - sizeof(trap);
	r->rip = function;
	r->rax = 0;
	r->orig_rax = NOT_IN_CALL;
	r->rdi = arguments[0];
	r->rsi = arguments[1];
	r->rdx = arguments[2];
	r->rcx = arguments[3];
	r->eflags &= ~(uint64_t)TRAP_AND_DIRECTION;
	return papi_remote_write(remote, r->rsp, &trap, sizeof(trap));
}

/* ---- system calls that were interrupted ---- */

/* Others than epoll_wait() do on sockets that have a time limit. */
static bool ends_by_stop(uint64_t number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_accept:
	case SYS_accept4:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_write:
	case SYS_writev:
		return true;
	default:
		return papi_remote_ends_by_stop(number);
	}
}

void papi_remote_look(struct papi_remote_thread *thread)
{
	(void)thread;
}

/* Where a signal is pending, EINTR is the program's own. */
bool papi_remote_settle(struct papi_remote_thread *thread)
{
	const struct user_regs_struct *r = of(&thread->registers);

	thread->again = (int64_t)r->orig_rax >= 0 && (int64_t)r->rax == -EINTR && ends_by_stop(r->orig_rax) &&
		!papi_remote_has_signal(thread);
	return true;
}

bool papi_remote_is_interrupted(const struct papi_remote_thread *thread)
{
	int64_t result = (int64_t)of(&thread->registers)->rax;

	return (int64_t)of(&thread->registers)->orig_rax >= 0 &&
		(thread->again || result == RESTARTSYS || result == RESTARTNOINTR || result == RESTARTNOHAND ||
			result == RESTART_RESTARTBLOCK);
}

bool papi_remote_was_ended(const struct papi_remote_thread *thread)
{
	return thread->again;
}

bool papi_remote_leave_call(struct papi_remote_thread *thread)
{
	(void)thread;
	return true;
}

/* With -ERESTART* and orig_rax as they were, the kernel makes the call again. */
bool papi_remote_put_back(struct papi_remote_thread *thread)
{
	struct papi_remote_registers registers = thread->registers;
	struct user_regs_struct *r = in(&registers);

	if (thread->again) {
		r->rip -= CALL_LENGTH;
		r->rax = r->orig_rax;
		r->orig_rax = NOT_IN_CALL;
	}
	return papi_remote_registers_write(thread->id, &registers);
}

/* As the processor numbers them. */
static void copy_registers(struct user_regs_struct *r, uint64_t *to, const uint64_t *from)
{
	unsigned long long *const places[16] = { &r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi,
		&r->r8, &r->r9, &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15 };

	for (unsigned i = 0; i < 16; i++)
		if (to)
			to[i] = *places[i];
		else
			*places[i] = from[i];
}

/* Where the kernel would send the thread: back to the instruction, by the number of the call, or of the call that goes
 * on with the rest of it. */
bool papi_remote_show(const struct papi_remote_thread *thread, struct papi_agent_moved *moved)
{
	struct papi_remote_registers registers = thread->registers;
	struct user_regs_struct *r = in(&registers);

	if (papi_remote_is_interrupted(thread)) {
		r->rip -= CALL_LENGTH;
		r->rax = (int64_t)r->rax == RESTART_RESTARTBLOCK ? SYS_restart_syscall : r->orig_rax;
	}
	copy_registers(r, moved->registers, NULL);
	moved->thread_pointer = r->fs_base;
	moved->base = r->gs_base;
	moved->pc = r->rip;
	moved->flags = r->eflags;
	return true;
}

void papi_remote_take(struct papi_remote_registers *registers, const struct papi_agent_moved *moved)
{
	struct user_regs_struct *r = in(registers);

	copy_registers(r, NULL, moved->registers);
	r->rip = moved->pc;
	r->eflags = moved->flags;
	r->gs_base = moved->base;
	r->orig_rax = NOT_IN_CALL;
}
