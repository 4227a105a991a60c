/* SPDX-License-Identifier: BSD-3-Clause */
/* The server of a run, as its options want it: where it listens, its token, and who is told the address. */
#ifndef PAPI_PERFOMETER_SERVE_H
#define PAPI_PERFOMETER_SERVE_H

#include <stddef.h>

#include "journal.h"
#include "perfometer.h"
#include "server.h"

/* Prints the address, and opens it where that is wanted. NULL, and why: there is no server. */
struct papi_server *papi_perfometer_serve(const struct papi_perfometer_options *options,
	const struct papi_journal *journal, const struct papi_server_answers *answers, char *reason, size_t size);

#endif
