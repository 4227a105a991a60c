/* SPDX-License-Identifier: BSD-3-Clause */
/* Other processes: this program as a helper, and `true`, the yardstick for what happens once in a process. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static bool wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

double bench_spawn_true(void)
{
	static const char *const command[] = { "true", NULL };
	double begin = bench_now();
	pid_t child;

	if (posix_spawnp(&child, "true", NULL, NULL, (char *const *)(uintptr_t)command, environ) || !wait_for(child))
		return -1;
	return bench_now() - begin;
}

/* All that comes through a pipe until its other end is closed. */
static void drain(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < size &&
		((got = read(fd, text + length, size - 1 - length)) > 0 || (got < 0 && errno == EINTR)))
		length += got > 0 ? (size_t)got : 0;
	text[length] = '\0';
}

static bool run(const char *const command[], char *out, size_t out_size, char *why, size_t why_size)
{
	posix_spawn_file_actions_t actions;
	int outputs[2], errors[2], failed;
	pid_t child;

	if (pipe2(outputs, O_CLOEXEC) || pipe2(errors, O_CLOEXEC))
		bench_die("pipe2: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, outputs[1], 1);
	posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
	failed = posix_spawn(&child, "/proc/self/exe", &actions, NULL, (char *const *)(uintptr_t)command, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(outputs[1]);
	close(errors[1]);
	if (failed)
		bench_die("posix_spawn: %s", strerror(failed));
	drain(outputs[0], out, out_size);
	drain(errors[0], why, why_size);
	close(outputs[0]);
	close(errors[0]);
	why[strcspn(why, "\n")] = '\0';
	return wait_for(child);
}

bool bench_ask_helper(const char *peer_directory, const char *mode, double numbers[], size_t n, char *why, size_t size)
{
	const char *command[6] = { "papi_bench" };
	char text[512], *next = text, *end;
	int words = 1;

	if (peer_directory) {
		command[words++] = "--peer";
		command[words++] = peer_directory;
	}
	command[words++] = "--helper";
	command[words] = mode;
	if (!run(command, text, sizeof(text), why, size)) {
		if (!*why)
			snprintf(why, size, "the helper for \"%s\" did not end well", mode);
		return false;
	}
	for (size_t i = 0; i < n; i++, next = end) {
		numbers[i] = strtod(next, &end);
		if (end == next) {
			snprintf(why, size, "the helper for \"%s\" did not answer", mode);
			return false;
		}
	}
	return true;
}
