/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What thread.c, moment.c and remote.c need of a processor, and of the kernel for it: a folder for each has
 *
 *	registers.c   registers, breakpoints, system calls that the stop has interrupted
 *	code.c        what instructions are in memory
 *	stub.S        code for the process (load.c)
 *
 * A system call that a stop has interrupted goes on as if nothing had been: the kernel makes it again, and knows what
 * is left of a sleep. Some calls end with EINTR when a thread is merely stopped, which the program would see: they are
 * made again, too.
 */
#ifndef PAPI_PROCESS_REGISTERS_H
#define PAPI_PROCESS_REGISTERS_H

#include "process/remote.h"

/* The general ones, as the kernel has them. */
struct papi_remote_registers {
	uint64_t words[36];
};

struct papi_remote_thread {
	struct papi_remote *remote;
	pid_t id;
	struct papi_remote_registers registers; /* with which it would go on */
	uint64_t mask;
	bool called;      /* it has run something of ours: all its state is to be put back */
	bool again;       /* its system call is to be made again, by hand if need be */
	bool entering;    /* it is stopped in front of that, in the kernel */
	uint64_t signals; /* that were sent to it while it ran something of ours, as bits from 0 on */
	bool late;        /* it runs, and is among those that do not stop */
	struct {
		uint64_t number, first, stack, pc;
	} slept; /* in that call, with that first argument, right before it was stopped */
	size_t vectors_size;
	unsigned char vectors[16384] __attribute__((aligned(16)));
};

/* ---- thread.c ---- */

enum papi_remote_waited { PAPI_REMOTE_STOPPED, PAPI_REMOTE_TOO_LONG, PAPI_REMOTE_GONE };

/* For a thread to stop. */
enum papi_remote_waited papi_remote_wait(pid_t id, int *status, int limit_ms);
/* Whether a signal is about to be delivered; or will be, when the thread has its own mask again. */
bool papi_remote_has_signal(const struct papi_remote_thread *thread);
bool papi_remote_will_have_signal(const struct papi_remote_thread *thread);
/* Of system calls that every processor has: signal(7) says that they end with EINTR when a stopped thread goes on, and
 * are not made again. */
bool papi_remote_ends_by_stop(uint64_t number);

/* ---- of each processor: registers ---- */

bool papi_remote_registers_read(pid_t id, struct papi_remote_registers *registers);
bool papi_remote_registers_write(pid_t id, const struct papi_remote_registers *registers);
uint64_t papi_remote_registers_pc(const struct papi_remote_registers *registers);
uint64_t papi_remote_registers_stack(const struct papi_remote_registers *registers);
/* Of a call. */
uint64_t papi_remote_registers_result(const struct papi_remote_registers *registers);
/* All others that a function may change: how many bytes, and 0 where they cannot be read. */
size_t papi_remote_vectors_read(pid_t id, void *to, size_t room);
bool papi_remote_vectors_write(pid_t id, const void *from, size_t size);
/* In a register of the processor's for that; 0: none. Nothing is written into the program's code. */
bool papi_remote_breakpoint(pid_t id, uint64_t address);

/* Into registers that are the thread's own. Of a function, false: its memory cannot be written. */
void papi_remote_prepare_system_call(
	struct papi_remote_registers *registers, uint64_t at, long number, const uint64_t arguments[6]);
bool papi_remote_prepare_function_call(const struct papi_remote *remote, struct papi_remote_registers *registers,
	uint64_t function, uint64_t stack, uint64_t trap, const uint64_t arguments[4]);
/* How far behind the address of a trap the thread then is. */
extern const unsigned papi_remote_trap_passed;

/* ---- of each processor: a thread that may have been in a system call ---- */

/* Right before it is stopped: what will not be known any more. */
void papi_remote_look(struct papi_remote_thread *thread);
/* It has been, and its state is read. False, with the reason: not now. */
bool papi_remote_settle(struct papi_remote_thread *thread);
/* Whether its system call is to be made again; whether that had ended. */
bool papi_remote_is_interrupted(const struct papi_remote_thread *thread);
bool papi_remote_was_ended(const struct papi_remote_thread *thread);
/* It is about to get other registers than its own; and it has them again, to go on. */
bool papi_remote_leave_call(struct papi_remote_thread *thread);
bool papi_remote_put_back(struct papi_remote_thread *thread);
/* What it would go on with, a system call as its instruction; and that becomes its registers. False, with the reason:
 * there is more than can be said. */
bool papi_remote_show(const struct papi_remote_thread *thread, struct papi_agent_moved *moved);
void papi_remote_take(struct papi_remote_registers *registers, const struct papi_agent_moved *moved);

/* ---- of each processor: code ---- */

/* Of programs, as in their ELF header, and its name. */
extern const int papi_remote_machine;
extern const char papi_remote_machine_name[];
/* An instruction that makes a system call, in these bytes; NULL. */
const unsigned char *papi_remote_find_call(const unsigned char *code, size_t size);
/* What the call before that return address calls. 0: that cannot be said. */
uint64_t papi_remote_callee(const struct papi_remote *remote, uint64_t back);
/* Whether a return address is more than that, and tells nothing. */
bool papi_remote_is_signed(uint64_t address);

#endif
