/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/process/memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

#define STATUS "/proc/self/status"
#define STATM  "/proc/self/statm"

/* What can be addressed with 56 bits: more is no size, and less can be added and multiplied without overflow. */
#define MOST_KB (1ll << 46)

#define STATM_FIELDS 4

struct line {
	const char *key;
	size_t offset;
};

static const struct line lines[] = {
	{ "VmPeak", offsetof(PAPI_dmem_info_t, peak) },
	{ "VmSize", offsetof(PAPI_dmem_info_t, size) },
	{ "VmLck", offsetof(PAPI_dmem_info_t, locked) },
	{ "VmHWM", offsetof(PAPI_dmem_info_t, high_water_mark) },
	{ "VmRSS", offsetof(PAPI_dmem_info_t, resident) },
	{ "RssFile", offsetof(PAPI_dmem_info_t, shared) },
	{ "RssShmem", offsetof(PAPI_dmem_info_t, shared) },
	{ "VmData", offsetof(PAPI_dmem_info_t, heap) },
	{ "VmStk", offsetof(PAPI_dmem_info_t, stack) },
	{ "VmExe", offsetof(PAPI_dmem_info_t, text) },
	{ "VmLib", offsetof(PAPI_dmem_info_t, library) },
	{ "VmPTE", offsetof(PAPI_dmem_info_t, pte) },
};

static long long *field_of(PAPI_dmem_info_t *usage, size_t offset)
{
	return (long long *)((char *)usage + offset);
}

/* Two lines make up the shared memory, so numbers are added to what is known. */
static void add(long long *field, long long kilobytes)
{
	*field = *field == PAPI_EINVAL ? kilobytes : *field + kilobytes;
}

/* "   2924 kB" */
static void read_line(PAPI_dmem_info_t *usage, const char *key, const char *value)
{
	char *unit;
	long long kilobytes;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (strcmp(lines[i].key, key) != 0)
			continue;
		kilobytes = strtoll(value, &unit, 10);
		if (unit != value && kilobytes >= 0 && kilobytes <= MOST_KB && strcmp(unit, " kB") == 0)
			add(field_of(usage, lines[i].offset), kilobytes);
	}
}

static int read_status(PAPI_dmem_info_t *usage)
{
	char *text = papi_linux_read_whole(STATUS, NULL);
	char *rest = text;
	char *key, *value;

	if (!text)
		return -1;
	while (papi_text_next_pair(&rest, &key, &value))
		read_line(usage, key, value);
	free(text);
	return 0;
}

/* The first of the seven numbers, in pages. */
static int parse_statm(const char *text, long long *pages)
{
	for (size_t i = 0; i < STATM_FIELDS; i++) {
		char *end;

		pages[i] = strtoll(text, &end, 10);
		if (end == text || pages[i] < 0 || pages[i] > MOST_KB) {
			errno = EINVAL;
			return -1;
		}
		text = end;
	}
	return 0;
}

/* For what the other file does not tell: kernels before 4.5 know no RssFile. */
static int read_statm(PAPI_dmem_info_t *usage)
{
	long long *const fields[STATM_FIELDS] = { &usage->size, &usage->resident, &usage->shared, &usage->text };
	long long pages[STATM_FIELDS];
	char text[256];

	if (papi_linux_read_file(STATM, text, sizeof(text)) < 0 || parse_statm(text, pages) < 0)
		return -1;
	for (size_t i = 0; i < STATM_FIELDS; i++) {
		if (*fields[i] == PAPI_EINVAL)
			*fields[i] = pages[i] * usage->pagesize / 1024;
	}
	return 0;
}

static bool is_complete(const PAPI_dmem_info_t *usage)
{
	return usage->size != PAPI_EINVAL && usage->resident != PAPI_EINVAL && usage->shared != PAPI_EINVAL &&
		usage->text != PAPI_EINVAL;
}

int papi_memory_get(PAPI_dmem_info_t *usage)
{
	bool has_status;

	if (!usage)
		return papi_error(PAPI_EINVAL, "the place for the memory information is a null pointer");
	for (size_t offset = 0; offset < sizeof(*usage); offset += sizeof(long long))
		*field_of(usage, offset) = PAPI_EINVAL;
	usage->pagesize = sysconf(_SC_PAGESIZE);
	has_status = read_status(usage) == 0;
	if (has_status && is_complete(usage))
		return PAPI_OK;
	if (read_statm(usage) < 0 && !has_status)
		return papi_error(PAPI_ESYS,
			"neither " STATUS " nor " STATM " below %s can be read: %s; is /proc mounted?",
			papi_linux_root(), strerror(errno));
	return PAPI_OK;
}
