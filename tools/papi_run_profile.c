/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_profile.c - the profile of the program beside its counts. papi_profile makes it, which lies beside papi_run:
 * it attaches to the program at its gate, says that it has, and ends when the program does.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi_run.h"

#define STORE "papi_profile.db" /* where the commands of papi_profile look for it */
#define LINES "5"

static pid_t profiler;
static bool measured;

/* papi_profile, for the caller to free; NULL after a message. */
static char *find_profiler(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *path, *slash;

	self[length > 0 ? length : 0] = '\0';
	slash = strrchr(self, '/');
	path = papi_run_format("%.*s/papi_profile", slash ? (int)(slash - self) : 0, self);
	if (access(path, X_OK) == 0)
		return path;
	papi_run_message("--profile needs %s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

/* With no signal blocked, and one of our descriptors as one of its own. 0, or an errno. */
static int start(pid_t *pid, const char *path, char **words, int from, int to)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, from, to);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(pid, path, &actions, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static bool is_ready(int pipe)
{
	ssize_t got;
	char byte;

	do
		got = read(pipe, &byte, 1);
	while (got < 0 && errno == EINTR);
	return got == 1;
}

static void wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	measured = WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* papi_profile -o STORE --ready FD -p PID -- PROGRAM ARG... */
static bool start_profiler(const char *path, pid_t pid, char **command, int ready)
{
	char *number = papi_run_format("%d", (int)pid), *descriptor = papi_run_format("%d", ready), **words;
	char *options[] = { (char *)"papi_profile", (char *)"-o", (char *)STORE, (char *)"--ready", descriptor,
		(char *)"-p", number, (char *)"--" };
	size_t n_options = sizeof(options) / sizeof(options[0]), n = 0;
	int error;

	while (command[n])
		n++;
	words = papi_run_allocate(NULL, n_options + n + 1, sizeof(*words));
	memcpy(words, options, sizeof(options));
	memcpy(words + n_options, command, (n + 1) * sizeof(*words));
	error = start(&profiler, path, words, ready, ready);
	free(words);
	free(number);
	free(descriptor);
	if (error)
		papi_run_message("cannot start %s: %s", path, strerror(error));
	return !error;
}

bool papi_run_profile_begin(pid_t pid, char **command)
{
	char *path = find_profiler();
	bool ready = false;
	int ends[2];

	if (path && pipe2(ends, O_CLOEXEC) == 0) {
		bool started = start_profiler(path, pid, command, ends[1]);

		close(ends[1]);
		ready = started && is_ready(ends[0]);
		close(ends[0]);
		if (started && !ready)
			wait_for(profiler);
	}
	if (!ready)
		papi_run_message("there is no profile without that; the program was not run");
	free(path);
	return ready;
}

void papi_run_profile_end(void)
{
	wait_for(profiler);
}

void papi_run_profile_report(int output)
{
	char *words[] = { (char *)"papi_profile", (char *)"report", (char *)"--by", (char *)"line", (char *)"--top",
		(char *)LINES, (char *)STORE, NULL };
	char *path = measured ? find_profiler() : NULL;
	pid_t pid = 0;
	int error;

	if (!path)
		return;
	error = write(output, "\n", 1) == 1 ? start(&pid, path, words, output, STDOUT_FILENO) : errno;
	if (error)
		papi_run_message("cannot show the profile: %s", strerror(error));
	else
		wait_for(pid);
	free(path);
}
