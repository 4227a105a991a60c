/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a sanitizer watches the test, as gcc and clang say it: 1 or 0, for #if and if. */
#ifndef PAPI_TESTS_SANITIZERS_H
#define PAPI_TESTS_SANITIZERS_H

#ifdef __has_feature
#define SANITIZER_FEATURE(name) __has_feature(name)
#else
#define SANITIZER_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || SANITIZER_FEATURE(address_sanitizer)
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || SANITIZER_FEATURE(thread_sanitizer)
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

#if SANITIZER_FEATURE(memory_sanitizer)
#define MEMORY_SANITIZER 1
#else
#define MEMORY_SANITIZER 0
#endif

#endif
