/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perfometer.h"

#define MOST_WAITING ((size_t)16 << 20) /* to be sent */
#define PIECE        ((size_t)64 << 10)

void papi_wire_begin(struct papi_wire *wire, int file)
{
	*wire = (struct papi_wire){ .file = file };
}

/* Room for so many more bytes behind the end, after what is at the beginning has gone. */
static void make_room(char **bytes, size_t *begin, size_t *end, size_t *room, size_t more)
{
	if (*begin) {
		memmove(*bytes, *bytes + *begin, *end - *begin);
		*end -= *begin;
		*begin = 0;
	}
	if (*end + more <= *room)
		return;
	*room = 2 * (*end + more);
	*bytes = papi_perfometer_allocate(*bytes, *room, 1);
}

void papi_wire_put(struct papi_wire *wire, const char *bytes, size_t length)
{
	make_room(&wire->in, &wire->in_begin, &wire->in_end, &wire->in_room, length);
	memcpy(wire->in + wire->in_end, bytes, length);
	wire->in_end += length;
}

static void flush(struct papi_wire *wire)
{
	while (!wire->broken && wire->out_begin < wire->out_end) {
		ssize_t sent = send(wire->file, wire->out + wire->out_begin, wire->out_end - wire->out_begin,
			MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		/* What the other side said before it went is still to be read: that will tell the end. */
		wire->out_begin = sent < 0 ? wire->out_end : wire->out_begin + (size_t)sent;
	}
}

void papi_wire_send(struct papi_wire *wire, enum papi_frame_kind kind, const char *payload, size_t length)
{
	if (wire->broken || wire->file < 0)
		return;
	if (wire->out_end - wire->out_begin > MOST_WAITING) {
		wire->broken = "the other side was too slow";
		return;
	}
	make_room(&wire->out, &wire->out_begin, &wire->out_end, &wire->out_room, PAPI_FRAME_HEAD + length);
	papi_frame_head(wire->out + wire->out_end, kind, length);
	memcpy(wire->out + wire->out_end + PAPI_FRAME_HEAD, payload, length);
	wire->out_end += PAPI_FRAME_HEAD + length;
	flush(wire);
}

void papi_wire_move(struct papi_wire *wire)
{
	ssize_t got;

	flush(wire);
	if (wire->broken || wire->file < 0)
		return;
	make_room(&wire->in, &wire->in_begin, &wire->in_end, &wire->in_room, PIECE);
	got = recv(wire->file, wire->in + wire->in_end, PIECE, MSG_DONTWAIT);
	if (got > 0)
		wire->in_end += (size_t)got;
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		wire->broken = "the connection was lost";
}

bool papi_wire_next(struct papi_wire *wire, struct papi_frame *frame)
{
	const char *why = NULL;
	long taken = papi_frame_take(wire->in + wire->in_begin, wire->in_end - wire->in_begin, frame, &why);

	if (taken > 0)
		wire->in_begin += (size_t)taken;
	else if (taken < 0 && !wire->broken)
		wire->broken = why;
	return taken > 0;
}

bool papi_wire_is_full(const struct papi_wire *wire)
{
	return !wire->broken && wire->out_begin < wire->out_end;
}

void papi_wire_end(struct papi_wire *wire)
{
	if (wire->file >= 0)
		close(wire->file);
	free(wire->in);
	free(wire->out);
	papi_wire_begin(wire, -1);
}
