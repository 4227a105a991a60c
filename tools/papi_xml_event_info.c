/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_xml_event_info: the machine and its events as XML. The schema is papi_xml_event_info.rng; elements and
 * attributes only ever grow.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "escape.h"
#include "event_names.h"
#include "events.h"
#include "options.h"
#include "papi.h"

static const struct papi_tool_option options[] = {
	{ 'c', "component", "N", "only the events of the component with the index N" },
	{ 'n', "native", NULL, "only native events" },
	{ 'p', "preset", NULL, "only preset events" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_xml_event_info",
	.operands = "[EVENT...]",
	.purpose = "Describes the machine and its events in XML. With events given, lists only what can be counted in "
		   "addition to them.",
	.options = options,
};

struct request {
	bool natives, presets;
	int component; /* -1: all */
	int set;       /* of the given events; PAPI_NULL: none are given */
};

static struct request parse(int argc, char **argv)
{
	struct request request = { .natives = true, .presets = true, .component = -1, .set = PAPI_NULL };
	bool only_natives = false, only_presets = false;
	int letter;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		switch (letter) {
		case 'c':
			/* How many there are is the library's to say, without being initialised. */
			request.component = (int)papi_tool_number(&tool, "-c", optarg, 0, PAPI_num_components() - 1);
			break;
		case 'n':
			only_natives = true;
			break;
		case 'p':
			only_presets = true;
			break;
		}
	}
	if (only_natives != only_presets) {
		request.natives = only_natives;
		request.presets = only_presets;
	}
	return request;
}

/* PAPI_NULL after a complaint. */
static int choose(char **names)
{
	int set = PAPI_NULL, result = PAPI_create_eventset(&set);

	for (; *names != NULL && result == PAPI_OK; names++) {
		result = PAPI_add_named_event(set, *names);
		if (result != PAPI_OK)
			papi_event_complain(*names, result);
	}
	return result == PAPI_OK ? set : PAPI_NULL;
}

static void print_attribute(const char *name, const char *text)
{
	printf(" %s=\"", name);
	papi_escape_xml(stdout, text);
	printf("\"");
}

static void print_number(const char *element, int number)
{
	printf("  <%s value=\"%d\"/>\n", element, number);
}

static void print_string(const char *element, const char *text)
{
	printf("  <%s", element);
	print_attribute("string", text);
	printf("/>\n");
}

static void print_hardware(void)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();

	if (hardware == NULL)
		return;
	printf("<hardware>\n");
	print_string("vendor", hardware->vendor_string);
	print_number("vendorCode", hardware->vendor);
	print_string("model", hardware->model_string);
	print_number("modelCode", hardware->model);
	printf("  <cpuRevision value=\"%f\"/>\n", (double)hardware->revision);
	printf("  <cpuID>\n    <family value=\"%d\"/>\n"
	       "    <model value=\"%d\"/>\n    <stepping value=\"%d\"/>\n  </cpuID>\n",
		hardware->cpuid_family, hardware->cpuid_model, hardware->cpuid_stepping);
	print_number("cpuMaxMegahertz", hardware->cpu_max_mhz);
	print_number("cpuMinMegahertz", hardware->cpu_min_mhz);
	print_number("threads", hardware->threads);
	print_number("cores", hardware->cores);
	print_number("sockets", hardware->sockets);
	print_number("nodes", hardware->nnodes);
	print_number("cpuPerNode", hardware->ncpu);
	print_number("totalCPUs", hardware->totalcpus);
	printf("</hardware>\n");
}

static void open_event(int index, const PAPI_event_info_t *event)
{
	printf("    <event index=\"%d\"", index);
	print_attribute("name", event->symbol);
	print_attribute("desc", event->long_descr);
	if (event->units[0] != '\0')
		print_attribute("units", event->units);
	if (event->derived[0] != '\0')
		print_attribute("derived", event->derived);
	if (event->postfix[0] != '\0')
		print_attribute("formula", event->postfix);
	if (event->note[0] != '\0')
		print_attribute("note", event->note);
	printf(">\n");
}

/* The masks that the set takes, or all when no events were given. */
static void print_modifiers(const struct request *request, const PAPI_event_info_t *event, int component)
{
	PAPI_event_info_t masked;
	int code = (int)event->event_code;

	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK) {
		if (request->set != PAPI_NULL && !papi_event_fits(request->set, code))
			continue;
		if (PAPI_get_event_info(code, &masked) != PAPI_OK)
			continue;
		printf("      <modifier");
		print_attribute("name", masked.symbol);
		print_attribute("desc", papi_event_mask_description(&masked));
		printf("/>\n");
	}
}

static void print_natives(const struct request *request, int component)
{
	int code = PAPI_NATIVE_MASK, index = 0;
	PAPI_event_info_t event;

	printf("  <eventset type=\"NATIVE\">\n");
	for (int found = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); found == PAPI_OK;
		found = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component), index++) {
		if (request->set != PAPI_NULL && papi_event_find_fitting(request->set, code, component) == 0)
			continue;
		if (PAPI_get_event_info(code, &event) != PAPI_OK)
			continue;
		open_event(index, &event);
		print_modifiers(request, &event, component);
		printf("    </event>\n");
	}
	printf("  </eventset>\n");
}

/* The presets that can be counted here, and are the component's. */
static void print_presets(const struct request *request, int component)
{
	int code = (int)PAPI_PRESET_MASK;
	PAPI_event_info_t event;

	printf("  <eventset type=\"PRESET\">\n");
	for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
		found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
		if (PAPI_query_event(code) != PAPI_OK || PAPI_get_event_component(code) != component)
			continue;
		if (request->set != PAPI_NULL && !papi_event_fits(request->set, code))
			continue;
		if (PAPI_get_event_info(code, &event) != PAPI_OK)
			continue;
		open_event(code & (int)PAPI_PRESET_AND_MASK, &event);
		for (unsigned int term = 0; term < event.count; term++) {
			printf("      <native");
			print_attribute("name", event.name[term]);
			printf("/>\n");
		}
		printf("    </event>\n");
	}
	printf("  </eventset>\n");
}

static void print_component(const struct request *request, int index)
{
	const PAPI_component_info_t *component = PAPI_get_component_info(index);

	if (component == NULL)
		return;
	printf("<component index=\"%d\" type=\"%s\"", index, index == 0 ? "CPU" : "Unknown");
	print_attribute("id", component->name);
	if (component->disabled)
		print_attribute("disabled", component->disabled_reason);
	printf(">\n");
	if (!component->disabled && request->natives)
		print_natives(request, index);
	if (!component->disabled && request->presets)
		print_presets(request, index);
	printf("</component>\n");
}

int main(int argc, char **argv)
{
	papi_tool_begin();
	struct request request = parse(argc, argv);

	papi_tool_init();
	if (optind < argc) {
		request.set = choose(argv + optind);
		if (request.set == PAPI_NULL)
			return papi_tool_finish(EXIT_FAILURE);
	}
	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<eventinfo>\n");
	print_hardware();
	for (int component = 0; component < PAPI_num_components(); component++)
		if (request.component < 0 || request.component == component)
			print_component(&request, component);
	printf("</eventinfo>\n");
	return papi_tool_finish(EXIT_SUCCESS);
}
