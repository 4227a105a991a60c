/* SPDX-License-Identifier: BSD-3-Clause */
#include "hello.h"

#include <stdlib.h>
#include <time.h>

#include "common.h"
#include "escape.h"
#include "papi.h"
#include "perfometer.h"

void papi_perfometer_write_hello(struct papi_journal *journal, char *const command[], int rate)
{
	FILE *out = papi_journal_write(journal, PAPI_JOURNAL_LASTING, 0, 0);
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	char started[32], version[32], *words = papi_perfometer_format("%s", "");
	time_t now = time(NULL);
	struct tm utc;

	for (size_t i = 0; command[i]; i++) {
		char *longer = papi_perfometer_format("%s%s%s", words, i ? " " : "", command[i]);

		free(words);
		words = longer;
	}
	papi_tool_version(version, sizeof(version));
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	fputs("{\"type\":\"hello\",\"version\":1,\"program\":", out);
	papi_escape_json(out, words);
	fputs(",\"machine\":", out);
	papi_escape_json(out, hardware ? hardware->model_string : "");
	fprintf(out, ",\"started\":\"%s\",\"interval_ms\":%g,\"tool\":\"perfometer %s\"}", started, 1000.0 / rate,
		version);
	papi_journal_done(journal);
	free(words);
}
