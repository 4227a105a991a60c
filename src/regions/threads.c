/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of threads: made by the first region of each, left behind when it ends, looked through by whoever writes.
 *
 * Lock order: the list, then a record, then the locks of the library. A signal handler may interrupt any of this and
 * call fork() or exit(): who finds its own lock taken goes on without it.
 */
#include "regions/regions.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/library.h"
#include "core/thread.h"
#include "linux/time/clock.h"

/* How often writing looks whether a thread has left its record: for a second or so, as it may never. */
#define PATIENCE 1000000

_Thread_local struct papi_region_thread *papi_region_own;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t list_holder; /* papi_thread_number() of who has the lock */
static struct papi_region_thread *list, **list_end = &list;
static struct papi_region_thread *orphans; /* what a fork has copied of the parent's */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool fork_has_lock, writer_has_lock;
static _Atomic bool warned; /* of a thread that cannot count: once is enough, the results have them all */
static bool unwritten;      /* a result was taken and could not be written */

/* False: a call that this signal handler interrupted has it. */
static bool lock_list(void)
{
	uint32_t self = papi_thread_number();

	if (atomic_load_explicit(&list_holder, memory_order_relaxed) == self)
		return false;
	pthread_mutex_lock(&list_lock);
	atomic_store_explicit(&list_holder, self, memory_order_relaxed);
	return true;
}

static void unlock_list(void)
{
	atomic_store_explicit(&list_holder, 0, memory_order_relaxed);
	pthread_mutex_unlock(&list_lock);
}

static bool try_to_enter(struct papi_region_thread *thread, uint32_t *inside)
{
	return papi_claim_or_holder(&thread->inside, papi_thread_number(), inside);
}

static int enter_contended(struct papi_region_thread *thread)
{
	uint32_t inside;

	for (;;) {
		if (try_to_enter(thread, &inside)) {
			if (!atomic_load_explicit(&thread->wanted, memory_order_relaxed))
				return PAPI_OK;
			papi_region_thread_leave(thread);
		} else if (inside == papi_thread_number()) {
			return papi_error_in_handler(PAPI_ECNFLCT,
				"a signal handler used a region while the call it interrupted was working on one");
		}
		sched_yield();
	}
}

/* By its own thread only, which lets those go first who want to copy the record: they would hardly find it free. */
int papi_region_thread_enter(struct papi_region_thread *thread)
{
	uint32_t inside;

	if (__builtin_expect(
		    !atomic_load_explicit(&thread->wanted, memory_order_relaxed) && try_to_enter(thread, &inside), 1))
		return PAPI_OK;
	return enter_contended(thread);
}

/* Nothing may keep a program from ending. */
static bool enter_to_copy(struct papi_region_thread *thread)
{
	uint32_t inside;
	bool entered = false;

	atomic_store(&thread->wanted, true);
	for (long i = 0; i < PATIENCE && !entered; i++) {
		entered = try_to_enter(thread, &inside);
		if (!entered && inside == papi_thread_number())
			break;
		if (!entered)
			sched_yield();
	}
	atomic_store(&thread->wanted, false);
	return entered;
}

/* ---- Threads that end, and fork ---- */

static void end(void *pointer)
{
	struct papi_region_thread *thread = pointer;

	papi_region_own = NULL;
	if (papi_region_thread_enter(thread) != PAPI_OK)
		return;
	papi_region_thread_stop(thread);
	thread->ended = true;
	free(thread->now);
	thread->now = NULL;
	papi_region_marks_end();
	papi_region_thread_leave(thread);
}

static void fork_prepare(void)
{
	fork_has_lock = lock_list();
}

static void fork_parent(void)
{
	if (fork_has_lock)
		unlock_list();
}

/* What the parent has counted is the parent's to write. Freed later: this may be no moment to use the allocator. */
static void fork_child(void)
{
	*list_end = orphans;
	orphans = list;
	list = NULL;
	list_end = &list;
	papi_region_own = NULL;
	pthread_setspecific(key, NULL);
	papi_region_run.child++;
	papi_region_marks_forked();
	/* Else a call that goes on in the child gives it back. */
	if (fork_has_lock)
		unlock_list();
}

static void prepare(void)
{
	pthread_key_create(&key, end);
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}

static void free_thread(struct papi_region_thread *thread)
{
	papi_region_events_discard(&thread->EventSet);
	papi_region_tree_free(&thread->tree);
	free(thread->reason);
	free(thread->now);
	free(thread);
}

static void free_orphans(void)
{
	while (orphans) {
		struct papi_region_thread *thread = orphans;

		orphans = thread->next;
		free_thread(thread);
	}
}

/* ---- The record of a thread ---- */

static struct papi_region_thread *allocate(void)
{
	struct papi_region_thread *thread = aligned_alloc(_Alignof(struct papi_region_thread), sizeof(*thread));
	unsigned n = papi_region_events.n;

	if (!thread)
		return NULL;
	*thread = (struct papi_region_thread){ .EventSet = PAPI_NULL,
		.id = (pid_t)syscall(SYS_gettid),
		.now = calloc(n ? n : 1, sizeof(thread->now[0])),
		.tree = { .n_events = n, .instant = papi_region_events.instant } };
	if (!thread->now || pthread_setspecific(key, thread)) {
		free(thread->now);
		free(thread);
		return NULL;
	}
	return thread;
}

static int make(void)
{
	struct papi_region_thread *thread;
	int status;

	free_orphans();
	papi_region_run_begin();
	status = papi_region_events_choose();
	if (status != PAPI_OK)
		return status;
	thread = allocate();
	if (!thread)
		return papi_error(PAPI_ENOMEM, "no memory for the regions of a thread");
	*list_end = thread;
	list_end = &thread->next;
	papi_region_own = thread;
	return PAPI_OK;
}

int papi_region_thread_make(void)
{
	int status = papi_library_initialise(PAPI_VER_CURRENT), state;

	if (status < 0)
		return status;
	papi_library_set_high_level();
	/*
	 * After the library's own handlers, so that this lock is taken before and given back after those of the
	 * library.
	 */
	pthread_once(&once, prepare);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (lock_list()) {
		status = make();
		unlock_list();
	} else {
		status = papi_error(PAPI_ECNFLCT, "a signal handler began a region while the call it interrupted did");
	}
	pthread_setcancelstate(state, NULL);
	return status;
}

int papi_region_thread_start(struct papi_region_thread *thread)
{
	int state, status = papi_library_initialise(PAPI_VER_CURRENT);

	if (status < 0)
		return status;
	papi_library_set_high_level();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	/* Regions that were open lost their counters, and the new ones begin at zero. */
	for (unsigned i = 0; i < thread->tree.depth; i++)
		thread->tree.open[i].counted = false;
	thread->started = true;
	free(thread->reason);
	thread->reason = NULL;
	status = papi_region_events_start(&thread->EventSet);
	if (status != PAPI_OK) {
		thread->reason = strdup(papi_error_sentence());
		if (papi_region_run.verbose || !atomic_exchange(&warned, true))
			papi_region_warn("regions of thread %d have times but no counts: %s", (int)thread->id,
				papi_error_sentence());
	}
	pthread_setcancelstate(state, NULL);
	return PAPI_OK;
}

void papi_region_thread_stop(struct papi_region_thread *thread)
{
	struct papi_region_moment now = { 0 };

	now.real_ns = papi_clock_real_ns();
	papi_region_thread_read(thread, &now);
	papi_region_close(&thread->tree, 0, &now, false);
	papi_region_events_discard(&thread->EventSet);
	thread->started = false;
}

int papi_region_thread_read(struct papi_region_thread *thread, struct papi_region_moment *now)
{
	struct papi_slot *slot;
	int status;

	now->values = papi_region_events.n ? NULL : thread->now;
	if (thread->EventSet == PAPI_NULL)
		return PAPI_OK;
	status = papi_handle_enter(thread->EventSet, &slot);
	if (__builtin_expect(status == PAPI_OK, 1)) {
		status = papi_count_read(slot->set, thread->now);
		papi_handle_leave(slot);
	}
	if (__builtin_expect(status == PAPI_OK, 1))
		now->values = thread->now;
	return status;
}

/* ---- All records ---- */

/*
 * Counters of other threads can be read where the kernel holds them. Where they cannot, the open instances of that
 * thread have their times only. The last words of this thread about errors stay what they were.
 */
static bool copy(struct papi_region_result_thread *target, struct papi_region_thread *thread)
{
	struct papi_region_moment now = { 0 };
	bool inside = enter_to_copy(thread), copied;

	papi_error_keep();
	now.real_ns = papi_clock_real_ns();
	if (!thread->ended)
		papi_region_thread_read(thread, &now);
	papi_error_restore();
	target->id = thread->id;
	/* The thread may find another reason while this one is written. */
	target->reason = thread->reason ? strdup(thread->reason) : NULL;
	target->changed = thread->changed;
	thread->changed = false;
	copied = papi_region_tree_copy(&target->tree, &thread->tree, &now);
	if (inside)
		papi_region_thread_leave(thread);
	return copied;
}

bool papi_region_result_take(struct papi_region_result *result)
{
	unsigned n = 0;
	bool copied = true;

	*result = (struct papi_region_result){ 0 };
	writer_has_lock = lock_list();
	for (struct papi_region_thread *thread = list; thread; thread = thread->next)
		n++;
	result->threads = calloc(n ? n : 1, sizeof(result->threads[0]));
	result->changed = unwritten;
	for (struct papi_region_thread *thread = list; thread && result->threads && copied; thread = thread->next) {
		struct papi_region_result_thread *target = &result->threads[result->n++];

		copied = copy(target, thread);
		result->changed |= target->changed;
	}
	if (result->threads && copied)
		return true;
	papi_region_result_free(result, false);
	papi_error(PAPI_ENOMEM, "no memory for the results of the regions");
	return false;
}

void papi_region_result_free(struct papi_region_result *result, bool written)
{
	unwritten = !written;
	for (unsigned i = 0; i < result->n; i++) {
		papi_region_tree_free_copy(&result->threads[i].tree);
		free(result->threads[i].reason);
	}
	free(result->threads);
	if (writer_has_lock)
		unlock_list();
}
