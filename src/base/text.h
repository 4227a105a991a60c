/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small questions about strings of the kernel's files. No state, no allocation: safe anywhere.
 */
#ifndef PAPI_BASE_TEXT_H
#define PAPI_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Copies without blanks at the ends and with single ones between words; cuts what does not fit. Always terminated. */
void papi_text_squeeze(char *target, size_t size, const char *source);

/* Whether the text is one decimal or 0x hexadecimal number and nothing else. False with EINVAL or ERANGE in errno if
 * not. */
bool papi_text_to_number(const char *text, long long *number);

/* Whether word is one of the words, separated by blanks, of the text. */
bool papi_text_has_word(const char *text, const char *word);

bool papi_text_starts_with(const char *text, const char *prefix);

/*
 * Splits the next line, "key : value", off a writable text and moves *text behind it. *key and *value point to its two
 * parts without the blanks around them; an empty line has an empty key, a line without a colon an empty value. False at
 * the end of the text.
 */
bool papi_text_next_pair(char **text, char **key, char **value);

#endif
