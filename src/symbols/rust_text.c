/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and identifiers of Rust's names. See rust_text.h. */
#include "symbols/rust_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"

char papi_rust_next(const struct papi_rust_text *text)
{
	return text->failed || text->at >= text->length ? '\0' : text->name[text->at];
}

bool papi_rust_take(struct papi_rust_text *text, char character)
{
	if (papi_rust_next(text) != character)
		return false;
	text->at++;
	return true;
}

static int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	if (character >= 'a' && character <= 'z')
		return character - 'a' + 10;
	return character >= 'A' && character <= 'Z' ? character - 'A' + 36 : -1;
}

uint64_t papi_rust_number(struct papi_rust_text *text)
{
	uint64_t number = 0;
	int digit;

	if (papi_rust_take(text, '_'))
		return 0;
	for (; (digit = digit_of(papi_rust_next(text))) >= 0; text->at++)
		if (__builtin_mul_overflow(number, 62, &number) || __builtin_add_overflow(number, digit, &number))
			text->failed = true;
	if (!papi_rust_take(text, '_') || __builtin_add_overflow(number, 1, &number))
		text->failed = true;
	return text->failed ? 0 : number;
}

uint64_t papi_rust_tagged(struct papi_rust_text *text, char tag)
{
	uint64_t number;

	if (!papi_rust_take(text, tag))
		return 0;
	number = papi_rust_number(text);
	if (number == UINT64_MAX)
		text->failed = true;
	return text->failed ? 0 : number + 1;
}

/* How many bytes an identifier has: no zero before other digits. */
static size_t read_length(struct papi_rust_text *text)
{
	size_t length = 0;

	if (!isdigit((unsigned char)papi_rust_next(text)))
		text->failed = true;
	if (papi_rust_take(text, '0'))
		return 0;
	for (; isdigit((unsigned char)papi_rust_next(text)); text->at++) {
		length = length * 10 + (size_t)(papi_rust_next(text) - '0');
		if (length > text->length)
			text->failed = true;
	}
	return text->failed ? 0 : length;
}

struct papi_rust_identifier papi_rust_identifier(struct papi_rust_text *text)
{
	struct papi_rust_identifier identifier = { .plain = "" };
	bool coded = papi_rust_take(text, 'u');
	size_t length = read_length(text);
	const char *bytes;

	papi_rust_take(text, '_');
	if (text->failed || length > text->length - text->at) {
		text->failed = true;
		return identifier;
	}
	bytes = text->name + text->at;
	text->at += length;
	for (size_t i = 0; i < length; i++)
		if (digit_of(bytes[i]) < 0 && bytes[i] != '_')
			text->failed = true;
	identifier.plain = bytes;
	identifier.n_plain = length;
	if (coded) {
		const char *line = memrchr(bytes, '_', length);

		identifier.n_plain = line ? (size_t)(line - bytes) : 0;
		identifier.coded = line ? line + 1 : bytes;
		identifier.n_coded = length - (size_t)(identifier.coded - bytes);
		if (identifier.n_coded == 0)
			text->failed = true;
	}
	return identifier;
}

void papi_rust_say_bytes(struct papi_rust_text *text, const char *bytes, size_t n)
{
	if (text->failed || text->silent)
		return;
	if (n > PAPI_RUST_LONGEST - text->n) {
		text->failed = true;
		return;
	}
	while (text->n + n + 1 > text->room) {
		text->room = text->room ? 2 * text->room : 128;
		text->out = papi_memory_grow(text->out, text->room, 1);
	}
	memcpy(text->out + text->n, bytes, n);
	text->n += n;
	text->out[text->n] = '\0';
}

void papi_rust_say(struct papi_rust_text *text, const char *words)
{
	papi_rust_say_bytes(text, words, strlen(words));
}

void papi_rust_say_number(struct papi_rust_text *text, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	papi_rust_say(text, digits);
}

/* Punycode, as RFC 3492 describes it: where the next character goes, and how far it is from the last. */
struct punycode {
	uint32_t characters[256];
	size_t n;
	uint32_t code; /* of the last character */
	size_t place;
	bool first;
};

enum { BASE = 36, SKEW = 38, DAMP = 700, LEAST = 1, MOST = 26, FIRST_BIAS = 72, FIRST_CODE = 0x80 };

static uint64_t adapt(uint64_t delta, size_t n, bool first)
{
	uint64_t k = 0;

	delta /= first ? DAMP : 2;
	delta += delta / n;
	for (; delta > (BASE - LEAST) * MOST / 2; k += BASE)
		delta /= BASE - LEAST;
	return k + (BASE - LEAST + 1) * delta / (delta + SKEW);
}

/* One distance, whose digits have thresholds that follow from the bias. UINT64_MAX where it is none. */
static uint64_t read_distance(const char **at, const char *end, uint64_t bias)
{
	uint64_t distance = 0, weight = 1;

	for (uint64_t k = BASE;; k += BASE) {
		uint64_t threshold = k <= bias + LEAST ? LEAST : k >= bias + MOST ? MOST : k - bias, digit, part;

		if (*at == end)
			return UINT64_MAX;
		/* Letters come before digits. */
		if (**at >= 'a' && **at <= 'z')
			digit = (uint64_t)(**at - 'a');
		else if (**at >= '0' && **at <= '9')
			digit = (uint64_t)(**at - '0') + 26;
		else
			return UINT64_MAX;
		++*at;
		if (__builtin_mul_overflow(digit, weight, &part) || __builtin_add_overflow(distance, part, &distance) ||
			distance > UINT32_MAX)
			return UINT64_MAX;
		if (digit < threshold)
			return distance;
		if (__builtin_mul_overflow(weight, BASE - threshold, &weight))
			return UINT64_MAX;
	}
}

static bool insert_characters(struct punycode *word, const char *at, size_t size)
{
	uint64_t bias = FIRST_BIAS;

	for (const char *end = at + size; at != end; word->first = false) {
		uint64_t distance = read_distance(&at, end, bias), where;

		if (distance == UINT64_MAX || word->n == sizeof(word->characters) / sizeof(word->characters[0]))
			return false;
		where = word->place + distance;
		word->n++;
		bias = adapt(distance, word->n, word->first);
		if (where / word->n > 0x10ffff - word->code)
			return false;
		word->code += (uint32_t)(where / word->n);
		word->place = where % word->n;
		if (word->code >= 0xd800 && word->code < 0xe000)
			return false;
		memmove(&word->characters[word->place + 1], &word->characters[word->place],
			(word->n - 1 - word->place) * sizeof(word->characters[0]));
		word->characters[word->place++] = word->code;
	}
	return true;
}

/* In UTF-8; a control character would be no part of an identifier. */
static void say_character(struct papi_rust_text *text, uint32_t code)
{
	char bytes[4];
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	if (code >= 0x80 && code < 0xa0)
		text->failed = true;
	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(leads[n] | code);
	papi_rust_say_bytes(text, bytes, n);
}

void papi_rust_say_identifier(struct papi_rust_text *text, const struct papi_rust_identifier *identifier)
{
	struct punycode word = { .code = FIRST_CODE, .first = true };

	if (!identifier->coded) {
		papi_rust_say_bytes(text, identifier->plain, identifier->n_plain);
		return;
	}
	if (text->failed || identifier->n_plain > sizeof(word.characters) / sizeof(word.characters[0])) {
		text->failed = true;
		return;
	}
	for (; word.n < identifier->n_plain; word.n++)
		word.characters[word.n] = (unsigned char)identifier->plain[word.n];
	if (!insert_characters(&word, identifier->coded, identifier->n_coded))
		text->failed = true;
	for (size_t i = 0; i < word.n && !text->failed; i++)
		say_character(text, word.characters[i]);
}
