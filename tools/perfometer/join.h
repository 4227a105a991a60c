/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A perfometer without a page of its own, whose lanes are shown by one that listens (sources.h): it sends its journal
 * there, and is told when a sample is wanted, and of which events.
 *
 * An address is what the other has printed; @FILE is a connection that this process was started with. Nothing waits,
 * but for the beginning and the end. One thread.
 */
#ifndef PAPI_PERFOMETER_JOIN_H
#define PAPI_PERFOMETER_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "journal.h"
#include "wire.h"

struct papi_join {
	struct papi_wire wire;
	uint64_t next; /* message of the journal */
};

struct papi_join_answers {
	void *argument;
	void (*sample)(void *argument);
	void (*choose)(void *argument, const char *const names[], size_t number);
};

/* False, and why. */
bool papi_join_begin(struct papi_join *join, const char *address, char *reason, size_t size);
/* Whether the address is a connection of a perfometer that has started this one. */
bool papi_join_is_inherited(const char *address);
/* Takes what has come, and sends what is new. False: the other has gone; the file is closed then. */
bool papi_join_serve(
	struct papi_join *join, const struct papi_journal *journal, const struct papi_join_answers *answers);
/* Sends what is left, for some seconds at most. */
void papi_join_end(struct papi_join *join, const struct papi_journal *journal);

#endif
