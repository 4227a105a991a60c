/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every utility does the same way: start, find the library, print the hardware header, name a failure, end.
 *
 *	papi_tool_begin()  first, before the command line is looked at
 *	papi_tool_init()   when the library is needed
 *	papi_tool_finish() last, on what main returns
 *
 * Written against the public interface of papi.h only, from one thread.
 */
#ifndef PAPI_TOOLS_COMMON_H
#define PAPI_TOOLS_COMMON_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Prepares the standard streams: a reader that closes its end of a pipe (`papi_avail | head`) ends the program in
 * silence with status 0, and a standard stream that was closed by the caller is never mistaken for a counter.
 */
void papi_tool_begin(void);

/*
 * Ends the program with status 2 where a variable of the environment that decides what is counted has a value without a
 * meaning: PAPI_VPMU. papi_tool_init() begins with this.
 */
void papi_tool_check_environment(void);

/* Initializes the library, or says why it cannot be and ends the program with status 1. */
void papi_tool_init(void);

/*
 * Writes out what standard output still holds. Returns the given status, or 1 after a message when the output could
 * not be written completely.
 */
int papi_tool_finish(int status);

/* The version of the running library, "7.0.0.0". */
void papi_tool_version(char *version, size_t size);

/*
 * Why the call that just returned code failed, as "what went wrong: the sentence in the error detail". Ask before
 * the next call of the library, which has a detail of its own.
 */
void papi_tool_reason(int code, char *reason, size_t size);

/* The same, printed on standard error as "tool: what: reason". */
void papi_tool_complain(const char *what, int code);

/*
 * What opens papi_avail and its kin: a title and the description of the machine, which scripts read and people know. A
 * terminal gets one line of it, unless `verbose`.
 */
void papi_tool_header(const char *title, bool verbose);

#endif
