/* SPDX-License-Identifier: BSD-3-Clause */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

/* Sent to the utility, these are meant for the program. */
static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

static sigset_t mask_before;  /* what the program starts with */
static sigset_t mask_waited;  /* what the utility takes while it waits */
static bool children_ignored; /* SIGCHLD was ignored by whoever started the utility */

bool papi_program_fill_descriptors(void)
{
	bool has_errors = true;

	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
		if (fcntl(i, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (i == STDERR_FILENO)
			has_errors = false;
		if (open("/dev/null", O_RDWR | O_CLOEXEC) != i)
			exit(PAPI_PROGRAM_FAILURE);
	}
	return has_errors;
}

/* May this file be executed? 0, or an errno. */
static int check_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	return access(path, X_OK) == 0 ? 0 : errno;
}

int papi_program_find(const char *program, char **path)
{
	const char *directory = getenv("PATH");
	int result = ENOENT;

	*path = NULL;
	if (!*program)
		return ENOENT;
	if (strchr(program, '/')) {
		*path = strdup(program);
		return *path ? check_executable(program) : ENOMEM;
	}
	if (!directory)
		directory = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(directory, ":");
		int error;

		/* An empty element is the current directory. */
		if (asprintf(path, "%.*s/%s", length ? length : 1, length ? directory : ".", program) < 0) {
			*path = NULL;
			return ENOMEM;
		}
		error = check_executable(*path);
		if (error == 0)
			return 0;
		if (error == EACCES)
			result = EACCES;
		free(*path);
		*path = NULL;
		if (!directory[length])
			return result;
		directory += length + 1;
	}
}

void papi_program_block_signals(void)
{
	struct sigaction action;
	sigset_t blocked;

	sigemptyset(&mask_waited);
	for (size_t i = 0; i < NUMBER_OF(passed_on); i++)
		if (sigaction(passed_on[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&mask_waited, passed_on[i]);
	/* While SIGCHLD is ignored, the kernel throws exit statuses away. The child ignores it again. */
	sigaction(SIGCHLD, NULL, &action);
	if (action.sa_handler == SIG_IGN) {
		children_ignored = true;
		signal(SIGCHLD, SIG_DFL);
	}
	blocked = mask_waited;
	sigaddset(&blocked, SIGCHLD);
	/* Output into a closed pipe is an error to tell, not a reason to die. */
	sigaddset(&blocked, SIGPIPE);
	/* And so is a file that may grow no more. */
	sigaddset(&blocked, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &blocked, &mask_before);
}

const sigset_t *papi_program_signals(void)
{
	return &mask_waited;
}

static void __attribute__((noreturn))
become(char *const path, char **command, int gate, int failure, void (*hand_over)(void))
{
	char byte;
	int error;

	if (children_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
	if (hand_over)
		hand_over();
	/* An execve and a read of nothing bring in the pages of the real ones: not faults of the program. */
	execve("", command, environ);
	if (read(gate, &byte, 0) != 0 || write(failure, "", 1) != 1 || read(gate, &byte, 1) != 1)
		_exit(PAPI_PROGRAM_FAILURE);
	execve(path, command, environ);
	error = errno;
	if (error == ENOEXEC) {
		/* A script without its #! line is one for the shell, as for execvp. */
		static char sh[] = "/bin/sh";
		size_t number = 0;
		char **shell;

		while (command[number])
			number++;
		shell = calloc(number + 2, sizeof(*shell));
		if (shell) {
			shell[0] = sh;
			shell[1] = path;
			memcpy(shell + 2, command + 1, number * sizeof(*shell));
			execve(sh, shell, environ);
		}
	}
	/* Nothing to be done if even this fails: the parent then sees the exit status. */
	if (write(failure, &error, sizeof(error)) < 0)
		_exit(PAPI_PROGRAM_FAILURE);
	_exit(PAPI_PROGRAM_NOT_FOUND);
}

static ssize_t read_again(int descriptor, void *buffer, size_t size)
{
	ssize_t got;

	do
		got = read(descriptor, buffer, size);
	while (got < 0 && errno == EINTR);
	return got;
}

/*
 * Waits until the child sleeps at its gate. Counters started earlier would count the child's own way there: page faults
 * of the fork, and a context switch. Not for ever, though: a stopped child, or no /proc, must not hang the utility.
 */
static void wait_at_gate(const struct papi_program *program)
{
	static const struct timespec moment = { .tv_nsec = 50 * 1000L };
	pid_t group;
	char byte;

	if (read_again(program->failure, &byte, 1) != 1)
		return;
	for (int i = 0; i < 2000 && papi_process_state(program->pid, &group) == 'R'; i++)
		nanosleep(&moment, NULL);
}

static int failed(const char **call, const char *name)
{
	*call = name;
	return errno;
}

int papi_program_spawn(
	struct papi_program *program, char *path, char **command, void (*hand_over)(void), const char **call)
{
	int gate[2], failure[2], error = 0;

	if (pipe2(gate, O_CLOEXEC) != 0)
		return failed(call, "make a pipe");
	if (pipe2(failure, O_CLOEXEC) != 0) {
		error = failed(call, "make a pipe");
		close(gate[0]);
		close(gate[1]);
		return error;
	}
	program->pid = fork();
	if (program->pid == 0) {
		/* Held open here, its own end of the gate would keep the child waiting for ever. */
		close(gate[1]);
		become(path, command, gate[0], failure[1], hand_over);
	}
	if (program->pid < 0)
		error = failed(call, "fork");
	close(gate[0]);
	close(failure[1]);
	program->gate = gate[1];
	program->failure = failure[0];
	if (!error) {
		wait_at_gate(program);
		return 0;
	}
	close(program->gate);
	close(program->failure);
	return error;
}

int papi_program_release(struct papi_program *program)
{
	int error = 0;
	ssize_t got;

	/* Nobody reads when a signal has ended the child at its gate; waiting for it will tell. */
	if (write(program->gate, "", 1) < 0 && errno != EPIPE)
		error = errno;
	close(program->gate);
	got = read_again(program->failure, &error, sizeof(error));
	(void)got;
	close(program->failure);
	return error;
}

void papi_program_pass_on(const struct papi_program *program, int number, int code)
{
	if (code <= 0)
		kill(program->pid, number);
}

int papi_program_exit_status(int status)
{
	return WIFSIGNALED(status) ? PAPI_PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int papi_program_refused(const char *program, bool found, int error, char *reason, size_t size)
{
	if (error == ENOENT && found)
		snprintf(reason, size,
			"cannot run '%s': its interpreter is missing (the one of its #! line, or its loader)", program);
	else if (error == ENOENT && !strchr(program, '/'))
		snprintf(reason, size, "cannot run '%s': it is in none of the directories of PATH", program);
	else
		snprintf(reason, size, "cannot run '%s': %s%s", program, strerror(error),
			error == EACCES ? "; is it marked executable (chmod +x)?" : "");
	return error == ENOENT || error == ENOTDIR ? PAPI_PROGRAM_NOT_FOUND : PAPI_PROGRAM_NOT_EXECUTABLE;
}

bool papi_program_keeps_secrets(const char *path)
{
	struct statvfs system;
	struct stat status;

	if (access(path, R_OK) != 0)
		return true;
	if (stat(path, &status) != 0 || statvfs(path, &system) != 0)
		return false;
	if ((system.f_flag & ST_NOSUID) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
		((status.st_mode & S_ISGID) && status.st_gid != getegid()) ||
		(geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}
