/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the build makes of tables: the text that embed.sh puts into the library is the text of its files, and a library
 * that was told to read a file (-Devents_file) reads it. This program is linked with such tables of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "events/builtin.h"
#include "files.h"

#ifdef TABLES_EMBEDDED
/* embed.sh leaves out comments and blank lines; everything else is there, byte for byte. */
static void the_text(void)
{
	char *line = NULL, *expected = NULL;
	size_t size = 0, length;
	FILE *file = fopen(TABLES_EMBEDDED, "re"), *stream = open_memstream(&expected, &length);

	REQUIRE(file && stream);
	while (getline(&line, &size, file) > 0)
		if (*line != '#' && line[strspn(line, " \t\n")])
			fputs(line, stream);
	REQUIRE(fclose(stream) == 0);
	EXPECT(length > 0);
	EXPECT_EQUAL((long long)length, (long long)papi_builtin_length());
	EXPECT_TEXT(expected, papi_builtin_tables);
	EXPECT(papi_builtin_file == NULL);
	fclose(file);
	free(line);
	free(expected);
}

static void the_events(void)
{
	files_library_at(NULL, NULL);
	EXPECT_OK(PAPI_query_event(PAPI_L1_DCM));
	EXPECT_TEXT("back\\slash \\n, \"quotes\", 'more', ?"
		    "?/ %s",
		files_info("PAPI_L1_DCM")->note);
	/* Lines are those of the text, which has no comments. */
	EXPECT_ERROR(PAPI_ENOEVNT, "built-in tables:2:20: expected a type such as", PAPI_query_event(PAPI_L1_ICM));
	files_library_end();
	files_library("PRESET,PAPI_L2_DCM,NOT_DERIVED," FAULTS "\n", NULL);
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_L1_DCM is not defined for this CPU", PAPI_query_event(PAPI_L1_DCM));
	EXPECT_OK(PAPI_query_event(PAPI_L2_DCM));
	files_library_end();
}
#else
static void the_text(void)
{
	EXPECT_TEXT(TABLES_FILE, papi_builtin_file);
	EXPECT_EQUAL(0, (long long)papi_builtin_length());
}

static void write_tables(const char *text)
{
	FILE *file = fopen(TABLES_FILE, "we");

	REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Read at run time, each time anew, and not where the environment names another. */
static void the_events(void)
{
	write_tables("PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS "\n");
	files_library_at(NULL, NULL);
	EXPECT_TEXT(FAULTS, files_info("PAPI_L1_DCM")->name[0]);
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_TOT_INS is not defined for this CPU", PAPI_query_event(PAPI_TOT_INS));
	files_library_end();
	write_tables("PRESET,PAPI_L1_DCM,NOT_DERIVED," MINOR_FAULTS "\n");
	files_library_at(NULL, NULL);
	EXPECT_TEXT(MINOR_FAULTS, files_info("PAPI_L1_DCM")->name[0]);
	files_library_end();
	files_library("PRESET,PAPI_L2_DCM,NOT_DERIVED," FAULTS "\n", NULL);
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_L1_DCM is not defined for this CPU", PAPI_query_event(PAPI_L1_DCM));
	files_library_end();
	REQUIRE(remove(TABLES_FILE) == 0);
	files_library_at(NULL, NULL);
	EXPECT_ERROR(PAPI_ENOEVNT, TABLES_FILE ": No such file or directory", PAPI_query_event(PAPI_L1_DCM));
	files_library_end();
}
#endif

int main(void)
{
	static const struct test tests[] = {
		{ "the text", the_text },
		{ "the events", the_events },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
