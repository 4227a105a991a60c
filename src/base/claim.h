/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claiming a word that is 0 when it is free, in one attempt that may fail for no reason; what comes after the claim is
 * not done before it. It is the first thing that every call on an EventSet does.
 *
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

#endif
