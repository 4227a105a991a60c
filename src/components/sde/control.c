/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading software-defined events. See sde.h. */
#include <stdlib.h>
#include <string.h>

#include "components/sde/sde.h"
#include "core/error.h"
#include "linux/clock.h"

static void free_copies(struct papi_sde_control *control)
{
	for (unsigned i = 0; i < control->n; i++) {
		free(control->natives[i].copy);
		control->natives[i].copy = NULL;
	}
}

static int ended(void)
{
	return papi_error(PAPI_ENOEVNT,
		"a software-defined event of the EventSet has been unregistered since PAPI_start: stop "
		"the set, and start it again when the event is registered");
}

/* ---- Plans ---- */

static int append(struct papi_sde_control *control, struct papi_sde_node **node)
{
	if (control->n_nodes == control->room) {
		unsigned room = control->room ? 2 * control->room : 4;
		struct papi_sde_node *nodes = realloc(control->nodes, room * sizeof(*nodes));

		if (!nodes)
			return papi_error(PAPI_ENOMEM, "no memory for software-defined events");
		control->nodes = nodes;
		control->room = room;
	}
	*node = &control->nodes[control->n_nodes++];
	return PAPI_OK;
}

/* The tree below an entry, in the order in which evaluate() walks it. Groups hold no cycles: libsde sees to that. */
static int plan_entry(struct papi_sde_control *control, struct papi_sde_entry *entry)
{
	const struct papi_sde_tools *tools = papi_sde_find();
	unsigned place = control->n_nodes;
	struct papi_sde_entry *member;
	struct papi_sde_facts facts;
	struct papi_sde_node *node = NULL;
	int status;

	if (!tools->facts(entry, &facts))
		return PAPI_ENOEVNT;
	status = append(control, &node);
	if (status != PAPI_OK)
		return status;
	*node = (struct papi_sde_node){ .entry = entry,
		.incarnation = facts.incarnation,
		.kind = facts.kind,
		.type = facts.type,
		.operation = facts.operation,
		.instant = facts.mode & PAPI_SDE_INSTANT };
	for (unsigned i = 0; facts.kind == PAPI_SDE_GROUP && (member = tools->member(entry, i)); i++) {
		status = plan_entry(control, member);
		/* It has just ended, and is about to leave the group. */
		if (status != PAPI_OK && status != PAPI_ENOEVNT)
			return status;
	}
	control->nodes[place].end = control->n_nodes;
	return PAPI_OK;
}

static int check_part(const struct papi_sde_node *node, enum papi_sde_part part)
{
	if (part == PAPI_SDE_WHOLE || node->kind == PAPI_SDE_RECORDER)
		return PAPI_OK;
	return papi_error(PAPI_ENOEVNT, "the software-defined event is no recorder any more, and has one value only");
}

static int plan(struct papi_sde_control *control)
{
	/* Before looking: a change that comes in between makes another plan at the next start. */
	control->changes = papi_sde_find()->changes();
	control->n_nodes = 0;
	control->planned = false;
	for (unsigned i = 0; i < control->n; i++) {
		struct papi_sde_native *native = &control->natives[i];
		int status;

		native->first = control->n_nodes;
		status = plan_entry(control, native->encoding->entry);
		if (status == PAPI_ENOEVNT)
			return papi_error(
				PAPI_ENOEVNT, "a software-defined event of the EventSet is not registered any more");
		if (status == PAPI_OK)
			status = check_part(&control->nodes[native->first], native->encoding->part);
		if (status != PAPI_OK)
			return status;
	}
	control->planned = true;
	return PAPI_OK;
}

/* ---- Values ---- */

static bool is_real(int type)
{
	return type == PAPI_SDE_double || type == PAPI_SDE_float;
}

/* Sums and differences may wrap; they must not be undefined. */
static union papi_sde_value difference(union papi_sde_value now, union papi_sde_value base, bool real)
{
	union papi_sde_value value;

	if (real)
		value.real = now.real - base.real;
	else
		value.integer = (long long)((unsigned long long)now.integer - (unsigned long long)base.integer);
	return value;
}

static union papi_sde_value combine(union papi_sde_value a, union papi_sde_value b, int operation, bool real)
{
	union papi_sde_value value = a;

	if (operation == PAPI_SDE_SUM) {
		if (real)
			value.real += b.real;
		else
			value.integer = (long long)((unsigned long long)a.integer + (unsigned long long)b.integer);
		return value;
	}
	if ((real ? a.real < b.real : a.integer < b.integer) == (operation == PAPI_SDE_MAX))
		value = b;
	return value;
}

/* The value of the node at *place, which is moved behind its tree. A group without members has nothing: 0. */
static union papi_sde_value evaluate(const struct papi_sde_control *control, unsigned *place)
{
	const struct papi_sde_node *node = &control->nodes[(*place)++];
	union papi_sde_value value = { 0 };
	bool first = true;

	if (node->kind != PAPI_SDE_GROUP)
		return node->instant ? node->now : difference(node->now, node->base, is_real(node->type));
	for (; *place < node->end; first = false) {
		union papi_sde_value member = evaluate(control, place);

		value = first ? member : combine(value, member, node->operation, is_real(node->type));
	}
	return value;
}

/* As the eight bytes that a program expects of the type. */
static long long to_bytes(union papi_sde_value value, int type)
{
	float narrow = (float)value.real;
	long long bytes = 0;

	if (!is_real(type))
		return value.integer;
	if (type == PAPI_SDE_float)
		memcpy(&bytes, &narrow, sizeof(narrow));
	else
		memcpy(&bytes, &value.real, sizeof(value.real));
	return bytes;
}

/* A recorder or counting set: the copy that the value will point into belongs to the EventSet. */
static int copy(struct papi_sde_native *native, const struct papi_sde_node *node, long long *value)
{
	enum papi_sde_part part = native->encoding->part;
	size_t count, size, index = 0;
	int status;

	free(native->copy);
	native->copy = NULL;
	status = papi_sde_find()->copy(
		node->entry, node->incarnation, part > PAPI_SDE_NUMBER, &native->copy, &count, &size);
	if (status == PAPI_ENOEVNT)
		return ended();
	if (status != PAPI_OK)
		return papi_error(status, "no memory for a copy of %zu recorded values", count);
	if (part >= PAPI_SDE_LEAST && count)
		index = part == PAPI_SDE_LARGEST
			? count - 1
			: count / 4 * (part - PAPI_SDE_LEAST) + count % 4 * (part - PAPI_SDE_LEAST) / 4;
	*value = part == PAPI_SDE_NUMBER ? (long long)count
		: native->copy           ? (long long)(intptr_t)((char *)native->copy + index * size)
					 : 0;
	return PAPI_OK;
}

static int sample(struct papi_sde_control *control)
{
	const struct papi_sde_tools *tools = papi_sde_find();

	for (unsigned i = 0; i < control->n_nodes; i++) {
		struct papi_sde_node *node = &control->nodes[i];

		if (node->kind == PAPI_SDE_COUNTER && !tools->read(node->entry, node->incarnation, &node->now))
			return ended();
	}
	return PAPI_OK;
}

static void rebase_nodes(struct papi_sde_control *control)
{
	for (unsigned i = 0; i < control->n_nodes; i++)
		control->nodes[i].base = control->nodes[i].now;
}

/* ---- Operations ---- */

int papi_sde_add(void *pointer, const void *encoding)
{
	struct papi_sde_control *control = pointer;
	struct papi_sde_native *larger = realloc(control->natives, (control->n + 1) * sizeof(*larger));
	int status;

	if (!larger)
		return papi_error(PAPI_ENOMEM, "no memory for software-defined events");
	control->natives = larger;
	larger[control->n++] = (struct papi_sde_native){ .encoding = encoding };
	status = plan(control);
	if (status != PAPI_OK)
		control->n--;
	return status;
}

int papi_sde_remove(void *pointer, unsigned position)
{
	struct papi_sde_control *control = pointer;

	free(control->natives[position].copy);
	memmove(&control->natives[position], &control->natives[position + 1],
		(--control->n - position) * sizeof(*control->natives));
	control->planned = false;
	return PAPI_OK;
}

int papi_sde_configure(void *control, const struct papi_options *options)
{
	(void)control;
	if (options->attach || options->cpu >= 0 || options->granularity != PAPI_GRN_THR)
		return papi_error(PAPI_ECMP,
			"software-defined events are counted by this process for itself: no attach, no CPU, "
			"no system");
	if (options->inherit)
		return papi_error(PAPI_ECMP,
			"software-defined events belong to the whole process; children that it makes have "
			"their own");
	return PAPI_OK;
}

int papi_sde_start(void *pointer)
{
	struct papi_sde_control *control = pointer;
	int status = PAPI_OK;

	free_copies(control);
	if (!control->planned || control->changes != papi_sde_find()->changes())
		status = plan(control);
	if (status == PAPI_OK)
		status = sample(control);
	if (status != PAPI_OK)
		return status;
	rebase_nodes(control);
	control->started = papi_clock_real_ns();
	control->ran = 0;
	return PAPI_OK;
}

int papi_sde_read(void *pointer, long long values[], bool rebase)
{
	struct papi_sde_control *control = pointer;
	int status = sample(control);

	for (unsigned i = 0; i < control->n && status == PAPI_OK; i++) {
		struct papi_sde_native *native = &control->natives[i];
		const struct papi_sde_node *node = &control->nodes[native->first];
		unsigned place = native->first;

		if (node->kind == PAPI_SDE_COUNTER || node->kind == PAPI_SDE_GROUP)
			values[i] = to_bytes(evaluate(control, &place), node->type);
		else
			status = copy(native, node, &values[i]);
	}
	if (status != PAPI_OK)
		return status;
	control->ran = papi_clock_real_ns() - control->started;
	if (rebase) {
		rebase_nodes(control);
		control->started += control->ran;
	}
	return PAPI_OK;
}

int papi_sde_stop(void *control, long long values[])
{
	return papi_sde_read(control, values, false);
}

void papi_sde_times(void *pointer, unsigned position, long long *enabled, long long *running, bool counting)
{
	const struct papi_sde_control *control = pointer;

	(void)position;
	(void)counting;
	*enabled = *running = control->ran;
}

void papi_sde_close(void *pointer)
{
	struct papi_sde_control *control = pointer;

	free_copies(control);
	free(control->natives);
	free(control->nodes);
	*control = (struct papi_sde_control){ 0 };
}

/* Nothing of it is the parent's alone: counters and copies went over with the process. */
void papi_sde_forked(void *control)
{
	(void)control;
}
