/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_compare.c - compares what papi_run --save has written of two versions of a program, and says by its exit status
 * whether limits are kept: command line, and the order of things.
 */
#include "papi_compare.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common.h"
#include "escape.h"
#include "whole_file.h"

#define LARGEST (256L << 20) /* bytes of a file that is read */

enum {
	OPTION_LIMIT = 'l',
	OPTION_LIMIT_FILE = PAPI_TOOL_LONG_ONLY,
	OPTION_JSON,
	OPTION_GITHUB,
	OPTION_UPDATE,
	OPTION_BEFORE_PROFILE,
	OPTION_AFTER_PROFILE,
};

static const struct papi_tool_option options[] = {
	{ OPTION_LIMIT, "limit", "EVENT=LIMIT", "how much more of an event there may be: 1% or +1000" },
	{ OPTION_LIMIT_FILE, "limit-file", "FILE", "limits from a file, one in each line" },
	{ OPTION_JSON, "json", NULL, "the comparison as JSON" },
	{ OPTION_GITHUB, "github", NULL, "annotations for GitHub Actions, and a summary in GITHUB_STEP_SUMMARY" },
	{ OPTION_BEFORE_PROFILE, "before-profile", "FILE", "of papi_profile: functions that have changed are named" },
	{ OPTION_AFTER_PROFILE, "after-profile", "FILE", "the other one" },
	{ OPTION_UPDATE, "update", NULL, "make AFTER the new BEFORE: what it counts is accepted" },
	{ 0 },
};

const struct papi_tool papi_compare_tool = {
	.name = "papi_compare",
	.operands = "BEFORE AFTER",
	.purpose =
		"Compares two files that papi_run --save has written. The exit status is 0, 1 if a limit is exceeded, "
		"or 2 if something cannot be compared.",
	.options = options,
};

struct request {
	struct compare_limits limits;
	const char *before, *after;
	const char *before_profile, *after_profile;
	bool json, github, update;
};

void papi_compare_complain(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	papi_escape_terminal(text);
	fprintf(stderr, "papi_compare: %s\n", text);
	free(text);
}

void *papi_compare_grow(void *block, size_t n, size_t size)
{
	void *grown = reallocarray(block, n ? n : 1, size);

	if (grown)
		return grown;
	fputs("papi_compare: out of memory\n", stderr);
	exit(COMPARE_TROUBLE);
}

char *papi_compare_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		return text;
	fputs("papi_compare: out of memory\n", stderr);
	exit(COMPARE_TROUBLE);
}

/* Reads to the end of the file; false with errno. */
static bool read_all(FILE *in, char **text, size_t *length)
{
	size_t room = 0;

	for (;;) {
		if (*length + 1 >= room) {
			room = room ? 2 * room : 1 << 16;
			*text = papi_compare_grow(*text, room, 1);
		}
		errno = 0;
		*length += fread(*text + *length, 1, room - *length - 1, in);
		if (ferror(in) || *length > LARGEST) {
			errno = ferror(in) ? errno : EFBIG;
			return false;
		}
		if (feof(in))
			break;
	}
	(*text)[*length] = '\0';
	return true;
}

char *papi_compare_load(const char *path, size_t *length)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	bool good;

	*length = 0;
	good = in && read_all(in, &text, length);
	if (!good)
		papi_compare_complain("%s: %s", path, strerror(errno));
	if (in)
		fclose(in);
	if (good)
		return text;
	free(text);
	return NULL;
}

static struct request parse(int argc, char **argv)
{
	struct request request = { 0 };
	int letter;

	while ((letter = papi_tool_next_option(&papi_compare_tool, argc, argv)) != -1) {
		switch (letter) {
		case OPTION_LIMIT:
			papi_compare_limits_add(&request.limits, optarg);
			break;
		case OPTION_LIMIT_FILE:
			papi_compare_limits_read(&request.limits, optarg);
			break;
		case OPTION_JSON:
			request.json = true;
			break;
		case OPTION_BEFORE_PROFILE:
			request.before_profile = optarg;
			break;
		case OPTION_AFTER_PROFILE:
			request.after_profile = optarg;
			break;
		case OPTION_GITHUB:
			request.github = true;
			break;
		default:
			request.update = true;
			break;
		}
	}
	if (argc - optind != 2)
		papi_tool_usage_error(&papi_compare_tool,
			argc - optind > 2 ? "there are two files to compare, and no further one"
					  : "there are two files to compare: BEFORE and AFTER");
	request.before = argv[optind];
	request.after = argv[optind + 1];
	if (!request.before_profile != !request.after_profile)
		papi_tool_usage_error(&papi_compare_tool,
			"--before-profile and --after-profile go together: two profiles are compared");
	if (request.json && request.github)
		papi_tool_usage_error(
			&papi_compare_tool, "--json and --github both want standard output: leave out one");
	return request;
}

static void print(const struct compare_result *result, const struct request *request)
{
	if (request->json) {
		papi_compare_data(result);
		return;
	}
	if (request->github)
		papi_compare_github_mute();
	papi_compare_table(result);
	if (request->github) {
		papi_compare_github_unmute();
		if (!papi_compare_github(result))
			exit(COMPARE_TROUBLE);
	}
}

static bool is_there(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/* A count that nobody will be able to compare anything with must not become the baseline. */
static bool is_worth_keeping(const struct compare_side *side)
{
	for (size_t i = 0; i < side->n_events; i++)
		if (!side->events[i].error)
			return true;
	papi_compare_complain("%s: nothing was counted, so it becomes no baseline", side->path);
	return false;
}

static int update(const struct request *request, const struct compare_side *before, const struct compare_side *after)
{
	char reason[256];

	if (!is_worth_keeping(after))
		return COMPARE_TROUBLE;
	if (is_there(request->before) && !before->is_save) {
		papi_compare_complain("%s is left as it is: papi_run --save has not written it", request->before);
		return COMPARE_TROUBLE;
	}
	if (!papi_whole_file_write(request->before, after->text, after->length, reason, sizeof(reason))) {
		papi_compare_complain("cannot write '%s': %s", request->before, reason);
		return COMPARE_TROUBLE;
	}
	return COMPARE_FINE;
}

int main(int argc, char **argv)
{
	struct compare_side before = { 0 }, after = { 0 };
	struct compare_result result = { .before = &before, .after = &after };
	struct request request;
	int status = COMPARE_TROUBLE;
	bool comparable = false, good;

	papi_tool_begin();
	request = parse(argc, argv);
	/* A baseline that is made, and not replaced, is compared with nothing. */
	if (!request.update || is_there(request.before))
		comparable = papi_compare_read(&before, request.before);
	good = papi_compare_read(&after, request.after);
	if (comparable && good) {
		papi_compare_judge(&result, &request.limits);
		papi_compare_differences(&result);
		if (request.before_profile)
			papi_compare_functions(&result, request.before_profile, request.after_profile);
		print(&result, &request);
		status = result.status;
	}
	if (good && request.update)
		status = update(&request, &before, &after);
	return papi_tool_finish(EXIT_SUCCESS) == EXIT_SUCCESS ? status : COMPARE_TROUBLE;
}
