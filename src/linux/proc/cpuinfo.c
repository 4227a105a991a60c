/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/proc/cpuinfo.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/files.h"
#include "base/lists.h"
#include "base/text.h"

/* The facts that are known only when all lines of a CPU have been seen. */
struct block {
	bool has_arm;
	uint32_t implementer, variant, part, revision;
};

struct reader {
	papi_cpuinfo_t *record;
	struct block block;
	papi_id_set_t sockets;
};

/* The first one stands: later blocks repeat it. */
static void keep_string(char *field, const char *value)
{
	if (field[0] == '\0')
		papi_text_squeeze(field, PAPI_MAX_STR_LEN, value);
}

static void keep_int(int *field, int unknown, const char *value)
{
	long long number;

	if (*field == unknown && papi_text_to_number(value, &number) && number >= 0 && number <= INT32_MAX)
		*field = (int)number;
}

static void read_mhz(struct reader *reader, const char *value)
{
	char *end;
	double mhz = strtod(value, &end);

	/* No clock above a terahertz: what says so is no frequency. Written so that NaN fails too. */
	if (end != value && mhz > reader->record->max_mhz && mhz < 1e6)
		reader->record->max_mhz = mhz;
}

static uint32_t arm_field(const char *value, uint32_t mask)
{
	return (uint32_t)strtoul(value, NULL, 0) & mask;
}

/* The lines of 64-bit and 32-bit Arm, of which a main ID register is put together again. */
static bool read_arm_line(struct reader *reader, const char *key, const char *value)
{
	struct block *block = &reader->block;

	if (strcmp(key, "CPU implementer") == 0) {
		block->implementer = arm_field(value, 0xff);
		block->has_arm = true;
	} else if (strcmp(key, "CPU variant") == 0) {
		block->variant = arm_field(value, 0xf);
	} else if (strcmp(key, "CPU part") == 0) {
		block->part = arm_field(value, 0xfff);
	} else if (strcmp(key, "CPU revision") == 0) {
		block->revision = arm_field(value, 0xf);
	} else {
		return false;
	}
	return true;
}

/* "2.2 (pvr 004e 1202)" */
static void read_power_revision(papi_cpuinfo_t *record, const char *value)
{
	const char *pvr = strstr(value, "(pvr ");
	unsigned long high, low;
	char *end;

	if (!pvr)
		return;
	high = strtoul(pvr + strlen("(pvr "), &end, 16);
	low = strtoul(end, &end, 16);
	if (*end == ')')
		record->pvr = (uint32_t)(high & 0xffff) << 16 | (uint32_t)(low & 0xffff);
}

static bool read_power_or_riscv_line(papi_cpuinfo_t *record, const char *key, const char *value)
{
	if (strcmp(key, "revision") == 0)
		read_power_revision(record, value);
	else if (strcmp(key, "mvendorid") == 0)
		record->riscv_vendor = strtoull(value, NULL, 0);
	else if (strcmp(key, "marchid") == 0)
		record->riscv_machine = strtoull(value, NULL, 0);
	else
		return false;
	return true;
}

static bool read_topology_line(struct reader *reader, const char *key, const char *value)
{
	papi_cpuinfo_t *record = reader->record;
	int socket = -1;

	if (strcmp(key, "physical id") == 0) {
		keep_int(&socket, -1, value);
		papi_id_set_add(&reader->sockets, socket);
	} else if (strcmp(key, "siblings") == 0)
		keep_int(&record->siblings, 0, value);
	else if (strcmp(key, "cpu cores") == 0)
		keep_int(&record->cores, 0, value);
	else
		return false;
	return true;
}

/* Lines by which the x86 family and others name themselves. Some keys differ only in case between architectures. */
static void read_identity_line(papi_cpuinfo_t *record, const char *key, const char *value)
{
	if (strcasecmp(key, "vendor_id") == 0)
		keep_string(record->vendor, value);
	else if (strcasecmp(key, "model name") == 0 || strcmp(key, "cpu") == 0 || strcmp(key, "cpu model") == 0 ||
		strcmp(key, "uarch") == 0)
		keep_string(record->name, value);
	else if (strcmp(key, "machine") == 0 || strcmp(key, "system type") == 0)
		keep_string(record->machine, value);
	else if (strcmp(key, "cpu family") == 0 || strcmp(key, "CPU architecture") == 0)
		keep_int(&record->family, -1, value);
	else if (strcmp(key, "model") == 0)
		keep_int(&record->model, -1, value);
	else if (strcmp(key, "stepping") == 0)
		keep_int(&record->stepping, -1, value);
	else if (strcmp(key, "flags") == 0 && papi_text_has_word(value, "hypervisor"))
		record->hypervisor = true;
}

static void finish_block(struct reader *reader)
{
	papi_cpuinfo_t *record = reader->record;
	const struct block *block = &reader->block;
	uint32_t midr = block->implementer << 24 | block->variant << 20 | 0xfu << 16 | block->part << 4 |
		block->revision;
	bool is_new = block->has_arm;

	/* Another stepping of the same part is not another kind of core. */
	for (int i = 0; i < record->midr_count; i++)
		is_new = is_new && ((record->midr[i] ^ midr) & 0xff00fff0u) != 0;
	if (is_new && record->midr_count < PAPI_CPUINFO_KINDS)
		record->midr[record->midr_count++] = midr;
	memset(&reader->block, 0, sizeof(reader->block));
}

static void read_line(struct reader *reader, const char *key, const char *value)
{
	if (strcmp(key, "processor") == 0) {
		finish_block(reader);
	} else if (strcasecmp(key, "cpu MHz") == 0 || strcmp(key, "cpu MHz static") == 0 || strcmp(key, "clock") == 0) {
		read_mhz(reader, value);
	} else if (!read_arm_line(reader, key, value) && !read_topology_line(reader, key, value) &&
		!read_power_or_riscv_line(reader->record, key, value)) {
		read_identity_line(reader->record, key, value);
	}
}

int papi_cpuinfo_read(papi_cpuinfo_t *record)
{
	struct reader reader = { .record = record };
	char *text = papi_linux_read_whole("/proc/cpuinfo", NULL);
	char *rest = text;
	char *key, *value;

	memset(record, 0, sizeof(*record));
	record->family = record->model = record->stepping = -1;
	if (!text)
		return -1;
	while (papi_text_next_pair(&rest, &key, &value))
		read_line(&reader, key, value);
	finish_block(&reader);
	record->sockets = papi_id_set_count(&reader.sockets);
	free(text);
	return 0;
}
