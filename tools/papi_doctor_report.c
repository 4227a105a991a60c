/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of papi_doctor: lines for people, and JSON whose keys the man page lists; they only ever grow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "common.h"
#include "escape.h"
#include "papi_doctor.h"
#include "terminal.h"
#include "text.h"

enum { FINDING_COLUMN = 26 };

static const char *const statuses[] = { [DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_PROBLEM] = "problem" };

static void print_check(const struct doctor_check *check)
{
	static const enum papi_colour colours[] = {
		[DOCTOR_OK] = PAPI_COLOUR_ASIDE, [DOCTOR_NOTE] = PAPI_COLOUR_DOUBT, [DOCTOR_PROBLEM] = PAPI_COLOUR_ERROR
	};
	const char *status = statuses[check->status];
	char first[64];
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);

	snprintf(first, sizeof(first), "  %-8s %s", status, check->label);
	papi_text_wrap(lines != NULL ? lines : stdout, first, FINDING_COLUMN, check->finding);
	/* Wrapped without the colour, which has no width, and then written with it: two blanks, the status, the
	 * rest. */
	if (lines != NULL && fclose(lines) == 0) {
		printf("  ");
		papi_terminal_print(stdout, papi_terminal_has_colours(STDOUT_FILENO), colours[check->status], status);
		printf("%s", text + 2 + strlen(status));
	}
	free(text);
	/* A setting that is as it should be needs no change, though more might be had. */
	if (*check->remedy && check->status != DOCTOR_OK)
		papi_text_wrap(stdout, "           to change it:", FINDING_COLUMN, check->remedy);
}

void papi_doctor_print_text(const struct doctor *doctor)
{
	char verdict[2 * DOCTOR_TEXT];

	printf("What can be counted here, and why not more:\n\n");
	if (!doctor->live)
		printf("The machine is the record in %s; no counter was opened.\n\n", papi_linux_root());
	for (int i = 0; i < doctor->n_checks; i++)
		print_check(&doctor->checks[i]);
	papi_doctor_verdict(doctor, verdict, sizeof(verdict));
	printf("\n");
	papi_text_wrap(stdout, "", 0, verdict);
}

static void print_value(const struct doctor_value *value)
{
	switch (value->type) {
	case DOCTOR_BOOLEAN:
		printf("%s", value->number ? "true" : "false");
		break;
	case DOCTOR_NUMBER:
		printf("%lld", value->number);
		break;
	case DOCTOR_STRING:
		papi_escape_json(stdout, value->text);
		break;
	case DOCTOR_UNKNOWN:
		printf("null");
	}
}

static void print_text(const char *key, const char *text)
{
	printf("\"%s\": ", key);
	papi_escape_json(stdout, text);
}

static void print_number(const char *key, int number)
{
	if (number < 0)
		printf("\"%s\": null", key);
	else
		printf("\"%s\": %d", key, number);
}

static void print_json_check(const struct doctor_check *check, bool last)
{
	printf("    {");
	print_text("name", check->name);
	printf(", ");
	print_text("status", statuses[check->status]);
	printf(", \"value\": ");
	print_value(&check->value);
	printf(",\n     ");
	print_text("finding", check->finding);
	printf(",\n     \"remedy\": ");
	if (*check->remedy)
		papi_escape_json(stdout, check->remedy);
	else
		printf("null");
	printf("}%s\n", last ? "" : ",");
}

void papi_doctor_print_json(const struct doctor *doctor)
{
	char verdict[2 * DOCTOR_TEXT], version[32];
	bool truth[] = { doctor->hardware == 0, doctor->software == 0, doctor->kernel_mode == 0,
		doctor->whole_cpus == 0 };
	static const char *const names[] = { "hardware", "software", "kernel_mode", "whole_cpus" };

	papi_tool_version(version, sizeof(version));
	papi_doctor_verdict(doctor, verdict, sizeof(verdict));
	printf("{\n  ");
	print_text("version", version);
	printf(",\n  \"recorded\": %s,\n  \"tried\": %s,\n  ", doctor->live ? "false" : "true",
		doctor->tried ? "true" : "false");
	print_text("verdict", verdict);
	printf(",\n  \"can_count\": {");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		printf("%s\"%s\": %s", i ? ", " : "", names[i], truth[i] ? "true" : "false");
	printf("},\n  \"presets\": {");
	print_number("available", doctor->presets_available);
	printf(", ");
	print_number("known", doctor->presets);
	printf("},\n  \"checks\": [\n");
	for (int i = 0; i < doctor->n_checks; i++)
		print_json_check(&doctor->checks[i], i == doctor->n_checks - 1);
	printf("  ]\n}\n");
}
