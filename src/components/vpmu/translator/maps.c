/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/maps.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/tracer.h"

/* Mappings that are executable; neighbours of the same sort are joined. */
#define MAX_RANGES 4096

struct range {
	uint64_t start, end;
	bool may_change;
};

static struct range ranges[MAX_RANGES];
static unsigned n_ranges;
static bool complete; /* as far as is known, since nothing has been unmapped since */

/* Below the program, where no heap grows. */
static struct {
	uint64_t start, end;
} gap;

/* A line: 55e4a8c00000-55e4a8c02000 r-xp 00002000 fe:00 1234    /usr/bin/program */
struct line {
	uint64_t start, end, offset, device, inode;
	const char *name, *name_end;
	bool read, write, execute, shared;
};

static const char *hexadecimal(const char *at, const char *end, uint64_t *value)
{
	for (*value = 0; at < end; at++) {
		unsigned digit = (unsigned char)*at;

		if (digit >= '0' && digit <= '9')
			digit -= '0';
		else if (digit >= 'a' && digit <= 'f')
			digit -= 'a' - 10;
		else
			break;
		*value = *value << 4 | digit;
	}
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && *at != ' ')
		at++;
	while (at < end && *at == ' ')
		at++;
	return at;
}

static bool parse(const char *at, const char *end, struct line *line)
{
	uint64_t minor;

	at = hexadecimal(at, end, &line->start);
	if (at == end || *at++ != '-')
		return false;
	at = hexadecimal(at, end, &line->end);
	if (end - at < 6)
		return false;
	line->read = at[1] == 'r';
	line->write = at[2] == 'w';
	line->execute = at[3] == 'x';
	line->shared = at[4] == 's';
	at = hexadecimal(skip_word(at + 1, end), end, &line->offset);
	at = hexadecimal(at + 1, end, &line->device);
	at = hexadecimal(at < end ? at + 1 : at, end, &minor);
	line->device = line->device << 32 | minor;
	at = skip_word(at, end);
	line->inode = 0;
	while (at < end && *at >= '0' && *at <= '9')
		line->inode = line->inode * 10 + (uint64_t)(*at++ - '0');
	/* The vDSO has no file, and does not change. */
	while (at < end && *at == ' ')
		at++;
	line->name = at;
	line->name_end = end;
	if (end - at >= 5 && at[0] == '[' && at[1] == 'v')
		line->inode = 1;
	return true;
}

static void add(const struct line *line)
{
	bool may_change = line->write || line->shared || !line->inode;
	struct range *last = n_ranges ? &ranges[n_ranges - 1] : NULL;

	if (!line->execute || !line->read)
		return;
	if (last && last->end == line->start && last->may_change == may_change)
		last->end = line->end;
	else if (n_ranges < MAX_RANGES)
		ranges[n_ranges++] = (struct range){ line->start, line->end, may_change };
}

static void look_at_gap(const struct line *line, uint64_t program)
{
	if (line->end <= program)
		gap.start = line->end;
	else if (line->start <= program)
		gap.end = line->start;
}

/* Calls each for all lines. False: they cannot be read. */
static bool read_lines(void (*each)(const struct line *line, void *argument), void *argument)
{
	static char buffer[16384]; /* under the lock */
	static const char path[] = "/proc/self/maps";
	long descriptor = papi_vpmu_raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	size_t kept = 0;

	if (descriptor < 0)
		return false;
	for (;;) {
		long got = papi_vpmu_raw(
			SYS_read, descriptor, (long)(buffer + kept), (long)(sizeof(buffer) - kept), 0, 0, 0);
		const char *at = buffer, *end = buffer + kept + (got > 0 ? got : 0);

		if (got <= 0)
			break;
		for (const char *next = at; next < end; next++) {
			struct line line;

			if (*next != '\n')
				continue;
			if (parse(at, next, &line))
				each(&line, argument);
			at = next + 1;
		}
		kept = (size_t)(end - at);
		for (size_t i = 0; i < kept; i++)
			buffer[i] = at[i];
		if (kept == sizeof(buffer)) /* a line as long as that has a name nobody needs */
			kept = 0;
	}
	papi_vpmu_raw(SYS_close, descriptor, 0, 0, 0, 0, 0);
	return true;
}

static void take(const struct line *line, void *program)
{
	add(line);
	look_at_gap(line, *(const uint64_t *)program);
}

static bool read_ranges(void)
{
	uint64_t program = getauxval(AT_PHDR);

	gap.start = n_ranges = 0;
	return read_lines(take, &program);
}

static const struct range *search(uint64_t address)
{
	unsigned low = 0, high = n_ranges;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n_ranges && ranges[low].start <= address ? &ranges[low] : NULL;
}

static const struct range *find(uint64_t address)
{
	const struct range *range = complete ? search(address) : NULL;

	if (range)
		return range;
	complete = read_ranges();
	return search(address);
}

uint64_t papi_vpmu_maps_executable_until(uint64_t address)
{
	const struct range *range = find(address);
	uint64_t end = range ? range->end : 0;

	/* Neighbours differ in whether they may change; instructions may lie across the border. */
	for (range = range ? range + 1 : NULL; range && range < ranges + n_ranges && range->start == end; range++)
		end = range->end;
	return end;
}

bool papi_vpmu_maps_may_change(uint64_t address)
{
	const struct range *range = find(address);

	return !range || range->may_change || papi_vpmu_tracer_known();
}

/* The name of a line; cut where it is too long. */
static void take_mapping(const struct line *line, void *found)
{
	struct papi_vpmu_mapping *mapping = found;
	size_t length = 0;

	if (mapping->address < line->start || mapping->address >= line->end)
		return;
	mapping->start = line->start;
	mapping->end = line->end;
	mapping->offset = line->offset;
	mapping->device = line->device;
	mapping->inode = line->inode;
	for (const char *at = line->name; at < line->name_end && length + 1 < sizeof(mapping->path); at++)
		mapping->path[length++] = *at;
	mapping->path[length] = '\0';
}

bool papi_vpmu_maps_find(uint64_t address, struct papi_vpmu_mapping *mapping)
{
	mapping->address = address;
	mapping->end = 0;
	return read_lines(take_mapping, mapping) && mapping->end;
}

bool papi_vpmu_maps_forget(uint64_t start, uint64_t end)
{
	bool held = false;

	papi_vpmu_profile_forget(start, end);
	for (unsigned i = 0; i < n_ranges; i++) {
		/* A mapping that it adjoins may go on into it now, with an instruction across the border. */
		if (ranges[i].start <= end && start <= ranges[i].end)
			complete = false;
		if (ranges[i].start < end && start < ranges[i].end)
			held = true;
	}
	return held;
}

/* Of a program at a fixed low address: above what its heap will need, which begins anywhere in the first gibibyte. */
static uint64_t place_above_heap(void)
{
	const uint64_t low = (uint64_t)1 << 30, growth = (uint64_t)192 << 20;
	uint64_t end = ((uint64_t)papi_vpmu_raw(SYS_brk, 0, 0, 0, 0, 0, 0) + growth) & ~(uint64_t)0xffff;

	return end > low && end < 2 * low ? end : low;
}

uint64_t papi_vpmu_maps_place_near_program(uint64_t size)
{
	const uint64_t distance = (uint64_t)1 << 28, low = (uint64_t)1 << 30;

	if (!gap.end && !read_ranges())
		return 0;
	if (gap.end < low)
		return place_above_heap();
	return gap.end - gap.start >= distance + size ? (gap.end - distance - size) & ~(uint64_t)0xffff : 0;
}
