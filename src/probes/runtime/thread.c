/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - threads of the program, and the frames that they have. See runtime.h. */
#include "probes/runtime/runtime.h"
#include "probes/runtime/system.h"

#define SWEEP 64 /* zombies, before it is looked which of them can be had again */
#define BUSY  ((struct papi_probe_thread *)1)

static __thread struct papi_probe_thread *own __attribute__((tls_model("initial-exec")));

static struct papi_probe_thread *_Atomic threads;
static _Atomic uint32_t visit;
static _Atomic uint32_t fresh; /* frames that nobody has had yet */
/* A page that the child of a fork finds empty, however it was made. */
_Atomic uint32_t *papi_probe_alive;
__thread struct papi_probe_quick papi_probe_quick;

bool papi_probe_threads_begin(void)
{
	long status;

	if (papi_probe_alive)
		return true;
	papi_probe_alive = papi_probe_memory(4096);
	if (!papi_probe_alive)
		return false;
	status = papi_vpmu_raw_inline(SYS_madvise, (long)(intptr_t)papi_probe_alive, 4096, MADV_WIPEONFORK, 0, 0, 0);
	atomic_store(papi_probe_alive, (uint32_t)papi_vpmu_raw_inline(SYS_getpid, 0, 0, 0, 0, 0, 0));
	return status == 0;
}

void papi_probe_threads_forget(void)
{
	atomic_fetch_add(&visit, 1);
}

/* ---- rows ---- */

static bool is_ended_row(struct papi_probe_row *row, int32_t pid, int32_t tid)
{
	int32_t other = atomic_load(&row->tid);

	return atomic_load(&row->pid) == pid && other && (other == tid || papi_probe_has_ended(pid, other)) &&
		atomic_compare_exchange_strong(&row->tid, &other, tid);
}

/* That of a thread which has ended, when there are no more: it is shared then. */
static struct papi_probe_counts *take_row(struct papi_probe_table *table, int32_t pid, int32_t tid)
{
	uint32_t row = PAPI_PROBE_ROWS;

	if (atomic_load(&table->next_row) < PAPI_PROBE_ROWS)
		row = atomic_fetch_add(&table->next_row, 1);
	if (row < PAPI_PROBE_ROWS) {
		atomic_store(&table->rows[row].pid, pid);
		atomic_store(&table->rows[row].tid, tid);
		return papi_probe_counts_at(table, row, 0);
	}
	for (row = 0; row < PAPI_PROBE_ROWS; row++)
		if (is_ended_row(&table->rows[row], pid, tid)) {
			atomic_fetch_add(&table->rows[row].shared, 1);
			return papi_probe_counts_at(table, row, 0);
		}
	return NULL;
}

/* ---- threads ---- */

/* What one that has ended has left: its frames are zombies, for a coroutine may go on in another thread. */
static struct papi_probe_thread *adopt(int32_t pid, int32_t tid)
{
	for (struct papi_probe_thread *thread = atomic_load(&threads); thread; thread = thread->next) {
		int32_t other = atomic_load(&thread->tid);
		struct papi_probe_frame *frame, *parent;

		if (atomic_load(&thread->pid) == pid && other != tid && !papi_probe_has_ended(pid, other))
			continue;
		if (!atomic_compare_exchange_strong(&thread->tid, &other, tid))
			continue;
		atomic_store(&thread->pid, pid);
		papi_probe_events_close(thread);
		for (frame = thread->top; frame; frame = parent) {
			parent = frame->parent;
			papi_probe_frame_abandon(thread, frame);
		}
		thread->top = NULL;
		return thread;
	}
	return NULL;
}

static struct papi_probe_thread *make(int32_t pid, int32_t tid)
{
	struct papi_probe_thread *thread = papi_probe_memory(sizeof(*thread));

	if (!thread)
		return NULL;
	atomic_store(&thread->pid, pid);
	atomic_store(&thread->tid, tid);
	thread->next = atomic_load(&threads);
	while (!atomic_compare_exchange_weak(&threads, &thread->next, thread))
		continue;
	return thread;
}

/* From here on stubs.S counts for the thread. */
static void be_quick(struct papi_probe_thread *thread, struct papi_probe_table *table)
{
	papi_probe_quick.counts = thread->counts;
	papi_probe_quick.thread = thread;
	/* A signal handler that comes in between still finds no table there. */
	atomic_signal_fence(memory_order_release);
	if (table->calls_only)
		papi_probe_quick.calls = table;
	else if (!table->n_events)
		papi_probe_quick.times = table;
}

static bool prepare(struct papi_probe_thread *thread, struct papi_probe_table *table, int32_t pid, int32_t tid)
{
	const uint64_t size = table->n_functions * sizeof(thread->active[0]);

	if (thread->active)
		papi_vpmu_raw_inline(SYS_munmap, (long)(intptr_t)thread->active, (long)thread->active_size, 0, 0, 0, 0);
	thread->active = papi_probe_memory(size);
	thread->active_size = size;
	thread->counts = thread->active ? take_row(table, pid, tid) : NULL;
	thread->visit = atomic_load(&visit);
	papi_probe_events_open(thread, table);
	if (thread->counts)
		be_quick(thread, table);
	return thread->counts;
}

/* In the child of a fork there is nobody else; and nothing that was begun before is counted there. False: a child that
 * shares the memory of another process, and of its thread what is here: it cannot be known as its own. */
static bool is_at_home(int32_t pid)
{
	if (!atomic_load(papi_probe_alive)) {
		papi_probe_threads_forget();
		atomic_store(papi_probe_alive, (uint32_t)pid);
	}
	return atomic_load(papi_probe_alive) == (uint32_t)pid;
}

static struct papi_probe_thread *begin(struct papi_probe_table *table)
{
	const int32_t pid = (int32_t)papi_vpmu_raw_inline(SYS_getpid, 0, 0, 0, 0, 0, 0);
	const int32_t tid = (int32_t)papi_vpmu_raw_inline(SYS_gettid, 0, 0, 0, 0, 0, 0);
	struct papi_probe_thread *thread = own;

	papi_probe_quick.calls = NULL;
	papi_probe_quick.times = NULL;
	if (!is_at_home(pid))
		return NULL;
	own = BUSY;
	if (thread) {
		atomic_store(&thread->pid, pid);
		atomic_store(&thread->tid, tid);
	} else {
		thread = adopt(pid, tid);
	}
	if (!thread)
		thread = make(pid, tid);
	if (thread)
		prepare(thread, table, pid, tid);
	own = thread;
	return thread;
}

struct papi_probe_thread *papi_probe_thread_self(struct papi_probe_table *table)
{
	struct papi_probe_thread *self = own;

	if (self == BUSY)
		return NULL;
	if (!self || self->visit != atomic_load_explicit(&visit, memory_order_relaxed) ||
		!atomic_load_explicit(papi_probe_alive, memory_order_relaxed))
		self = begin(table);
	return self && self->counts ? self : NULL;
}

void papi_probe_threads_quiet(void)
{
	for (struct papi_probe_thread *thread = atomic_load(&threads); thread; thread = thread->next)
		papi_probe_events_close(thread);
}

/* ---- frames ---- */

void papi_probe_frame_free(struct papi_probe_thread *self, struct papi_probe_frame *frame)
{
	frame->next = self->free;
	atomic_signal_fence(memory_order_release);
	frame->used = 0;
	self->free = frame;
}

/* Whether its stub may still be returned to. */
static bool is_dead(const struct papi_probe_frame *frame)
{
	const uint64_t *place = papi_probe_place(frame->slot, frame->saved);

	if (frame->flags & PAPI_PROBE_RETURNED || !place)
		return frame->flags & PAPI_PROBE_RETURNED;
	return !papi_probe_is_readable(place) || papi_probe_plain(*(const volatile uint64_t *)place) != frame->stub;
}

static void sweep(struct papi_probe_thread *self)
{
	struct papi_probe_frame *frame = self->zombies, *next;

	self->zombies = NULL;
	self->n_zombies = 0;
	for (; frame; frame = next) {
		next = frame->next;
		if (is_dead(frame)) {
			papi_probe_frame_free(self, frame);
			continue;
		}
		frame->next = self->zombies;
		self->zombies = frame;
		self->n_zombies++;
	}
}

void papi_probe_frame_abandon(struct papi_probe_thread *self, struct papi_probe_frame *frame)
{
	if (is_dead(frame)) {
		papi_probe_frame_free(self, frame);
		return;
	}
	frame->flags |= PAPI_PROBE_ZOMBIE;
	frame->next = self->zombies;
	self->zombies = frame;
	if (++self->n_zombies % SWEEP == 0)
		sweep(self);
}

void papi_probe_frame_revive(struct papi_probe_thread *self, struct papi_probe_frame *frame)
{
	struct papi_probe_frame **at = &self->zombies;

	while (*at && *at != frame)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = frame->next;
	self->n_zombies--;
	papi_probe_frame_free(self, frame);
}

struct papi_probe_frame *papi_probe_frame_take(struct papi_probe_thread *self)
{
	struct papi_probe_frame *frame;
	uint32_t number;

	for (unsigned tries = 0; (frame = self->free) && tries < PAPI_PROBE_FRAMES; tries++) {
		self->free = frame->next;
		if (papi_probe_claim(&frame->used))
			return frame;
	}
	if (atomic_load(&fresh) < PAPI_PROBE_FRAMES) {
		number = atomic_fetch_add(&fresh, 1);
		frame = number < PAPI_PROBE_FRAMES ? &papi_probe_frames[number] : NULL;
		if (frame && papi_probe_claim(&frame->used)) {
			frame->stub = (uint64_t)(uintptr_t)papi_probe_stubs[number] + STUB_RETURN;
			return frame;
		}
	}
	return NULL;
}
