/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of a mangled name of Rust, and the text that is made of it: what rust.c, which knows the grammar, is
 * written in. Names come from files of anybody, so both the text and the work are limited: a name of a hundred
 * characters can mean one that fills all memory, for its parts may stand for others by their place. Once something has
 * failed, nothing is read or written any more, so that callers need not look after each step. One thread at a time.
 */
#ifndef PAPI_SYMBOLS_RUST_TEXT_H
#define PAPI_SYMBOLS_RUST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PAPI_RUST_LONGEST = 65536, /* of a name for people, in bytes */
	PAPI_RUST_DEEPEST = 400,   /* parts within parts */
	PAPI_RUST_STEPS = 65536,   /* parts in all */
};

struct papi_rust_text {
	const char *name; /* behind "_R": places count from here */
	size_t length, at;
	bool failed;
	bool silent;        /* what is read now is not shown */
	unsigned depth;     /* parts that are open */
	unsigned steps;     /* parts until now */
	uint64_t lifetimes; /* those that have a letter here */
	char *out;
	size_t n, room;
};

/* An identifier: ASCII, and by punycode what else is in it. */
struct papi_rust_identifier {
	const char *plain, *coded;
	size_t n_plain, n_coded;
};

/* The next character, which stays there; '\0' in the end, and where something has failed. */
char papi_rust_next(const struct papi_rust_text *text);

/* Reads that character if it is the next one. */
bool papi_rust_take(struct papi_rust_text *text, char character);

/* A number of base 62 that ends with '_', and 0 where something is wrong. */
uint64_t papi_rust_number(struct papi_rust_text *text);

/* One more than the number behind that character, or 0 where it is not the next one. */
uint64_t papi_rust_tagged(struct papi_rust_text *text, char tag);

struct papi_rust_identifier papi_rust_identifier(struct papi_rust_text *text);

/* Show something. */
void papi_rust_say(struct papi_rust_text *text, const char *words);
void papi_rust_say_bytes(struct papi_rust_text *text, const char *bytes, size_t n);
void papi_rust_say_number(struct papi_rust_text *text, uint64_t number);
void papi_rust_say_identifier(struct papi_rust_text *text, const struct papi_rust_identifier *identifier);

#endif
