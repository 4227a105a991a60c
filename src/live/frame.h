/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames: what programs, perfometers that watch one program, and a perfometer that listens say to each other. A frame
 * is a head of eight bytes and a payload:
 *
 *	'P' 'M'   version (1)   kind   length of the payload: 4 bytes, the least first
 *
 * Numbers in payloads are of 4 bytes, the least first. Kinds that are not known are skipped; what has another head, or
 * is longer than its kind can be, is malformed, and ends the connection that it came by.
 *
 * No state and no memory: any thread, and signal handlers. A frame that was taken points into the caller's bytes.
 */
#ifndef PAPI_LIVE_FRAME_H
#define PAPI_LIVE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_FRAME_VERSION 1
#define PAPI_FRAME_HEAD    8
/* Payloads: of lines, and of all others. */
#define PAPI_FRAME_LINE  ((size_t)4 << 20)
#define PAPI_FRAME_SHORT ((size_t)16 << 10)
/* What a program sends, with the head. Longer names are cut. */
#define PAPI_FRAME_NAME    200
#define PAPI_FRAME_PROGRAM (PAPI_FRAME_HEAD + 8 + PAPI_FRAME_NAME)

enum papi_frame_kind {
	/* From programs: HELLO rank (or -1), nothing, name; MARK thread, colour; BEGIN and END thread, nothing, name */
	PAPI_FRAME_HELLO = 1,
	PAPI_FRAME_MARK,
	PAPI_FRAME_BEGIN,
	PAPI_FRAME_END,
	/* To programs: WANT 1 if regions are wanted, and 0 */
	PAPI_FRAME_WANT,
	/* From those who watch: a message of doc/perfometer.md */
	PAPI_FRAME_LINE_OF_JOURNAL,
	/* To them: a sample is wanted now; {"events": [...]} are to be counted */
	PAPI_FRAME_TICK,
	PAPI_FRAME_CHOOSE,
};

/* As it came. */
struct papi_frame {
	unsigned kind;
	const char *payload;
	size_t length;
};

/* Of HELLO, MARK, BEGIN, END, WANT. */
struct papi_frame_words {
	int32_t first, second;
	char name[PAPI_FRAME_NAME + 1]; /* "": none */
};

#pragma GCC visibility push(hidden)

/* The first frame of the bytes: how many it has; 0: it is not all there yet; -1: it is malformed, and *why says so. */
long papi_frame_take(const void *bytes, size_t size, struct papi_frame *frame, const char **why);
/* False: it has not what its kind has to have. */
bool papi_frame_read(const struct papi_frame *frame, struct papi_frame_words *words);
/* The head of a frame. */
void papi_frame_head(char head[PAPI_FRAME_HEAD], enum papi_frame_kind kind, size_t length);
/* A whole frame with words; its length. */
size_t papi_frame_write(
	char bytes[PAPI_FRAME_PROGRAM], enum papi_frame_kind kind, int32_t first, int32_t second, const char *name);

#pragma GCC visibility pop

#endif
