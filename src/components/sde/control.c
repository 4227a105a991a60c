/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading software-defined events. See sde.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "components/sde/sde.h"
#include "linux/time/clock.h"

/* The value of an event that nobody has registered yet. No count is negative by itself. */
#define NOT_YET (-1)

static int ended(void)
{
	return papi_error(PAPI_ENOEVNT,
		"a software-defined event of the EventSet has been unregistered since PAPI_start: stop "
		"the set, and start it again when the event is registered");
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

/* Of a recorder's sorted values the one that a part names, in a block of its own. */
static void *pick(const char *sorted, enum papi_sde_part part, size_t count, size_t size)
{
	unsigned quarters = part - PAPI_SDE_LEAST;
	size_t index = part == PAPI_SDE_LARGEST ? count - 1 : count / 4 * quarters + count % 4 * quarters / 4;
	void *one = malloc(size);

	return one ? memcpy(one, sorted + index * size, size) : NULL;
}

/* A recorder or counting set: what the value points to is a copy, and the caller's. */
static int copy(struct papi_sde_native *native, const struct papi_sde_node *node, long long *value)
{
	enum papi_sde_part part = native->part;
	void *copy = NULL, *one;
	size_t count, size;
	int status;

	status = papi_sde_find()->copy(node->entry, node->incarnation, part > PAPI_SDE_NUMBER, &copy, &count, &size);
	if (status == PAPI_ENOEVNT)
		return ended();
	if (status == PAPI_OK && part >= PAPI_SDE_LEAST && copy) {
		one = pick(copy, part, count, size);
		free(copy);
		copy = one;
		status = one ? PAPI_OK : PAPI_ENOMEM;
	}
	if (status != PAPI_OK)
		return papi_error(status, "no memory for a copy of %zu recorded values", count);
	if (part == PAPI_SDE_NUMBER)
		free(copy);
	*value = part == PAPI_SDE_NUMBER ? (long long)count : (long long)(intptr_t)copy;
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
	const struct papi_sde_tools *tools = papi_sde_find();

	for (unsigned i = 0; i < control->n_nodes; i++) {
		control->nodes[i].base = control->nodes[i].now;
		if (tools->rebase)
			tools->rebase(control->nodes[i].entry);
	}
}

/* Where libsde keeps the start there is none to be sampled. */
static int make_now_the_base(struct papi_sde_control *control)
{
	int status = papi_sde_find()->rebase ? PAPI_OK : sample(control);

	if (status == PAPI_OK)
		rebase_nodes(control);
	return status;
}

/* The values of counters and groups, and, of what has copies, those too if wanted. */
static int values_of(struct papi_sde_control *control, long long values[], bool copies)
{
	int status = PAPI_OK;

	for (unsigned i = 0; i < control->n && status == PAPI_OK; i++) {
		struct papi_sde_native *native = &control->natives[i];
		const struct papi_sde_node *node = &control->nodes[native->first];
		unsigned place = native->first;

		if (!native->entry)
			values[i] = NOT_YET;
		else if (node->kind == PAPI_SDE_COUNTER || node->kind == PAPI_SDE_GROUP)
			values[i] = to_bytes(evaluate(control, &place), node->type);
		else if (copies)
			status = copy(native, node, &values[i]);
	}
	return status;
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
	larger[control->n++] = (struct papi_sde_native){ .name = encoding };
	status = papi_sde_plan(control);
	if (status != PAPI_OK)
		control->n--;
	return status;
}

int papi_sde_remove(void *pointer, unsigned position)
{
	struct papi_sde_control *control = pointer;

	papi_sde_overflow_forget(&control->natives[position]);
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

	if (!control->planned || control->changes != papi_sde_find()->changes())
		status = papi_sde_plan(control);
	if (status == PAPI_OK)
		status = papi_sde_overflow_start(control);
	if (status == PAPI_OK)
		status = make_now_the_base(control);
	if (status != PAPI_OK) {
		papi_sde_overflow_stop(control);
		return status;
	}
	control->started = papi_clock_real_ns();
	control->ran = 0;
	return PAPI_OK;
}

static void note_time(struct papi_sde_control *control, bool rebase)
{
	control->ran = papi_clock_real_ns() - control->started;
	if (rebase)
		control->started += control->ran;
}

int papi_sde_read(void *pointer, long long values[], bool rebase)
{
	struct papi_sde_control *control = pointer;
	int status = control->n_awaited ? papi_sde_plan_arrivals(control) : PAPI_OK;

	if (status == PAPI_OK)
		status = sample(control);
	if (status == PAPI_OK)
		status = values_of(control, values, true);
	if (status != PAPI_OK)
		return status;
	if (rebase)
		rebase_nodes(control);
	note_time(control, rebase);
	return PAPI_OK;
}

/* What nobody will see is not copied, since nobody would free it. */
int papi_sde_refresh(void *pointer, long long values[])
{
	struct papi_sde_control *control = pointer;
	int status = sample(control);

	if (status == PAPI_OK)
		status = values_of(control, values, false);
	if (status == PAPI_OK)
		note_time(control, false);
	return status;
}

int papi_sde_rebase(void *pointer)
{
	struct papi_sde_control *control = pointer;
	int status = control->n_awaited ? papi_sde_plan_arrivals(control) : PAPI_OK;

	if (status == PAPI_OK)
		status = make_now_the_base(control);
	if (status != PAPI_OK)
		return status;
	note_time(control, true);
	return PAPI_OK;
}

int papi_sde_stop(void *control, long long values[])
{
	papi_sde_overflow_stop(control);
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

	for (unsigned i = 0; i < control->n; i++)
		papi_sde_overflow_forget(&control->natives[i]);
	free(control->natives);
	free(control->nodes);
	*control = (struct papi_sde_control){ 0 };
}

/* Nothing of it is the parent's alone: the counters went over with the process. */
void papi_sde_forked(void *control)
{
	papi_sde_overflow_stop(control);
}
