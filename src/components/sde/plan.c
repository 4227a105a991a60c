/* SPDX-License-Identifier: BSD-3-Clause */
/* From names to the counters behind them. See sde.h. */
#include <stdlib.h>

#include "base/error.h"
#include "components/sde/sde.h"

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

/*
 * The start of what has come while the set was counting. A counter that was registered meanwhile begins at 0, as it
 * itself does; of a member that was there before, what it has counted until now is not known.
 */
static void begin(struct papi_sde_node *node, const struct papi_sde_facts *facts, unsigned changes)
{
	if (facts->kind == PAPI_SDE_COUNTER && (int)(facts->born - changes) <= 0)
		papi_sde_find()->read(node->entry, node->incarnation, &node->base);
}

/* The tree below an entry, in the order in which evaluate() walks it. Groups hold no cycles: libsde sees to that. */
static int plan_entry(struct papi_sde_control *control, struct papi_sde_entry *entry, bool counting)
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
	if (counting)
		begin(node, &facts, control->changes);
	for (unsigned i = 0; facts.kind == PAPI_SDE_GROUP && (member = tools->member(entry, i)); i++) {
		status = plan_entry(control, member, counting);
		/* It has just ended, and is about to leave the group. */
		if (status != PAPI_OK && status != PAPI_ENOEVNT)
			return status;
	}
	control->nodes[place].end = control->n_nodes;
	return PAPI_OK;
}

/* An event that ends while it is planned for is awaited like one that was not there. */
static int plan_native(struct papi_sde_control *control, struct papi_sde_native *native, bool counting)
{
	int status = PAPI_ENOEVNT;

	native->first = control->n_nodes;
	native->entry = papi_sde_find_event(native->name, &native->part);
	if (native->entry)
		status = plan_entry(control, native->entry, counting);
	if (status != PAPI_ENOEVNT)
		return status;
	control->n_nodes = native->first;
	native->entry = NULL;
	control->n_awaited++;
	return PAPI_OK;
}

int papi_sde_plan(struct papi_sde_control *control)
{
	/* Before looking: a change that comes in between makes another plan at the next start. */
	control->changes = control->seen = papi_sde_find()->changes();
	control->n_nodes = control->n_awaited = 0;
	control->planned = false;
	for (unsigned i = 0; i < control->n; i++) {
		int status = plan_native(control, &control->natives[i], false);

		if (status != PAPI_OK)
			return status;
	}
	control->planned = true;
	return PAPI_OK;
}

int papi_sde_plan_arrivals(struct papi_sde_control *control)
{
	unsigned changes = papi_sde_find()->changes();

	if (changes == control->seen)
		return PAPI_OK;
	control->seen = changes;
	control->n_awaited = 0;
	for (unsigned i = 0; i < control->n; i++) {
		int status = control->natives[i].entry ? PAPI_OK : plan_native(control, &control->natives[i], true);

		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}
