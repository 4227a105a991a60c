/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of numbers that one statement of SQLite inserts, which takes a third of the time of as many statements: it reads
 * them from papi_rows, a table that is nowhere but in memory of whoever writes. They stay that one's, and are to be
 * there while the statement runs. For one thread at a time, as the database is.
 */
#ifndef PAPI_PROFILE_ROWS_H
#define PAPI_PROFILE_ROWS_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_PROFILE_COLUMNS 7 /* a, b, c, d, e, f, g */

struct papi_profile_rows {
	const int64_t (*values)[PAPI_PROFILE_COLUMNS];
	size_t n;
};

/* The database has the table papi_rows, with what is in rows when a statement runs. A status of SQLite. */
int papi_profile_rows_declare(sqlite3 *database, struct papi_profile_rows *rows);

#endif
