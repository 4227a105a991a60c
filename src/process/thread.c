/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stopped thread: calls made by it, and everything put back. What of that is the processor's, and the kernel's for
 * that processor, is in registers.h.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/registers.h"

#define STOP_LIMIT_MS 200  /* what a thread may take to stop */
#define LIMIT_MS      2000 /* and a call */
#define RUN_LIMIT_MS  5    /* to leave malloc() */
#define PATIENCE      30   /* limits, for one that does not sleep: it waits for a processor */
#define RUN_PATIENCE  200

#define CODE_LENGTH 2 /* that is read to see whether there is any */

/* Signals for faults, as bits from 0 on. */
#define FAULTS                                                                                       \
	((uint64_t)1 << (SIGTRAP - 1) | (uint64_t)1 << (SIGSEGV - 1) | (uint64_t)1 << (SIGBUS - 1) | \
		(uint64_t)1 << (SIGILL - 1) | (uint64_t)1 << (SIGFPE - 1))

/* ---- stopping ---- */

enum papi_remote_waited papi_remote_wait(pid_t id, int *status, int limit_ms)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000L }, longer = { .tv_nsec = 1000 * 1000L };
	long long until = papi_remote_now_ms() + limit_ms;

	for (unsigned tries = 0;; tries++) {
		pid_t got = waitpid(id, status, __WALL | WNOHANG);

		if (got == id)
			return WIFSTOPPED(*status) ? PAPI_REMOTE_STOPPED : PAPI_REMOTE_GONE;
		if (got < 0 && errno != EINTR)
			return PAPI_REMOTE_GONE;
		if (papi_remote_now_ms() > until)
			return PAPI_REMOTE_TOO_LONG;
		if (tries > 200)
			nanosleep(tries > 1000 ? &longer : &pause, NULL);
		else
			sched_yield();
	}
}

/* The signals that are about to be delivered, and those that wait until they are not blocked; as bits from 0 on. */
struct pending {
	uint64_t open, blocked;
};

static struct pending pending_signals(const struct papi_remote *remote, pid_t id)
{
	uint64_t pending = 0, blocked = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)remote->pid, (int)id);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "SigPnd:", 7) || !strncmp(line, "ShdPnd:", 7))
			pending |= strtoull(line + 7, NULL, 16);
		else if (!strncmp(line, "SigBlk:", 7))
			blocked = strtoull(line + 7, NULL, 16);
	}
	if (file)
		fclose(file);
	return (struct pending){ pending & ~blocked, pending & blocked };
}

bool papi_remote_has_signal(const struct papi_remote_thread *thread)
{
	return pending_signals(thread->remote, thread->id).open;
}

bool papi_remote_will_have_signal(const struct papi_remote_thread *thread)
{
	const struct pending pending = pending_signals(thread->remote, thread->id);

	return (thread->signals | pending.open | pending.blocked) & ~thread->mask;
}

static bool read_state(struct papi_remote_thread *thread)
{
	thread->vectors_size = papi_remote_vectors_read(thread->id, thread->vectors, sizeof(thread->vectors));
	if (!thread->vectors_size || !papi_remote_registers_read(thread->id, &thread->registers) ||
		ptrace(PTRACE_GETSIGMASK, thread->id, sizeof(thread->mask), &thread->mask))
		return papi_remote_fail(
			thread->remote, "the registers of a thread cannot be read: %s", strerror(errno));
	return papi_remote_settle(thread);
}

static bool is_asked_for(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP;
}

static bool is_trap(int status)
{
	return !is_asked_for(status) && WSTOPSIG(status) == SIGTRAP;
}

static bool is_breakpoint(pid_t id)
{
	siginfo_t info;

	return !ptrace(PTRACE_GETSIGINFO, id, NULL, &info) && info.si_code == TRAP_HWBKPT;
}

/* Of a stop that was asked for and a trap that came at that moment, the kernel tells the stop first. The trap's signal
 * would end the program later: it is taken, too, and what there is now is a stop by it. */
static enum papi_remote_waited take_trap(const struct papi_remote *remote, pid_t id, int *status, int limit_ms)
{
	if (!(pending_signals(remote, id).open >> (SIGTRAP - 1) & 1))
		return PAPI_REMOTE_STOPPED;
	return ptrace(PTRACE_CONT, id, NULL, NULL) ? PAPI_REMOTE_GONE : papi_remote_wait(id, status, limit_ms);
}

/* Signals that come first are passed on: the stop that was asked for is next. */
static enum papi_remote_waited wait_until_stopped(pid_t id, int limit_ms)
{
	enum papi_remote_waited waited;
	int status = 0;

	while ((waited = papi_remote_wait(id, &status, limit_ms)) == PAPI_REMOTE_STOPPED && !is_asked_for(status))
		ptrace(PTRACE_CONT, id, NULL, is_trap(status) && is_breakpoint(id) ? 0 : WSTOPSIG(status));
	return waited;
}

static void be_late(struct papi_remote *remote, pid_t id, bool armed)
{
	for (unsigned i = 0; i < remote->n_late; i++)
		if (remote->late[i].id == id)
			return;
	if (remote->n_late < PAPI_REMOTE_LATE)
		remote->late[remote->n_late++] = (struct papi_remote_late){ .id = id, .armed = armed };
}

/* A thread that executes another program waits for the ends of the others, which their tracer has to take note of; and
 * comes to have the number of the process, under which it stops if it was asked to. */
static void lose(struct papi_remote *remote, pid_t id)
{
	be_late(remote, id, false);
	if (!remote->has_main)
		be_late(remote, remote->pid, false);
}

/* A thread that was asked to stop and did not, as it waited in the kernel, would do so later, for ever; and go on with
 * a breakpoint, if it had one. */
bool papi_remote_is_late(struct papi_remote *remote, pid_t id)
{
	bool late = false;

	for (unsigned i = 0; i < remote->n_late; i++) {
		pid_t thread = remote->late[i].id;
		enum papi_remote_waited waited = wait_until_stopped(thread, 0);
		int status = PTRACE_EVENT_STOP << 16;

		if (waited == PAPI_REMOTE_TOO_LONG) {
			late = late || thread == id;
			continue;
		}
		if (waited == PAPI_REMOTE_STOPPED && papi_remote_breakpoint(thread, 0))
			take_trap(remote, thread, &status, STOP_LIMIT_MS);
		ptrace(PTRACE_DETACH, thread, NULL, is_trap(status) && !is_breakpoint(thread) ? SIGTRAP : 0);
		remote->late[i--] = remote->late[--remote->n_late];
		if (waited == PAPI_REMOTE_GONE && thread != remote->pid && !remote->has_main)
			be_late(remote, remote->pid, false);
	}
	return late || remote->n_late == PAPI_REMOTE_LATE;
}

void papi_remote_tend(struct papi_remote *remote)
{
	papi_remote_is_late(remote, 0);
}

void papi_remote_disarm(struct papi_remote *remote)
{
	const struct timespec pause = { .tv_nsec = 1000 * 1000L };
	bool armed;

	do {
		armed = false;
		papi_remote_tend(remote);
		for (unsigned i = 0; i < remote->n_late; i++)
			armed = armed || remote->late[i].armed;
		if (armed)
			nanosleep(&pause, NULL);
	} while (armed);
}

/* Where there is much else to do it has the processor much later, and stops then. */
static bool waits_for_processor(const struct papi_remote *remote, pid_t id)
{
	return papi_remote_is_ready(papi_remote_state(remote, id));
}

static bool stop(struct papi_remote *remote, pid_t id)
{
	enum papi_remote_waited waited = PAPI_REMOTE_GONE;
	struct papi_remote_wait wait = { 0 };

	if (!ptrace(PTRACE_INTERRUPT, id, NULL, NULL))
		waited = wait_until_stopped(id, STOP_LIMIT_MS);
	for (unsigned i = 0; waited == PAPI_REMOTE_TOO_LONG && i < PATIENCE && waits_for_processor(remote, id); i++) {
		papi_remote_tell(remote, &wait, "waiting until thread %d has a processor, and stops", (int)id);
		waited = wait_until_stopped(id, STOP_LIMIT_MS);
	}
	if (waited != PAPI_REMOTE_STOPPED)
		lose(remote, id);
	return waited == PAPI_REMOTE_STOPPED ||
		papi_remote_fail(remote,
			waited == PAPI_REMOTE_GONE ? "it has ended" : "it waits in the kernel and does not stop");
}

/* While one of its threads is stopped it cannot execute another program. What its memory was is gone, then. */
static bool is_same_program(struct papi_remote *remote)
{
	unsigned char code[CODE_LENGTH];

	remote->executed = remote->executed || !papi_remote_read(remote, remote->call, code, sizeof(code));
	return !remote->executed || papi_remote_fail(remote, "it has ended, or executed another program");
}

bool papi_remote_ends_by_stop(uint64_t number)
{
	switch (number) {
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
		return true;
	default:
		return false;
	}
}

struct papi_remote_thread *papi_remote_stop(struct papi_remote *remote, pid_t id)
{
	struct papi_remote_thread *thread;

	if (papi_remote_is_late(remote, id)) {
		papi_remote_fail(remote, "it waits in the kernel and does not stop");
		return NULL;
	}
	thread = calloc(1, sizeof(*thread));
	if (!thread || !papi_remote_seize(id)) {
		papi_remote_fail(remote, "a thread cannot be stopped (ptrace): %s", strerror(errno));
		free(thread);
		return NULL;
	}
	thread->remote = remote;
	thread->id = id;
	papi_remote_look(thread);
	if (stop(remote, id)) {
		if (is_same_program(remote) && read_state(thread)) {
			remote->has_main = remote->has_main || id == remote->pid;
			return thread;
		}
		if (ptrace(PTRACE_DETACH, id, NULL, NULL))
			lose(remote, id);
	}
	free(thread);
	return NULL;
}

/* ---- going on ---- */

/* registers: to go on with; NULL: with its own. */
static bool put(struct papi_remote_thread *thread, const struct papi_remote_registers *registers)
{
	if (thread->called && !papi_remote_vectors_write(thread->id, thread->vectors, thread->vectors_size))
		return false;
	if (!registers)
		return papi_remote_put_back(thread);
	return papi_remote_leave_call(thread) && papi_remote_registers_write(thread->id, registers);
}

static bool detach(struct papi_remote_thread *thread, const struct papi_remote_registers *registers, uint64_t mask)
{
	struct papi_remote *remote = thread->remote;
	pid_t id = thread->id;
	bool good;

	if (id == remote->pid)
		remote->has_main = false;
	if (thread->late) {
		free(thread);
		return false;
	}
	/* The number may be that of a thread that has executed another program, whose registers are not these. */
	good = is_same_program(remote) && put(thread, registers) && !ptrace(PTRACE_SETSIGMASK, id, sizeof(mask), &mask);
	for (int number = 1; good && thread->signals >> (number - 1); number++)
		if (thread->signals >> (number - 1) & 1)
			syscall(SYS_tgkill, remote->pid, id, number);
	free(thread);
	if (!ptrace(PTRACE_DETACH, id, NULL, NULL))
		return good;
	lose(remote, id);
	return false;
}

bool papi_remote_go(struct papi_remote_thread *thread)
{
	return detach(thread, NULL, thread->mask);
}

bool papi_remote_get(const struct papi_remote_thread *thread, struct papi_agent_moved *moved)
{
	if (papi_remote_is_interrupted(thread) && papi_remote_has_signal(thread))
		return papi_remote_fail(thread->remote, "a signal is about to end its system call");
	/* On its way it does not block these, and could not wait for them. */
	if (pending_signals(thread->remote, thread->id).blocked & FAULTS)
		return papi_remote_fail(thread->remote, "a signal waits that it blocks");
	moved->mask = thread->mask;
	return papi_remote_show(thread, moved);
}

bool papi_remote_go_with(struct papi_remote_thread *thread, const struct papi_agent_moved *moved)
{
	struct papi_remote_registers registers = thread->registers;

	papi_remote_take(&registers, moved);
	return detach(thread, &registers, moved->mask);
}

/* ---- what it is doing ---- */

uint64_t papi_remote_pc(const struct papi_remote_thread *thread)
{
	return papi_remote_registers_pc(&thread->registers);
}

uint64_t papi_remote_stack(const struct papi_remote_thread *thread)
{
	return papi_remote_registers_stack(&thread->registers);
}

bool papi_remote_is_in_sequence(const struct papi_remote_thread *thread)
{
#ifdef PTRACE_GET_RSEQ_CONFIGURATION
	struct __ptrace_rseq_configuration area;
	uint64_t sequence = 0;

	memset(&area, 0, sizeof(area));
	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->id, sizeof(area), &area) <= 0 || !area.rseq_abi_pointer)
		return false;
	return papi_remote_read(thread->remote, area.rseq_abi_pointer + 8, &sequence, sizeof(sequence)) && sequence;
#else
	(void)thread;
	return false;
#endif
}

/* Where the signal is blocked or ignored, the kernel takes the program's handler away as the trap comes. */
static bool may_trap(const struct papi_remote_thread *thread)
{
	return !(thread->mask >> (SIGTRAP - 1) & 1);
}

/* Until it has had its time of the processor. */
static enum papi_remote_waited let_run(const struct papi_remote_thread *thread, int *status)
{
	const long long ran = papi_remote_ran(thread->remote, thread->id);
	enum papi_remote_waited waited = papi_remote_wait(thread->id, status, RUN_LIMIT_MS);

	for (unsigned i = 0; waited == PAPI_REMOTE_TOO_LONG && i < RUN_PATIENCE; i++) {
		if (!waits_for_processor(thread->remote, thread->id) ||
			papi_remote_ran(thread->remote, thread->id) > ran)
			break;
		waited = papi_remote_wait(thread->id, status, RUN_LIMIT_MS);
	}
	return waited;
}

/* Runs to the breakpoint, passing signals on. False: it was stopped elsewhere, or has ended, or has not stopped. */
static bool run_to_breakpoint(struct papi_remote_thread *thread)
{
	enum papi_remote_waited waited;
	int status = 0, signal = 0;
	bool asked = false;

	for (;;) {
		if (ptrace(PTRACE_CONT, thread->id, NULL, signal))
			return false;
		waited = asked ? papi_remote_wait(thread->id, &status, LIMIT_MS) : let_run(thread, &status);
		if (waited == PAPI_REMOTE_TOO_LONG && !asked) {
			ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL);
			asked = true;
			waited = papi_remote_wait(thread->id, &status, LIMIT_MS);
		}
		if (waited == PAPI_REMOTE_STOPPED && is_asked_for(status)) {
			waited = take_trap(thread->remote, thread->id, &status, LIMIT_MS);
			asked = asked && is_asked_for(status);
		}
		thread->late = waited == PAPI_REMOTE_TOO_LONG;
		if (waited != PAPI_REMOTE_STOPPED || (asked && is_asked_for(status)))
			return false;
		if (is_trap(status) && is_breakpoint(thread->id))
			return true;
		signal = is_asked_for(status) ? 0 : WSTOPSIG(status);
	}
}

bool papi_remote_run_to(struct papi_remote_thread *thread, uint64_t address)
{
	bool there;

	if (papi_remote_was_ended(thread) || !may_trap(thread) || !papi_remote_breakpoint(thread->id, address))
		return false;
	there = run_to_breakpoint(thread);
	if (thread->late) {
		be_late(thread->remote, thread->id, true);
		return papi_remote_fail(thread->remote, "it waits in the kernel and does not stop");
	}
	papi_remote_breakpoint(thread->id, 0);
	return read_state(thread) && there;
}

/* ---- calls ---- */

/* A thread that does not sleep will come to the end of its call, where there is much else to do much later. */
static enum papi_remote_waited wait_for_call(const struct papi_remote_thread *thread, int *status)
{
	enum papi_remote_waited waited = papi_remote_wait(thread->id, status, LIMIT_MS);

	for (unsigned i = 0; waited == PAPI_REMOTE_TOO_LONG && i < PATIENCE; i++) {
		if (papi_remote_state(thread->remote, thread->id) == 'S')
			break;
		waited = papi_remote_wait(thread->id, status, LIMIT_MS);
	}
	return waited;
}

/* Behind a system call the kernel may send the trap of a single step as if somebody had, but for who that is. */
static bool is_of_kernel(const siginfo_t *info)
{
	return info->si_code > 0 || (info->si_signo == SIGTRAP && info->si_code == SI_USER && !info->si_pid);
}

/* A signal that somebody has sent, and that is not blocked: the thread gets it when it goes on. */
static bool put_off(struct papi_remote_thread *thread, int status)
{
	siginfo_t info;

	if (is_asked_for(status) || ptrace(PTRACE_GETSIGINFO, thread->id, NULL, &info) || is_of_kernel(&info))
		return false;
	thread->signals |= 1ull << (WSTOPSIG(status) - 1);
	return true;
}

/* Of a call that does not come to its end. True: it has, in this moment. */
static bool interrupt(const struct papi_remote_thread *thread, int *status)
{
	ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL);
	if (papi_remote_wait(thread->id, status, LIMIT_MS) == PAPI_REMOTE_STOPPED && is_asked_for(*status))
		take_trap(thread->remote, thread->id, status, LIMIT_MS);
	return is_trap(*status);
}

/* From these registers to the next trap, which is the call's own. Signals for faults are not blocked, for the kernel
 * takes the program's handlers away where one is. */
static bool run(struct papi_remote_thread *thread, struct papi_remote_registers *registers, enum __ptrace_request how)
{
	const uint64_t all = ~FAULTS;
	int status = 0;

	thread->called = true;
	if (ptrace(PTRACE_SETSIGMASK, thread->id, sizeof(all), &all) || !papi_remote_leave_call(thread) ||
		!papi_remote_registers_write(thread->id, registers))
		return papi_remote_fail(thread->remote, "a thread cannot be given registers: %s", strerror(errno));
	do {
		enum papi_remote_waited waited;

		if (ptrace(how, thread->id, NULL, NULL))
			return papi_remote_fail(thread->remote, "a thread ended before a call");
		waited = wait_for_call(thread, &status);
		if (waited == PAPI_REMOTE_GONE)
			return papi_remote_fail(thread->remote, "a thread ended in a call");
		if (waited == PAPI_REMOTE_TOO_LONG &&
			!interrupt(thread, &status)) /* it waits for a lock, and has not got it */
			return papi_remote_fail(thread->remote, "a call in it did not return, and was taken back");
	} while (is_asked_for(status) || put_off(thread, status));
	if (!is_trap(status))
		return papi_remote_fail(
			thread->remote, "signal %d came in a call, which was taken back", WSTOPSIG(status));
	return papi_remote_registers_read(thread->id, registers) ||
		papi_remote_fail(thread->remote, "a thread ended in a call");
}

bool papi_remote_system_call(
	struct papi_remote_thread *thread, long number, const uint64_t arguments[6], int64_t *result)
{
	struct papi_remote_registers registers = thread->registers;

	papi_remote_prepare_system_call(&registers, thread->remote->call, number, arguments);
	/* A thread that leaves a call first takes a step behind that. */
	if (!run(thread, &registers, PTRACE_SINGLESTEP) ||
		(papi_remote_registers_pc(&registers) == thread->remote->call &&
			!run(thread, &registers, PTRACE_SINGLESTEP)))
		return false;
	*result = (int64_t)papi_remote_registers_result(&registers);
	return true;
}

bool papi_remote_function_call(struct papi_remote_thread *thread, uint64_t function, uint64_t stack, uint64_t trap,
	const uint64_t arguments[4], uint64_t *result)
{
	struct papi_remote_registers registers = thread->registers;

	if (!papi_remote_prepare_function_call(thread->remote, &registers, function, stack, trap, arguments))
		return papi_remote_fail(thread->remote, "its memory cannot be written: %s", strerror(errno));
	if (!run(thread, &registers, PTRACE_CONT))
		return false;
	if (papi_remote_registers_pc(&registers) != trap + papi_remote_trap_passed)
		return papi_remote_fail(thread->remote, "a call in it ended at a trap of the program's own");
	*result = papi_remote_registers_result(&registers);
	return true;
}
