/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/segments.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/marks.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/region.h"

/* Segments grow with what is in use, and all of them together up to a limit, which is a quarter of what code can reach
 * at most: then all starts again. */
#define SEGMENT_SMALLEST ((size_t)1 << 20)
#define SEGMENT_LARGEST  ((size_t)8 << 20)
#define LIVE_SIZE        ((size_t)64 << 20)
#define MAX_SEGMENTS     192
/* With more code than this, a program is one that may need the limit, twice while threads are in what is retired, and
 * descriptions; the address space for that is kept. */
#define SMALL_SIZE ((size_t)2 << 20)
/* What there is for so many bytes of code; a segment is full when one of them is. Programs have about three
 * quarters. */
#define PER_BLOCK 80
#define PER_LINK  40
#define PER_MARK  5 /* bytes of marks */
#define PER_BYTE  5 /* of the program */
/* The most that one needs, with where indirect branches arrive. */
#define MARKS_OF_BLOCK ((size_t)2064 * PAPI_VPMU_PACKED_MARK_MAX)
/* Bytes of memory whose pages are prepared at a time, and how many are to be ahead. */
#define STEP_SMALLEST ((size_t)32 << 10)
#define AHEAD         ((size_t)4 << 10)

static struct papi_vpmu_segment segments[MAX_SEGMENTS];
static unsigned n_segments; /* places of the table that have ever been taken */
static size_t live_size;    /* of those that are not retired */

struct papi_vpmu_segment *papi_vpmu_segment;

static size_t live_limit(void)
{
	return papi_vpmu_processor_reach / 4 < LIVE_SIZE ? papi_vpmu_processor_reach / 4 : LIVE_SIZE;
}

/* ---- memory ---- */

static size_t size_of_tables(size_t size)
{
	return size / PER_BLOCK * sizeof(struct papi_vpmu_block) + size / PER_LINK * sizeof(struct papi_vpmu_link) +
		size / PER_MARK + size / PER_BYTE;
}

static void give_back(struct papi_vpmu_segment *segment)
{
	if (segment->code)
		papi_vpmu_region_unmap((void *)(uintptr_t)segment->code, segment->size);
	papi_vpmu_memory_unmap(segment->write, segment->size);
	papi_vpmu_memory_unmap(segment->tables, size_of_tables(segment->size));
	memset(segment, 0, sizeof(*segment));
}

static bool map_tables(struct papi_vpmu_segment *segment)
{
	char *memory = papi_vpmu_memory_map(size_of_tables(segment->size));

	segment->tables = memory;
	segment->blocks = (struct papi_vpmu_block *)(void *)memory;
	segment->links = (struct papi_vpmu_link *)(segment->blocks + segment->size / PER_BLOCK);
	segment->marks = (uint8_t *)(segment->links + segment->size / PER_LINK);
	segment->bytes = segment->marks + segment->size / PER_MARK;
	return memory;
}

/* Past the limit of the size of files, there would be a signal. */
static int new_file(size_t size)
{
	struct rlimit limit = { .rlim_cur = 0 };
	long file;

	if (papi_vpmu_raw(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) || limit.rlim_cur < size)
		return -1;
	file = papi_vpmu_raw(SYS_memfd_create, (long)"papi_vpmu_code", MFD_CLOEXEC, 0, 0, 0, 0);
	if (file >= 0 && papi_vpmu_raw(SYS_ftruncate, file, (long)size, 0, 0, 0, 0)) {
		papi_vpmu_raw(SYS_close, file, 0, 0, 0, 0, 0);
		return -1;
	}
	return (int)file;
}

/* Where memory cannot be mapped a second time, as in an emulator of another processor's programs: a file, at the place
 * of the code and elsewhere. */
static long map_file_twice(void *code, size_t size)
{
	int file = new_file(size);
	long again = -1;

	if (file < 0)
		return file;
	if (papi_vpmu_raw(SYS_mmap, (long)code, (long)size, PROT_READ | PROT_EXEC,
		    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0) == (long)code)
		again = papi_vpmu_raw(
			SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
	papi_vpmu_raw(SYS_close, file, 0, 0, 0, 0, 0);
	return again;
}

/* Both views of a segment's code. If possible no file: its size would be limited by that of the program's files. */
static bool map_code(struct papi_vpmu_segment *segment)
{
	void *code = papi_vpmu_region_map(
		segment->size, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE);
	long again;

	if (!code)
		return false;
	segment->code = (uint64_t)(uintptr_t)code;
	/* An old size of 0 maps the same memory a second time. */
	again = papi_vpmu_raw(SYS_mremap, (long)code, 0, (long)segment->size, MREMAP_MAYMOVE, 0, 0);
	if (papi_vpmu_failed(again))
		again = map_file_twice(code, segment->size);
	if (papi_vpmu_failed(again))
		return false;
	segment->write = (uint8_t *)again; /* NOLINT(performance-no-int-to-ptr) */
	return papi_vpmu_raw(SYS_mprotect, again, (long)segment->size, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

/* Where the program has limited its own, it is not taken from it. */
static void keep_room(void)
{
	struct rlimit limit = { .rlim_cur = 0 };

	if (live_size >= SMALL_SIZE && !papi_vpmu_raw(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) &&
		limit.rlim_cur == RLIM_INFINITY)
		papi_vpmu_region_keep(3 * live_limit());
}

static bool new_segment(uint64_t epoch)
{
	struct papi_vpmu_segment *segment = segments;

	while (segment < segments + MAX_SEGMENTS && segment->write)
		segment++;
	if (segment == segments + MAX_SEGMENTS || live_size >= live_limit())
		return false;
	segment->size = live_size < SEGMENT_SMALLEST ? SEGMENT_SMALLEST
		: live_size > SEGMENT_LARGEST        ? SEGMENT_LARGEST
						     : live_size;
	keep_room();
	if (!map_code(segment) || !map_tables(segment)) {
		give_back(segment);
		return false;
	}
	segment->opened_at = epoch;
	if (segment >= segments + n_segments)
		n_segments = (unsigned)(segment - segments) + 1;
	live_size += segment->size;
	papi_vpmu_segment = segment;
	return true;
}

/* Too full for another block, that is for the largest one there can be, with where indirect branches arrive. */
static bool is_full(const struct papi_vpmu_segment *segment)
{
	return segment->size - segment->used < PAPI_VPMU_EMIT_MARGIN + 128 ||
		segment->n_blocks + 1 >= segment->size / PER_BLOCK ||
		segment->n_links >= segment->size / PER_LINK - 1024 ||
		segment->marks_size >= segment->size / PER_MARK - MARKS_OF_BLOCK ||
		segment->n_bytes >= segment->size / PER_BYTE - 4096;
}

/* The next pages of a piece, before it grows into them: the more there are, the larger it is already. */
static void prepare(size_t *prepared, uint8_t *start, size_t used, size_t size)
{
	size_t step = used / 4 > STEP_SMALLEST ? used / 4 : STEP_SMALLEST;

	if (used + AHEAD <= *prepared || *prepared >= size)
		return;
	step = *prepared + step < size ? step : size - *prepared;
	papi_vpmu_memory_prepare(start + *prepared, step, true);
	*prepared += step;
}

static void prepare_code(struct papi_vpmu_segment *segment)
{
	size_t before = segment->prepared[0];

	prepare(&segment->prepared[0], segment->write, segment->used, segment->size);
	if (segment->prepared[0] > before)
		papi_vpmu_memory_prepare(
			(uint8_t *)(uintptr_t)segment->code + before, segment->prepared[0] - before, false);
}

static void prepare_all(struct papi_vpmu_segment *segment)
{
	prepare_code(segment);
	prepare(&segment->prepared[1], (uint8_t *)segment->blocks, segment->n_blocks * sizeof(*segment->blocks),
		segment->size / PER_BLOCK * sizeof(*segment->blocks));
	prepare(&segment->prepared[2], (uint8_t *)segment->links, segment->n_links * sizeof(*segment->links),
		segment->size / PER_LINK * sizeof(*segment->links));
	prepare(&segment->prepared[3], segment->marks, segment->marks_size, segment->size / PER_MARK);
	prepare(&segment->prepared[4], segment->bytes, segment->n_bytes, segment->size / PER_BYTE);
}

bool papi_vpmu_segment_open(uint64_t epoch)
{
	if ((!papi_vpmu_segment || is_full(papi_vpmu_segment)) && !new_segment(epoch))
		return false;
	prepare_all(papi_vpmu_segment);
	return true;
}

void papi_vpmu_segments_retire(void)
{
	for (unsigned i = 0; i < n_segments; i++)
		segments[i].retired = segments[i].write;
	live_size = 0;
	papi_vpmu_segment = NULL;
}

void papi_vpmu_segments_pass(bool (*threads_are_in)(uint64_t epoch))
{
	for (struct papi_vpmu_segment *segment = segments; segment < segments + n_segments; segment++)
		if (segment->retired && !threads_are_in(segment->opened_at))
			give_back(segment);
}

void papi_vpmu_segments_forget(void)
{
	for (unsigned i = 0; i < n_segments; i++)
		give_back(&segments[i]);
	live_size = 0;
	papi_vpmu_segment = NULL;
}

/* ---- what an address is in ---- */

struct papi_vpmu_segment *papi_vpmu_segment_at(unsigned place)
{
	return &segments[place];
}

unsigned papi_vpmu_segment_place(const struct papi_vpmu_segment *segment)
{
	return (unsigned)(segment - segments);
}

struct papi_vpmu_segment *papi_vpmu_segment_of(uint64_t code)
{
	for (struct papi_vpmu_segment *segment = segments; segment < segments + n_segments; segment++)
		if (segment->code && code - segment->code < segment->size)
			return segment;
	return NULL;
}

bool papi_vpmu_cache_is_live(uint64_t code)
{
	const struct papi_vpmu_segment *segment = papi_vpmu_segment_of(code);

	return segment && !segment->retired;
}

bool papi_vpmu_cache_holds(uint64_t code)
{
	return papi_vpmu_segment_of(code);
}

/* The way to the dispatcher belongs to what it is right before. */
static uint64_t start_of(const struct papi_vpmu_block *block)
{
	return block->before ? block->code : block->code - papi_vpmu_processor_stub;
}

const struct papi_vpmu_block *papi_vpmu_cache_block_at(uint64_t code)
{
	const struct papi_vpmu_segment *segment = papi_vpmu_segment_of(code);
	unsigned low = 0, high;

	if (!segment)
		return NULL;
	high = atomic_load_explicit(&segment->n_blocks, memory_order_acquire);
	while (low < high) { /* the last one that starts at or before code */
		unsigned middle = (low + high) / 2;

		if (start_of(&segment->blocks[middle]) <= code)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || code >= segment->blocks[low - 1].code + segment->blocks[low - 1].code_size)
		return NULL;
	return &segment->blocks[low - 1];
}

const struct papi_vpmu_block *papi_vpmu_cache_block_with(uint32_t code)
{
	for (unsigned i = 0; i < n_segments; i++) {
		uint32_t offset = code - (uint32_t)segments[i].code;

		if (segments[i].code && offset < segments[i].size)
			return papi_vpmu_cache_block_at(segments[i].code + offset);
	}
	return NULL;
}
