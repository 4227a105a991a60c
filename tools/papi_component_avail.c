/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_component_avail: lists the components of the library, and why the disabled ones are. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "options.h"
#include "papi.h"
#include "text.h"

enum { DETAIL_COLUMN = 32 };

static const struct papi_tool_option options[] = {
	{ 'd', "detail", NULL, "the version and the abilities of each component" },
	PAPI_TOOL_VERBOSE,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_component_avail",
	.purpose = "Lists the components that are part of the library and those that can count on this machine.",
	.options = options,
};

static void print_name(const PAPI_component_info_t *component)
{
	char name[PAPI_MAX_STR_LEN + 16];

	snprintf(name, sizeof(name), "Name:   %s", component->name);
	papi_text_wrap(stdout, name, DETAIL_COLUMN, component->description);
}

static void print_number(const char *label, int number)
{
	printf("%*s%-24s\t%d\n", DETAIL_COLUMN, "", label, number);
}

static void print_text(const char *label, const char *text)
{
	printf("%*s%-24s\t%s\n", DETAIL_COLUMN, "", label, text);
}

static void print_compiled(const PAPI_component_info_t *component, bool detail)
{
	print_name(component);
	if (component->disabled)
		papi_text_wrap(stdout, "   \\-> Disabled:", 17, component->disabled_reason);
	if (!detail)
		return;
	print_text("Version:", component->version);
	print_number("Number of native events:", component->num_native_events);
	print_number("Number of preset events:", component->num_preset_events);
	printf("\n");
}

/* The PMUs whose events a component knows, in lines of 80 columns. */
static void print_pmus(const PAPI_component_info_t *component)
{
	char line[PAPI_PMU_MAX * 32] = "PMUs supported: ";
	size_t length = strlen(line), start = length;

	for (int i = 0; i < PAPI_PMU_MAX && component->pmu_names[i] != NULL; i++) {
		int added = snprintf(line + length, sizeof(line) - length, "%s%s", length > start ? ", " : "",
			component->pmu_names[i]);
		if (added < 0 || (size_t)added >= sizeof(line) - length)
			break;
		length += (size_t)added;
	}
	if (length > start)
		papi_text_wrap(stdout, "", DETAIL_COLUMN, line);
}

static void print_abilities(const PAPI_component_info_t *component)
{
	printf("\n");
	print_text("Version:", component->version);
	print_number("Fast counter read:", component->fast_counter_read);
	print_number("Fast real timer:", component->fast_real_timer);
	print_number("Fast virtual timer:", component->fast_virtual_timer);
	print_number("Multiplexing by kernel:", component->kernel_multiplex);
	print_number("Overflow by interrupt:", component->hardware_intr);
	print_number("Counts other processes:", component->attach);
	print_number("Counts a whole CPU:", component->cpu);
	print_number("Counts child processes:", component->inherit);
	printf("\n");
}

static void print_active(const PAPI_component_info_t *component, bool detail)
{
	print_name(component);
	printf("%*sNative: %d, Preset: %d, Counters: %d\n", DETAIL_COLUMN, "", component->num_native_events,
		component->num_preset_events, component->num_cntrs);
	print_pmus(component);
	if (detail)
		print_abilities(component);
	else
		printf("\n");
}

static void print_components(bool detail)
{
	int count = PAPI_num_components();
	const PAPI_component_info_t *component;

	printf("\nCompiled-in components:\n");
	for (int i = 0; i < count; i++)
		if ((component = PAPI_get_component_info(i)) != NULL)
			print_compiled(component, detail);

	printf("\nActive components:\n");
	for (int i = 0; i < count; i++)
		if ((component = PAPI_get_component_info(i)) != NULL && !component->disabled)
			print_active(component, detail);
	papi_text_rule(stdout, '-');
}

int main(int argc, char **argv)
{
	bool detail = false, verbose = false;
	int letter;

	papi_tool_begin();
	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1)
		*(letter == 'd' ? &detail : &verbose) = true;

	papi_tool_init();
	papi_tool_header("Available components and hardware information.", verbose);
	print_components(detail);
	return papi_tool_finish(EXIT_SUCCESS);
}
