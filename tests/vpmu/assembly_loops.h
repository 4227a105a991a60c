/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops in assembly, and what each event counts in one turn of them, counted by hand. */
#ifndef PAPI_TEST_ASSEMBLY_LOOPS_H
#define PAPI_TEST_ASSEMBLY_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* Named after what they count; events[] in assembly.c has the library's names in this order. */
enum {
	INS,
	LD,
	SR,
	PRE,
	CN,
	TKN,
	UCN,
	IND,
	CAL,
	RETURNS,
	SYS,
	INT,
	VEC,
	VECS,
	VECD,
	FPI,
	FMA,
	MUL,
	ADD,
	DIV,
	SQR,
	INV,
	HALF,
	SS,
	SD,
	S128,
	D128,
	S256,
	D256,
	S512,
	D512,
	X87,
	FEN,
	ATO,
	SINGLE_EVENTS,
	/* Sums and differences of those. */
	LDSR = SINGLE_EVENTS,
	BR,
	NTK,
	OPS,
	OPSS,
	OPSD,
	SYN,
	ALL_EVENTS,
};

struct loop {
	const char *name;
	void (*run)(void *data); /* does TURNS turns; data is 4096 zero bytes, on a boundary of 64 */
	bool (*can)(void);       /* whether the processor has these instructions; NULL: all have */
	long long turn[SINGLE_EVENTS];
};

#define TURNS 1000

extern const struct loop loops[];
extern const size_t n_loops;

#endif
