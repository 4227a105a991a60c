/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definition files of a test, and the library that reads them.
 *
 * Files lie in a directory of the test's own; messages name them by the path that files_path() gives. The library is
 * initialised for each case anew, since it reads its files once: files_library() gives it presets, user events or both
 * by the environment, and files_library_end() shuts it down. What cannot be made ready ends the test program.
 */
#ifndef PAPI_TEST_FILES_H
#define PAPI_TEST_FILES_H

#include <papi.h>
#include <stdbool.h>
#include <stddef.h>

/* Names that every kernel has, with or without libpfm4: a page that is touched for the first time counts in both. */
#define FAULTS       "perf::PAGE-FAULTS"
#define MINOR_FAULTS "perf::MINOR-FAULTS"
#define MAJOR_FAULTS "perf::MAJOR-FAULTS"

/* Around all tests. The environment holds none of the library's variables afterwards. */
void files_begin(void);
void files_end(void);

/* The path of a file in the directory; valid until the eighth call after this one. */
const char *files_path(const char *name);
const char *files_write(const char *name, const char *text);
const char *files_write_bytes(const char *name, const void *bytes, size_t size);

/*
 * Initialises the library with these texts as PAPI_CSV_EVENT_FILE ("presets.csv") and PAPI_USER_EVENTS_FILE
 * ("events.txt"); NULL: without the variable.
 */
void files_library(const char *presets, const char *user_events);
/* The same by paths, which need not exist. */
void files_library_at(const char *preset_path, const char *user_event_path);
void files_library_end(void);

/* The code of an event that must be there. */
int files_code(const char *name);
/* Its description; the same storage every time. */
const PAPI_event_info_t *files_info(const char *name);

/* PAPI_set_opt(PAPI_USER_EVENTS_FILE) with a file of this text, "more.txt". */
int files_add(const char *text);

/* PAPI_encode_events() with a file of a title and these lines, "decoded.csv". */
int files_encode(const char *lines, int replace);

/* What the library prints on standard error while run() runs; free(3) it. */
char *files_printed(void (*run)(void));

/* How often words occur in a text. */
unsigned files_count(const char *text, const char *words);

#endif
