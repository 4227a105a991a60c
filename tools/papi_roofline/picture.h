/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs and regions under the roofs of this machine: papi_run and papi_hl_output_writer count, this draws.
 *
 *	judge.c   which roof is the nearest to a point, in words
 *	axes.c    from numbers to places in the picture, and the lines that tell them
 *	svg.c     the picture
 *	page.c    the picture in a page, with tables; the files
 *
 * The caller owns points and their texts; peaks are measured or read once and kept by papi_roofline_peaks(). One
 * thread, but where peaks are measured. No signal handlers.
 */
#ifndef PAPI_ROOFLINE_PICTURE_H
#define PAPI_ROOFLINE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "papi_roofline/papi_roofline.h"

/* The most bytes of what is said about a point. */
#define PAPI_ROOFLINE_SAID 512

/* Bytes that L1, L2 and L3 did not have. */
#define PAPI_ROOFLINE_LEVELS 3

/* What a program or a region has done. */
struct papi_roofline_point {
	const char *name;
	double operations;                  /* NaN: not counted */
	double single;                      /* of these, in single precision; NaN: not known */
	double below[PAPI_ROOFLINE_LEVELS]; /* NaN: not counted */
	double seconds;
	const char *worth[2]; /* of operations and of bytes */
};

struct papi_roofline_picture {
	const struct papi_roofline *peaks;
	const char *title;
	const struct papi_roofline_point *points;
	size_t n;
	bool all;         /* under the roofs of all CPUs, not of one */
	const char *note; /* where the times are from; NULL: nothing is to be said */
};

/* What can be said about a point: which of the roofs it is measured by. */
struct papi_roofline_verdict {
	double speed;                   /* operations in a second; NaN: there is no point */
	double x[PAPI_ROOFLINE_LEVELS]; /* operations for each byte; NaN: not known */
	const struct papi_roofline_peak *from[PAPI_ROOFLINE_LEVELS]; /* where the bytes come from; NULL: nowhere */
	const struct papi_roofline_peak *bound;                      /* the lowest roof over the point */
	double allowed;                                              /* operations in a second that it allows there */
};

/* ---- judge.c ---- */

double papi_roofline_rate_of(const struct papi_roofline_picture *picture, const struct papi_roofline_peak *peak);
/* The fastest in that precision ("double", "single"); NULL: none. */
const struct papi_roofline_peak *papi_roofline_fastest(const struct papi_roofline_picture *picture, const char *kind);
/* That comes so many levels below L1; NULL: there is none. */
const struct papi_roofline_peak *papi_roofline_level(const struct papi_roofline *peaks, unsigned below);
struct papi_roofline_verdict papi_roofline_judge(
	const struct papi_roofline_picture *picture, const struct papi_roofline_point *point);
/* "3.21 G", with a unit behind it. */
void papi_roofline_number(char *text, size_t size, double value);
/* A sentence about the point. */
void papi_roofline_say(
	char *text, size_t size, const struct papi_roofline_picture *picture, const struct papi_roofline_point *point);
/* "L2 (1 MiB)", "double, 256 bits". */
void papi_roofline_label(const struct papi_roofline_peak *peak, char *text, size_t size);

/* ---- axes.c ---- */

/* Both are logarithmic; from the lower left corner of the frame. */
struct papi_roofline_axis {
	double lowest, highest; /* powers of ten */
	double from, to;        /* places */
};

struct papi_roofline_axes {
	struct papi_roofline_axis x, y;
};

struct papi_roofline_axes papi_roofline_axes(const struct papi_roofline_picture *picture);
double papi_roofline_place(const struct papi_roofline_axis *axis, double value);
void papi_roofline_draw_axes(FILE *out, const struct papi_roofline_axes *axes);

/* ---- svg.c ---- */

void papi_roofline_svg(FILE *out, const struct papi_roofline_picture *picture);

/* ---- page.c ---- */

/* Whether a picture can come to that file, by its ending and its place. False with the reason. */
bool papi_roofline_check_file(const char *path, char *reason, size_t size);
/* False with the reason. */
bool papi_roofline_draw(const char *path, const struct papi_roofline_picture *picture, char *reason, size_t size);
/* The peaks of this machine; measured, with a word on standard error, where none are kept. NULL after a message. */
const struct papi_roofline *papi_roofline_peaks(const char *tool);

#endif
