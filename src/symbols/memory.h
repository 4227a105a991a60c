/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory for tools that have nothing better to do without it than to say so and end: the functions never return NULL.
 * The caller owns what it gets, and frees it with free(). Safe to call from any thread, not from signal handlers.
 */
#ifndef PAPI_SYMBOLS_MEMORY_H
#define PAPI_SYMBOLS_MEMORY_H

#include <stddef.h>

/* Room for n elements of that size, with what was at memory before. */
void *papi_memory_grow(void *memory, size_t n, size_t size);

/* As papi_memory_grow(), for an array with n elements in use that is to take one more; *room is what it has. */
void *papi_memory_extend(void *memory, size_t n, size_t *room, size_t size);

/* n elements of that size, all zero. */
void *papi_memory_zero(size_t n, size_t size);

/* A copy of a text; NULL is the empty one. */
char *papi_memory_copy(const char *text);

/* A text as printf() makes it. */
char *papi_memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
