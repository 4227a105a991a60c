/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages of perfometer: JSON, one object a line (doc/perfometer.md). Each gets a number; those of the last
 * minutes are kept for pages that come later, and all are written to a recording, if there is one.
 *
 * The journal owns what it keeps; an entry is valid until the next message is written.
 */
#ifndef PAPI_PERFOMETER_JOURNAL_H
#define PAPI_PERFOMETER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* So many bands at a time are kept for as long as they last. */
#define PAPI_JOURNAL_BANDS 1024

enum papi_journal_kind {
	PAPI_JOURNAL_LASTING, /* as long as perfometer runs */
	PAPI_JOURNAL_SCHEMA,  /* until all samples that follow it are gone */
	PAPI_JOURNAL_THREAD,  /* until what was counted of that lane is gone */
	PAPI_JOURNAL_END,
	PAPI_JOURNAL_BAND, /* a mark that begins: until the time of its end is gone */
	PAPI_JOURNAL_PASSING,
};

struct papi_journal_entry {
	uint64_t number;
	double time;
	enum papi_journal_kind kind;
	int lane;     /* of THREAD, END and BAND */
	double until; /* of BAND: when it ends; infinite: not yet */
	char *text;
	size_t length; /* without a newline */
};

struct papi_journal {
	struct papi_journal_entry *entries;
	size_t n_entries, room, bytes;
	uint64_t next;    /* number of the next message */
	uint64_t missing; /* no message below this number is kept but lasting ones */
	bool keeps_all;   /* a recording that is replayed */
	double looked;    /* when it was last looked for what is too old */
	/* Bands that have not ended, the oldest first. */
	struct papi_journal_band {
		uint64_t number, name; /* name: a number that stands for it */
		int lane;
	} bands[PAPI_JOURNAL_BANDS];
	size_t n_bands;
	/* The message that is being written. */
	FILE *stream;
	struct papi_journal_entry entry;
	int record; /* -1: there is none */
	char *record_name;
	int error; /* why the recording has just ended, until pages are told; 0: it has not */
};

void papi_journal_begin(struct papi_journal *journal);
/* False, with errno: the file cannot be made. */
bool papi_journal_record(struct papi_journal *journal, const char *path);
/* The stream to write one message to, without a newline, up to papi_journal_done(). */
FILE *papi_journal_write(struct papi_journal *journal, enum papi_journal_kind kind, int lane, double time);
/* The same of a BAND, with its name. */
FILE *papi_journal_write_band(struct papi_journal *journal, int lane, const char *name, double time);
void papi_journal_done(struct papi_journal *journal);
/* Ends the newest band of that name in that lane. */
void papi_journal_end_band(struct papi_journal *journal, int lane, const char *name, double time);
/* {"type":"notice"} */
void papi_journal_notice(struct papi_journal *journal, double time, const char *level, const char *text);
/* The first message from that number on; NULL: there is none yet. */
const struct papi_journal_entry *papi_journal_from(const struct papi_journal *journal, uint64_t number);
/* Of a lane that nobody wants any more, and all else. False, after a message: the recording is not whole. */
bool papi_journal_end(struct papi_journal *journal);

#endif
