/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that is first seen after the counters were opened may have inherited them or not, and nothing tells which.
 * So nothing is started before a list of all threads has stayed the same while they were opened.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "events.h"
#include "papi.h"
#include "perfometer.h"
#include "process.h"
#include "tree.h"

#define ATTEMPTS 20

static void drop_set(int *set)
{
	if (*set == PAPI_NULL)
		return;
	PAPI_cleanup_eventset(*set);
	PAPI_destroy_eventset(set);
}

static void close_sets(struct papi_kernel_counter *counter)
{
	for (size_t i = 0; i < counter->number; i++) {
		PAPI_stop(counter->sets[i].set, NULL);
		drop_set(&counter->sets[i].set);
	}
	free(counter->sets);
	counter->sets = NULL;
	counter->number = 0;
}

static int set_options(int set, int domain)
{
	PAPI_option_t option;
	int status;

	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = domain;
	status = PAPI_set_opt(PAPI_DOMAIN, &option);
	if (status != PAPI_OK)
		return status;
	memset(&option, 0, sizeof(option));
	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	return PAPI_set_opt(PAPI_INHERIT, &option);
}

/* An EventSet of the one event, attached to one thread. A PAPI code. */
static int open_set(int *set, const char *name, pid_t tid, int domain)
{
	int code, status = PAPI_event_name_to_code(name, &code);

	*set = PAPI_NULL;
	if (status == PAPI_OK)
		status = PAPI_create_eventset(set);
	if (status == PAPI_OK)
		status = PAPI_assign_eventset_component(*set, PAPI_get_event_component(code));
	if (status == PAPI_OK)
		status = set_options(*set, domain);
	if (status == PAPI_OK)
		status = PAPI_attach(*set, (unsigned long)tid);
	/* More events than counters take turns; the kernel's own are not concerned, and some cannot. */
	if (status == PAPI_OK && papi_event_takes_counter(name))
		PAPI_set_multiplex(*set);
	return status == PAPI_OK ? PAPI_add_event(*set, code) : status;
}

/* In user and kernel mode, or in user mode only where the kernel allows no more. */
static int open_thread(struct papi_kernel_counter *counter, const char *name, pid_t tid, char *reason, size_t size)
{
	int set = PAPI_NULL,
	    status = counter->user_only ? PAPI_EPERM : open_set(&set, name, tid, PAPI_DOM_USER | PAPI_DOM_KERNEL);

	if (status == PAPI_EPERM) {
		drop_set(&set);
		status = open_set(&set, name, tid, PAPI_DOM_USER);
		counter->user_only = status == PAPI_OK;
	}
	if (status != PAPI_OK) {
		papi_tool_reason(status, reason, size);
		drop_set(&set);
		return status;
	}
	counter->sets = papi_perfometer_allocate(counter->sets, counter->number + 1, sizeof(*counter->sets));
	counter->sets[counter->number++] = (struct papi_kernel_set){ set, tid };
	return PAPI_OK;
}

/* What cannot be counted because it has ended has nothing more to count. */
static bool has_ended(pid_t thread)
{
	return papi_process_thread_ended(thread, (struct papi_process_life){ 0, 0 });
}

static bool open_threads(
	struct papi_kernel_counter *counter, const char *name, const struct papi_tree *tree, char *reason, size_t size)
{
	for (size_t i = 0; i < tree->number; i++)
		if (open_thread(counter, name, tree->threads[i], reason, size) != PAPI_OK &&
			!has_ended(tree->threads[i]))
			return false;
	return true;
}

static bool start_sets(struct papi_kernel_counter *counter, char *reason, size_t size)
{
	for (size_t i = 0; i < counter->number; i++) {
		int status = PAPI_start(counter->sets[i].set);

		if (status == PAPI_OK || has_ended(counter->sets[i].thread))
			continue;
		papi_tool_reason(status, reason, size);
		return false;
	}
	return true;
}

/* Opens for all threads that there are, again until they hold still. The last attempt stands. */
static bool open_all(struct papi_kernel_counter *counter, const char *name, const struct papi_kernel_program *program,
	char *reason, size_t size)
{
	struct papi_tree before, now;
	bool opened = true, steady = false;

	for (unsigned i = 0; opened && !steady && i < ATTEMPTS; i++) {
		close_sets(counter);
		papi_tree_find(&before, program->pid, program->at_gate);
		opened = open_threads(counter, name, &before, reason, size);
		papi_tree_find(&now, program->pid, program->at_gate);
		steady = !papi_tree_grew(&before, &now);
		papi_tree_free(&before);
		papi_tree_free(&now);
	}
	return opened;
}

bool papi_kernel_counter_start(struct papi_kernel_counter *counter, const char *name,
	const struct papi_kernel_program *program, char *reason, size_t size)
{
	if (counter->sets)
		return true;
	counter->user_only = false;
	if (open_all(counter, name, program, reason, size) && start_sets(counter, reason, size))
		return true;
	close_sets(counter);
	return false;
}

bool papi_kernel_counter_read(const struct papi_kernel_counter *counter, long long *value)
{
	*value = counter->before;
	for (size_t i = 0; i < counter->number; i++) {
		long long counted = 0;

		if (PAPI_read(counter->sets[i].set, &counted) != PAPI_OK && !has_ended(counter->sets[i].thread))
			return false;
		*value += counted;
	}
	return counter->sets != NULL;
}

void papi_kernel_counter_stop(struct papi_kernel_counter *counter)
{
	long long value;

	if (papi_kernel_counter_read(counter, &value))
		counter->before = value;
	close_sets(counter);
}
