/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_set_opt, PAPI_set_domain, PAPI_set_granularity, PAPI_attach, PAPI_detach.
 *
 * Options of an EventSet go one way: a changed copy of the set's options, which its components take or refuse as a
 * whole.
 */
#include "api/options.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/api.h"
#include "core/overflow.h"
#include "events/events.h"

static int check_domain(int domain)
{
	if (!domain || domain & ~PAPI_DOM_ALL)
		return papi_error(PAPI_EINVAL,
			"domain 0x%x is not a combination of PAPI_DOM_USER, PAPI_DOM_KERNEL, "
			"PAPI_DOM_OTHER and PAPI_DOM_SUPERVISOR",
			(unsigned)domain);
	return PAPI_OK;
}

static int check_granularity(int granularity)
{
	if (granularity < PAPI_GRN_MIN || granularity > PAPI_GRN_MAX || granularity & (granularity - 1))
		return papi_error(PAPI_EINVAL, "%d is not one of the PAPI_GRN_* granularities", granularity);
	return PAPI_OK;
}

/* What can be said against an option without asking the components of an EventSet. */
static int check_target(const struct papi_options *options)
{
	if (options->attach && kill(options->attach, 0) && errno == ESRCH)
		return papi_error(PAPI_EINVAL, "there is no process or thread %d: it never was, or it has ended",
			(int)options->attach);
	if (options->cpu >= sysconf(_SC_NPROCESSORS_CONF))
		return papi_error(PAPI_EINVAL, "there is no CPU %d; this machine has %ld, from 0", options->cpu,
			sysconf(_SC_NPROCESSORS_CONF));
	return PAPI_OK;
}

static int check_stopped(const struct papi_eventset *set)
{
	if (set->running)
		return papi_error(PAPI_EISRUN, "the EventSet is counting: stop it before changing its options");
	return PAPI_OK;
}

int papi_option_apply(struct papi_eventset *set, const struct papi_options *options)
{
	int status = check_stopped(set);

	return status == PAPI_OK ? papi_eventset_configure(set, options) : status;
}

/* Changes what change() changes in the options of an EventSet. */
static int change(int EventSet, int (*change_one)(struct papi_options *options, long value), long value)
{
	struct papi_slot *slot;
	int status = papi_enter(EventSet, &slot);

	if (status == PAPI_OK) {
		struct papi_options options = slot->set->options;

		status = check_stopped(slot->set);
		if (status == PAPI_OK)
			status = change_one(&options, value);
		if (status == PAPI_OK)
			status = papi_option_apply(slot->set, &options);
		papi_leave(slot);
	}
	return status;
}

static int set_domain(struct papi_options *options, long value)
{
	options->domain = (int)value;
	return check_domain(options->domain);
}

static int set_granularity(struct papi_options *options, long value)
{
	options->granularity = (int)value;
	return check_granularity(options->granularity);
}

static int set_attach(struct papi_options *options, long value)
{
	if (value <= 0 || value != (pid_t)value)
		return papi_error(PAPI_EINVAL, "%ld is no number of a process or thread", value);
	options->attach = (pid_t)value;
	return check_target(options);
}

static int set_detach(struct papi_options *options, long value)
{
	(void)value;
	if (!options->attach && options->cpu < 0)
		return papi_error(PAPI_EINVAL, "the EventSet is not attached to anything");
	options->attach = 0;
	options->cpu = -1;
	return PAPI_OK;
}

static int set_cpu(struct papi_options *options, long value)
{
	if (value < 0 || value > INT_MAX)
		return papi_error(PAPI_EINVAL, "%ld is no number of a CPU", value);
	options->cpu = (int)value;
	return check_target(options);
}

static int set_inherit(struct papi_options *options, long value)
{
	if (value != PAPI_INHERIT_ALL && value != PAPI_INHERIT_NONE)
		return papi_error(PAPI_EINVAL, "inherit is PAPI_INHERIT_ALL or PAPI_INHERIT_NONE, not %ld", value);
	options->inherit = value == PAPI_INHERIT_ALL;
	return PAPI_OK;
}

static int set_default_domain(int domain, int cidx)
{
	const struct papi_component *component = papi_component_get(cidx);
	int status = component ? check_domain(domain) : PAPI_ENOCMP;

	if (status != PAPI_OK)
		return status;
	if (!(domain & component->info->available_domains))
		return papi_error(PAPI_EINVAL_DOM, "component %s counts in the domains 0x%x, not in 0x%x",
			component->info->name, (unsigned)component->info->available_domains, (unsigned)domain);
	__atomic_store_n(&component->info->default_domain, domain, __ATOMIC_RELAXED);
	if (cidx == 0)
		papi_library_set_default_domain(domain);
	return PAPI_OK;
}

static int set_default_granularity(int granularity, int cidx)
{
	const struct papi_component *component = papi_component_get(cidx);
	int status = component ? check_granularity(granularity) : PAPI_ENOCMP;

	if (status != PAPI_OK)
		return status;
	if (!(granularity & component->info->available_granularities))
		return papi_error(PAPI_ECMP, "component %s does not have granularity %d; it has 0x%x",
			component->info->name, granularity, (unsigned)component->info->available_granularities);
	__atomic_store_n(&component->info->default_granularity, granularity, __ATOMIC_RELAXED);
	if (cidx == 0)
		papi_library_set_default_granularity(granularity);
	return PAPI_OK;
}

int papi_option_set_default_inherit(int inherit)
{
	struct papi_options options = papi_library_defaults();
	int status = papi_library_ready() ? set_inherit(&options, inherit) : papi_library_missing();

	if (status == PAPI_OK)
		papi_library_set_default_inherit(options.inherit);
	return status;
}

/* Runs a change of defaults under the library lock. */
static int with_library(int (*change_default)(int value, int cidx), int value, int cidx)
{
	int status = papi_library_enter();

	if (status == PAPI_OK) {
		status = change_default(value, cidx);
		papi_library_leave();
	}
	return status;
}

int PAPI_set_domain(int domain)
{
	return papi_result(with_library(set_default_domain, domain, 0));
}

int PAPI_set_cmp_domain(int domain, int cidx)
{
	return papi_result(with_library(set_default_domain, domain, cidx));
}

int PAPI_set_granularity(int granularity)
{
	return papi_result(with_library(set_default_granularity, granularity, 0));
}

int PAPI_set_cmp_granularity(int granularity, int cidx)
{
	return papi_result(with_library(set_default_granularity, granularity, cidx));
}

int PAPI_attach(int EventSet, unsigned long tid)
{
	return papi_result(change(EventSet, set_attach, (long)tid));
}

int PAPI_detach(int EventSet)
{
	return papi_result(change(EventSet, set_detach, 0));
}

#define TURN_NS 10000000

_Atomic int papi_option_mpx_ns = TURN_NS;

void papi_options_reset(void)
{
	atomic_store(&papi_option_mpx_ns, TURN_NS);
	papi_overflow_options_reset();
}

static int set_positive(_Atomic int *option, const char *what, int value)
{
	if (value <= 0)
		return papi_error(PAPI_EINVAL, "%s must be positive, not %d", what, value);
	atomic_store(option, value);
	return PAPI_OK;
}

static int set_itimer(const PAPI_itimer_option_t *itimer)
{
	if (itimer->itimer_num < ITIMER_REAL || itimer->itimer_num > ITIMER_PROF)
		return papi_error(PAPI_EINVAL, "interval timer %d is not ITIMER_REAL, ITIMER_VIRTUAL or ITIMER_PROF",
			itimer->itimer_num);
	if (itimer->itimer_sig < 1 || itimer->itimer_sig > SIGRTMAX || itimer->itimer_sig == SIGKILL ||
		itimer->itimer_sig == SIGSTOP)
		return papi_error(PAPI_EINVAL, "signal %d cannot be handled", itimer->itimer_sig);
	atomic_store(&papi_option_itimer_num, itimer->itimer_num);
	atomic_store(&papi_option_itimer_sig, itimer->itimer_sig);
	return PAPI_OK;
}

static int read_user_events(const char *path)
{
	int status = path ? papi_library_enter_alone() : papi_null_argument("PAPI_set_opt", "events_file");

	if (status == PAPI_OK) {
		status = papi_event_read_user_events(path);
		papi_library_leave();
	}
	return status;
}

static int set_option(int option, PAPI_option_t *ptr)
{
	switch (option) {
	case PAPI_DEBUG:
		return papi_debug_set(ptr->debug.level, ptr->debug.handler);
	case PAPI_DEFDOM:
		return with_library(set_default_domain, ptr->defdomain.domain, ptr->defdomain.def_cidx);
	case PAPI_DEFGRN:
		return with_library(
			set_default_granularity, ptr->defgranularity.granularity, ptr->defgranularity.def_cidx);
	case PAPI_DOMAIN:
		return change(ptr->domain.eventset, set_domain, ptr->domain.domain);
	case PAPI_GRANUL:
		return change(ptr->granularity.eventset, set_granularity, ptr->granularity.granularity);
	case PAPI_ATTACH:
		return change(ptr->attach.eventset, set_attach, (long)ptr->attach.tid);
	case PAPI_DETACH:
		return change(ptr->attach.eventset, set_detach, 0);
	case PAPI_CPU_ATTACH:
		return change(ptr->cpu.eventset, set_cpu, (long)ptr->cpu.cpu_num);
	case PAPI_INHERIT:
		return change(ptr->inherit.eventset, set_inherit, ptr->inherit.inherit);
	case PAPI_MULTIPLEX:
		return papi_option_set_multiplex(&ptr->multiplex);
	case PAPI_DEF_MPX_NS:
		return set_positive(&papi_option_mpx_ns, "multiplex.ns", ptr->multiplex.ns);
	case PAPI_DEF_MPX_USEC:
		if (ptr->multiplex.us > 2000000)
			return papi_error(PAPI_EINVAL, "multiplex.us is at most 2000000");
		if (ptr->multiplex.us <= 0)
			return papi_error(PAPI_EINVAL, "multiplex.us must be positive, not %d", ptr->multiplex.us);
		return set_positive(&papi_option_mpx_ns, "multiplex.us", ptr->multiplex.us * 1000);
	case PAPI_DEF_ITIMER:
		return set_itimer(&ptr->itimer);
	case PAPI_DEF_ITIMER_NS:
		if (ptr->itimer.ns > 0 && ptr->itimer.ns < PAPI_OVERFLOW_SHORTEST_NS)
			return papi_error(PAPI_EINVAL,
				"itimer.ns is at least %d: a thread whose timer goes off more often would do "
				"nothing else",
				PAPI_OVERFLOW_SHORTEST_NS);
		return set_positive(&papi_option_itimer_ns, "itimer.ns", ptr->itimer.ns);
	case PAPI_DATA_ADDRESS:
	case PAPI_INSTR_ADDRESS:
		return papi_option_set_range(&ptr->addr, option == PAPI_DATA_ADDRESS);
	case PAPI_USER_EVENTS_FILE:
		return read_user_events(ptr->events_file);
	default:
		return papi_error(PAPI_EINVAL, "option %d does not exist or cannot be set", option);
	}
}

int PAPI_set_opt(int option, PAPI_option_t *ptr)
{
	if (!papi_library_ready() && option != PAPI_DEBUG)
		return papi_result(papi_library_missing());
	return papi_result(ptr ? set_option(option, ptr) : papi_null_argument("PAPI_set_opt", "ptr"));
}
