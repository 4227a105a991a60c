/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are written whole or not at all: under another name beside the old one, which is then replaced at once.
 * A reader never sees a half. Links are followed, so that the file
 * that they name is replaced. Reasons are sentences for people. One thread.
 */
#ifndef PAPI_TOOLS_WHOLE_FILE_H
#define PAPI_TOOLS_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether it is likely that the file can be written, before the work is done whose result it shall hold. A
 * directory or a device that is there is never replaced.
 */
bool papi_whole_file_check(const char *path, char *reason, size_t size);

/* Replaces the file, or makes it. False, and what was there stays, with the reason. */
bool papi_whole_file_write(const char *path, const char *text, size_t length, char *reason, size_t size);

#endif
