/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes as a gzip file (RFC 1952) whose blocks are stored as they are: for formats that ask for gzip, without a library
 * that compresses. Errors are those of the stream. One thread.
 */
#ifndef PAPI_PROFILE_GZIP_H
#define PAPI_PROFILE_GZIP_H

#include <stddef.h>
#include <stdio.h>

void papi_gzip_write(FILE *out, const unsigned char *bytes, size_t n);

#endif
