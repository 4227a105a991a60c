/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "profile/rows.h"

/*
 * No foreign keys are enforced: rows are written by one careful writer, thousands in a second. Numbers of rows begin
 * with 1, so that 0 is free for "none" where a primary key needs a value.
 */
static const char tables[] =
	"CREATE TABLE run (command TEXT, directory TEXT, started TEXT, seconds REAL, machine TEXT, kernel TEXT,"
	" version TEXT, source TEXT, status INTEGER, lost INTEGER);"
	"CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT NOT NULL, native TEXT, unit TEXT, kind TEXT,"
	" period INTEGER, frequency INTEGER, user INTEGER, kernel INTEGER, note TEXT);"
	"CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER, parent INTEGER REFERENCES process, name TEXT,"
	" command TEXT);"
	"CREATE TABLE thread (id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process, tid INTEGER,"
	" name TEXT);"
	"CREATE TABLE module (id INTEGER PRIMARY KEY, path TEXT NOT NULL, build_id TEXT, kind TEXT NOT NULL,"
	" process INTEGER REFERENCES process, UNIQUE (path, build_id, kind, process));"
	"CREATE TABLE address (id INTEGER PRIMARY KEY, module INTEGER NOT NULL REFERENCES module,"
	" offset INTEGER NOT NULL);"
	"CREATE TABLE context (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES context,"
	" address INTEGER NOT NULL REFERENCES address);"
	"CREATE TABLE region (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE count (thread INTEGER NOT NULL REFERENCES thread, event INTEGER NOT NULL REFERENCES event,"
	" context INTEGER NOT NULL DEFAULT 0, address INTEGER NOT NULL REFERENCES address,"
	" region INTEGER NOT NULL DEFAULT 0, samples INTEGER NOT NULL, value INTEGER NOT NULL,"
	" PRIMARY KEY (thread, event, context, address, region))"
	" WITHOUT ROWID;"
	"CREATE TABLE call (thread INTEGER NOT NULL REFERENCES thread, event INTEGER NOT NULL REFERENCES event,"
	" site INTEGER NOT NULL REFERENCES address, callee INTEGER NOT NULL REFERENCES address,"
	" region INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL, value INTEGER NOT NULL,"
	" PRIMARY KEY (thread, event, site, callee, region)) WITHOUT ROWID;"
	"CREATE TABLE path (thread INTEGER NOT NULL REFERENCES thread, event INTEGER NOT NULL REFERENCES event,"
	" context INTEGER NOT NULL DEFAULT 0, callee INTEGER NOT NULL REFERENCES address,"
	" region INTEGER NOT NULL DEFAULT 0, calls INTEGER NOT NULL, value INTEGER NOT NULL,"
	" PRIMARY KEY (thread, event, context, callee, region)) WITHOUT ROWID;"
	"CREATE TABLE function (id INTEGER PRIMARY KEY, module INTEGER NOT NULL REFERENCES module, name TEXT NOT NULL,"
	" linkage TEXT, low INTEGER, high INTEGER, file TEXT, line INTEGER);"
	"CREATE TABLE location (address INTEGER NOT NULL REFERENCES address, depth INTEGER NOT NULL,"
	" function INTEGER REFERENCES function, file TEXT, line INTEGER, PRIMARY KEY (address, depth)) WITHOUT ROWID;";

/* Statements that run again and again, prepared once. */
enum statement {
	ADDRESS, /* these have many rows */
	COUNT,
	CALL,
	PATH,
	CONTEXT,
	BATCHES,
	EVENT = BATCHES,
	EVENT_NOTE,
	PROCESS,
	PROCESS_NAME,
	THREAD,
	THREAD_NAME,
	REGION,
	MODULE,
	PROGRESS,
	STATEMENTS
};

#define BATCH 2048 /* rows that a statement writes at most */

static const char *const texts[STATEMENTS] = {
	[EVENT] = "INSERT INTO event VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	[EVENT_NOTE] = "UPDATE event SET note = ?2 WHERE id = ?1",
	[PROCESS] = "INSERT INTO process VALUES (?1, ?2, ?3, ?4, NULL)",
	[PROCESS_NAME] = "UPDATE process SET name = ?2, command = coalesce(?3, command) WHERE id = ?1",
	[THREAD] = "INSERT INTO thread VALUES (?1, ?2, ?3, ?4)",
	[THREAD_NAME] = "UPDATE thread SET name = ?2 WHERE id = ?1",
	[REGION] = "INSERT INTO region VALUES (?1, ?2)",
	[MODULE] = "INSERT INTO module VALUES (?1, ?2, ?3, ?4, ?5)",
	[ADDRESS] = "INSERT INTO address SELECT a, b, c FROM papi_rows",
	[CONTEXT] = "INSERT INTO context SELECT a, nullif(b, 0), c FROM papi_rows",
	/* WHERE, so that ON is no part of a join. */
	[COUNT] = ("INSERT INTO count SELECT a, b, c, d, e, f, g FROM papi_rows WHERE true ON CONFLICT DO UPDATE SET"
		   " samples = samples + excluded.samples, value = value + excluded.value"),
	[CALL] = ("INSERT INTO call SELECT a, b, c, d, e, f, g FROM papi_rows WHERE true ON CONFLICT DO UPDATE SET"
		  " calls = calls + excluded.calls, value = value + excluded.value"),
	[PATH] = ("INSERT INTO path SELECT a, b, c, d, e, f, g FROM papi_rows WHERE true ON CONFLICT DO UPDATE SET"
		  " calls = calls + excluded.calls, value = value + excluded.value"),
	[PROGRESS] = "UPDATE run SET seconds = ?1, lost = ?2, status = ?3",
};

struct papi_profile_store {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENTS];
	char *path;
	char *failure; /* why nothing more is written; NULL: all is well */
	bool begun;    /* a transaction */
	struct {
		int64_t values[BATCH][PAPI_PROFILE_COLUMNS];
		size_t n;
	} batches[BATCHES];            /* still to be written */
	struct papi_profile_rows rows; /* that are being written */
};

/* ---- The file ------------------------------------------------------------------------------------------ */

/* KiB, negative as SQLite has it: what a transaction writes is written once, as far as it finds room there. */
#define CACHE "-32768"

/* How long a commit waits for somebody who reads the file, in milliseconds; the last one has more patience. */
#define READER_WAIT 100
#define LAST_WAIT   10000

#define HEADER         100
#define APPLICATION_AT 68

static uint32_t big_endian(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Whether the open file may be replaced. */
static int check_file(const char *path, int file)
{
	unsigned char header[HEADER];
	struct stat status;
	ssize_t got;

	if (fstat(file, &status) != 0)
		return papi_error(PAPI_ESYS, "cannot look at '%.512s': %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return papi_error(PAPI_EINVAL, "'%.512s' is no file that a profile can be written to%s", path,
			S_ISDIR(status.st_mode) ? ", but a directory" : "");
	got = pread(file, header, sizeof(header), 0);
	if (got < 0)
		return papi_error(PAPI_ESYS, "cannot read '%.512s': %s", path, strerror(errno));
	if (got == 0 ||
		(got == HEADER && !memcmp(header, "SQLite format 3", 16) &&
			big_endian(header + APPLICATION_AT) == PAPI_PROFILE_APPLICATION))
		return PAPI_OK;
	return papi_error(PAPI_EINVAL,
		"'%.512s' is there already and is no profile: it is not overwritten; give another name, or delete it",
		path);
}

int papi_profile_store_check(const char *path)
{
	int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK), status;
	bool made = false;

	if (file < 0 && errno == ENOENT) {
		file = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
		made = file >= 0;
	}
	if (file < 0 && errno == EISDIR)
		return papi_error(
			PAPI_EINVAL, "'%.512s' is no file that a profile can be written to, but a directory", path);
	if (file < 0)
		return papi_error(PAPI_ESYS, "cannot write '%.512s': %s", path, strerror(errno));
	status = check_file(path, file);
	close(file);
	if (made)
		unlink(path);
	return status;
}

/* The profile before this one, and what a writer that was killed may have left beside it. */
static int remove_old(const char *path)
{
	static const char *const suffixes[] = { "", "-journal", "-wal", "-shm" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		char *name;
		int failed;

		if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
			return papi_error(PAPI_ENOMEM, "no memory for a profile");
		failed = unlink(name) != 0 && errno != ENOENT;
		free(name);
		if (failed)
			return papi_error(PAPI_ESYS, "cannot replace '%.512s': %s", path, strerror(errno));
	}
	return PAPI_OK;
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

/* Remembers the first failure. */
static int failed(struct papi_profile_store *store)
{
	if (!store->failure &&
		asprintf(&store->failure, "cannot write '%s': %s%s", store->path, sqlite3_errmsg(store->database),
			sqlite3_errcode(store->database) == SQLITE_FULL ? "; make room, or give another file with -o"
									: "") < 0)
		store->failure = NULL;
	return papi_error(PAPI_ESYS, "%.900s", store->failure ? store->failure : "no memory for a profile");
}

static int execute(struct papi_profile_store *store, const char *text)
{
	return sqlite3_exec(store->database, text, NULL, NULL, NULL) == SQLITE_OK ? PAPI_OK : failed(store);
}

/* The statement, inside of a transaction; NULL after a failure. */
static sqlite3_stmt *take(struct papi_profile_store *store, enum statement which)
{
	if (store->failure) {
		failed(store);
		return NULL;
	}
	if (!store->begun && execute(store, "BEGIN IMMEDIATE") != PAPI_OK)
		return NULL;
	store->begun = true;
	return store->statements[which];
}

static int step(struct papi_profile_store *store, sqlite3_stmt *statement)
{
	int status = sqlite3_step(statement) == SQLITE_DONE ? PAPI_OK : failed(store);

	sqlite3_reset(statement);
	return status;
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

/* 0 stands for none. */
static void bind_optional(sqlite3_stmt *statement, int place, int64_t value)
{
	if (value)
		sqlite3_bind_int64(statement, place, value);
	else
		sqlite3_bind_null(statement, place);
}

static int write_batch(struct papi_profile_store *store, enum statement which)
{
	sqlite3_stmt *statement;

	if (!store->batches[which].n)
		return PAPI_OK;
	statement = take(store, which);
	store->rows = (struct papi_profile_rows){ store->batches[which].values, store->batches[which].n };
	store->batches[which].n = 0;
	return statement ? step(store, statement) : PAPI_ESYS;
}

/* A row of numbers, which is written with others. */
static int put_row(struct papi_profile_store *store, enum statement which, const int64_t values[PAPI_PROFILE_COLUMNS])
{
	memcpy(store->batches[which].values[store->batches[which].n++], values, PAPI_PROFILE_COLUMNS * sizeof(*values));
	return store->batches[which].n == BATCH ? write_batch(store, which) : PAPI_OK;
}

int papi_profile_store_event(struct papi_profile_store *store, int64_t id, const struct papi_profile_event_row *event)
{
	sqlite3_stmt *statement = take(store, EVENT);

	if (!statement)
		return PAPI_ESYS;
	sqlite3_bind_int64(statement, 1, id);
	bind_text(statement, 2, event->name);
	bind_text(statement, 3, event->native);
	bind_text(statement, 4, event->unit);
	bind_text(statement, 5, event->kind);
	bind_optional(statement, 6, event->period);
	bind_optional(statement, 7, event->frequency);
	sqlite3_bind_int(statement, 8, event->user);
	sqlite3_bind_int(statement, 9, event->kernel);
	bind_text(statement, 10, event->note);
	return step(store, statement);
}

/* A row's number and a text or two. */
static int write_texts(
	struct papi_profile_store *store, enum statement which, int64_t id, const char *first, const char *second)
{
	sqlite3_stmt *statement = take(store, which);

	if (!statement)
		return PAPI_ESYS;
	sqlite3_bind_int64(statement, 1, id);
	bind_text(statement, 2, first);
	if (which == PROCESS_NAME)
		bind_text(statement, 3, second);
	return step(store, statement);
}

int papi_profile_store_event_note(struct papi_profile_store *store, int64_t id, const char *note)
{
	return write_texts(store, EVENT_NOTE, id, note, NULL);
}

int papi_profile_store_process_name(struct papi_profile_store *store, int64_t id, const char *name, const char *command)
{
	return write_texts(store, PROCESS_NAME, id, name, command);
}

int papi_profile_store_thread_name(struct papi_profile_store *store, int64_t id, const char *name)
{
	return write_texts(store, THREAD_NAME, id, name, NULL);
}

int papi_profile_store_region(struct papi_profile_store *store, int64_t id, const char *name)
{
	return write_texts(store, REGION, id, name, NULL);
}

int papi_profile_store_process(
	struct papi_profile_store *store, int64_t id, int64_t pid, int64_t parent, const char *name)
{
	sqlite3_stmt *statement = take(store, PROCESS);

	if (!statement)
		return PAPI_ESYS;
	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int64(statement, 2, pid);
	bind_optional(statement, 3, parent);
	bind_text(statement, 4, name);
	return step(store, statement);
}

int papi_profile_store_thread(
	struct papi_profile_store *store, int64_t id, int64_t process, int64_t tid, const char *name)
{
	sqlite3_stmt *statement = take(store, THREAD);

	if (!statement)
		return PAPI_ESYS;
	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int64(statement, 2, process);
	sqlite3_bind_int64(statement, 3, tid);
	bind_text(statement, 4, name);
	return step(store, statement);
}

int papi_profile_store_module(struct papi_profile_store *store, int64_t id, const char *path, const char *build_id,
	const char *kind, int64_t process)
{
	sqlite3_stmt *statement = take(store, MODULE);

	if (!statement)
		return PAPI_ESYS;
	sqlite3_bind_int64(statement, 1, id);
	bind_text(statement, 2, path);
	bind_text(statement, 3, build_id);
	bind_text(statement, 4, kind);
	bind_optional(statement, 5, process);
	return step(store, statement);
}

int papi_profile_store_address(struct papi_profile_store *store, int64_t id, int64_t module, uint64_t offset)
{
	/* SQLite has no unsigned numbers: addresses of the kernel are negative. */
	return put_row(store, ADDRESS, (int64_t[PAPI_PROFILE_COLUMNS]){ id, module, (int64_t)offset });
}

int papi_profile_store_context(struct papi_profile_store *store, int64_t id, int64_t parent, int64_t address)
{
	return put_row(store, CONTEXT, (int64_t[PAPI_PROFILE_COLUMNS]){ id, parent, address });
}

int papi_profile_store_count(
	struct papi_profile_store *store, const struct papi_profile_count_key *key, int64_t samples, int64_t value)
{
	return put_row(store, COUNT,
		(int64_t[]){ key->thread, key->event, key->context, key->address, key->region, samples, value });
}

static int put_call(struct papi_profile_store *store, enum statement which, const struct papi_profile_call_key *key,
	int64_t calls, int64_t value)
{
	return put_row(store, which,
		(int64_t[]){ key->thread, key->event, key->from, key->callee, key->region, calls, value });
}

int papi_profile_store_call(
	struct papi_profile_store *store, const struct papi_profile_call_key *key, int64_t calls, int64_t value)
{
	return put_call(store, CALL, key, calls, value);
}

int papi_profile_store_path(
	struct papi_profile_store *store, const struct papi_profile_call_key *key, int64_t calls, int64_t value)
{
	return put_call(store, PATH, key, calls, value);
}

int papi_profile_store_progress(struct papi_profile_store *store, double seconds, int64_t lost, int status)
{
	sqlite3_stmt *statement = take(store, PROGRESS);

	if (!statement)
		return PAPI_ESYS;
	sqlite3_bind_double(statement, 1, seconds);
	sqlite3_bind_int64(statement, 2, lost);
	if (status < 0)
		sqlite3_bind_null(statement, 3);
	else
		sqlite3_bind_int(statement, 3, status);
	return step(store, statement);
}

int papi_profile_store_commit(struct papi_profile_store *store)
{
	int status = PAPI_OK;

	for (enum statement which = 0; which < BATCHES && status == PAPI_OK; which++)
		status = write_batch(store, which);
	if (status != PAPI_OK || store->failure)
		return failed(store);
	if (!store->begun)
		return PAPI_OK;
	status = sqlite3_exec(store->database, "COMMIT", NULL, NULL, NULL);
	/* Somebody reads it just now: the next commit has what this one would have. */
	if (status == SQLITE_BUSY)
		return PAPI_OK;
	store->begun = false;
	return status == SQLITE_OK ? PAPI_OK : failed(store);
}

/* ---- Making it ----------------------------------------------------------------------------------------- */

static int write_run(struct papi_profile_store *store, const struct papi_profile_run_row *run)
{
	const char *const values[] = { run->command, run->directory, run->started, run->machine, run->kernel,
		run->version, run->source };
	sqlite3_stmt *statement;
	int status;

	if (sqlite3_prepare_v2(store->database,
		    "INSERT INTO run (command, directory, started, machine, kernel, version, source, seconds, lost)"
		    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0)",
		    -1, &statement, NULL) != SQLITE_OK)
		return failed(store);
	for (int i = 0; i < (int)(sizeof(values) / sizeof(values[0])); i++)
		bind_text(statement, i + 1, values[i]);
	status = step(store, statement);
	sqlite3_finalize(statement);
	return status;
}

/*
 * The journal of SQLite makes a transaction whole when the writer is killed. It does not wait for the disk: that is for
 * power failures, and would disturb the program that is measured.
 */
static int set_up(struct papi_profile_store *store, const struct papi_profile_run_row *run)
{
	char identity[96];
	int status;

	snprintf(identity, sizeof(identity), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		PAPI_PROFILE_APPLICATION, PAPI_PROFILE_SCHEMA);
	sqlite3_busy_timeout(store->database, READER_WAIT);
	status = execute(store, "PRAGMA synchronous = OFF; PRAGMA cache_size = " CACHE "; BEGIN IMMEDIATE");
	store->begun = status == PAPI_OK;
	if (status == PAPI_OK)
		status = execute(store, identity);
	if (status == PAPI_OK)
		status = execute(store, tables);
	for (int i = 0; i < STATEMENTS && status == PAPI_OK; i++)
		if (sqlite3_prepare_v3(store->database, texts[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i],
			    NULL) != SQLITE_OK)
			status = failed(store);
	if (status == PAPI_OK)
		status = write_run(store, run);
	return status == PAPI_OK ? papi_profile_store_commit(store) : status;
}

int papi_profile_store_create(
	const char *path, const struct papi_profile_run_row *run, struct papi_profile_store **store)
{
	struct papi_profile_store *made;
	int status = papi_profile_store_check(path);

	if (status == PAPI_OK)
		status = remove_old(path);
	if (status != PAPI_OK)
		return status;
	made = calloc(1, sizeof(*made));
	/* Names such as :memory: mean something else to SQLite. */
	if (!made || asprintf(&made->path, "%s%s", *path == '/' ? "" : "./", path) < 0) {
		free(made);
		return papi_error(PAPI_ENOMEM, "no memory for a profile");
	}
	if (sqlite3_open_v2(made->path, &made->database,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
		papi_profile_rows_declare(made->database, &made->rows) != SQLITE_OK)
		status = failed(made);
	else
		status = set_up(made, run);
	if (status == PAPI_OK) {
		*store = made;
		return PAPI_OK;
	}
	papi_profile_store_close(made);
	return status;
}

int papi_profile_store_close(struct papi_profile_store *store)
{
	int status;

	if (!store)
		return PAPI_OK;
	sqlite3_busy_timeout(store->database, LAST_WAIT);
	status = papi_profile_store_commit(store);
	if (status == PAPI_OK && store->begun)
		status = failed(store);
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->database);
	free(store->failure);
	free(store->path);
	free(store);
	return status;
}
