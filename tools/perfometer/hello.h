/* SPDX-License-Identifier: BSD-3-Clause */
/* {"type":"hello"}: what a journal begins with. */
#ifndef PAPI_PERFOMETER_HELLO_H
#define PAPI_PERFOMETER_HELLO_H

#include "journal.h"

/* The words of a command, NULL-terminated; samples in a second. */
void papi_perfometer_write_hello(struct papi_journal *journal, char *const command[], int rate);

#endif
