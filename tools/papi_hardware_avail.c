/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hardware_avail: lists the devices of the machine that the library can describe: processors and accelerators. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "options.h"
#include "papi.h"
#include "terminal.h"
#include "text.h"

static const struct papi_tool_option options[] = { { 0 } };

static const struct papi_tool tool = {
	.name = "papi_hardware_avail",
	.purpose = "Lists the kinds of devices that the library knows, and what this machine has of each.",
	.options = options,
};

/* An attribute of the processors, where the device has it. */
struct labelled {
	PAPI_dev_attr_e attribute;
	const char *label;
};

/* The four attributes of a cache, in the order they are printed. */
struct cache {
	const char *label;
	PAPI_dev_attr_e size, line_size, lines, associativity;
};

static const struct labelled topology[] = {
	{ PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT, "Sockets" },
	{ PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT, "Numa regions" },
	{ PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT, "Cores per socket" },
};

static const struct cache caches[] = {
	{ "L1i Cache", PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE,
		PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC },
	{ "L1d Cache", PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE,
		PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC },
	{ "L2 Cache", PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_SIZE,
		PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_COUNT, PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_ASSOC },
	{ "L3 Cache", PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_SIZE,
		PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_COUNT, PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC },
};

/* An attribute that is a number; 0 where the device lacks it. */
static unsigned int number(void *kind, int id, PAPI_dev_attr_e attribute)
{
	unsigned int value = 0;

	return PAPI_get_dev_attr(kind, id, attribute, &value) == PAPI_OK ? value : 0;
}

static const char *text_of(void *kind, int id, PAPI_dev_attr_e attribute)
{
	const char *value = NULL;

	return PAPI_get_dev_attr(kind, id, attribute, &value) == PAPI_OK && value != NULL ? value : "unknown";
}

static int type_number(void *kind, PAPI_dev_type_attr_e attribute)
{
	int value = 0;

	return PAPI_get_dev_type_attr(kind, attribute, &value) == PAPI_OK ? value : 0;
}

static const char *type_text(void *kind, PAPI_dev_type_attr_e attribute)
{
	const char *value = NULL;

	return PAPI_get_dev_type_attr(kind, attribute, &value) == PAPI_OK && value != NULL ? value : "unknown";
}

static void print_numa(void *kind, int id)
{
	unsigned int nodes = number(kind, id, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT);
	unsigned int threads = number(kind, id, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT);

	for (unsigned int node = 0; node < nodes; node++) {
		unsigned int affinity;

		printf("Numa Node %u Memory                    : %uMB\n", node,
			number(kind, (int)node, PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE));
		printf("Numa Node %u Threads                   :", node);
		for (unsigned int thread = 0; thread < threads; thread++)
			if (PAPI_get_dev_attr(kind, (int)thread, PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY,
				    &affinity) == PAPI_OK &&
				affinity == node)
				printf(" %u", thread);
		printf("\n");
	}
}

/* The device tells the threads of the machine; where cores differ, this is their mean, rounded up. */
static unsigned int threads_per_core(void *kind, int id)
{
	unsigned int cores = number(kind, id, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT) *
		number(kind, id, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT);

	return cores ? (number(kind, id, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT) + cores - 1) / cores : 0;
}

static void print_label(const char *label, const char *text)
{
	char first[64];

	snprintf(first, sizeof(first), "%-38s: ", label);
	papi_terminal_line(first, 40, text);
}

static void print_processor(void *kind, int id)
{
	unsigned int family = number(kind, id, PAPI_DEV_ATTR__CPU_UINT_FAMILY);
	unsigned int model = number(kind, id, PAPI_DEV_ATTR__CPU_UINT_MODEL);
	unsigned int stepping = number(kind, id, PAPI_DEV_ATTR__CPU_UINT_STEPPING);
	char text[128];

	printf("%-38s: %s\n", "Name", text_of(kind, id, PAPI_DEV_ATTR__CPU_CHAR_NAME));
	snprintf(text, sizeof(text), "Family/Model/Stepping %u/%u/%u 0x%02x/0x%02x/0x%02x", family, model, stepping,
		family, model, stepping);
	print_label("CPUID", text);
	for (size_t i = 0; i < sizeof(topology) / sizeof(topology[0]); i++)
		printf("%-38s: %u\n", topology[i].label, number(kind, id, topology[i].attribute));
	printf("%-38s: %u\n", "SMT threads per core", threads_per_core(kind, id));
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		const struct cache *cache = &caches[i];
		unsigned int size = number(kind, id, cache->size);

		if (size == 0)
			continue;
		snprintf(text, sizeof(text), "Size/LineSize/Lines/Assoc %uKB/%uB/%u/%u", size >> 10,
			number(kind, id, cache->line_size), number(kind, id, cache->lines),
			number(kind, id, cache->associativity));
		print_label(cache->label, text);
	}
	print_numa(kind, id);
}

static void print_summary(void *kind)
{
	printf("%-18s (%d)\n", type_text(kind, PAPI_DEV_TYPE_ATTR__CHAR_NAME),
		type_number(kind, PAPI_DEV_TYPE_ATTR__INT_COUNT));
	papi_text_wrap(stdout, " \\-> Status:", 13, type_text(kind, PAPI_DEV_TYPE_ATTR__CHAR_STATUS));
	printf("\n");
}

static void print_devices(void *kind)
{
	int count = type_number(kind, PAPI_DEV_TYPE_ATTR__INT_COUNT);
	int vendor = type_number(kind, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID);

	for (int id = 0; id < count; id++) {
		printf("%-38s: %s (%d,0x%x)\n", "Vendor", type_text(kind, PAPI_DEV_TYPE_ATTR__CHAR_NAME), vendor,
			(unsigned int)vendor);
		printf("%-38s: %d\n", "Id", id);
		switch (type_number(kind, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID)) {
		case PAPI_DEV_TYPE_ID__CPU:
			print_processor(kind, id);
			break;
		case PAPI_DEV_TYPE_ID__CUDA:
			printf("%-38s: %s\n", "Name", text_of(kind, id, PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME));
			break;
		case PAPI_DEV_TYPE_ID__ROCM:
			printf("%-38s: %s\n", "Name", text_of(kind, id, PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME));
			break;
		}
		printf("\n");
	}
}

/* Calls print for each kind of device; returns how many there are. */
static int for_each_kind(void (*print)(void *))
{
	void *kind = NULL;
	int count = 0;

	while (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &kind) == PAPI_OK) {
		print(kind);
		count++;
	}
	return count;
}

int main(int argc, char **argv)
{
	papi_tool_begin();
	papi_tool_next_option(&tool, argc, argv);
	papi_tool_init();

	printf("\nDevice Summary -----------------------------------------------------------------\n");
	printf("Vendor           DevCount\n");
	if (for_each_kind(print_summary) == 0) {
		fprintf(stderr, "%s: the library describes no devices\n", tool.name);
		return papi_tool_finish(EXIT_FAILURE);
	}
	printf("Device Information -------------------------------------------------------------\n");
	for_each_kind(print_devices);
	papi_text_rule(stdout, '-');
	return papi_tool_finish(EXIT_SUCCESS);
}
