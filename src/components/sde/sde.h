/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component "sde": events that libraries and programs define themselves with libsde (sde_lib.h, src/sde/).
 *
 * How it finds libsde. Neither library is linked with the other. When a name or a listing of this component is asked
 * for, find.c looks whether libsde is in the process: by a weak reference to its one symbol for libpapi,
 * papi_sde_tools, which is bound when libsde is linked with the program (statically too), and else in the list of
 * loaded objects, for a libsde that was loaded later or by a plugin for itself alone. Without libsde the component has
 * no events; a program that does not ask for any pays nothing.
 *
 * Locks. Those of libsde are taken while libpapi's are held, never the other way round, also at forks.
 *
 *	sde.c      the component: names and descriptions
 *	plan.c     from names to the counters behind them
 *	control.c  reading: baselines, groups, the copies of recorders
 *	overflow.c created counters, which tell by themselves when they have counted a threshold
 *	find.c     libsde
 *	foreign.c  the libsde of another making: a table of functions made of those that it exports
 *
 * An encoding is a name. A control keeps a plan, the tree of counters behind each of its natives, and makes it anew at
 * a start when something was registered or ended since. What nobody has registered yet is awaited: its value is -1, and
 * once there it is planned for by the next read. A read asks for the incarnation that was planned for, so an event that
 * ended while it was counted is an error. Reads take no lock and allocate nothing, but when an awaited event has come,
 * and for recorders and counting sets, of which each read makes a copy for the caller.
 *
 * Counts are those of the process, whoever adds to them: an EventSet that is attached, bound to a CPU or to inherit
 * cannot hold these events.
 */
#ifndef PAPI_SDE_COMPONENT_H
#define PAPI_SDE_COMPONENT_H

#include "base/component.h"
#include "sde/tools.h"

extern const struct papi_component papi_sde_component;

/* Recorders have several values; everything else has the first only. */
enum papi_sde_part {
	PAPI_SDE_WHOLE,
	PAPI_SDE_NUMBER,
	PAPI_SDE_LEAST,
	PAPI_SDE_QUARTER,
	PAPI_SDE_MEDIAN,
	PAPI_SDE_THREE_QUARTERS,
	PAPI_SDE_LARGEST,
	PAPI_SDE_PARTS
};

/* What a name means at the moment; part says which of its values. NULL: nothing. */
struct papi_sde_entry *papi_sde_find_event(const char *name, enum papi_sde_part *part);

/* NULL: libsde is not in the process, or too old. */
const struct papi_sde_tools *papi_sde_find(void);
/* The same without looking for it. */
const struct papi_sde_tools *papi_sde_found(void);
/* The table for a libsde that has none, made of what it exports; NULL: something is missing. */
const struct papi_sde_tools *papi_sde_foreign(void *library);
/* A pointer to a function of a library, as dlsym(3) finds it. False: there is no such symbol. */
bool papi_sde_look_up(void *library, const char *name, void *function);

/*
 * 7.0 interface: exported for a libsde of another making, which calls them when it has been asked to look for
 * overflows. It never is: EventSets find them with their timer. Both do nothing but answer PAPI_ECMP and say so.
 */
PAPI_API int papi_sde_check_overflow_status(unsigned int cntr_id, long long latest);
PAPI_API int papi_sde_set_timer_for_overflow(void);

/* A counter, group, recorder or counting set in a plan; the tree of a group stands behind it, up to end. */
struct papi_sde_node {
	struct papi_sde_entry *entry;
	uint32_t incarnation;
	enum papi_sde_kind kind;
	int type, operation;
	bool instant;
	unsigned end;
	union papi_sde_value base, now;
};

struct papi_sde_native {
	const char *name;             /* its encoding: "library::event", perhaps with the suffix of a part */
	struct papi_sde_entry *entry; /* NULL: awaited */
	enum papi_sde_part part;
	unsigned first;               /* its node */
	struct papi_sde_watch *watch; /* NULL: does not overflow by itself */
	struct papi_sde_entry *watched;
};

struct papi_sde_control {
	struct papi_sde_native *natives;
	struct papi_sde_node *nodes;
	unsigned n, n_nodes, room;
	unsigned changes, seen; /* of libsde, as of the plan, and when awaited events were last looked for */
	unsigned n_awaited;
	bool planned;
	long long started, ran; /* real time, ns */
};

/* Finds all events; those not registered are awaited. */
int papi_sde_plan(struct papi_sde_control *control);
/* The events that were awaited, and have come. */
int papi_sde_plan_arrivals(struct papi_sde_control *control);

/* Has those that overflow by themselves begin, with a fresh period, or end. */
int papi_sde_overflow_start(struct papi_sde_control *control);
void papi_sde_overflow_stop(struct papi_sde_control *control);
/* A native goes. */
void papi_sde_overflow_forget(struct papi_sde_native *native);

/* Operations of the component on controls. */
int papi_sde_add(void *control, const void *encoding);
int papi_sde_remove(void *control, unsigned position);
int papi_sde_configure(void *control, const struct papi_options *options);
int papi_sde_start(void *control);
int papi_sde_stop(void *control, long long values[]);
int papi_sde_read(void *control, long long values[], bool rebase);
int papi_sde_refresh(void *control, long long values[]);
int papi_sde_rebase(void *control);
int papi_sde_arm(void *control, unsigned position, long long threshold, int cookie);
unsigned papi_sde_overflows(void *control, struct papi_overflow taken[], unsigned n);
void papi_sde_times(void *control, unsigned position, long long *enabled, long long *running, bool counting);
void papi_sde_close(void *control);
void papi_sde_forked(void *control);

#endif
