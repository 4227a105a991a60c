/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_native_avail: lists the native events of every component, with their masks. */
#include <dlfcn.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "event_detail.h"
#include "native_list.h"
#include "options.h"
#include "papi.h"
#include "sde_lib.h"
#include "text.h"

enum {
	LETTER_NO_QUALIFIERS = PAPI_TOOL_LONG_ONLY,
	LETTER_SDE,
};

static const struct papi_tool_option options[] = {
	{ 'c', "check", NULL, "only events that an EventSet accepts when they are added" },
	{ 'e', "event", "NAME", "all that is known about one event" },
	{ 'i', "include", "STR", "only events with STR in their name" },
	{ 'x', "exclude", "STR", "no events with STR in their name" },
	{ LETTER_NO_QUALIFIERS, "noqual", NULL, "leave out the masks of the events" },
	PAPI_TOOL_VERBOSE,
	{ LETTER_SDE, "sde", "FILE", "also the software-defined events that the library FILE registers" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_native_avail",
	.purpose = "Lists the native events of this machine, by component, each with the masks that qualify it.",
	.options = options,
};

struct request {
	struct papi_native_filter filter;
	const char *event;
	const char *sde;
	bool verbose;
};

static struct request parse(int argc, char **argv)
{
	struct request request = { 0 };
	int letter;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'c':
			request.filter.check = true;
			break;
		case 'e':
			request.event = optarg;
			break;
		case 'i':
			request.filter.include = optarg;
			break;
		case 'x':
			request.filter.exclude = optarg;
			break;
		case LETTER_NO_QUALIFIERS:
			request.filter.no_qualifiers = true;
			break;
		case 'v':
			request.verbose = true;
			break;
		case LETTER_SDE:
			request.sde = optarg;
			break;
		}
	}
	return request;
}

/* Has a library register its software-defined events without running it, or ends the program with the reason. */
static void register_events(const char *path)
{
	static papi_sde_fptr_struct_t functions = PAPI_SDE_FUNCTIONS;
	papi_handle_t (*hook)(papi_sde_fptr_struct_t *);
	void *library = dlopen(path, RTLD_LAZY), *symbol;

	if (library == NULL) {
		fprintf(stderr, "%s: %s\n", tool.name, dlerror());
		exit(EXIT_FAILURE);
	}
	symbol = dlsym(library, "papi_sde_hook_list_events");
	if (symbol == NULL) {
		fprintf(stderr,
			"%s: %s has no function papi_sde_hook_list_events, by which a library names its events\n",
			tool.name, path);
		exit(EXIT_FAILURE);
	}
	memcpy(&hook, &symbol, sizeof(hook));
	if (hook(&functions) == NULL) {
		fprintf(stderr, "%s: %s registers no software-defined events\n", tool.name, path);
		exit(EXIT_FAILURE);
	}
}

/* A component's part of the list, if it has any; returns how many events it holds. */
static int print_component(const struct request *request, int component)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);
	PAPI_event_info_t event;
	int code = PAPI_NATIVE_MASK;
	int count = 0;

	if (info == NULL || info->disabled)
		return 0;
	for (int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); found == PAPI_OK;
		found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		if (PAPI_get_event_info(code, &event) != PAPI_OK || !papi_native_wanted(&request->filter, &event))
			continue;
		if (count++ == 0) {
			papi_text_rule(stdout, '=');
			printf(" Native Events in Component: %s\n", info->name);
			papi_text_rule(stdout, '=');
		}
		papi_native_print(&request->filter, &event, component);
	}
	if (count > 0)
		printf("\n");
	return count;
}

static int list_all(const struct request *request)
{
	int count = 0;

	for (int component = 0; component < PAPI_num_components(); component++)
		count += print_component(request, component);
	printf("Total events reported: %d\n", count);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	papi_tool_begin();
	struct request request = parse(argc, argv);

	papi_tool_init();
	if (request.sde != NULL)
		register_events(request.sde);
	papi_tool_header("Available native events and hardware information.", request.verbose);
	return papi_tool_finish(request.event != NULL ? papi_event_show(request.event) : list_all(&request));
}
