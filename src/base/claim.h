/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is inside: one thread at a time claims a word, which is 0 when it is free, by writing its number, and is out
 * again when it has written 0. What comes between the two is done between them. EventSets and the records of regions
 * are entered this way.
 *
 * papi_claim() is one attempt that may fail for no reason, and the first thing that every call on an EventSet does.
 * On arm64 compilers make twice the instructions of it that there need to be, or a call to decide between two kinds
 * of them at run time, of which the newer one is better only where many threads want the same word.
 */
#ifndef PAPI_BASE_CLAIM_H
#define PAPI_BASE_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PAPI_CLAIM_IS_WATCHED
#endif
#elif defined(__SANITIZE_THREAD__)
#define PAPI_CLAIM_IS_WATCHED
#endif

static inline bool papi_claim(_Atomic uint32_t *word, uint32_t value)
{
#if defined(__aarch64__) && !defined(PAPI_CLAIM_IS_WATCHED)
	uint32_t busy;

	__asm__ goto("ldaxr %w[busy], %[word]\n"
		     "	cbnz %w[busy], %l[taken]\n"
		     "	stxr %w[busy], %w[value], %[word]\n"
		     "	cbnz %w[busy], %l[taken]\n"
		     : [busy] "=&r"(busy), [word] "+Q"(*word)
		     : [value] "r"(value)
		     : "memory"
		     : taken);
	return true;
taken:
	return false;
#else
	uint32_t nobody = 0;

	return atomic_compare_exchange_weak_explicit(word, &nobody, value, memory_order_acquire, memory_order_relaxed);
#endif
}

/* One attempt that fails only where somebody is inside: who that is, is then in *holder. */
static inline bool papi_claim_or_holder(_Atomic uint32_t *word, uint32_t value, uint32_t *holder)
{
	*holder = 0;
	return atomic_compare_exchange_strong_explicit(word, holder, value, memory_order_acquire, memory_order_relaxed);
}

static inline void papi_claim_end(_Atomic uint32_t *word)
{
	atomic_store_explicit(word, 0, memory_order_release);
}

#endif
