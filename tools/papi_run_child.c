/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_child.c - the program: found, forked, held at a gate until the counters run, then executed and waited for.
 *
 *	papi_run                              child
 *	   fork ------------------------------> closes its ends, restores signals
 *	   wait until it waits <--------------- write(failure, 1 byte): ready; read(gate) waits
 *	   attach and start the counters
 *	   write(gate, 1 byte) ---------------> execve
 *	   read(failure): end of file <-------- closed by execve, or errno when it failed
 *	   wait for SIGCHLD or a signal to pass on
 *
 * Signals are blocked in papi_run and taken one by one with sigwaitinfo. Nothing is caught and no disposition changes,
 * so a restored mask is all that the program needs to start as if from the shell.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "papi_run.h"

struct child {
	pid_t pid;
	int gate;    /* write end: a byte lets the program run, closing it ends the child */
	int failure; /* read end: a byte when the child is at its gate, then errno if execve fails */
};

/* Sent to papi_run, these are meant for the program. */
static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

static sigset_t mask_before;  /* what the program starts with */
static sigset_t mask_waited;  /* what papi_run takes while it waits */
static bool children_ignored; /* SIGCHLD was ignored by whoever started papi_run */

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

/*
 * Finds a program as execvp would, but before the counters run: the search is none of the program's business. Gives 0
 * and the path, for the caller to free, or the errno that matters most.
 */
int papi_run_child_find(const char *program, char **path)
{
	const char *directory = getenv("PATH");
	int result = ENOENT;

	*path = NULL;
	if (!*program)
		return ENOENT;
	if (strchr(program, '/')) {
		*path = papi_run_format("%s", program);
		return check_executable(program);
	}
	if (!directory)
		directory = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(directory, ":");
		int error;

		/* An empty element is the current directory. */
		*path = papi_run_format("%.*s/%s", length ? length : 1, length ? directory : ".", program);
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

/* Makes signals wait for us. A signal that was ignored before (nohup) stays so and is left alone. */
void papi_run_signals_block(void)
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
	/* A report into a closed pipe is an error to tell, not a reason to die. */
	sigaddset(&blocked, SIGPIPE);
	sigprocmask(SIG_BLOCK, &blocked, &mask_before);
}

const sigset_t *papi_run_signals_waited(void)
{
	return &mask_waited;
}

static void __attribute__((noreturn)) become(char *const path, char **command, int gate, int failure)
{
	char byte;
	int error;

	if (children_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
	papi_run_virtual_hand_over();
	/* An execve and a read of nothing bring in the pages of the real ones: not faults of the program. */
	execve("", command, environ);
	if (read(gate, &byte, 0) != 0 || write(failure, "", 1) != 1 || read(gate, &byte, 1) != 1)
		_exit(RUN_EXIT_FAILURE);
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
		_exit(RUN_EXIT_FAILURE);
	_exit(RUN_EXIT_NOT_FOUND);
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
 * of the fork, and a context switch. Not for ever, though: a stopped child, or no /proc, must not hang papi_run.
 */
static void wait_at_gate(const struct child *child)
{
	static const struct timespec moment = { .tv_nsec = 50 * 1000L };
	pid_t group;
	char byte;

	if (read_again(child->failure, &byte, 1) != 1)
		return;
	for (int i = 0; i < 2000 && papi_run_process_state(child->pid, &group) == 'R'; i++)
		nanosleep(&moment, NULL);
}

/* Forks the child up to its gate; 0, or -1 after a message. */
static int spawn(struct child *child, char *path, char **command)
{
	int gate[2], failure[2];

	if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0) {
		papi_run_message("cannot make a pipe: %s", strerror(errno));
		return -1;
	}
	child->pid = fork();
	if (child->pid == 0) {
		/* Held open here, its own end of the gate would keep the child waiting for ever. */
		close(gate[1]);
		become(path, command, gate[0], failure[1]);
	}
	close(gate[0]);
	close(failure[1]);
	child->gate = gate[1];
	child->failure = failure[0];
	if (child->pid > 0) {
		wait_at_gate(child);
		return 0;
	}
	papi_run_message("cannot fork: %s", strerror(errno));
	close(child->gate);
	close(child->failure);
	return -1;
}

/* Opens the gate; 0, or the errno of the execve that failed. */
static int release(struct child *child)
{
	int error = 0;
	ssize_t got;

	/* Nobody reads when a signal has ended the child at its gate; waiting for it will tell. */
	if (write(child->gate, "", 1) < 0 && errno != EPIPE)
		papi_run_message("cannot start the program: %s", strerror(errno));
	close(child->gate);
	got = read_again(child->failure, &error, sizeof(error));
	close(child->failure);
	return got == (ssize_t)sizeof(error) ? error : 0;
}

/*
 * Waits until the child has ended, and passes signals on to it. What the terminal sends it sends to the whole process
 * group, so the program already has it; si_code tells the kernel's signals from those of processes. True when a signal
 * came.
 */
static bool wait_for(pid_t pid, int *status, struct rusage *usage)
{
	sigset_t waited = mask_waited;
	bool interrupted = false;
	siginfo_t info;
	int number;

	sigaddset(&waited, SIGCHLD);
	for (;;) {
		pid_t ended = wait4(pid, status, WNOHANG, usage);

		if (ended == pid)
			return interrupted;
		if (ended < 0 && errno != EINTR) {
			papi_run_message("cannot wait for the program: %s", strerror(errno));
			*status = RUN_EXIT_FAILURE << 8;
			memset(usage, 0, sizeof(*usage));
			return true;
		}
		number = sigwaitinfo(&waited, &info);
		if (number < 0 || number == SIGCHLD)
			continue;
		if (number != SIGUSR1 && number != SIGUSR2)
			interrupted = true;
		if (info.si_code <= 0)
			kill(pid, number);
	}
}

/* Takes what has come while no program was running. True when it asks for an end. */
static bool interrupted_between(void)
{
	static const struct timespec now;

	return sigtimedwait(&mask_waited, NULL, &now) > 0;
}

/* Says why a program cannot be run, found or not, and gives the exit status of a shell. */
int papi_run_child_refused(const char *program, bool found, int error)
{
	if (error == ENOENT && found)
		papi_run_message(
			"cannot run '%s': its interpreter is missing (the one of its #! line, or its loader)", program);
	else if (error == ENOENT && !strchr(program, '/'))
		papi_run_message("cannot run '%s': it is in none of the directories of PATH", program);
	else
		papi_run_message("cannot run '%s': %s%s", program, strerror(error),
			error == EACCES ? "; is it marked executable (chmod +x)?" : "");
	return error == ENOENT || error == ENOTDIR ? RUN_EXIT_NOT_FOUND : RUN_EXIT_NOT_EXECUTABLE;
}

static long long nanoseconds(struct timeval time)
{
	return 1000000000LL * time.tv_sec + 1000LL * time.tv_usec;
}

/*
 * Will the program run with rights that papi_run does not have, or may its file not be read? From whom it keeps its
 * secrets, it also keeps its counts: the kernel ends counting in execve, without a word.
 */
static bool keeps_secrets(const char *path)
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

/*
 * Runs the program once and adds a run to the result. 0; 1 when a signal asks for no further run; or, after a message,
 * the negated exit status with which papi_run must give up.
 */
static int run_once(struct run_list *list, struct run_result *result, char *path)
{
	struct run_counters counters;
	size_t run = result->runs;
	struct rusage usage;
	struct child child;
	long long started;
	int status, error;
	bool interrupted;

	papi_run_virtual_begin(list, path);
	result->slowed = papi_run_virtual_wanted(list);
	if (spawn(&child, path, result->command) != 0)
		return -RUN_EXIT_FAILURE;
	papi_run_reserve(list, result);
	papi_run_counters_open(&counters, list, child.pid);
	papi_run_counters_start(&counters, list);
	started = papi_run_now();
	error = release(&child);
	interrupted = wait_for(child.pid, &status, &usage);
	result->elapsed_ns[run] = papi_run_now() - started;
	result->user_ns[run] = nanoseconds(usage.ru_utime);
	result->system_ns[run] = nanoseconds(usage.ru_stime);
	papi_run_counters_stop(&counters, list, run);
	papi_run_virtual_end(list, result, run, result->elapsed_ns[run]);
	papi_run_counters_close(&counters);
	if (error)
		return -papi_run_child_refused(result->command[0], true, error);
	result->runs++;
	/* Of several runs the first that fails decides. */
	if (result->exit_status == 0) {
		result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		result->exit_status = result->signal ? RUN_EXIT_SIGNAL + result->signal : WEXITSTATUS(status);
	}
	return interrupted;
}

/* Runs the program as often as asked, or until a signal comes. 0, or the status with which papi_run must give up. */
int papi_run_child_repeat(struct run_list *list, struct run_result *result, char *path, int repeat)
{
	for (size_t i = 0; i < list->number && keeps_secrets(path); i++)
		papi_run_events_refuse(&list->events[i],
			"the program gets rights that you do not have (set-user-ID, set-group-ID or capabilities) or "
			"is not readable, and the kernel stops counting when it starts: run papi_run with these "
			"rights, or a copy of the program without them");
	for (int run = 0; run < repeat; run++) {
		int done;

		if (run > 0 && interrupted_between())
			break;
		done = run_once(list, result, path);
		if (done < 0)
			return -done;
		if (done > 0)
			break;
	}
	return 0;
}
