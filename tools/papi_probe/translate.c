/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translate.c - a program or process whose functions are counted by translation: papi_profile, which lies beside
 * papi_probe, makes an exact profile with calls of it, in a directory that is deleted when it has been read.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi_probe.h"
#include "process.h"
#include "symbols/memory.h"

#define MOST_OPTIONS 16

/* Beside this program. NULL, told: it is not there. */
static char *find_profiler(void)
{
	char self[PATH_MAX], *path;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	while (length > 0 && self[length - 1] != '/')
		length--;
	self[length > 0 ? length : 0] = '\0';
	path = papi_memory_print("%spapi_profile", self);
	if (access(path, X_OK) == 0)
		return path;
	probe_message("to count by translation needs %s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

static char *make_directory(void)
{
	const char *above = getenv("TMPDIR");
	char *directory = papi_memory_print("%s/papi_probe.XXXXXX", above && *above ? above : "/tmp");

	if (mkdtemp(directory))
		return directory;
	probe_message("cannot make the directory %s for what is counted: %s", directory, strerror(errno));
	free(directory);
	return NULL;
}

/* ---- papi_profile ---- */

/* The events, and instructions, unless they are among them by one of their names. */
static char *list_events(const struct probe_options *options)
{
	const bool more = probe_translated_instructions(options) == options->n_events;
	char *list = papi_memory_copy("");

	for (size_t i = 0; i < options->n_events + more; i++) {
		const char *name = i < options->n_events ? options->events[i].name : PROBE_INSTRUCTIONS;
		char *longer = papi_memory_print("%s%s%s", list, *list ? "," : "", name);

		free(list);
		list = longer;
	}
	return list;
}

/* With --pid: if papi_probe is killed, papi_profile leaves the process. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGINT);
}

/* papi_profile -q -x -e EVENTS -o STORE -- PROGRAM ARG..., or -p PID, which says what it has to say as this tool.
 * False, told: it could not be started. */
static bool run_profiler(struct probe_session *session, const struct probe_options *options, char *path, char *store)
{
	char *events = list_events(options), pid[32], seconds[64], **words;
	const char *call, *first[MOST_OPTIONS] = { "papi_probe", "-q", "-x", "-e", events, "-o", store };
	size_t n = 7, n_command = 0;
	struct papi_program program;
	int error;

	snprintf(pid, sizeof(pid), "%d", (int)options->pid);
	snprintf(seconds, sizeof(seconds), "%.6f", options->seconds);
	if (options->seconds > 0) {
		first[n++] = "-t";
		first[n++] = seconds;
	}
	first[n++] = options->pid ? "-p" : "--";
	if (options->pid)
		first[n++] = pid;
	while (options->command && options->command[n_command])
		n_command++;
	words = papi_memory_zero(n + n_command + 1, sizeof(*words));
	memcpy(words, first, n * sizeof(*words));
	if (n_command)
		memcpy(words + n, options->command, n_command * sizeof(*words));
	papi_program_block_signals();
	error = papi_program_spawn(&program, path, words, options->pid ? end_with_parent : NULL, &call);
	if (error)
		probe_message("cannot %s: %s", call, strerror(error));
	else
		error = papi_program_release(&program);
	free(words);
	free(events);
	if (!error)
		probe_session_wait(session, &program, options);
	return !error;
}

/* ---- all of it ---- */

static bool find_functions(struct probe_session *session, struct probe_options *options)
{
	char *path = NULL;
	bool good;

	if (!options->pid && papi_program_find(options->command[0], &path) != 0)
		return probe_fail(session, "it is gone");
	good = options->pid ? probe_modules_of_process(&session->list, options->pid)
			    : probe_modules_of_program(&session->list, path);
	free(path);
	if (!good)
		return probe_fail(session, "it cannot be looked at: %s", strerror(errno));
	probe_functions_find(&session->list, 0, &options->patterns);
	if (probe_patterns_have_name(&options->patterns))
		probe_functions_find_inlined(&session->list, &options->patterns);
	return true;
}

static int run_and_read(struct probe_session *session, struct probe_options *options, char *path, char *store)
{
	if (!run_profiler(session, options, path, store))
		return PAPI_PROGRAM_FAILURE;
	/* papi_profile has said why there is nothing. */
	if (access(store, R_OK) != 0)
		return session->exit_status ? session->exit_status : PAPI_PROGRAM_FAILURE;
	if (probe_translated_read(session, options, store))
		return 0;
	probe_message("%s", session->reason);
	return PAPI_PROGRAM_FAILURE;
}

int probe_translate(struct probe_session *session, struct probe_options *options)
{
	char reason[PAPI_REMOTE_REASON], *path = NULL, *directory = NULL, *store;
	int status = PAPI_PROGRAM_FAILURE;

	if (options->pid && papi_process_is_unfit(options->pid, reason, sizeof(reason))) {
		probe_message("%s", reason);
		return PAPI_PROGRAM_FAILURE;
	}
	if (!find_functions(session, options)) {
		probe_message("nothing is counted: %s", session->reason);
		return PAPI_PROGRAM_FAILURE;
	}
	/* Libraries that it loads later may have what is not there yet. */
	probe_list_complain(&options->patterns, &session->list);
	path = find_profiler();
	directory = path ? make_directory() : NULL;
	if (directory) {
		session->pid = options->pid;
		store = papi_memory_print("%s/papi_profile.db", directory);
		status = run_and_read(session, options, path, store);
		unlink(store);
		rmdir(directory);
		free(store);
	}
	free(directory);
	free(path);
	return status;
}
