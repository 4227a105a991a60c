/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_error_codes: lists what the functions of the library return when they fail. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "options.h"
#include "papi.h"
#include "terminal.h"

static const struct papi_tool_option options[] = { { 0 } };

static const struct papi_tool tool = {
	.name = "papi_error_codes",
	.purpose = "Lists the codes that functions of the library return, with their names and meanings.",
	.options = options,
};

/* The names, which exist only in the header, by code: PAPI_EINVAL is -1. */
static const char *const names[PAPI_NUM_ERRORS] = {
	[-PAPI_OK] = "PAPI_OK",
	[-PAPI_EINVAL] = "PAPI_EINVAL",
	[-PAPI_ENOMEM] = "PAPI_ENOMEM",
	[-PAPI_ESYS] = "PAPI_ESYS",
	[-PAPI_ECMP] = "PAPI_ECMP",
	[-PAPI_ECLOST] = "PAPI_ECLOST",
	[-PAPI_EBUG] = "PAPI_EBUG",
	[-PAPI_ENOEVNT] = "PAPI_ENOEVNT",
	[-PAPI_ECNFLCT] = "PAPI_ECNFLCT",
	[-PAPI_ENOTRUN] = "PAPI_ENOTRUN",
	[-PAPI_EISRUN] = "PAPI_EISRUN",
	[-PAPI_ENOEVST] = "PAPI_ENOEVST",
	[-PAPI_ENOTPRESET] = "PAPI_ENOTPRESET",
	[-PAPI_ENOCNTR] = "PAPI_ENOCNTR",
	[-PAPI_EMISC] = "PAPI_EMISC",
	[-PAPI_EPERM] = "PAPI_EPERM",
	[-PAPI_ENOINIT] = "PAPI_ENOINIT",
	[-PAPI_ENOCMP] = "PAPI_ENOCMP",
	[-PAPI_ENOSUPP] = "PAPI_ENOSUPP",
	[-PAPI_ENOIMPL] = "PAPI_ENOIMPL",
	[-PAPI_EBUF] = "PAPI_EBUF",
	[-PAPI_EINVAL_DOM] = "PAPI_EINVAL_DOM",
	[-PAPI_EATTR] = "PAPI_EATTR",
	[-PAPI_ECOUNT] = "PAPI_ECOUNT",
	[-PAPI_ECOMBO] = "PAPI_ECOMBO",
	[-PAPI_ECMP_DISABLED] = "PAPI_ECMP_DISABLED",
	[-PAPI_EDELAY_INIT] = "PAPI_EDELAY_INIT",
	[-PAPI_EMULPASS] = "PAPI_EMULPASS",
};

int main(int argc, char **argv)
{
	char version[32];

	papi_tool_begin();
	papi_tool_next_option(&tool, argc, argv);
	papi_tool_init();

	papi_tool_version(version, sizeof(version));
	printf("\n----------------------------------\n");
	printf("For PAPI Version: %s\n", version);
	printf("----------------------------------\n");
	for (int i = 0; i < PAPI_NUM_ERRORS; i++) {
		char first[32], text[PAPI_HUGE_STR_LEN];

		snprintf(first, sizeof(first), "Error code %4d: ", -i);
		snprintf(text, sizeof(text), "%s (%s)", PAPI_strerror(-i), names[i]);
		papi_terminal_line(first, 17, text);
	}
	printf("There are %d error codes defined\n", PAPI_NUM_ERRORS);
	printf("----------------------------------\n");
	return papi_tool_finish(EXIT_SUCCESS);
}
