/* SPDX-License-Identifier: BSD-3-Clause */
/* Page PAPI_encode_events: the presets as the tool prints them, edited, and loaded again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reference.h"

/* Of the lines of the tool the preset's own, with another description. */
static void edit(FILE *from, FILE *to)
{
	char line[8192];
	int edited = 0;

	while (fgets(line, sizeof(line), from)) {
		char *text = strstr(line, "Instructions completed");

		if (strncmp(line, "PAPI_TOT_INS,", 13) == 0 && text) {
			memcpy(text, "Edited by hand", 14);
			edited++;
		}
		fputs(line, to);
	}
	EXPECT_EQUAL(1, edited);
}

/* The presets of the tests are in a file of this process only: the tool gets that file as its standard input. */
static FILE *run_tool(void)
{
	const char *tool = getenv("PAPI_DECODE"), *presets = getenv("PAPI_CSV_EVENT_FILE");
	char command[8192];

	REQUIRE(tool != NULL && presets != NULL);
	snprintf(command, sizeof(command), "PAPI_CSV_EVENT_FILE=/dev/stdin '%s' -a", tool);
	REQUIRE(freopen(presets, "r", stdin) != NULL);
	return popen(command, "r");
}

void example(void)
{
	char path[] = "/tmp/papi-encode-XXXXXX";
	PAPI_event_info_t info;
	int file = mkstemp(path);
	FILE *from, *to;

	REQUIRE(file >= 0);
	from = run_tool();
	to = fdopen(file, "w");
	REQUIRE(from && to);
	edit(from, to);
	EXPECT_EQUAL(0, pclose(from));
	EXPECT_EQUAL(0, fclose(to));

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_encode_events(path, 1));
	EXPECT_OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
	EXPECT(strstr(info.long_descr, "Edited by hand"));
	unlink(path);
}
