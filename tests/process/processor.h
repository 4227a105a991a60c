/* SPDX-License-Identifier: BSD-3-Clause */
/* What remote.c needs of a processor; a file for each. */
#ifndef PAPI_TEST_PROCESSOR_H
#define PAPI_TEST_PROCESSOR_H

#include <stdatomic.h>
#include <stdbool.h>

/* The register with the number of a system call. */
extern const unsigned call_number;

/* Vector registers hold something until it is over, which is asked all the time. Whether all have held it. */
bool vectors_hold(_Atomic int *over);
/* Whether they are longer than all processors have them. */
bool vectors_are_scalable(void);

#endif
