/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/rows.h"

struct table {
	sqlite3_vtab base;
	const struct papi_profile_rows *rows;
};

struct cursor {
	sqlite3_vtab_cursor base;
	size_t at;
};

static const struct papi_profile_rows *rows_of(const sqlite3_vtab_cursor *cursor)
{
	return ((const struct table *)(const void *)cursor->pVtab)->rows;
}

static size_t *place_in(sqlite3_vtab_cursor *cursor)
{
	return &((struct cursor *)(void *)cursor)->at;
}

static int connect_table(
	sqlite3 *database, void *rows, int n, const char *const *words, sqlite3_vtab **made, char **error)
{
	int status = sqlite3_declare_vtab(database, "CREATE TABLE papi_rows (a, b, c, d, e, f, g)");
	struct table *table;

	(void)n;
	(void)words;
	(void)error;
	if (status != SQLITE_OK)
		return status;
	table = sqlite3_malloc(sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct table){ .rows = rows };
	*made = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

/* There is one way to read it: from the first to the last. */
static int choose_way(sqlite3_vtab *table, sqlite3_index_info *about)
{
	(void)table;
	(void)about;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
	struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct cursor){ .at = 0 };
	*made = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int rewind_cursor(sqlite3_vtab_cursor *cursor, int way, const char *text, int n, sqlite3_value **values)
{
	(void)way;
	(void)text;
	(void)n;
	(void)values;
	*place_in(cursor) = 0;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
	++*place_in(cursor);
	return SQLITE_OK;
}

static int is_behind(sqlite3_vtab_cursor *cursor)
{
	return *place_in(cursor) >= rows_of(cursor)->n;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int number)
{
	sqlite3_result_int64(result, rows_of(cursor)->values[*place_in(cursor)][number]);
	return SQLITE_OK;
}

static int number_of_row(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	*number = (sqlite3_int64)*place_in(cursor);
	return SQLITE_OK;
}

/* Without xCreate, it is there without being made, and in no file. */
int papi_profile_rows_declare(sqlite3 *database, struct papi_profile_rows *rows)
{
	static const sqlite3_module module = {
		.xConnect = connect_table,
		.xBestIndex = choose_way,
		.xDisconnect = disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = rewind_cursor,
		.xNext = next_row,
		.xEof = is_behind,
		.xColumn = column,
		.xRowid = number_of_row,
	};

	return sqlite3_create_module(database, "papi_rows", &module, rows);
}
