/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a block of the program step by step, first natively and then translated, and compares each step.
 *
 *	native       S0 -> S1 -> S2 -> ...        what the processor does, by its trap flag
 *	translated   c0 -> c1 -> c2 -> c3 -> ...  likewise, in the code; from each c, recover.c tells the state
 *
 * Each state that is recovered has to be one of the native ones, in their order: pc, registers, and counters; of the
 * flags, those that the program still needs: where they differ, it goes on natively from the recovered state, and has
 * to end as it ended before. So every address of code that runs is checked, and every mark.
 *
 * What the code needs of a thread is at gs. One process, one thread, one harness.
 */
#ifndef PAPI_TESTS_UNIT_VPMU_HARNESS_H
#define PAPI_TESTS_UNIT_VPMU_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "components/vpmu/call_frame.h"
#include "components/vpmu/translator/marks.h"
#include "components/vpmu/x86_64/translate/recover.h"
#include "components/vpmu/x86_64/translate/translate.h"

#define TEXT_SIZE  4096 /* of the program, and as many of data behind it that rip reaches */
#define DATA_SIZE  512
#define STACK_SIZE 1024
#define MAX_STATES 300

/* What the stream says of the first branch of a block when it is not taken; of the others the numbers behind that. */
#define HARNESS_BRANCHES 200

/* Registers, pc, flags: as harness_enter() loads them. */
struct machine {
	uint64_t registers[16];
	uint64_t pc, flags;
};

/* What the program can write: compared after each run. */
struct memory {
	uint8_t data[DATA_SIZE];
	uint8_t stack[STACK_SIZE];
	uint8_t near[DATA_SIZE]; /* behind the text */
};

/* What translated code reaches through gs. */
struct area {
	_Alignas(4096) uint8_t bytes[VPMU_JUMPS];
	uint64_t jumps[65536];
	uint8_t unused[VPMU_WAYS - VPMU_JUMPS - 65536 * 8];
	uint64_t ways[VPMU_MAX_WAYS], pairs[PAPI_VPMU_PAIR_WORDS]; /* of which few are touched */
};

/* The last step of a run, or where it left the code. */
enum ending {
	ENDS_AT_LINK,   /* by a link, which is not connected */
	ENDS_AT_KNOWN,  /* by a jump to a block that is translated already */
	ENDS_AT_TARGET, /* through the table of jumps */
	ENDS_AT_EXIT,   /* with a number of enum papi_vpmu_exit */
	ENDS_AT_GATE,
	ENDS_BY_SIGNAL,
};

/* A test: what is wanted, the program, and how it begins. */
struct subject {
	struct papi_vpmu_view view; /* the first: it is called with it */
	struct papi_vpmu_wants wants;
	struct papi_vpmu_request request;
	bool may_change, breakpoints, tails;         /* tails: each jump leads to where another function begins */
	uint64_t library_start, library_end, engine; /* of the library's text, and of a function of its engine's */
	uint64_t known;                              /* a pc that is translated already, 0: none */
	bool far;                                    /* the code is out of reach of the program's data */
	uint64_t size;                               /* of the text, from its start */
	uint64_t executable;                         /* how much of it can be executed; size, if it is 0 */
	struct machine start;
	struct memory memory;
	uint64_t trace_room; /* words of the trace that are free, and as many branches */
	unsigned calls;      /* enum call_case, with wants.calls */
	int64_t budget;
	uint8_t syscall_kind; /* enum papi_vpmu_syscall_kind: of all calls */
	bool ends_apart;      /* its end is none of the native states */
	const char *name;

	/* Results. */
	struct papi_vpmu_translation t;
	uint64_t code_size;
	enum ending ending;
	int64_t exit; /* with ENDS_AT_EXIT and LINK */
	int signal;
	struct machine end; /* of the program, after the translated run */
	unsigned native_steps, translated_steps;
	uint64_t counters[PAPI_VPMU_COUNTERS]; /* sums, at the end */
	uint64_t trace[512];                   /* the record */
	unsigned trace_words;
	uint32_t branches[16]; /* of the stream */
	unsigned n_branches;
	bool marks_seen[PAPI_VPMU_MAX_MARKS];
	uint8_t marks[PAPI_VPMU_MAX_MARKS * PAPI_VPMU_PACKED_MARK_MAX]; /* as the block has them */
};

/* Group fixtures: map what is needed; skip where the machine has it not. */
int harness_begin(void **state);
int harness_end(void **state);

/* Everything at its defaults: all exact counters wanted, registers that point into the data. */
void subject_begin(struct subject *s, const char *name, const void *bytes, size_t size);

uint64_t harness_text(void);   /* where the program is */
uint64_t harness_target(void); /* in it: all data names that, and r14 */
uint64_t harness_data(void);
uint64_t harness_near(void);  /* data that rip reaches from the program */
uint64_t harness_stack(void); /* the middle of it */
uint8_t *harness_code(void);  /* where the code of blocks is put that are not far */
struct area *harness_area(void);
/* Whose run it is. */
const struct subject *harness_running(void);
const struct machine *harness_native(unsigned step); /* of the last native run */

/* Plans and emits, but runs nothing. */
void translate(struct subject *s);
/* The same, and runs both ways and compares. */
void compare(struct subject *s);
/* What has been translated runs both ways, from what the start and the memory are now. */
void compare_translated(struct subject *s);
/* It only runs translated, and is to end as it began: for what cannot run natively here. */
void run_without_native(struct subject *s);

/* Emits where indirect branches to pc arrive and arrives there with a target. Returns where it leads: one of these
 * labels. Known is the block's code, elsewhere or, if it is before that, right behind it. */
uint64_t run_arrival(struct papi_vpmu_translation *t, uint64_t pc, bool before, uint64_t otherwise, uint64_t target);
uint64_t harness_label_known(void);
uint64_t harness_label_miss(void);
uint64_t harness_label_other(void);

/* Fails with the name of the subject, its code, and where it was. */
void subject_failed(const struct subject *s, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

#endif
