/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads files that define events. Their paths are the user's, and not of the kernel's files below a root.
 *
 * Only regular files of a bearable size are read: a FIFO would keep whoever asks for an event waiting, and a device may
 * do anything. What names, texts and messages are made of ends up on terminals, so that control characters and bytes
 * that are no UTF-8 are question marks from the start.
 */
#ifndef PAPI_EVENTS_DEFINITION_FILE_H
#define PAPI_EVENTS_DEFINITION_FILE_H

#include <stddef.h>

/* The whole text, to be freed, and its length; NULL with PAPI_ESYS and the reason in the detail. */
char *papi_definition_file_read(const char *path, size_t *length);

#endif
