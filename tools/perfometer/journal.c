/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "escape.h"
#include "perfometer.h"

/* So much is kept for pages that connect later, and for slow ones. */
#define KEPT_SECONDS 300.0
#define KEPT_BYTES   ((size_t)96 << 20)

void papi_journal_begin(struct papi_journal *journal)
{
	*journal = (struct papi_journal){ .record = -1 };
}

/* ---- the recording ---- */

bool papi_journal_record(struct papi_journal *journal, const char *path)
{
	journal->record = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (journal->record < 0)
		return false;
	journal->record_name = papi_perfometer_format("%s", path);
	return true;
}

/* The program goes on, and so do the pages. */
static void give_up(struct papi_journal *journal, int error)
{
	papi_perfometer_say("the recording %s ends here: %s", journal->record_name, strerror(error));
	close(journal->record);
	journal->record = -1;
	journal->error = error;
}

/* In one piece with its newline: a file that is cut off loses its last line only. */
static void record(struct papi_journal *journal, char *text, size_t length)
{
	if (journal->record < 0)
		return;
	text[length] = '\n';
	if (!papi_write_all(journal->record, text, length + 1))
		give_up(journal, errno);
	text[length] = '\0';
}

/* ---- what is kept ---- */

/* Whose lanes have ended before that time: a byte for each lane. */
static unsigned char *find_ended(const struct papi_journal *journal, double before)
{
	unsigned char *ended;
	int most = 0;

	for (size_t i = 0; i < journal->n_entries; i++)
		if (journal->entries[i].lane > most)
			most = journal->entries[i].lane;
	ended = papi_perfometer_allocate(NULL, (size_t)most + 1, 1);
	memset(ended, 0, (size_t)most + 1);
	for (size_t i = 0; i < journal->n_entries; i++)
		if (journal->entries[i].kind == PAPI_JOURNAL_END && journal->entries[i].time < before)
			ended[journal->entries[i].lane] = 1;
	return ended;
}

static bool is_kept(
	const struct papi_journal_entry *entry, double before, const unsigned char *ended, uint64_t last_schema)
{
	switch (entry->kind) {
	case PAPI_JOURNAL_LASTING:
		return true;
	case PAPI_JOURNAL_SCHEMA:
		return entry->number >= last_schema;
	case PAPI_JOURNAL_THREAD:
	case PAPI_JOURNAL_END:
		return !ended[entry->lane];
	case PAPI_JOURNAL_BAND:
		return entry->until >= before && !ended[entry->lane];
	default:
		return entry->time >= before;
	}
}

static void forget_until(struct papi_journal *journal, double before)
{
	unsigned char *ended = find_ended(journal, before);
	uint64_t last_schema = 0;
	size_t kept = 0;

	for (size_t i = 0; i < journal->n_entries; i++)
		if (journal->entries[i].kind == PAPI_JOURNAL_SCHEMA && journal->entries[i].time <= before)
			last_schema = journal->entries[i].number;
	for (size_t i = 0; i < journal->n_entries; i++) {
		struct papi_journal_entry *entry = &journal->entries[i];

		if (is_kept(entry, before, ended, last_schema)) {
			journal->entries[kept++] = *entry;
			continue;
		}
		journal->bytes -= entry->length;
		journal->missing = entry->number + 1;
		free(entry->text);
	}
	journal->n_entries = kept;
	free(ended);
}

/* Once a second, and when there is too much. */
static void forget(struct papi_journal *journal, double now)
{
	if (journal->keeps_all || (now < journal->looked + 1 && journal->bytes < KEPT_BYTES))
		return;
	journal->looked = now;
	if (journal->bytes >= KEPT_BYTES)
		forget_until(journal, journal->entries[journal->n_entries / 4].time);
	else
		forget_until(journal, now - KEPT_SECONDS);
}

static void keep(struct papi_journal *journal, const struct papi_journal_entry *entry)
{
	if (journal->n_entries == journal->room) {
		journal->room = journal->room ? 2 * journal->room : 256;
		journal->entries = papi_perfometer_allocate(journal->entries, journal->room, sizeof(*journal->entries));
	}
	journal->entries[journal->n_entries++] = *entry;
	journal->bytes += entry->length;
}

/* The first entry from that number on. */
static size_t find(const struct papi_journal *journal, uint64_t number)
{
	size_t low = 0, high = journal->n_entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (journal->entries[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct papi_journal_entry *papi_journal_from(const struct papi_journal *journal, uint64_t number)
{
	size_t at = find(journal, number);

	return at < journal->n_entries ? &journal->entries[at] : NULL;
}

/* ---- bands ---- */

/* FNV-1a. */
static uint64_t number_of(const char *name)
{
	uint64_t number = 0xcbf29ce484222325u;

	while (*name)
		number = (number ^ (unsigned char)*name++) * 0x100000001b3u;
	return number;
}

/* From then on it is kept no longer than other messages of that time. */
static void close_band(struct papi_journal *journal, size_t i, double time)
{
	size_t at = find(journal, journal->bands[i].number);

	if (at < journal->n_entries && journal->entries[at].number == journal->bands[i].number)
		journal->entries[at].until = time;
	journal->n_bands--;
	memmove(&journal->bands[i], &journal->bands[i + 1], (journal->n_bands - i) * sizeof(journal->bands[0]));
}

void papi_journal_end_band(struct papi_journal *journal, int lane, const char *name, double time)
{
	uint64_t number = number_of(name);

	for (size_t i = journal->n_bands; i-- > 0;)
		if (journal->bands[i].lane == lane && journal->bands[i].name == number) {
			close_band(journal, i, time);
			return;
		}
}

/* ---- writing ---- */

FILE *papi_journal_write(struct papi_journal *journal, enum papi_journal_kind kind, int lane, double time)
{
	journal->entry =
		(struct papi_journal_entry){ .number = journal->next++, .time = time, .kind = kind, .lane = lane };
	journal->stream = open_memstream(&journal->entry.text, &journal->entry.length);
	if (!journal->stream)
		papi_perfometer_no_memory();
	return journal->stream;
}

FILE *papi_journal_write_band(struct papi_journal *journal, int lane, const char *name, double time)
{
	FILE *out = papi_journal_write(journal, PAPI_JOURNAL_BAND, lane, time);

	if (journal->n_bands == PAPI_JOURNAL_BANDS)
		close_band(journal, 0, time);
	journal->entry.until = (double)INFINITY;
	journal->bands[journal->n_bands++] = (struct papi_journal_band){ journal->entry.number, number_of(name), lane };
	return out;
}

/* Pages, which may be all that somebody looks at. */
static void tell_of_end(struct papi_journal *journal, double now)
{
	char *text = papi_perfometer_format(
		"the recording %s ends here: %s", journal->record_name, strerror(journal->error));

	journal->error = 0;
	papi_journal_notice(journal, now, "warning", text);
	free(text);
}

void papi_journal_done(struct papi_journal *journal)
{
	if (fclose(journal->stream) != 0)
		papi_perfometer_no_memory();
	journal->stream = NULL;
	/* A zero follows the text, whose place the newline may take. */
	record(journal, journal->entry.text, journal->entry.length);
	keep(journal, &journal->entry);
	forget(journal, journal->entry.time);
	if (journal->error)
		tell_of_end(journal, journal->entry.time);
}

void papi_journal_notice(struct papi_journal *journal, double time, const char *level, const char *text)
{
	FILE *out = papi_journal_write(journal, PAPI_JOURNAL_PASSING, 0, time);

	fprintf(out, "{\"type\":\"notice\",\"t\":%.6f,\"level\":\"%s\",\"text\":", time, level);
	papi_escape_json(out, text);
	fputc('}', out);
	papi_journal_done(journal);
}

bool papi_journal_end(struct papi_journal *journal)
{
	bool whole = !journal->record_name || (journal->record >= 0 && close(journal->record) == 0);

	for (size_t i = 0; i < journal->n_entries; i++)
		free(journal->entries[i].text);
	free(journal->entries);
	free(journal->record_name);
	papi_journal_begin(journal);
	return whole;
}
