/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/exact_left.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/collector.h"
#include "base/error.h"
#include "common.h"
#include "papi.h"
#include "papi_profile/exact.h"
#include "papi_profile/exact_events.h"
#include "papi_profile/exact_log.h"
#include "papi_profile/papi_profile.h"
#include "program.h"

/* Texts, each with a 0 behind it: these, the names of the events, and the words of the command. */
#define LABEL "label"
#define FORM  "papi_profile raw data 1"
enum { FORM_TEXT, STARTED, DIRECTORY, PID, CALLS, CONTEXTS, EVENTS, TEXTS };

#define LARGEST_LABEL (1u << 24)

/* ---- Writing ------------------------------------------------------------------------------------------- */

static FILE *open_label(const char *directory, const char *mode)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/" LABEL, directory) < 0)
		return NULL;
	file = fopen(path, mode);
	free(path);
	return file;
}

static void put_text(FILE *out, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, out);
}

static void put_number(FILE *out, uint64_t number)
{
	fprintf(out, "%" PRIu64, number);
	fputc('\0', out);
}

void papi_profile_exact_label(const struct papi_profile_session *session, const char *directory)
{
	FILE *out = open_label(directory, "wxe");
	char *here = getcwd(NULL, 0);

	if (out) {
		put_text(out, FORM);
		put_number(out, (uint64_t)session->began);
		put_text(out, here ? here : "");
		put_number(out, (uint64_t)session->pid);
		put_number(out, session->rate.graph != PAPI_PROFILE_GRAPH_NONE);
		put_number(out, session->contexts);
		put_number(out, session->events->number);
		for (size_t i = 0; i < session->events->number; i++)
			put_text(out, session->events->events[i].name);
		for (char **word = session->command; *word; word++)
			put_text(out, *word);
		fclose(out);
	}
	free(here);
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct label {
	char *bytes, **texts; /* texts: with a NULL behind them */
	size_t n;
};

static char *read_all(const char *directory, size_t *size)
{
	FILE *in = open_label(directory, "re");
	struct stat status;
	char *bytes = NULL;

	if (in && fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode) && status.st_size < LARGEST_LABEL) {
		bytes = papi_profile_allocate(NULL, (size_t)status.st_size + 1, 1);
		*size = fread(bytes, 1, (size_t)status.st_size, in);
		bytes[*size] = '\0';
	}
	if (in)
		fclose(in);
	return bytes;
}

static uint64_t number_of(const struct label *label, int which)
{
	return strtoull(label->texts[which], NULL, 10);
}

/* False: there is none, or it is not whole. */
static bool read_label(const char *directory, struct label *label)
{
	size_t size = 0, at = 0;

	*label = (struct label){ .bytes = read_all(directory, &size) };
	while (label->bytes && at < size) {
		label->texts = papi_profile_allocate(label->texts, label->n + 2, sizeof(*label->texts));
		label->texts[label->n++] = label->bytes + at;
		label->texts[label->n] = NULL;
		at += strlen(label->bytes + at) + 1;
	}
	/* The last text, too, has its 0, and there is a command of one word at least. */
	return size && at == size && label->n > TEXTS && !strcmp(label->texts[FORM_TEXT], FORM) &&
		number_of(label, EVENTS) > 0 && number_of(label, EVENTS) < label->n - TEXTS;
}

static void free_label(struct label *label)
{
	free(label->texts);
	free(label->bytes);
}

static int give_up(struct papi_profile_session *session)
{
	papi_profile_message("%s", papi_error_sentence());
	papi_profile_store_close(session->store);
	return PAPI_PROGRAM_FAILURE;
}

/* Into the store, which has been made. */
static int take(struct papi_profile_session *session, const char *directory, int eventset, bool modelled)
{
	struct papi_profile_exact exact = {
		.values = papi_profile_exact_values, .argument = &eventset, .pid = session->pid, .modelled = modelled
	};
	size_t processes = papi_profile_exact_read(&session->records, directory, &exact);

	papi_profile_exact_note(session, "of raw data that was left: what could not be counted is not known");
	if (exact.beyond)
		papi_profile_exact_tell_beyond(session, exact.beyond);
	papi_profile_places_free(&session->records.places);
	papi_profile_counts_free(&session->records.counts);
	if (papi_profile_store_progress(session->store, 0, 0, -1) != PAPI_OK ||
		papi_profile_store_commit(session->store) != PAPI_OK)
		return give_up(session);
	if (papi_profile_store_close(session->store) != PAPI_OK) {
		papi_profile_message("%s", papi_error_sentence());
		return PAPI_PROGRAM_FAILURE;
	}
	papi_profile_message("%zu %s in %s; to look at %s: papi_profile report %s; the raw data is still in %s",
		processes, processes == 1 ? "process" : "processes", session->file, processes == 1 ? "it" : "them",
		session->file, directory);
	return EXIT_SUCCESS;
}

static int import_labelled(struct papi_profile_session *session, const struct label *label, const char *directory)
{
	static struct papi_agent_plan plan;
	int eventset, status;

	for (uint64_t i = 0; i < number_of(label, EVENTS); i++)
		papi_profile_events_parse(session->events, label->texts[TEXTS + i]);
	for (size_t i = 0; i < session->events->number; i++)
		papi_profile_exact_check(session->events->events[i].name);
	eventset = papi_profile_exact_plan(session->events, number_of(label, CALLS), session->contexts, &plan);
	status = papi_profile_session_make_store(session);
	if (!status)
		status = take(session, directory, eventset, plan.modelled != 0);
	papi_profile_exact_forget(eventset);
	return status;
}

int papi_profile_exact_import(const char *directory, const char *file)
{
	struct papi_profile_events events = { 0 };
	struct papi_profile_session session = {
		.file = file, .exact = true, .events = &events, .ready = -1, .table = -1
	};
	struct label label;
	int status;

	if (!read_label(directory, &label)) {
		papi_profile_message(
			"'%s' holds no raw data that papi_profile has left, with what it is of", directory);
		free_label(&label);
		return PAPI_PROGRAM_FAILURE;
	}
	if (papi_profile_store_check(file) != PAPI_OK) {
		papi_profile_message("%s", papi_error_sentence());
		free_label(&label);
		return PAPI_PROGRAM_FAILURE;
	}
	/* Presets among its events were the virtual PMU's, whatever counts them otherwise. */
	setenv("PAPI_VPMU", "always", 1);
	papi_tool_init();
	session.pid = (pid_t)number_of(&label, PID);
	session.contexts = (uint32_t)number_of(&label, CONTEXTS);
	session.began = (time_t)number_of(&label, STARTED);
	session.directory = label.texts[DIRECTORY];
	session.command = label.texts + TEXTS + number_of(&label, EVENTS);
	status = import_labelled(&session, &label, directory);
	papi_profile_events_free(&events);
	free_label(&label);
	PAPI_shutdown();
	return status;
}
