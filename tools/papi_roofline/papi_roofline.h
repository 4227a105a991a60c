/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_roofline: what this machine can do at most, measured.
 *
 *	papi_roofline.c   command line
 *	kernels_*.c       loops for the processor, from the templates of kernels.h; kernels_none.c where there are none
 *	measure.c         runs a kernel on one or on all CPUs, several times
 *	peaks.c           which kernels over how much memory; the best of each
 *	keep.c            the file in which peaks are kept
 *	report.c          peaks for people, as JSON and as CSV
 *	picture.h         programs and regions under these peaks, for other tools, which have all but the first and last
 *
 * Peaks own nothing; kernels are static. Threads run only inside papi_roofline_measure(). No signal handlers.
 */
#ifndef PAPI_ROOFLINE_H
#define PAPI_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options.h"

enum papi_roofline_kind { PAPI_ROOFLINE_DOUBLE, PAPI_ROOFLINE_SINGLE, PAPI_ROOFLINE_MEMORY };

struct papi_roofline_kernel {
	const char *name;
	enum papi_roofline_kind kind;
	unsigned bits;       /* of its vectors; of a scalar, of that */
	unsigned operations; /* in a round; 0: a byte for each of the memory */
	bool (*runs)(void);  /* on this processor */
	void (*run)(void *memory, size_t bytes, long rounds);
};

/* Ends with one without a name. */
extern const struct papi_roofline_kernel papi_roofline_kernels[];

/* A measurement: operations, or bytes, in a second. */
struct papi_roofline_rate {
	double best;   /* 0: it was not measured */
	double spread; /* how far the median is below the best, as a share of that */
};

#define PAPI_ROOFLINE_PEAKS 24

struct papi_roofline_peak {
	char name[32]; /* "L1", "memory", "double 256" */
	bool is_memory;
	double bytes;    /* of the cache; 0: memory, or arithmetic */
	char kernel[16]; /* that was the best on one CPU */
	struct papi_roofline_rate one, all;
};

struct papi_roofline {
	char cpu[128]; /* model */
	unsigned cpus; /* that this process may use */
	long long when;
	struct papi_roofline_peak peaks[PAPI_ROOFLINE_PEAKS];
	unsigned n;
};

extern const struct papi_tool papi_roofline_tool;

/* measure.c: on so many CPUs of those that this process may use, each with memory of its own. False after a message. */
bool papi_roofline_measure(
	const struct papi_roofline_kernel *kernel, size_t bytes, unsigned cpus, struct papi_roofline_rate *rate);
unsigned papi_roofline_cpus(void);

/* peaks.c */
void papi_roofline_describe(struct papi_roofline *roofline);
/* Everything, with a word on standard error about what is measured if that is a terminal. */
bool papi_roofline_find(struct papi_roofline *roofline);
/* Of memory, or else of arithmetic in double precision, the fastest. NULL: none was measured. */
const struct papi_roofline_peak *papi_roofline_highest(const struct papi_roofline *roofline, bool memory);

/* keep.c: false: there is nothing of this machine. */
bool papi_roofline_load(struct papi_roofline *roofline);
/* A file that cannot be written costs no more than a measurement the next time: said, and no failure. */
void papi_roofline_keep(const struct papi_roofline *roofline);

/* report.c */
void papi_roofline_text(FILE *out, const struct papi_roofline *roofline);
void papi_roofline_json(FILE *out, const struct papi_roofline *roofline);
void papi_roofline_csv(FILE *out, const struct papi_roofline *roofline);

#endif
