/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a program and of all processes below it, as /proc tells of them. The caller frees them. */
#ifndef PAPI_PERFOMETER_TREE_H
#define PAPI_PERFOMETER_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct papi_tree {
	pid_t *threads;
	size_t number;
};

/* alone: the process has one thread and no children, which is known. */
void papi_tree_find(struct papi_tree *tree, pid_t pid, bool alone);
void papi_tree_free(struct papi_tree *tree);
/* Whether now has a thread that before has not. */
bool papi_tree_grew(const struct papi_tree *before, const struct papi_tree *now);

#endif
