/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_command_line: counts the named events over a small, known piece of work, to see whether they count. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "event_names.h"
#include "events.h"
#include "kinds.h"
#include "options.h"
#include "papi.h"
#include "terminal.h"
#include "text.h"

enum {
	WORK_PAGES = 100,
	WORK_FLOATING_POINT = 1000000,
	WORK_SYSTEM_CALLS = 100,
};

enum { OPTION_BEST_EFFORT = PAPI_TOOL_LONG_ONLY };

/* How a count is written. */
enum notation { NOTATION_OF_EVENT, NOTATION_UNSIGNED, NOTATION_HEXADECIMAL };

static const struct papi_tool_option options[] = {
	{ 'u', "unsigned", NULL, "show the counts as unsigned numbers" },
	{ 'x', "hex", NULL, "show the counts in hexadecimal" },
	{ OPTION_BEST_EFFORT, "best-effort", NULL, "count the others even if an event is unknown" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_command_line",
	.operands = "EVENT...",
	.purpose = "Adds the events to an EventSet, counts them over a small piece of work (100 fresh pages of memory "
		   "touched, a million floating point operations, 100 system calls) and prints the counts.",
	.options = options,
};

/* An EventSet and the names of what is in it. */
struct count {
	int set;
	int number;
	bool is_virtual; /* one at least is counted by translation */
	const char **names;
	long long *values;
};

/* The work that is measured: something that most kinds of event notice. */
static int work(void)
{
	long page_size = sysconf(_SC_PAGESIZE);
	size_t size = (size_t)page_size * WORK_PAGES;
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile double sum = 1.0;

	if (memory == MAP_FAILED)
		return -1;
	/* One huge page would be one fault. */
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += (size_t)page_size)
		memory[i] = 1;
	munmap((void *)memory, size);

	for (int i = 0; i < WORK_FLOATING_POINT; i++)
		sum = sum * 0.5 + 0.5;
	/* The C library might answer from memory. */
	for (int i = 0; i < WORK_SYSTEM_CALLS; i++)
		syscall(SYS_getppid);
	return 0;
}

static void add(struct count *count, const char *name)
{
	char reason[PAPI_HUGE_STR_LEN];
	int code, result = PAPI_add_named_event(count->set, name);

	if (result == PAPI_OK) {
		printf("Successfully added: %s\n", name);
		count->names[count->number++] = name;
		if (PAPI_event_name_to_code(name, &code) == PAPI_OK && papi_event_is_virtual(code))
			count->is_virtual = true;
		return;
	}
	papi_tool_reason(result, reason, sizeof(reason));
	printf("Failed adding: %s\n", name);
	papi_terminal_line("because: ", 9, reason);
}

/* What a count is worth. Beside virtual events the kernel counts their cost, too. */
static const char *kind_of(const struct count *count, const char *name)
{
	int code;

	if (PAPI_event_name_to_code(name, &code) != PAPI_OK)
		return "exact";
	return count->is_virtual && !papi_event_is_virtual(code) ? "affected" : papi_event_kind(code);
}

/* What stands behind the counts that are not exact, each word once. */
static void print_legend(const struct count *count)
{
	const char *blank = "\n";

	for (const struct papi_kind *kind = papi_kinds; kind->name != NULL; kind++) {
		char first[16];

		snprintf(first, sizeof(first), "%s:", kind->name);
		for (int i = 0; i < count->number; i++) {
			if (strcmp(kind_of(count, count->names[i]), kind->name) != 0)
				continue;
			printf("%s", blank);
			blank = "";
			papi_text_wrap(stdout, first, 11, kind->meaning);
			break;
		}
	}
}

/* People get milliseconds for nanoseconds, and groups of digits. */
static void print_count(long long value, const char *units)
{
	bool nanoseconds = strcmp(units, "ns") == 0;
	char number[32], grouped[48];

	if (!papi_terminal_is_output()) {
		printf("%lld", value);
		return;
	}
	if (nanoseconds)
		snprintf(number, sizeof(number), "%.3f", (double)value / 1e6);
	else
		snprintf(number, sizeof(number), "%lld", value);
	papi_text_group(grouped, sizeof(grouped), number);
	printf("%s%s%s", grouped, *units != '\0' ? " " : "", nanoseconds ? "ms" : units);
}

static void print_value(const char *name, long long value, const char *kind, enum notation notation)
{
	PAPI_event_info_t event;
	int code, type = PAPI_DATATYPE_INT64;
	const char *units = "";

	if (PAPI_event_name_to_code(name, &code) == PAPI_OK && PAPI_get_event_info(code, &event) == PAPI_OK) {
		type = event.data_type;
		units = event.units;
	}

	printf("%s : \t", name);
	if (notation == NOTATION_HEXADECIMAL) {
		printf("%#llX", (unsigned long long)value);
	} else if (notation == NOTATION_UNSIGNED) {
		printf("%llu(u)", (unsigned long long)value);
	} else if (type == PAPI_DATATYPE_UINT64) {
		printf("%llu", (unsigned long long)value);
	} else if (type == PAPI_DATATYPE_FP64) {
		double real;

		memcpy(&real, &value, sizeof(real));
		printf("%f", real);
	} else if (type == PAPI_DATATYPE_BIT64) {
		printf("%#llx", (unsigned long long)value);
	} else {
		print_count(value, units);
	}
	if (strcmp(kind, "exact") != 0)
		printf(" (%s)", kind);
	printf("\n");
}

/* Counts over the work; on failure says so and returns 1. */
static int run(const struct count *count)
{
	int result = PAPI_start(count->set);

	if (result != PAPI_OK) {
		papi_tool_complain("the events were added, but counting does not start", result);
		return EXIT_FAILURE;
	}
	int worked = work();
	result = PAPI_stop(count->set, count->values);
	if (worked != 0) {
		fprintf(stderr, "%s: no memory for the work to be counted\n", tool.name);
		return EXIT_FAILURE;
	}
	if (result != PAPI_OK) {
		papi_tool_complain("the counts cannot be read", result);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static int count_events(struct count *count, char **names, int number, enum notation notation)
{
	int result = PAPI_create_eventset(&count->set);

	if (result != PAPI_OK) {
		papi_tool_complain("there is no EventSet to be had", result);
		return EXIT_FAILURE;
	}
	printf("\n");
	for (int i = 0; i < number; i++)
		add(count, names[i]);
	printf("\n");
	if (count->number == 0) {
		printf("No event could be added; papi_avail and papi_native_avail list those of this machine.\n");
		return EXIT_FAILURE;
	}
	/* The first time also counts what is loaded on first use, of this program and of the library. */
	for (int time = 0; time < 2; time++)
		if (run(count) != EXIT_SUCCESS)
			return EXIT_FAILURE;
	for (int i = 0; i < count->number; i++)
		print_value(count->names[i], count->values[i], kind_of(count, count->names[i]), notation);
	print_legend(count);
	return EXIT_SUCCESS;
}

/* Names that mean nothing never pass for counts. */
static void check_names(char *const names[])
{
	bool unknown = false;

	for (; *names != NULL; names++) {
		int code, result = PAPI_event_name_to_code(*names, &code);

		if (!papi_event_means_nothing(result))
			continue;
		papi_event_complain(*names, result);
		unknown = true;
	}
	if (!unknown)
		return;
	fprintf(stderr, "%s: nothing was counted; with --best-effort the other events are\n", tool.name);
	exit(PAPI_TOOL_USAGE);
}

int main(int argc, char **argv)
{
	struct count count = { .set = PAPI_NULL };
	enum notation notation = NOTATION_OF_EVENT;
	bool best_effort = false;
	int letter;

	papi_tool_begin();
	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		if (letter == OPTION_BEST_EFFORT)
			best_effort = true;
		else
			notation = letter == 'x' ? NOTATION_HEXADECIMAL : NOTATION_UNSIGNED;
	}
	if (optind == argc)
		papi_tool_usage_error(&tool, "no event is named; try %s perf::PAGE-FAULTS", tool.name);

	papi_tool_init();
	if (!best_effort)
		check_names(argv + optind);
	int number = argc - optind;
	count.names = calloc((size_t)number, sizeof(*count.names));
	count.values = calloc((size_t)number, sizeof(*count.values));
	int status = EXIT_FAILURE;
	if (count.names == NULL || count.values == NULL)
		fprintf(stderr, "%s: no memory for %d events\n", tool.name, number);
	else
		status = count_events(&count, argv + optind, number, notation);
	free(count.names);
	free(count.values);
	return papi_tool_finish(status);
}
