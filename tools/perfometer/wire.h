/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A connection by which frames (live/frame.h) come and go, as a stream. Nothing waits: what cannot be sent at once is
 * kept, up to a limit beyond which the other side is too slow, and the connection broken.
 *
 * The caller has the structure; papi_wire_end() closes the file. One thread.
 */
#ifndef PAPI_PERFOMETER_WIRE_H
#define PAPI_PERFOMETER_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "live/frame.h"

struct papi_wire {
	int file; /* -1: there is none */
	char *in, *out;
	size_t in_begin, in_end, in_room;
	size_t out_begin, out_end, out_room;
	const char *broken; /* why; NULL: it is not */
};

void papi_wire_begin(struct papi_wire *wire, int file);
/* As if these bytes had come. */
void papi_wire_put(struct papi_wire *wire, const char *bytes, size_t length);
void papi_wire_send(struct papi_wire *wire, enum papi_frame_kind kind, const char *payload, size_t length);
/* Sends what is left, and reads what is there; then there may be frames, also of one that is broken by now. */
void papi_wire_move(struct papi_wire *wire);
/* The next frame, valid until the wire is moved. False: there is none. */
bool papi_wire_next(struct papi_wire *wire, struct papi_frame *frame);
/* Something is to be sent. */
bool papi_wire_is_full(const struct papi_wire *wire);
void papi_wire_end(struct papi_wire *wire);

#endif
