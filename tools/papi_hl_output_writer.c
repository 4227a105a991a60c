/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hl_output_writer: merges what the ranks and threads of a run have written about their regions. */
#include "papi_hl_output_writer.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "escape.h"

static const struct papi_tool_option options[] = {
	{ 's', "source", "PATH",
		"a directory of rank_N.json, or one such file; may be given several times (papi_hl_output)" },
	{ 'f', "format", "FORMAT", "table, json or csv (table)" },
	{ 't', "type", "TYPE",
		"summary: total, minimum, median and maximum over threads; accumulate: totals; detail: each rank and "
		"thread (summary)" },
	{ 'n', "notation", "NOTATION", "derived: rates such as IPC, too; raw: only what was counted (derived)" },
	{ 'g', "group", "GROUP,...", "metrics, too, of those groups: flops, cache, ... (papi_run --list-groups)" },
	{ 'r', "roofline", "FILE", "draw the regions under the roofs of this machine: FILE.svg or FILE.html" },
	{ 'T', "times", "PATH",
		"with -r: take the times from this run of the program, in which nothing made it slower" },
	{ 'o', "output", "FILE", "write there instead of to standard output" },
	{ 0 },
};

const struct papi_tool writer_tool = {
	.name = "papi_hl_output_writer",
	.purpose = "Merges what the ranks and threads of a program have counted in its regions.",
	.options = options,
};

typedef void (*printer)(FILE *stream, const struct writer_run *run, enum writer_type type);

struct request {
	printer print;
	enum writer_type type;
	bool rates;
	const char *output;
	const char *groups;   /* NULL: none */
	const char *roofline; /* likewise */
	const char *times;    /* likewise */
	const char **sources;
	unsigned n_sources;
};

static printer parse_format(const char *text)
{
	if (strcasecmp(text, "table") == 0)
		return writer_print_table;
	if (strcasecmp(text, "json") == 0)
		return writer_print_json;
	if (strcasecmp(text, "csv") == 0)
		return writer_print_csv;
	papi_tool_usage_error(&writer_tool, "--format is table, json or csv, not '%s'", text);
}

static enum writer_type parse_type(const char *text)
{
	if (strcasecmp(text, "summary") == 0)
		return WRITER_SUMMARY;
	if (strcasecmp(text, "accumulate") == 0)
		return WRITER_ACCUMULATE;
	if (strcasecmp(text, "detail") == 0 || strcasecmp(text, "detailed") == 0)
		return WRITER_DETAIL;
	papi_tool_usage_error(&writer_tool, "--type is summary, accumulate or detail, not '%s'", text);
}

static bool parse_notation(const char *text)
{
	if (strcasecmp(text, "derived") == 0)
		return true;
	if (strcasecmp(text, "raw") != 0)
		papi_tool_usage_error(&writer_tool, "--notation is derived or raw, not '%s'", text);
	return false;
}

static struct request parse(int argc, char **argv)
{
	struct request request = { .print = writer_print_table, .rates = true };
	int letter;

	request.sources = writer_grow(NULL, (size_t)argc + 1, sizeof(request.sources[0]));
	while ((letter = papi_tool_next_option(&writer_tool, argc, argv)) != -1) {
		switch (letter) {
		case 's':
			request.sources[request.n_sources++] = optarg;
			break;
		case 'f':
			request.print = parse_format(optarg);
			break;
		case 't':
			request.type = parse_type(optarg);
			break;
		case 'n':
			request.rates = parse_notation(optarg);
			break;
		case 'g':
			request.groups = optarg;
			break;
		case 'r':
			request.roofline = optarg;
			break;
		case 'T':
			request.times = optarg;
			break;
		case 'o':
			request.output = optarg;
			break;
		}
	}
	if (request.times && !request.roofline)
		papi_tool_usage_error(&writer_tool, "--times is for the picture of --roofline");
	if (!request.n_sources)
		request.sources[request.n_sources++] = "papi_hl_output";
	return request;
}

/* Sums over some ranks only are easily taken for sums over all. */
static void warn_of_differences(const struct writer_run *run)
{
	for (unsigned i = 0; i < run->n_events; i++)
		if (run->events[i].in_files && run->events[i].in_files < run->n_files)
			fprintf(stderr,
				"papi_hl_output_writer: %s was counted in %u of %u ranks; what is said about it is "
				"said of those\n",
				run->events[i].name, run->events[i].in_files, run->n_files);
}

/* A name that was misspelt in PAPI_EVENTS must not look like one that nobody asked for. */
static void warn_of_refusals(const struct writer_run *run)
{
	for (unsigned i = 0; i < run->n_refusals; i++) {
		char *name = writer_copy(run->refusals[i].name), *reason = writer_copy(run->refusals[i].reason);

		papi_escape_terminal(name);
		papi_escape_terminal(reason);
		fprintf(stderr, "papi_hl_output_writer: %s was not counted: %s\n", name, reason);
		free(name);
		free(reason);
	}
}

static int print_to(const struct request *request, const struct writer_run *run)
{
	FILE *stream = fopen(request->output, "w");
	int error = stream ? 0 : errno;

	if (stream) {
		errno = 0;
		request->print(stream, run, request->type);
		if (ferror(stream) || fflush(stream) != 0)
			error = errno ? errno : EIO;
		if (fclose(stream) != 0 && !error)
			error = errno;
	}
	if (!error)
		return EXIT_SUCCESS;
	fprintf(stderr, "papi_hl_output_writer: %s: %s\n", request->output, strerror(error));
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct writer_run run = { 0 }, times = { 0 };
	struct request request;
	int status = EXIT_SUCCESS;
	bool good = true;

	papi_tool_begin();
	request = parse(argc, argv);
	papi_tool_check_environment();
	/* All the mistakes there are, before the end. */
	for (unsigned i = 0; i < request.n_sources; i++)
		good &= writer_read(&run, request.sources[i]);
	if (request.times)
		good &= writer_read(&times, request.times);
	if (!good)
		return papi_tool_finish(EXIT_FAILURE);
	warn_of_differences(&run);
	warn_of_refusals(&run);
	writer_find_quantities(&run, request.rates);
	if (request.groups)
		writer_add_metrics(&run, request.groups);
	if (request.roofline && !writer_draw_roofline(&run, request.times ? &times : &run, request.roofline))
		return papi_tool_finish(EXIT_FAILURE);
	if (request.output)
		status = print_to(&request, &run);
	else
		request.print(stdout, &run, request.type);
	return papi_tool_finish(status);
}
