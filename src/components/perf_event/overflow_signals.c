/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/overflow_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/reasons.h"
#include "core/overflow.h"
#include "core/signals.h"
#include "core/thread.h"
#include "linux/time/clock.h"

#define CHUNK  1024
#define CHUNKS 1024

/* Who gets the signals of a descriptor: papi_thread_number() << 32 | cookie; 0: it does not overflow. */
static _Atomic(_Atomic uint64_t *) owners[CHUNKS];

/* Its signals are off. */
#define MUTED (1ull << 31)
/* They are being turned on or off: nobody closes the descriptor. */
#define BUSY 1ull

/* The descriptors that have ever been directed to this thread: from first up to, but without, end. */
static _Thread_local struct {
	int first, end;
} mine __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t *owner_of(int fd)
{
	_Atomic uint64_t *chunk = fd >= 0 && fd < CHUNK * CHUNKS
		? atomic_load_explicit(&owners[fd / CHUNK], memory_order_acquire)
		: NULL;

	return chunk ? &chunk[fd % CHUNK] : NULL;
}

/* Chunks are made as they are needed, and kept. */
int papi_perf_signals_prepare(int fd)
{
	_Atomic uint64_t *none = NULL, *chunk;

	if (fd >= CHUNK * CHUNKS)
		return papi_error(
			PAPI_ECOUNT, "descriptor %d of an event that overflows is not below %d", fd, CHUNK * CHUNKS);
	if (atomic_load_explicit(&owners[fd / CHUNK], memory_order_acquire))
		return PAPI_OK;
	chunk = calloc(CHUNK, sizeof(*chunk));
	if (!chunk)
		return papi_error(PAPI_ENOMEM, "no memory for an event that overflows");
	if (!atomic_compare_exchange_strong(&owners[fd / CHUNK], &none, chunk))
		free(chunk);
	return PAPI_OK;
}

static bool is_mine(uint64_t owner)
{
	return owner >> 32 == papi_thread_number();
}

static int cookie_of(uint64_t owner)
{
	return (int)(owner & (MUTED - 1));
}

/* The next descriptor from fd on whose signals come to this thread and are not off, in *owner; -1: there is none. */
static int next_mine(int fd, uint64_t *owner)
{
	for (; fd < mine.end; fd++) {
		const _Atomic uint64_t *place = owner_of(fd);

		if (!place) {
			fd += CHUNK - 1 - fd % CHUNK;
			continue;
		}
		*owner = atomic_load_explicit(place, memory_order_acquire);
		if (is_mine(*owner) && !(*owner & MUTED))
			return fd;
	}
	return -1;
}

/* On or off. Nothing happens to a descriptor that is not, or no longer, what it was. */
static void turn(int fd, uint64_t from, uint64_t to)
{
	_Atomic uint64_t *place = owner_of(fd);
	int flags = O_RDWR | O_NONBLOCK | (to & MUTED ? 0 : O_ASYNC);

	if (!atomic_compare_exchange_strong(place, &from, BUSY))
		return;
	papi_perf_kernel->fcntl(fd, F_SETFL, (unsigned long)flags);
	atomic_store_explicit(place, to, memory_order_release);
}

void papi_perf_signals_unmute(int fd)
{
	const _Atomic uint64_t *place = owner_of(fd);
	uint64_t owner = place ? atomic_load_explicit(place, memory_order_relaxed) : 0;

	if (owner & MUTED)
		turn(fd, owner, owner & ~MUTED);
}

/* Any of them may be the one that comes too fast. */
static void mute_all(long long ns)
{
	uint64_t owner;
	int last = PAPI_NULL;

	for (int fd = mine.first; (fd = next_mine(fd, &owner)) >= 0; fd++) {
		turn(fd, owner, owner | MUTED);
		if (cookie_of(owner) != last)
			papi_overflow_later(last = cookie_of(owner), (long)ns);
	}
}

static void look_at_all(void *context)
{
	uint64_t owner;
	int last = PAPI_NULL;

	for (int fd = mine.first; (fd = next_mine(fd, &owner)) >= 0; fd++)
		if (cookie_of(owner) != last)
			papi_overflow_pending(last = cookie_of(owner), context);
}

/* If somebody else has sent it, the kernel may have wanted to at the same time: so the counters are looked at in any
 * case. */
static enum papi_signal_answer on_overflow(const siginfo_t *info, void *context)
{
	long long begin = papi_clock_real_ns();
	const _Atomic uint64_t *place;

	look_at_all(context);
	if (papi_overflow_signal_waits())
		mute_all(papi_clock_real_ns() - begin);
	/* Those of the kernel's descriptors alone are positive. */
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		return PAPI_SIGNAL_FOREIGN;
	/* A descriptor that is nobody's may have been ours when the signal was sent. */
	place = owner_of(info->si_fd);
	return place && atomic_load_explicit(place, memory_order_relaxed) ? PAPI_SIGNAL_OWN : PAPI_SIGNAL_SHARED;
}

int papi_perf_signals_claim(void)
{
	return papi_signal_claim(papi_overflow_signal(), on_overflow);
}

static void remember(int fd)
{
	if (mine.first >= mine.end)
		mine.first = fd;
	/* In this order: a handler that looks in between finds a descriptor that is nobody's. */
	if (mine.first > fd)
		mine.first = fd;
	if (mine.end <= fd)
		mine.end = fd + 1;
}

int papi_perf_signals_direct(int fd, int cookie)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid) };

	if (papi_perf_kernel->fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC) ||
		papi_perf_kernel->fcntl(fd, F_SETSIG, (unsigned long)papi_overflow_signal()) ||
		papi_perf_kernel->fcntl(fd, F_SETOWN_EX, (unsigned long)&owner))
		return papi_perf_call_failed("fcntl", errno);
	remember(fd);
	atomic_store_explicit(
		owner_of(fd), (uint64_t)papi_thread_number() << 32 | (uint64_t)cookie, memory_order_release);
	return PAPI_OK;
}

void papi_perf_signals_end(int fd)
{
	_Atomic uint64_t *place = owner_of(fd);
	uint64_t owner = place ? atomic_load_explicit(place, memory_order_relaxed) : 0;

	/* The thread that it signals may be about to turn them off, in a handler: it takes no longer than a system
	 * call. */
	while (owner && (owner == BUSY || !atomic_compare_exchange_weak(place, &owner, 0))) {
		sched_yield();
		owner = atomic_load_explicit(place, memory_order_relaxed);
	}
}

void papi_perf_signals_forked(int fd)
{
	_Atomic uint64_t *place = owner_of(fd);

	if (place)
		atomic_store_explicit(place, 0, memory_order_release);
}
