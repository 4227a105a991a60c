/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "core/handles.h"
#include "core/signals.h"
#include "core/thread.h"
#include "events/events.h"
#include "linux/machine/hardware.h"
#include "linux/process/executable.h"
#include "metrics/metrics.h"

_Atomic int papi_library_state = PAPI_NOT_INITED;

/* Writers first: a stream of lookups must not keep PAPI_shutdown() waiting for ever. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static const pthread_rwlock_t fresh_lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static unsigned disabled; /* bit per component: kept out by PAPI_disable_component() */
static _Atomic int default_domain = PAPI_DOM_USER;
static _Atomic int default_granularity = PAPI_GRN_THR;
static _Atomic bool default_inherit;

/* What the thread's cancelability was outside. A thread cancelled inside would keep the lock and its set for ever. */
static _Thread_local int cancel_state;

static void take_lock(int (*how)(pthread_rwlock_t *lock))
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	how(&lock);
	cancel_state = state;
}

static void release_lock(void)
{
	int state = cancel_state;

	pthread_rwlock_unlock(&lock);
	pthread_setcancelstate(state, NULL);
}

int papi_library_missing(void)
{
	return papi_error(PAPI_ENOINIT, "the library is not initialised: call PAPI_library_init first");
}

static int check_ready(void)
{
	if (papi_library_ready())
		return PAPI_OK;
	release_lock();
	return papi_library_missing();
}

void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long is_write) __attribute__((weak));

static void fork_prepare(void)
{
	pthread_rwlock_wrlock(&lock);
	papi_handle_fork_prepare();
	papi_thread_fork_prepare();
	for (int i = 0; i < papi_component_count; i++)
		if (papi_components[i]->fork)
			papi_components[i]->fork->prepare();
	papi_signal_fork_prepare();
}

static void fork_parent(void)
{
	papi_signal_fork_done();
	for (int i = 0; i < papi_component_count; i++)
		if (papi_components[i]->fork)
			papi_components[i]->fork->parent();
	papi_thread_fork_parent();
	papi_handle_fork_parent();
	pthread_rwlock_unlock(&lock);
}

/* The child's only thread is the one that holds all of these; what it leaves behind must be as new. */
static void fork_child(void)
{
	papi_signal_fork_done();
	for (int i = 0; i < papi_component_count; i++)
		if (papi_components[i]->fork)
			papi_components[i]->fork->child();
	papi_thread_fork_child();
	papi_handle_fork_child();
	/* ThreadSanitizer, where it is, must not go on believing that the lock is taken. */
	if (AnnotateRWLockReleased)
		AnnotateRWLockReleased(__FILE__, __LINE__, &lock, 1);
	memcpy(&lock, &fresh_lock, sizeof(lock));
}

static void install_fork_handlers(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static void verbosity_from_environment(void)
{
	if (secure_getenv("PAPI_VERBOSE") && papi_debug_level() == PAPI_QUIET)
		papi_debug_set(PAPI_VERB_ECONT, NULL);
}

/* The description of a component before anybody has looked at the machine. */
static void describe_component(int i)
{
	PAPI_component_info_t *info = papi_components[i]->info;

	info->CmpIdx = i;
	info->initialized = 0;
	info->disabled = disabled & 1u << i ? PAPI_ECMP_DISABLED : PAPI_OK;
	snprintf(info->disabled_reason, sizeof(info->disabled_reason), "%s",
		info->disabled ? "the program called PAPI_disable_component for it" : "");
}

static void probe_components(void)
{
	for (int i = 0; i < papi_component_count; i++) {
		PAPI_component_info_t *info = papi_components[i]->info;

		describe_component(i);
		if (info->disabled)
			continue;
		if (papi_components[i]->probe)
			info->disabled = papi_components[i]->probe(info);
		info->initialized = info->disabled == PAPI_OK;
	}
}

static int begin(void)
{
	verbosity_from_environment();
	if (papi_linux_set_root(secure_getenv("PAPI_ROOT")))
		return papi_error(PAPI_EINVAL, "PAPI_ROOT is longer than a path can be");
	probe_components();
	atomic_store_explicit(&papi_library_state, PAPI_LOW_LEVEL_INITED, memory_order_release);
	return PAPI_OK;
}

int papi_library_initialise(int version)
{
	int status;

	if (PAPI_VERSION_MAJOR(version) != PAPI_VERSION_MAJOR(PAPI_VERSION) ||
		PAPI_VERSION_MINOR(version) != PAPI_VERSION_MINOR(PAPI_VERSION))
		return papi_error(PAPI_EINVAL,
			"the program was compiled for PAPI %d.%d and this library is PAPI %d.%d; "
			"compile it again with the papi.h of this library",
			PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version), PAPI_VERSION_MAJOR(PAPI_VERSION),
			PAPI_VERSION_MINOR(PAPI_VERSION));
	if (papi_library_ready())
		return version;
	pthread_once(&fork_once, install_fork_handlers);
	take_lock(pthread_rwlock_wrlock);
	status = papi_library_ready() ? PAPI_OK : begin();
	release_lock();
	return status == PAPI_OK ? version : status;
}

/* Not a plain store: another thread may be shutting the library down, which must stay so. */
void papi_library_set_high_level(void)
{
	int state = atomic_load(&papi_library_state);

	while (state & PAPI_LOW_LEVEL_INITED &&
		!atomic_compare_exchange_weak(
			&papi_library_state, &state, (state & ~PAPI_LOW_LEVEL_INITED) | PAPI_HIGH_LEVEL_INITED))
		;
}

static void discard(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;

	papi_handle_destroy(slot);
	papi_eventset_free(set);
}

/* The defaults are read without the lock: PAPI_get_opt(). */
static void forget_settings(PAPI_component_info_t *info)
{
	info->initialized = 0;
	info->num_preset_events = 0;
	__atomic_store_n(&info->default_domain, PAPI_DOM_USER, __ATOMIC_RELAXED);
	__atomic_store_n(&info->default_granularity, PAPI_GRN_THR, __ATOMIC_RELAXED);
}

void papi_library_shutdown(void)
{
	take_lock(pthread_rwlock_wrlock);
	if (papi_library_ready()) {
		/* From here on no new EventSet is made; then those there are go. */
		atomic_store_explicit(&papi_library_state, PAPI_NOT_INITED, memory_order_release);
		papi_handle_each(discard, true);
		papi_metrics_clear();
		papi_events_shutdown();
		for (int i = 0; i < papi_component_count; i++) {
			if (papi_components[i]->shutdown)
				papi_components[i]->shutdown();
			forget_settings(papi_components[i]->info);
		}
		papi_executable_release();
		papi_hardware_reset();
		disabled = 0;
		atomic_store(&default_domain, PAPI_DOM_USER);
		atomic_store(&default_granularity, PAPI_GRN_THR);
		atomic_store(&default_inherit, false);
		papi_thread_unregister();
		papi_thread_forget_id_function();
		papi_error_forget();
	}
	release_lock();
}

int papi_library_enter(void)
{
	take_lock(pthread_rwlock_rdlock);
	return check_ready();
}

int papi_library_enter_alone(void)
{
	take_lock(pthread_rwlock_wrlock);
	return check_ready();
}

void papi_library_leave(void)
{
	release_lock();
}

int papi_library_disable(int component)
{
	int status = PAPI_OK;

	take_lock(pthread_rwlock_wrlock);
	if (papi_library_ready())
		status = papi_error(PAPI_ENOINIT, "a component can be disabled before PAPI_library_init only");
	else if (!papi_component_get(component))
		status = PAPI_ENOCMP;
	else
		disabled |= 1u << component;
	if (status == PAPI_OK)
		describe_component(component);
	release_lock();
	return status;
}

bool papi_library_describe(int component)
{
	bool early;

	take_lock(pthread_rwlock_wrlock);
	early = !papi_library_ready();
	if (early)
		describe_component(component);
	release_lock();
	return early;
}

struct papi_options papi_library_defaults(void)
{
	return (struct papi_options){
		.domain = atomic_load_explicit(&default_domain, memory_order_relaxed),
		.granularity = atomic_load_explicit(&default_granularity, memory_order_relaxed),
		.inherit = atomic_load_explicit(&default_inherit, memory_order_relaxed),
		.cpu = -1,
	};
}

void papi_library_set_default_domain(int domain)
{
	atomic_store(&default_domain, domain);
}

void papi_library_set_default_granularity(int granularity)
{
	atomic_store(&default_granularity, granularity);
}

void papi_library_set_default_inherit(bool inherit)
{
	atomic_store(&default_inherit, inherit);
}
