/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nester PLAN NUMBER [PROGRAM] - a loop of two instructions, NUMBER times for each lower-case letter of PLAN that
 * counts, and the ways in which processes begin and end:
 *
 *	s  here                          e  in a child of vfork that then ends with _exit(): for moments only, no loop
 *	n  in a child of vfork whose exec fails: no loop
 *	N  in a child of vfork, NUMBER times, which then ends: natively
 *	V  in a child of vfork, NUMBER times, natively, and PROGRAM s NUMBER	   F  the same, by its descriptor
 *	v  vfork, and PROGRAM s NUMBER   p  posix_spawn    P  posix_spawnp    y  system()    o  popen()
 *	E  fork, all descriptors closed, and PROGRAM s NUMBER	   C  the same with an empty environment
 *	R  fork, chroot to the directory in NESTER_ROOT, and /PROGRAM
 *	U  fork, user 65534, and PROGRAM s NUMBER
 *	k  fork, loop, SIGKILL	         a  fork, loop, abort()
 *	t  a thread that loops		 T  a thread that loops for ever: the program ends meanwhile
 *	x  a thread that forks, a loop in the child and in the thread
 *	q  the program is ended by _exit(7) in another thread
 *	X  PROGRAM s NUMBER takes the place of this program, from another thread
 *	f  fork by the system call itself, a loop in the child: natively
 *	b  a child that goes on in the background
 *
 * Ends with status 7.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "turns.h"

extern char **environ;

static const char *number_text, *program;
static unsigned long number;
static int begun[2]; /* a pipe: the child in the background runs */

static void loop(unsigned long turns)
{
	turns_run(turns);
}

static void require(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	_exit(99);
}

static void await(pid_t pid)
{
	int status;

	require(pid > 0, "a process");
	require(waitpid(pid, &status, 0) == pid, "waitpid");
}

static char **arguments(void)
{
	static char *list[4];

	list[0] = (char *)(uintptr_t)program;
	list[1] = (char *)(uintptr_t) "s";
	list[2] = (char *)(uintptr_t)number_text;
	return list;
}

static void *loop_in_thread(void *turns)
{
	loop(*(unsigned long *)turns);
	return NULL;
}

static void *loop_for_ever(void *unused)
{
	for (;;)
		loop(1000000);
	return unused;
}

static void *fork_in_thread(void *unused)
{
	pid_t pid = fork();

	loop(number);
	if (pid == 0)
		exit(0);
	await(pid);
	return unused;
}

static void *exit_in_thread(void *unused)
{
	_exit(7);
	return unused;
}

static void *execute_in_thread(void *unused)
{
	execv(program, arguments());
	_exit(98);
	return unused;
}

static void join(void *(*run)(void *))
{
	pthread_t thread;

	require(pthread_create(&thread, NULL, run, &number) == 0, "pthread_create");
	pthread_join(thread, NULL);
}

/* The child does not return from here. */
static void vforked(char how)
{
	int descriptor = open(program, O_RDONLY | O_CLOEXEC);
	pid_t pid = vfork();

	if (pid == 0) {
		if (how == 'v')
			execv(program, arguments());
		if (how == 'n')
			execl("/nonexistent/program", "program", (char *)NULL);
		if (strchr("NVF", how))
			loop(number);
		if (how == 'V')
			execv(program, arguments());
		if (how == 'F')
			fexecve(descriptor, arguments(), environ);
		_exit(3);
	}
	close(descriptor);
	await(pid);
}

static void close_all(void)
{
	for (int i = 3; i < 5000; i++)
		close(i);
}

static void in_child(char how)
{
	static char *nothing[] = { NULL };

	switch (how) {
	case 'E':
		close_all();
		execv(program, arguments());
		break;
	case 'C':
		close_all();
		execve(program, arguments(), nothing);
		break;
	case 'R':
		require(chroot(getenv("NESTER_ROOT")) == 0 && chdir("/") == 0, "chroot");
		execv(strrchr(program, '/'), arguments());
		break;
	case 'U':
		require(setgid(65534) == 0 && setuid(65534) == 0, "setuid");
		execv(program, arguments());
		break;
	case 'b':
		require(write(begun[1], "", 1) == 1, "a pipe");
		close(begun[1]);
		close(1);
		close(2);
		sleep(5);
		_exit(0);
	}
	loop(number);
	if (how == 'k')
		kill(getpid(), SIGKILL);
	if (how == 'a')
		abort();
	_exit(97);
}

/* Not by libc. arm64 has no call of that name; clone() with nothing but the signal is the same. */
static pid_t fork_by_call(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

static void forked(char how)
{
	pid_t pid;
	char byte;

	require(how != 'b' || pipe(begun) == 0, "a pipe");
	pid = how == 'f' ? fork_by_call() : fork();
	if (pid == 0)
		in_child(how);
	if (how == 'b')
		require(read(begun[0], &byte, 1) == 1, "a pipe");
	else
		await(pid);
}

static void spawned(char how)
{
	char command[4096];
	pid_t pid = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' s %s", program, number_text);
	if (how == 'p')
		require(posix_spawn(&pid, program, NULL, NULL, arguments(), environ) == 0, "posix_spawn");
	else if (how == 'P')
		require(posix_spawnp(&pid, program, NULL, NULL, arguments(), environ) == 0, "posix_spawnp");
	if (pid)
		await(pid);
	if (how == 'y')
		require(system(command) != -1, "system");
	if (how == 'o') {
		pipe = popen(command, "r");
		require(pipe != NULL && pclose(pipe) != -1, "popen");
	}
}

static void in_threads(char how)
{
	pthread_t thread;

	switch (how) {
	case 't':
		join(loop_in_thread);
		break;
	case 'x':
		join(fork_in_thread);
		break;
	case 'q':
		join(exit_in_thread);
		break;
	case 'X':
		join(execute_in_thread);
		break;
	default:
		require(pthread_create(&thread, NULL, loop_for_ever, NULL) == 0, "pthread_create");
	}
}

int main(int argc, char **argv)
{
	if (argc < 3 || (number = strtoul(argv[2], NULL, 10)) == 0)
		return EXIT_FAILURE;
	number_text = argv[2];
	program = argc > 3 ? argv[3] : argv[0];
	for (const char *plan = argv[1]; *plan; plan++) {
		if (*plan == 's')
			loop(number);
		else if (strchr("venNVF", *plan))
			vforked(*plan);
		else if (strchr("pPyo", *plan))
			spawned(*plan);
		else if (strchr("txqXT", *plan))
			in_threads(*plan);
		else
			forked(*plan);
	}
	return 7;
}
