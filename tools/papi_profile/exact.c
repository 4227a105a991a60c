/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/exact.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/collector.h"
#include "base/error.h"
#include "components/vpmu/counters.h"
#include "common.h"
#include "papi.h"
#include "papi_profile/box.h"
#include "papi_profile/exact_events.h"
#include "papi_profile/exact_left.h"
#include "papi_profile/exact_log.h"
#include "papi_profile/papi_profile.h"
#include "papi_profile/raw.h"
#include "process.h"
#include "program.h"
#include "text.h"
#include "visit.h"

#define LOOK_MILLISECONDS 100

static struct papi_agent_collector collector = { .descriptor = -1 };
/* The directory of raw data; what the table says programs may have changed. */
static char directory[sizeof(((struct papi_agent_plan *)NULL)->directory)];

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- The run ------------------------------------------------------------------------------------------- */

static void hand_over(void)
{
	papi_agent_collector_hand_over(&collector);
}

static int wait_for(const struct papi_program *program)
{
	sigset_t waited = *papi_program_signals();
	siginfo_t info;
	int status = 0;

	sigaddset(&waited, SIGCHLD);
	while (waitpid(program->pid, &status, WNOHANG) == 0) {
		int number = sigwaitinfo(&waited, &info);

		if (number > 0 && number != SIGCHLD)
			papi_program_pass_on(program, number, info.si_code);
	}
	return status;
}

/* Runs it; its wait status. Negative: the negated exit status of papi_profile, told. */
static int run(struct papi_profile_session *session, char *path)
{
	char reason[PAPI_HUGE_STR_LEN];
	struct papi_program program;
	const char *call;
	int error, status;

	papi_program_block_signals();
	error = papi_program_spawn(&program, path, session->command, hand_over, &call);
	if (error) {
		papi_profile_message("cannot %s: %s", call, strerror(error));
		return -PAPI_PROGRAM_FAILURE;
	}
	session->started = now();
	error = papi_program_release(&program);
	status = wait_for(&program);
	session->elapsed = now() - session->started;
	if (!error)
		return status;
	session->elapsed = 0;
	status = papi_program_refused(session->command[0], true, error, reason, sizeof(reason));
	papi_profile_message("%s", reason);
	return -status;
}

/* ---- What is missing ----------------------------------------------------------------------------------- */

void papi_profile_exact_note(struct papi_profile_session *session, const char *note)
{
	for (size_t i = 0; i < session->events->number; i++)
		papi_profile_store_event_note(session->store, (int64_t)i + 1, note);
}

#define NOTE_SIZE 512
#define MOST_TOLD 8 /* one by one */

struct missing {
	struct papi_profile_session *session;
	unsigned n;
	char first[NOTE_SIZE];
};

/* papi_run tells of its processes itself. */
static void miss(struct missing *missing, const char *name, const char *reason)
{
	char note[NOTE_SIZE];

	snprintf(note, sizeof(note), "incomplete: %s: %s", name, reason);
	if (missing->n++ == 0)
		memcpy(missing->first, note, sizeof(note));
	if (missing->session->table < 0 && missing->n <= MOST_TOLD)
		papi_profile_message("%s", note);
}

static void note_missing(const struct missing *missing)
{
	char note[NOTE_SIZE + 32];

	if (missing->session->table < 0 && missing->n > MOST_TOLD)
		papi_profile_message("incomplete: %u more processes", missing->n - MOST_TOLD);
	if (missing->n > 1)
		snprintf(note, sizeof(note), "%s; and %u more", missing->first, missing->n - 1);
	if (missing->n)
		papi_profile_exact_note(missing->session, missing->n > 1 ? note : missing->first);
}

static void miss_of_process(struct missing *missing, struct papi_agent_process entry)
{
	uint32_t state = atomic_load(&entry.state);

	entry.name[sizeof(entry.name) - 1] = entry.reason[sizeof(entry.reason) - 1] = '\0';
	entry.next_name[sizeof(entry.next_name) - 1] = entry.next_reason[sizeof(entry.next_reason) - 1] = '\0';
	if (state != PAPI_AGENT_FREE && atomic_load(&entry.losses))
		miss(missing, entry.name, entry.reason);
	else if (state == PAPI_AGENT_EXPECTED || state == PAPI_AGENT_EXECUTING)
		miss(missing, entry.next_name,
			*entry.next_reason ? entry.next_reason
					   : "the agent did not begin in it: the dynamic linker did not load it, "
					     "or the program ended before");
}

static void tell_all_missing(struct papi_profile_session *session)
{
	const struct papi_agent_table *table = collector.table;
	struct missing missing = { .session = session };
	uint32_t forks = atomic_load(&table->forks), children = atomic_load(&table->children);

	for (uint32_t i = 0; i < atomic_load(&table->entered) && i < PAPI_AGENT_PROCESSES; i++)
		miss_of_process(&missing, table->entries[i]);
	if (atomic_load(&table->unlisted))
		miss(&missing, "others", "more processes at once than there is room for");
	if (forks > children)
		miss(&missing, "others", "processes made by a system call of the program's own (fork or clone)");
	note_missing(&missing);
}

void papi_profile_exact_tell_beyond(struct papi_profile_session *session, uint32_t contexts)
{
	char note[160];

	snprintf(note, sizeof(note),
		"a process has more than %" PRIu32
		" ways of calls, which are all that there may be: what came beyond is in [other contexts]",
		contexts);
	papi_profile_message("%s", note);
	papi_profile_exact_note(session, note);
}

/* A process that runs on, was killed, or whose threads the kernel has ended, may have been between two counters. */
static bool any_was_stopped(void)
{
	const struct papi_agent_table *table = collector.table;
	bool any = false;

	for (uint32_t i = 0; i < atomic_load(&table->entered) && i < PAPI_AGENT_PROCESSES; i++)
		any |= atomic_load(&table->entries[i].state) != PAPI_AGENT_FREE;
	return any;
}

/* Modelled counters have run, too, and where calls are recorded, exact ones: the profile has as much, or something is
 * wrong. */
static void compare_sums(struct papi_profile_session *session, const struct papi_profile_exact *exact, int eventset)
{
	const struct papi_agent_plan *plan = &collector.table->plan;
	static uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];
	struct papi_profile_events *list = session->events;
	long long *values;
	char note[NOTE_SIZE];

	if (!(plan->calls || plan->modelled) || any_was_stopped())
		return;
	values = papi_profile_allocate(NULL, list->number, sizeof(*values));
	papi_agent_collector_sums(&collector, sums);
	if (!plan->calls)
		memcpy(sums[0], exact->sums, PAPI_VPMU_FIRST_MODELLED * sizeof(sums[0][0]));
	papi_profile_exact_values(&eventset, sums[0], values);
	for (size_t i = 0; i < list->number; i++) {
		snprintf(note, sizeof(note), "incomplete: %s: %lld were counted, and %" PRId64 " are in the profile",
			list->events[i].name, values[i], list->events[i].value);
		if (values[i] == list->events[i].value)
			continue;
		papi_profile_message("%s", note);
		papi_profile_exact_note(session, note);
	}
	free(values);
}

/* ---- To the end ---------------------------------------------------------------------------------------- */

static void fail(struct papi_profile_session *session)
{
	papi_profile_message(
		"%s; the raw data stays in %s: 'papi_profile import -o FILE' makes the profile of that directory",
		papi_error_sentence(), directory);
	session->failed = true;
}

static void finish(struct papi_profile_session *session, int eventset, int status)
{
	struct papi_profile_exact exact = { .values = papi_profile_exact_values,
		.argument = &eventset,
		.pid = session->pid,
		.modelled = collector.table->plan.modelled != 0 };

	papi_profile_exact_read(&session->records, directory, &exact);
	if (exact.beyond)
		papi_profile_exact_tell_beyond(session, exact.beyond);
	tell_all_missing(session);
	compare_sums(session, &exact, eventset);
	if (papi_profile_store_progress(session->store, session->elapsed, 0, status) != PAPI_OK ||
		papi_profile_store_commit(session->store) != PAPI_OK)
		fail(session);
}

static int run_and_read(struct papi_profile_session *session, char *path, int eventset)
{
	const char *reason = papi_agent_collector_expect(&collector, path);
	int status;

	if (reason) {
		papi_profile_message("cannot profile '%s': %s", session->command[0], reason);
		return PAPI_PROGRAM_FAILURE;
	}
	status = papi_profile_session_make_store(session);
	if (status)
		return status;
	status = run(session, path);
	if (status < 0) {
		unlink(session->file);
		return -status;
	}
	finish(session, eventset, status);
	return papi_program_exit_status(status);
}

/* ---- For papi_run -------------------------------------------------------------------------------------- */

/* The table that papi_run has made, and whose agents count for both. */
static bool map_table(const struct papi_profile_session *session)
{
	struct stat status;
	void *memory = MAP_FAILED;

	if (fstat(session->table, &status) == 0 && status.st_size == (off_t)sizeof(*collector.table))
		memory = mmap(NULL, sizeof(*collector.table), PROT_READ | PROT_WRITE, MAP_SHARED, session->table, 0);
	collector.descriptor = session->table;
	collector.table = memory == MAP_FAILED ? NULL : memory;
	if (collector.table && collector.table->magic == PAPI_AGENT_MAGIC)
		return true;
	papi_profile_message("descriptor %d is no table of papi_run", session->table);
	return false;
}

/* "STATUS NANOSECONDS" from papi_run, when the program has ended. False: it was not run. Where papi_run is gone, it
 * may run on, and the profile has what there is by now. */
static bool hear_end(struct papi_profile_session *session, int *status)
{
	long long nanoseconds = 0;
	char text[64], *end;
	size_t n = 0;

	while (n < sizeof(text) - 1 && read(session->ready, &text[n], 1) == 1 && text[n] != '\n')
		n++;
	text[n] = '\0';
	*status = -1;
	session->elapsed = now() - session->started;
	if (strcmp(text, "cancel") == 0)
		return false;
	if (n) {
		*status = (int)strtol(text, &end, 10);
		nanoseconds = strtoll(end, NULL, 10);
		session->elapsed = 1e-9 * (double)nanoseconds;
	}
	return true;
}

/* The value of each event, a line for each. */
static void tell_values(const struct papi_profile_session *session)
{
	for (size_t i = 0; i < session->events->number; i++)
		dprintf(session->ready, "%" PRId64 "\n", session->events->events[i].value);
}

static int serve(struct papi_profile_session *session, int eventset)
{
	int status = papi_profile_session_make_store(session);

	if (status)
		return status;
	/* Signals are for papi_run, which passes them on: this ends when the program does. */
	papi_program_block_signals();
	signal(SIGPIPE, SIG_IGN);
	session->started = now();
	if (write(session->ready, "\n", 1) != 1 || !hear_end(session, &status)) {
		unlink(session->file);
		return PAPI_PROGRAM_FAILURE;
	}
	finish(session, eventset, status);
	if (!session->failed)
		tell_values(session);
	return 0;
}

/* ---- A process that runs already ----------------------------------------------------------------------- */

/* Until the process ends, the time is over or a signal comes. */
static void watch(const struct papi_profile_session *session, int process, int signals)
{
	struct pollfd files[] = { { .fd = process, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	bool over = false;

	while (!over) {
		over = poll(files, 2, LOOK_MILLISECONDS) > 0 || papi_process_ended(session->pid) ||
			(session->seconds > 0 && now() - session->started >= session->seconds);
		papi_visit_look();
	}
}

/* The agent is there; what is said of the visit in the end is a note. */
static void visit(struct papi_profile_session *session, int eventset)
{
	int process = (int)syscall(SYS_pidfd_open, session->pid, 0), signals;
	char *note;

	signals = signalfd(-1, papi_program_signals(), SFD_CLOEXEC | SFD_NONBLOCK);
	session->started = now();
	watch(session, process, signals);
	note = papi_visit_end(NULL);
	session->elapsed = now() - session->started;
	papi_profile_box_close(directory);
	finish(session, eventset, -1);
	if (note)
		papi_profile_message("%s", note);
	if (note)
		papi_profile_exact_note(session, note);
	free(note);
	if (process >= 0)
		close(process);
	if (signals >= 0)
		close(signals);
}

static int attach(struct papi_profile_session *session, int eventset)
{
	struct papi_agent_plan *plan = &collector.table->plan;
	const char *reason = NULL;
	int status;

	/* What would end this while the agent comes is heard once it is there, and can leave. */
	papi_program_block_signals();
	if (!papi_visit_open(session->pid, papi_profile_message, &reason)) {
		papi_profile_message("cannot profile process %d exactly: %s", (int)session->pid, reason);
		return PAPI_PROGRAM_FAILURE;
	}
	status = papi_profile_session_make_store(session);
	if (!status && !papi_profile_box_open(session->pid, directory, plan->directory, sizeof(plan->directory))) {
		unlink(session->file);
		status = PAPI_PROGRAM_FAILURE;
	}
	if (!status && papi_visit_begin(collector.descriptor, collector.agent, &reason)) {
		visit(session, eventset);
	} else if (!status) {
		papi_profile_message("cannot profile process %d exactly: %s", (int)session->pid, reason);
		papi_profile_box_close(directory);
		unlink(session->file);
		status = PAPI_PROGRAM_FAILURE;
	}
	papi_visit_close();
	return status;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static bool begin(const struct papi_profile_session *session, const char *path)
{
	const char *reason;

	if (session->table >= 0)
		return map_table(session);
	reason = papi_agent_collector_begin(&collector, PAPI_AGENT_DIRECTORY, path);
	if (reason)
		papi_profile_message("cannot profile '%s' exactly: %s", session->command[0], reason);
	return !reason;
}

int papi_profile_exact_run(struct papi_profile_session *session, char *path)
{
	struct papi_agent_plan *plan;
	int eventset, status;

	for (size_t i = 0; i < session->events->number; i++)
		papi_profile_exact_check(session->events->events[i].name);
	if (!begin(session, path))
		return PAPI_PROGRAM_FAILURE;
	plan = &collector.table->plan;
	eventset = papi_profile_exact_plan(
		session->events, session->rate.graph != PAPI_PROFILE_GRAPH_NONE, session->contexts, plan);
	if (!papi_profile_raw_make(session->file, directory, sizeof(directory))) {
		papi_agent_collector_end(&collector);
		return PAPI_PROGRAM_FAILURE;
	}
	memcpy(plan->directory, directory, sizeof(directory));
	session->began = time(NULL);
	papi_profile_exact_label(session, directory);
	status = session->table >= 0 ? serve(session, eventset)
		: session->pid       ? attach(session, eventset)
				     : run_and_read(session, path, eventset);
	papi_profile_exact_forget(eventset);
	papi_agent_collector_end(&collector);
	if (papi_profile_store_close(session->store) != PAPI_OK && !session->failed)
		fail(session);
	if (!session->failed)
		papi_profile_raw_drop(directory);
	papi_profile_places_free(&session->records.places);
	papi_profile_counts_free(&session->records.counts);
	return status;
}

/* Where all are worth the same that is said once, in the end. */
static bool are_of_a_kind(const struct papi_profile_events *list)
{
	for (size_t i = 1; i < list->number; i++)
		if (strcmp(papi_profile_exact_kind(list->events[i].name),
			    papi_profile_exact_kind(list->events[0].name)) != 0)
			return false;
	return true;
}

void papi_profile_exact_tell(const struct papi_profile_session *session)
{
	const struct papi_profile_events *list = session->events;
	bool same = are_of_a_kind(list);
	char *text = NULL, plain[32], number[64];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < list->number; i++) {
		const char *kind = papi_profile_exact_kind(list->events[i].name);

		snprintf(plain, sizeof(plain), "%" PRId64, list->events[i].value);
		papi_text_group(number, sizeof(number), plain);
		fprintf(out, "%s%s %s", i ? ", " : "", number, list->events[i].name);
		if (!same)
			fprintf(out, " (%s)", kind);
		else if (i + 1 == list->number)
			fprintf(out, ", %s", kind);
	}
	if (out && fclose(out) == 0)
		papi_profile_message("%s, in %.3f s of %s", text, session->elapsed, session->command[0]);
	free(text);
}
