/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* PF_EXITING among a thread's flags: it is on its way out, which may be long on a machine with much to do. */
#define EXITING 4

bool papi_process_is_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

static FILE *open_file(pid_t pid, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

char papi_process_state(pid_t pid, pid_t *group)
{
	FILE *file = open_file(pid, "status");
	int opening = errno;
	char line[256], state = '?';

	if (!file)
		return papi_process_is_gone(opening) ? 'X' : '?';
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "State:\t", 7) == 0)
			state = line[7];
		else if (strncmp(line, "Tgid:\t", 6) == 0)
			*group = (pid_t)strtol(line + 6, NULL, 10);
	}
	fclose(file);
	return state;
}

struct papi_process_life papi_process_life(pid_t id)
{
	struct papi_process_life life = { 0, 0 };
	FILE *file = open_file(id, "stat");
	char *line = NULL, *rest;
	size_t room = 0;

	if (!file)
		return life;
	/* The name of a thread may hold anything, parentheses and newlines, too. */
	if (getdelim(&line, &room, '\0', file) > 0 && (rest = strrchr(line, ')')))
		/* Field 3, then 9, then 22. NOLINTNEXTLINE(cert-err34-c): 0 where it is not */
		(void)sscanf(rest, ") %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			&life.flags, &life.begun);
	free(line);
	fclose(file);
	return life;
}

bool papi_process_thread_ended(pid_t id, struct papi_process_life before)
{
	struct papi_process_life now = papi_process_life(id);
	pid_t group;

	return (now.flags & EXITING) || (now.begun && before.begun && now.begun != before.begun) ||
		strchr("XZ", papi_process_state(id, &group));
}

int papi_process_threads(struct papi_process_threads *threads, pid_t pid)
{
	struct dirent *entry;
	DIR *directory;
	char path[64];
	int error = 0;

	*threads = (struct papi_process_threads){ NULL, 0 };
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	directory = opendir(path);
	if (!directory)
		return errno;
	while (!error && (entry = readdir(directory))) {
		pid_t *larger;

		if (entry->d_name[0] == '.')
			continue;
		larger = reallocarray(threads->ids, threads->number + 1, sizeof(*larger));
		if (!larger) {
			error = ENOMEM;
			break;
		}
		threads->ids = larger;
		threads->ids[threads->number++] = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	closedir(directory);
	if (!error && !threads->number)
		error = ESRCH;
	if (error) {
		free(threads->ids);
		*threads = (struct papi_process_threads){ NULL, 0 };
	}
	return error;
}

static bool contain(const struct papi_process_threads *threads, pid_t id)
{
	for (size_t i = 0; i < threads->number; i++)
		if (threads->ids[i] == id)
			return true;
	return false;
}

/* A thread that has gone is no reason to begin again. */
bool papi_process_threads_came(const struct papi_process_threads *before, const struct papi_process_threads *now)
{
	for (size_t i = 0; i < now->number; i++)
		if (!contain(before, now->ids[i]))
			return true;
	return false;
}

/* Its number in each name space of processes from ours to its own: the last one, and how many there are. */
static pid_t number_there(pid_t pid, pid_t thread, unsigned *spaces)
{
	char name[48], line[256], *rest;
	pid_t number = 0;
	FILE *file;

	snprintf(name, sizeof(name), "task/%d/status", (int)thread);
	file = open_file(pid, name);
	*spaces = 0;
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		rest = line + 6;
		for (long next = strtol(rest, &rest, 10); next > 0; next = strtol(rest, &rest, 10)) {
			number = (pid_t)next;
			++*spaces;
		}
	}
	if (file)
		fclose(file);
	return number;
}

pid_t papi_process_thread_here(pid_t pid, pid_t there)
{
	struct papi_process_threads threads;
	pid_t found = 0;
	unsigned spaces;

	number_there(pid, pid, &spaces);
	if (spaces <= 1)
		return there;
	if (papi_process_threads(&threads, pid) != 0)
		return 0;
	for (size_t i = 0; i < threads.number && !found; i++)
		if (number_there(pid, threads.ids[i], &spaces) == there)
			found = threads.ids[i];
	free(threads.ids);
	return found;
}

bool papi_process_ended(pid_t pid)
{
	struct papi_process_threads threads;
	pid_t group = pid;
	char state = papi_process_state(pid, &group);
	bool ended = state == 'X';

	if (state == 'Z') {
		ended = papi_process_threads(&threads, pid) != 0 || threads.number <= 1;
		free(threads.ids);
	}
	return ended;
}

bool papi_process_is_unfit(pid_t pid, char *reason, size_t size)
{
	pid_t group = pid;

	if (papi_process_state(pid, &group) == 'X') {
		snprintf(reason, size, "cannot watch process %d: there is no such process", (int)pid);
		return true;
	}
	if (group != pid) {
		snprintf(reason, size, "cannot watch %d: it is a thread of process %d; give the process, -p %d",
			(int)pid, (int)group, (int)group);
		return true;
	}
	if (papi_process_ended(pid)) {
		snprintf(reason, size, "cannot watch process %d: it has ended already (a zombie)", (int)pid);
		return true;
	}
	return false;
}

char **papi_process_command(pid_t pid)
{
	FILE *file = open_file(pid, "cmdline");
	char *text = NULL, **words;
	size_t length = 0, number = 0;

	while (file) {
		char *piece = NULL, *longer;
		size_t room = 0;
		ssize_t got = getdelim(&piece, &room, '\0', file);
		longer = got > 0 ? realloc(text, length + (size_t)got + 1) : NULL;
		if (longer) {
			text = longer;
			memcpy(text + length, piece, (size_t)got);
			length += (size_t)got;
		}
		free(piece);
		if (!longer)
			break;
	}
	if (file)
		fclose(file);
	if (!length) {
		free(text);
		if (asprintf(&text, "process %d", (int)pid) < 0)
			return NULL;
		length = strlen(text);
	}
	text[length] = '\0';
	for (size_t i = 0; i < length; i += strlen(text + i) + 1)
		number++;
	words = malloc((number + 1) * sizeof(*words) + length + 1);
	if (words) {
		char *copy = (char *)(words + number + 1);

		memcpy(copy, text, length + 1);
		number = 0;
		for (size_t i = 0; i < length; i += strlen(copy + i) + 1)
			words[number++] = copy + i;
		words[number] = NULL;
	}
	free(text);
	return words;
}

void papi_process_raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
