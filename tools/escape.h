/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text of any bytes inside JSON, XML and lines for a terminal. Names of events come from files, libraries and programs:
 * whatever they hold, the document stays well-formed and valid UTF-8. A byte that is no part of a character becomes
 * U+FFFD.
 */
#ifndef PAPI_TOOLS_ESCAPE_H
#define PAPI_TOOLS_ESCAPE_H

#include <stdio.h>

/* With the quotes around it. */
void papi_escape_json(FILE *out, const char *text);

/* For the inside of an attribute or element. A character that XML does not have becomes U+FFFD, too. */
void papi_escape_xml(FILE *out, const char *text);

/* Puts a question mark for each control character, and each byte that is no part of a character. */
void papi_escape_terminal(char *text);

#endif
