/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/geometry.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "linux/machine/hardware.h"

#define PAGE_SHIFT 12
#define LARGEST    (1ull << 30) /* bytes of a cache, entries of a TLB: room for mistakes, not for the machine */
#define SHORTEST   4            /* bytes of a line: numbers of lines have 32 bits */

struct part {
	const char *name;
	size_t offset; /* in struct papi_vpmu_geometry */
	bool is_tlb, may_be_none;
};

#define PART(name, field, is_tlb, may_be_none)                                        \
	{                                                                             \
		name, offsetof(struct papi_vpmu_geometry, field), is_tlb, may_be_none \
	}

static const struct part parts[] = {
	PART("L1I", l1i, false, false),
	PART("L1D", l1d, false, false),
	PART("L2", l2, false, false),
	PART("L3", l3, false, true),
	PART("ITLB", itlb, true, false),
	PART("DTLB", dtlb, true, false),
	PART("ITLB2", itlb2, true, true),
	PART("DTLB2", dtlb2, true, true),
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static struct papi_vpmu_shape *shape_of(struct papi_vpmu_geometry *geometry, const struct part *part)
{
	return (struct papi_vpmu_shape *)(void *)((char *)geometry + part->offset);
}

/* What a machine has that does not tell, or tells nonsense: a plain one of these years. */
static const struct papi_vpmu_geometry usual = {
	.l1i = { 64, 8, 6 },
	.l1d = { 64, 8, 6 },
	.l2 = { 1024, 8, 6 },
	.itlb = { 16, 4, PAGE_SHIFT },
	.dtlb = { 16, 4, PAGE_SHIFT },
};

static bool make_shape(struct papi_vpmu_shape *shape, uint64_t lines, uint64_t ways, uint64_t line_size)
{
	if (lines == 0 || ways == 0 || line_size < SHORTEST || (line_size & (line_size - 1)) ||
		line_size > 1 << PAGE_SHIFT || lines % ways || lines * line_size > LARGEST << PAGE_SHIFT)
		return false;
	shape->sets = (uint32_t)(lines / ways);
	shape->ways = (uint32_t)ways;
	shape->shift = (uint32_t)__builtin_ctzll(line_size);
	return true;
}

static void take_cache(struct papi_vpmu_shape *shape, const PAPI_mh_level_t *level, int type)
{
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		const PAPI_mh_cache_info_t *cache = &level->cache[i];

		if ((cache->type & PAPI_MH_TYPE_UNIFIED) != type || cache->line_size <= 0 || cache->associativity <= 0)
			continue;
		if (make_shape(shape, (uint64_t)(cache->size / cache->line_size), (uint64_t)cache->associativity,
			    (uint64_t)cache->line_size))
			return;
	}
}

/* Whether the level has a TLB of that type for pages of 4 KiB. */
static bool take_tlb(struct papi_vpmu_shape *shape, const PAPI_mh_level_t *level, int type)
{
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		const PAPI_mh_tlb_info_t *tlb = &level->tlb[i];
		int ways = tlb->associativity;

		if ((tlb->type & PAPI_MH_TYPE_UNIFIED) != type || tlb->page_size != 1 << PAGE_SHIFT)
			continue;
		/* Full, not known, or no divisor: true LRU over all is as good a guess as any. */
		if (ways <= 0 || ways > tlb->num_entries || tlb->num_entries % ways)
			ways = tlb->num_entries;
		if (make_shape(shape, (uint64_t)tlb->num_entries, (uint64_t)ways, 1 << PAGE_SHIFT))
			return true;
	}
	return false;
}

static void take_machine(struct papi_vpmu_geometry *geometry)
{
	const PAPI_hw_info_t *hardware = papi_hardware_get();
	const PAPI_mh_level_t *levels;

	*geometry = usual;
	if (!hardware)
		return;
	levels = hardware->mem_hierarchy.level;
	take_cache(&geometry->l1i, &levels[0], PAPI_MH_TYPE_INST);
	take_cache(&geometry->l1d, &levels[0], PAPI_MH_TYPE_DATA);
	take_cache(&geometry->l2, &levels[1], PAPI_MH_TYPE_UNIFIED);
	take_cache(&geometry->l3, &levels[2], PAPI_MH_TYPE_UNIFIED);
	take_tlb(&geometry->itlb, &levels[0], PAPI_MH_TYPE_INST);
	take_tlb(&geometry->dtlb, &levels[0], PAPI_MH_TYPE_DATA);
	take_tlb(&geometry->itlb2, &levels[1], PAPI_MH_TYPE_INST);
	take_tlb(&geometry->dtlb2, &levels[1], PAPI_MH_TYPE_DATA);
	geometry->shared_tlb2 = take_tlb(&geometry->dtlb2, &levels[1], PAPI_MH_TYPE_UNIFIED);
	if (geometry->shared_tlb2)
		geometry->itlb2 = geometry->dtlb2;
}

/* "32K" in bytes; 0 when it is no such number. */
static uint64_t parse_size(const char *text)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);
	unsigned shift = *end == 'K' || *end == 'k' ? 10
		: *end == 'M' || *end == 'm'        ? 20
		: *end == 'G' || *end == 'g'        ? 30
						    : 0;

	if (end == text || *text == '-' || *text == '+' || end[shift != 0] || number > LARGEST << PAGE_SHIFT >> shift)
		return 0;
	return number << shift;
}

/* "32K/8/64" or "64/full". The text is cut up. */
static bool parse_shape(struct papi_vpmu_shape *shape, const struct part *part, char *text)
{
	char *rest = text, *size = strsep(&rest, "/"), *ways = strsep(&rest, "/"), *line = strsep(&rest, "/");
	uint64_t line_size, lines;

	if (!ways || rest || !line != part->is_tlb)
		return false;
	line_size = part->is_tlb ? 1 << PAGE_SHIFT : parse_size(line);
	if (line_size == 0)
		return false;
	lines = part->is_tlb ? parse_size(size) : parse_size(size) / line_size;
	if (!part->is_tlb && parse_size(size) % line_size)
		return false;
	return make_shape(shape, lines, strcasecmp(ways, "full") ? parse_size(ways) : lines, line_size);
}

static bool parse_one(struct papi_vpmu_geometry *geometry, char *text, char *reason, size_t size)
{
	char *value = strchr(text, '='), copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	if (value)
		*value++ = '\0';
	for (unsigned i = 0; value && i < PARTS; i++) {
		struct papi_vpmu_shape *shape = shape_of(geometry, &parts[i]);

		if (strcasecmp(parts[i].name, text))
			continue;
		if (shape == &geometry->l3 && !strcasecmp(value, "shared"))
			return geometry->shared_l3 = true;
		/* A TLB that is described alone is no longer shared with the other. */
		if (shape == &geometry->itlb2 || shape == &geometry->dtlb2)
			geometry->shared_tlb2 = false;
		if (parts[i].may_be_none && !strcasecmp(value, "none")) {
			*shape = (struct papi_vpmu_shape){ 0 };
			return true;
		}
		if (parse_shape(shape, &parts[i], value))
			return true;
		snprintf(reason, size,
			parts[i].is_tlb
				? "PAPI_VPMU_CACHE: \"%s\" is not %s=ENTRIES/WAYS with ways that divide entries, as in "
				  "%s=64/4"
				: "PAPI_VPMU_CACHE: \"%s\" is not %s=SIZE/WAYS/LINE with whole sets of lines of 4 to "
				  "4096 = 2^n bytes, as in %s=32K/8/64",
			copy, parts[i].name, parts[i].name);
		return false;
	}
	snprintf(
		reason, size, "PAPI_VPMU_CACHE: \"%s\" names none of L1I, L1D, L2, L3, ITLB, DTLB, ITLB2, DTLB2", copy);
	return false;
}

bool papi_vpmu_geometry_read(struct papi_vpmu_geometry *geometry, const char *text, char *reason, size_t size)
{
	char copy[512], *rest = copy, *one;
	size_t length;

	take_machine(geometry);
	if (!text || !*text)
		return true;
	length = strlen(text);
	if (length >= sizeof(copy)) {
		snprintf(reason, size, "PAPI_VPMU_CACHE has more than %zu characters", sizeof(copy) - 1);
		return false;
	}
	memcpy(copy, text, length + 1);
	while ((one = strsep(&rest, ",")))
		if (!parse_one(geometry, one, reason, size))
			return false;
	if (geometry->shared_l3 && !geometry->l3.ways) {
		snprintf(reason, size,
			"PAPI_VPMU_CACHE: L3=shared, but there is no L3: this machine has none, or it is taken away; "
			"describe one, as in L3=32M/16/64,L3=shared");
		return false;
	}
	/* One line is looked up in all levels by its address: a larger line in front would need several behind it. */
	if (geometry->l2.shift < geometry->l1d.shift || geometry->l2.shift < geometry->l1i.shift ||
		(geometry->l3.ways && geometry->l3.shift < geometry->l2.shift)) {
		snprintf(reason, size,
			"PAPI_VPMU_CACHE: the lines of a level must not be longer than those of the next");
		return false;
	}
	return true;
}

/* Sizes in the largest unit that leaves no rest. */
static void write_size(FILE *out, uint64_t number)
{
	static const char units[] = " KMG";
	unsigned unit = 0;

	while (unit < 3 && number && number % 1024 == 0) {
		number /= 1024;
		unit++;
	}
	fprintf(out, "%llu", (unsigned long long)number);
	if (unit)
		fputc(units[unit], out);
}

void papi_vpmu_geometry_write(const struct papi_vpmu_geometry *geometry, char *text, size_t size)
{
	struct papi_vpmu_geometry copy = *geometry;
	FILE *out = fmemopen(text, size, "w");

	*text = '\0';
	if (!out)
		return;
	for (unsigned i = 0; i < PARTS; i++) {
		const struct papi_vpmu_shape *shape = shape_of(&copy, &parts[i]);
		uint64_t lines = (uint64_t)shape->sets * shape->ways;

		fprintf(out, "%s%s=", i ? "," : "", parts[i].name);
		if (!shape->ways) {
			fputs("none", out);
			continue;
		}
		if (shape == &copy.itlb2 && copy.shared_tlb2) {
			fputs("shared", out);
			continue;
		}
		write_size(out, parts[i].is_tlb ? lines : lines << shape->shift);
		fprintf(out, "/%u", shape->ways);
		if (!parts[i].is_tlb)
			fprintf(out, "/%u", 1u << shape->shift);
		if (shape == &copy.l3 && copy.shared_l3)
			fputs(",L3=shared", out);
	}
	fclose(out);
}

bool papi_vpmu_geometry_choose(struct papi_vpmu_geometry *geometry, const char *text, char *reason, size_t size)
{
	geometry->choice = (struct papi_vpmu_choice){ 0 };
	geometry->recorded = text && !strcasecmp(text, "recorded");
	geometry->checking = text && !strcasecmp(text, "checking");
	if (!text || !*text || !strcasecmp(text, "full") || geometry->recorded || geometry->checking)
		return true;
	if (strcasecmp(text, "sampled")) {
		snprintf(reason, size, "PAPI_VPMU_MODEL is \"%.32s\", and should be full or sampled", text);
		return false;
	}
	if (geometry->shared_l3) {
		snprintf(reason, size,
			"PAPI_VPMU_MODEL=sampled simulates an L3 for each thread: L3=shared in PAPI_VPMU_CACHE asks "
			"for full models");
		return false;
	}
	geometry->choice = papi_vpmu_choice_of(geometry);
	return true;
}

static struct papi_vpmu_geometry current;
static bool current_known;

const struct papi_vpmu_geometry *papi_vpmu_geometry_current(char *reason, size_t size)
{
	if (!current_known)
		current_known = papi_vpmu_geometry_read(&current, secure_getenv("PAPI_VPMU_CACHE"), reason, size) &&
			papi_vpmu_geometry_choose(&current, secure_getenv("PAPI_VPMU_MODEL"), reason, size);
	return current_known ? &current : NULL;
}

bool papi_vpmu_geometry_take(const char *caches, const char *model)
{
	char reason[256];

	if (!current_known)
		current_known = papi_vpmu_geometry_read(&current, caches, reason, sizeof(reason)) &&
			papi_vpmu_geometry_choose(&current, model, reason, sizeof(reason));
	return current_known;
}

void papi_vpmu_geometry_forget(void)
{
	current_known = false;
}
