/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_profile.c - the profile of the program beside its counts. papi_profile makes it, which lies beside papi_run:
 * it attaches to the program at its gate, says that it has, and ends when the program does.
 *
 * Where events are counted by translation, the same run is profiled exactly, by the same agents: papi_profile asks for
 * that in the table of the run, and tells the sums of what it has read in the end, which are the counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi_run.h"

#define STORE "papi_profile.db" /* where the commands of papi_profile look for it */
#define LINES "5"

static pid_t profiler;
static bool measured;
static int channel = -1; /* to a profiler that makes an exact profile */

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

/* With no signal blocked, and one of our descriptors as one of its own, and another, unless that is -1, under its
 * number. 0, or an errno. */
static int start(pid_t *pid, const char *path, char **words, int from, int to, int other)
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
	/* It may be beyond the limit of descriptors, of which no action is made. */
	if (other >= 0)
		fcntl(other, F_SETFD, 0);
	error = posix_spawn(pid, path, &actions, &attributes, words, environ);
	if (other >= 0)
		fcntl(other, F_SETFD, FD_CLOEXEC);
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

/* The options, an array that ends with NULL, and then those of the program. */
static char **join(char *const *options, char **command)
{
	size_t n_options = 0, n = 0;
	char **words;

	while (options[n_options])
		n_options++;
	while (command[n])
		n++;
	words = papi_run_allocate(NULL, n_options + n + 1, sizeof(*words));
	memcpy(words, options, n_options * sizeof(*words));
	memcpy(words + n_options, command, (n + 1) * sizeof(*words));
	return words;
}

static bool start_profiler(const char *path, char **words, int ready, int table)
{
	int error = start(&profiler, path, words, ready, ready, table);

	if (error)
		papi_run_message("cannot start %s: %s", path, strerror(error));
	return !error;
}

/* papi_profile -o STORE --ready FD -p PID -- PROGRAM ARG... */
static bool start_sampling(const char *path, pid_t pid, char **command, int ready)
{
	char *number = papi_run_format("%d", (int)pid), *descriptor = papi_run_format("%d", ready);
	char *options[] = { (char *)"papi_profile", (char *)"-o", (char *)STORE, (char *)"--ready", descriptor,
		(char *)"-p", number, (char *)"--", NULL };
	char **words = join(options, command);
	bool done = start_profiler(path, words, ready, -1);

	free(words);
	free(number);
	free(descriptor);
	return done;
}

static bool tell_unready(void)
{
	papi_run_message("there is no profile without that; the program was not run");
	return false;
}

bool papi_run_profile_begin(pid_t pid, char **command)
{
	char *path = find_profiler();
	bool ready = false;
	int ends[2];

	if (path && pipe2(ends, O_CLOEXEC) == 0) {
		bool started = start_sampling(path, pid, command, ends[1]);

		close(ends[1]);
		ready = started && is_ready(ends[0]);
		close(ends[0]);
		if (started && !ready)
			wait_for(profiler);
	}
	free(path);
	return ready || tell_unready();
}

/* ---- an exact one ---- */

/* papi_profile -x -o STORE --ready FD --table FD -e EVENT... -- PROGRAM ARG... */
static bool start_counting(const char *path, const struct run_list *list, char **command, int ready, int table)
{
	char *descriptor = papi_run_format("%d", ready), *other = papi_run_format("%d", table), **words;
	char **options = papi_run_allocate(NULL, 2 * list->number + 10, sizeof(*options));
	char *const first[] = { (char *)"papi_profile", (char *)"-x", (char *)"-o", (char *)STORE, (char *)"--ready",
		descriptor, (char *)"--table", other };
	size_t n = sizeof(first) / sizeof(first[0]);
	bool done;

	memcpy(options, first, sizeof(first));
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual && !list->events[i].error) {
			options[n++] = (char *)"-e";
			options[n++] = list->events[i].name;
		}
	options[n++] = (char *)"--";
	options[n] = NULL;
	words = join(options, command);
	done = start_profiler(path, words, ready, table);
	free(words);
	free(options);
	free(descriptor);
	free(other);
	return done;
}

bool papi_run_profile_begin_exact(const struct run_list *list, char **command, int table)
{
	char *path = find_profiler();
	bool started = false, ready = false;
	int ends[2];

	if (path && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
		started = start_counting(path, list, command, ends[1], table);
		close(ends[1]);
		channel = ends[0];
		ready = started && is_ready(channel);
	}
	free(path);
	if (started && !ready)
		papi_run_profile_cancel();
	return ready || tell_unready();
}

void papi_run_profile_cancel(void)
{
	static const char word[] = "cancel\n";

	if (channel < 0)
		return;
	send(channel, word, sizeof(word) - 1, MSG_NOSIGNAL);
	close(channel);
	channel = -1;
	wait_for(profiler);
	measured = false;
}

bool papi_run_profile_end_exact(int status, long long elapsed_ns, long long *values, size_t number)
{
	char *text = papi_run_format("%d %lld\n", status, elapsed_ns), *line = NULL;
	FILE *answer = fdopen(channel, "r");
	size_t room = 0, n = 0;

	send(channel, text, strlen(text), MSG_NOSIGNAL);
	while (answer && n < number && getline(&line, &room, answer) > 0)
		values[n++] = strtoll(line, NULL, 10);
	free(line);
	free(text);
	if (answer)
		fclose(answer);
	else
		close(channel);
	channel = -1;
	wait_for(profiler);
	return measured && n == number;
}

/* ---- until it has ended ---- */

void papi_run_profile_end(void)
{
	wait_for(profiler);
}

/* papi_profile report of the hottest lines, on a descriptor. */
static void report(const char *format, int output)
{
	char *words[] = { (char *)"papi_profile", (char *)"report", (char *)"--by", (char *)"line", (char *)"--top",
		(char *)LINES, (char *)STORE, (char *)format, NULL };
	char *path = measured ? find_profiler() : NULL;
	pid_t pid = 0;
	int error;

	if (!path)
		return;
	error = start(&pid, path, words, output, STDOUT_FILENO, -1);
	if (error)
		papi_run_message("cannot show the profile: %s", strerror(error));
	else
		wait_for(pid);
	free(path);
}

void papi_run_profile_report(int output)
{
	static const char head[] = "\nThe lines in which most happened, of the profile in " STORE ":\n\n";

	if (!measured)
		return;
	if (write(output, head, sizeof(head) - 1) == (ssize_t)sizeof(head) - 1)
		report(NULL, output);
	else
		papi_run_message("cannot show the profile: %s", strerror(errno));
}

void papi_run_profile_json(FILE *out)
{
	int descriptor = measured ? memfd_create("papi_run_profile", MFD_CLOEXEC) : -1;
	FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
	char *text = NULL;
	size_t room = 0;

	if (file) {
		report("--json", descriptor);
		rewind(file);
	}
	if (file && getdelim(&text, &room, '\0', file) > 0 && *text == '{')
		fprintf(out, "  \"profile\": {\"file\": \"" STORE "\", \"hottest\": %s},\n", text);
	else
		fputs("  \"profile\": null,\n", out);
	free(text);
	if (file)
		fclose(file);
}
