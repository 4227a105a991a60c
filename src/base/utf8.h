/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Characters of UTF-8 text that comes from somewhere: from files, environments, names. No state, no allocation: safe
 * anywhere.
 */
#ifndef PAPI_BASE_UTF8_H
#define PAPI_BASE_UTF8_H

#include <stddef.h>

/*
 * Length of the character at the start of a text that ends with a '\0' somewhere, or 0 when these bytes are none: cut
 * short, overlong, a surrogate or beyond U+10FFFF.
 */
size_t papi_utf8_length(const char *text);

/*
 * Makes a text fit for a terminal: each byte of a control character, but of those in kept, and each byte that is no
 * part of a character becomes a question mark, so that everything else stays where it is. text[length] is '\0'.
 */
void papi_utf8_clean(char *text, size_t length, const char *kept);

#endif
