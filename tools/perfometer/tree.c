/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfometer.h"
#include "process.h"

struct child {
	pid_t pid, parent;
	bool below; /* the program, or below it */
};

struct children {
	struct child *list;
	size_t number;
};

static void append(struct papi_tree *tree, pid_t thread)
{
	tree->threads = papi_perfometer_allocate(tree->threads, tree->number + 1, sizeof(*tree->threads));
	tree->threads[tree->number++] = thread;
}

/* 0: there is no such process. */
static pid_t parent_of(pid_t pid)
{
	char *path = papi_perfometer_format("/proc/%d/stat", (int)pid), *line = NULL, *rest;
	FILE *file = fopen(path, "re");
	size_t room = 0;
	int parent = 0;

	free(path);
	if (!file)
		return 0;
	/* A program's name may hold anything. */
	if (getdelim(&line, &room, '\0', file) > 0 && (rest = strrchr(line, ')')) && strlen(rest) > 4)
		parent = (int)strtol(rest + 4, NULL, 10);
	free(line);
	fclose(file);
	return parent;
}

static void list_all(struct children *children)
{
	DIR *directory = opendir("/proc");
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		children->list = papi_perfometer_allocate(
			children->list, children->number + 1, sizeof(*children->list));
		children->list[children->number++] = (struct child){ .pid = pid, .parent = parent_of(pid) };
	}
	if (directory)
		closedir(directory);
}

static bool is_below(const struct children *children, pid_t pid)
{
	for (size_t i = 0; i < children->number; i++)
		if (children->list[i].pid == pid)
			return children->list[i].below;
	return false;
}

/* Numbers are used again, so a child may stand before its parent. */
static void mark_below(struct children *children, pid_t pid)
{
	bool more = true;

	for (size_t i = 0; i < children->number; i++)
		children->list[i].below = children->list[i].pid == pid;
	while (more) {
		more = false;
		for (size_t i = 0; i < children->number; i++) {
			struct child *child = &children->list[i];

			if (child->below || !is_below(children, child->parent))
				continue;
			child->below = more = true;
		}
	}
}

static void append_threads(struct papi_tree *tree, pid_t pid)
{
	struct papi_process_threads threads;

	if (papi_process_threads(&threads, pid))
		return;
	for (size_t i = 0; i < threads.number; i++)
		append(tree, threads.ids[i]);
	free(threads.ids);
}

void papi_tree_find(struct papi_tree *tree, pid_t pid, bool alone)
{
	struct children children = { NULL, 0 };

	*tree = (struct papi_tree){ NULL, 0 };
	if (alone) {
		append(tree, pid);
		return;
	}
	list_all(&children);
	mark_below(&children, pid);
	for (size_t i = 0; i < children.number; i++)
		if (children.list[i].below)
			append_threads(tree, children.list[i].pid);
	free(children.list);
}

void papi_tree_free(struct papi_tree *tree)
{
	free(tree->threads);
	*tree = (struct papi_tree){ NULL, 0 };
}

static bool has(const struct papi_tree *tree, pid_t thread)
{
	for (size_t i = 0; i < tree->number; i++)
		if (tree->threads[i] == thread)
			return true;
	return false;
}

bool papi_tree_grew(const struct papi_tree *before, const struct papi_tree *now)
{
	for (size_t i = 0; i < now->number; i++)
		if (!has(before, now->threads[i]))
			return true;
	return false;
}
