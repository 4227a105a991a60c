/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of data/events as the build has embedded them, or the file that the build was told to read instead. */
#ifndef PAPI_EVENTS_BUILTIN_H
#define PAPI_EVENTS_BUILTIN_H

#include <stddef.h>

/* The text of all tables; empty when the library was built to read a file. */
extern const char papi_builtin_tables[];
size_t papi_builtin_length(void);
/* Where in it the last table begins. */
extern const size_t papi_builtin_last;

/* The file of the Meson option events_file; NULL: the tables are embedded. */
extern const char *const papi_builtin_file;

#endif
