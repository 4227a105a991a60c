/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hybrid_native_avail: lists the native events of each kind of cores, on CPUs that have several. */
#include <getopt.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "common.h"
#include "event_detail.h"
#include "native_list.h"
#include "options.h"
#include "papi.h"
#include "text.h"

#define DEVICES "/sys/bus/event_source/devices"

enum { LETTER_NO_QUALIFIERS = PAPI_TOOL_LONG_ONLY, KINDS_MAX = 16 };

static const struct papi_tool_option options[] = {
	{ 'c', "check", NULL, "only events that an EventSet accepts when they are added" },
	{ 'e', "event", "NAME", "all that is known about one event" },
	{ 'i', "include", "STR", "only events with STR in their name" },
	{ 'x', "exclude", "STR", "no events with STR in their name" },
	{ LETTER_NO_QUALIFIERS, "noqual", NULL, "leave out the masks of the events" },
	PAPI_TOOL_VERBOSE,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_hybrid_native_avail",
	.purpose = "Lists the native events of each kind of cores, on CPUs whose cores are of several kinds; those of "
		   "other CPUs as papi_native_avail does.",
	.options = options,
};

/* A kind of cores, as the kernel has it: a PMU with CPUs of its own. */
struct kind {
	char pmu[64];
	char cpus[128];
};

static struct kind kinds[KINDS_MAX];
static int n_kinds;

static struct papi_native_filter parse(int argc, char **argv, const char **event, bool *verbose)
{
	struct papi_native_filter filter = { 0 };
	int letter;

	*event = NULL;
	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'c':
			filter.check = true;
			break;
		case 'e':
			*event = optarg;
			break;
		case 'i':
			filter.include = optarg;
			break;
		case 'x':
			filter.exclude = optarg;
			break;
		case 'v':
			*verbose = true;
			break;
		case LETTER_NO_QUALIFIERS:
			filter.no_qualifiers = true;
			break;
		}
	}
	return filter;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add_kind(const char *pmu)
{
	struct kind *kind = &kinds[n_kinds];
	char path[384];

	snprintf(path, sizeof(path), DEVICES "/%s/cpus", pmu);
	if (n_kinds == KINDS_MAX || strlen(pmu) >= sizeof(kind->pmu) ||
		papi_linux_read_line(path, kind->cpus, sizeof(kind->cpus)) <= 0)
		return;
	memcpy(kind->pmu, pmu, strlen(pmu) + 1);
	n_kinds++;
}

/* In the order of their names backwards: cpu_core stands before cpu_atom, as the fast cores have the low numbers. */
static void find_kinds(void)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX];
	int n = papi_linux_path(DEVICES, path, sizeof(path)) < 0 ? 0 : scandir(path, &entries, is_visible, alphasort);

	for (int i = n - 1; i >= 0; i--) {
		add_kind(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static int kind_called(const char *pmu)
{
	for (int kind = 0; kind < n_kinds; kind++)
		if (strcmp(kinds[kind].pmu, pmu) == 0)
			return kind;
	return -1;
}

/* libpfm4 names the PMUs of Intel's cores after the core: adl_glc, adl_grt. */
static int kind_of_intel(const char *prefix)
{
	static const char *const fast[] = { "glc", "rwc", "lnc", "cgc", "pnc", NULL };
	static const char *const efficient[] = { "grt", "cmt", "skt", "dkt", NULL };
	const char *core = strrchr(prefix, '_');

	if (core == NULL)
		return -1;
	for (const char *const *name = fast; *name != NULL; name++)
		if (strcmp(core + 1, *name) == 0)
			return kind_called("cpu_core");
	for (const char *const *name = efficient; *name != NULL; name++)
		if (strcmp(core + 1, *name) == 0)
			return kind_called("cpu_atom");
	return -1;
}

/* What libpfm4 calls arm_ac72 or arm_n1 is armv8_cortex_a72 or armv8_neoverse_n1 to the kernel. */
static int kind_of_arm(const char *prefix)
{
	const char *core = prefix + strlen("arm_");

	if (strncmp(prefix, "arm_", strlen("arm_")) != 0)
		return -1;
	core += core[0] == 'a' && core[1] == 'c';
	for (int kind = 0; kind < n_kinds; kind++) {
		const char *end = strrchr(kinds[kind].pmu, '_');

		/* Of "ac72" the c is left: the kernel has an a there. */
		if (end != NULL && strcmp(core[0] == 'c' ? end + 2 : end + 1, core[0] == 'c' ? core + 1 : core) == 0)
			return kind;
	}
	return -1;
}

/* The kind of cores that counts an event; -1 when it is not of one alone. */
static int kind_of(const char *event)
{
	size_t length = strcspn(event, "/:");
	char prefix[64];
	int kind;

	if (length >= sizeof(prefix) || event[length] == '\0')
		return -1;
	snprintf(prefix, sizeof(prefix), "%.*s", (int)length, event);
	if (event[length] == '/')
		return kind_called(prefix);
	kind = kind_of_intel(prefix);
	return kind >= 0 ? kind : kind_of_arm(prefix);
}

static void print_title(const char *what, const char *name, const char *rest)
{
	papi_text_rule(stdout, '=');
	printf(" Native Events %s%s%s\n", what, name, rest);
	papi_text_rule(stdout, '=');
}

/* Those of a component that are of the kind, -1: of none alone. Returns how many. */
static int list(const struct papi_native_filter *filter, int component, int kind)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	int code = PAPI_NATIVE_MASK, count = 0;
	PAPI_event_info_t event;

	if (info == NULL || info->disabled)
		return 0;
	for (int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); found == PAPI_OK;
		found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		if (PAPI_get_event_info(code, &event) != PAPI_OK ||
			(component == 0 ? kind_of(event.symbol) : -1) != kind || !papi_native_wanted(filter, &event))
			continue;
		if (count++ == 0) {
			char cpus[sizeof(kinds->cpus) + 16] = "";

			if (kind >= 0)
				snprintf(cpus, sizeof(cpus), ", on CPUs %s", kinds[kind].cpus);
			print_title(kind >= 0 ? "of Cores: " : "in Component: ",
				kind >= 0 ? kinds[kind].pmu : info->name, cpus);
		}
		papi_native_print(filter, &event, component);
	}
	if (count > 0)
		printf("\n");
	return count;
}

static void print_kinds(void)
{
	if (n_kinds > 1)
		printf("The cores of this CPU are of %d kinds:\n", n_kinds);
	else
		printf("The cores of this CPU are of one kind, or the kernel does not tell them apart.\n");
	for (int kind = 0; kind < n_kinds && n_kinds > 1; kind++)
		printf("  %-22s CPUs %s\n", kinds[kind].pmu, kinds[kind].cpus);
	printf("\n");
}

static int list_all(const struct papi_native_filter *filter)
{
	int count = 0;

	print_kinds();
	for (int kind = 0; kind < n_kinds; kind++)
		count += list(filter, 0, kind);
	for (int component = 0; component < PAPI_num_components(); component++)
		count += list(filter, component, -1);
	printf("Total events reported: %d\n", count);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	bool verbose = false;
	const char *event;

	papi_tool_begin();
	struct papi_native_filter filter = parse(argc, argv, &event, &verbose);

	papi_tool_init();
	/* The library has a copy of these functions to itself; both look below the same root. */
	if (papi_linux_set_root(secure_getenv("PAPI_ROOT")) < 0) {
		fprintf(stderr, "%s: PAPI_ROOT is longer than a path can be\n", tool.name);
		return papi_tool_finish(EXIT_FAILURE);
	}
	find_kinds();
	/* One PMU with a list of CPUs is that of all cores, as on many Arm machines. */
	if (n_kinds == 1)
		n_kinds = 0;
	papi_tool_header("Available native events by kind of core and hardware information.", verbose);
	return papi_tool_finish(event != NULL ? papi_event_show(event) : list_all(&filter));
}
