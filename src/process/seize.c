/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread becomes one that is traced. The kernel lets that wait while another thread of the process executes a
 * program, which in turn waits until the tracer has taken note of the ends of the threads that it had: so a timer looks
 * for them meanwhile. By its signal the wait ends, too, and begins anew where the thread is still there.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/remote.h"

#define LOOK_NS (20 * 1000 * 1000L)
#define SIGNAL  (SIGRTMAX - 2)

/* Of threads that have ended. These programs have no other children while they do this. */
static void take_note(int number)
{
	int error = errno;
	siginfo_t info;

	(void)number;
	do
		info.si_pid = 0;
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL) == 0 && info.si_pid);
	errno = error;
}

static bool make_timer(timer_t *timer)
{
	struct sigaction action = { .sa_handler = take_note };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL };
	sigset_t own;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigemptyset(&own);
	sigaddset(&own, SIGNAL);
	return sigaction(SIGNAL, &action, NULL) == 0 && sigprocmask(SIG_UNBLOCK, &own, NULL) == 0 &&
		timer_create(CLOCK_MONOTONIC, &event, timer) == 0;
}

bool papi_remote_seize(pid_t thread)
{
	const struct itimerspec often = { { 0, LOOK_NS }, { 0, LOOK_NS } }, never = { .it_value = { 0, 0 } };
	static timer_t timer;
	static bool made;
	bool seized;
	int error;

	made = made || make_timer(&timer);
	if (made)
		timer_settime(timer, 0, &often, NULL);
	seized = ptrace(PTRACE_SEIZE, thread, NULL, (void *)(intptr_t)PTRACE_O_TRACESYSGOOD) == 0;
	error = errno;
	if (made)
		timer_settime(timer, 0, &never, NULL);
	errno = error;
	return seized;
}
