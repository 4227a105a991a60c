/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "random_program.h"

uint64_t random_state;

unsigned below(unsigned n)
{
	return (unsigned)(next_random(&random_state) % n);
}

bool often(void)
{
	return below(4) != 0;
}

uint64_t one_of(const uint64_t values[], unsigned n)
{
	return values[below(n)];
}

/* ---- shapes ---- */

static struct papi_vpmu_shape any_shape(unsigned least_shift, unsigned most_shift)
{
	return (struct papi_vpmu_shape){ (uint32_t)ONE_OF(1, 2, 3, 4, 8, 12, 64),
		(uint32_t)ONE_OF(1, 1, 2, 4, 8, 12, 16, 20), least_shift + below(most_shift - least_shift + 1) };
}

/* Caches that have at least eight classes in common. */
static struct papi_vpmu_shape shape_of_classes(unsigned shift)
{
	return (struct papi_vpmu_shape){ (uint32_t)ONE_OF(16, 32, 48, 64, 64, 128),
		(uint32_t)ONE_OF(1, 2, 4, 8, 12, 20), shift };
}

void choose_sampled_geometry(struct papi_vpmu_geometry *geometry)
{
	unsigned shift = below(2) ? 6 : 5 + below(2);

	geometry->l1i = shape_of_classes(shift);
	geometry->l1d = shape_of_classes(shift);
	geometry->l2 = shape_of_classes(shift);
	if (geometry->l3.ways)
		geometry->l3 = shape_of_classes(shift);
	geometry->choice = papi_vpmu_choice_of(geometry);
	assert_in_range(geometry->choice.groups, 4, 8);
	assert_int_equal(geometry->choice.groups * geometry->choice.scale, geometry->choice.classes);
}

void choose_geometry(struct papi_vpmu_geometry *geometry)
{
	static const struct papi_vpmu_shape none = { 1, 0, 12 };

	geometry->l1i = below(2) ? (struct papi_vpmu_shape){ 64, 8, 6 } : any_shape(4, 7);
	geometry->l1d = below(2) ? (struct papi_vpmu_shape){ 64, 8, 6 } : any_shape(4, 7);
	geometry->l2 = any_shape(7, 8);
	geometry->l3 = often() ? any_shape(7, 8) : (struct papi_vpmu_shape){ 1, 0, 7 };
	geometry->itlb = any_shape(12, 12);
	geometry->dtlb = any_shape(12, 12);
	geometry->dtlb2 = often() ? any_shape(12, 12) : none;
	geometry->itlb2 = often() ? any_shape(12, 12) : none;
	geometry->shared_tlb2 = geometry->dtlb2.ways && below(2);
	if (geometry->shared_tlb2)
		geometry->itlb2 = geometry->dtlb2;
}

/* ---- making programs ---- */

static uint32_t code_page(uint64_t page)
{
	return (page * 7 + 3) % 1024;
}

bool is_uncounted(uint64_t pc)
{
	return pc / PAGE % 8 == 5;
}

uint64_t numbered(uint64_t pc)
{
	return ((uint64_t)PAPI_VPMU_FRAME_OF_CODE + code_page(pc / PAGE)) * PAGE + pc % PAGE;
}

uint64_t size_of(const struct block *block)
{
	uint64_t size = 0;

	for (unsigned i = 0; i < block->instructions; i++)
		size += block->sizes[i];
	return size;
}

static struct walk any_walk(const struct trace *trace)
{
	uint64_t heap = 0x10000000 + below((unsigned)trace->data_pages) * (uint64_t)PAGE + below(PAGE / 8) * 8u;

	return (struct walk){
		.manner = below(3),
		.start = often() ? heap : 0x7ff000000u + below(16 * PAGE),
		.stride = ONE_OF(0, 8, 16, 24, 64, 100, 4096, 4160, (uint64_t)-8, (uint64_t)-64, (uint64_t)-4096),
		.pages = 1 + below((unsigned)trace->data_pages),
	};
}

/* Elements of 1 to 8 bytes in a row, or of 4 and 8 where a vector says. */
static void make_active(struct access *access)
{
	bool indexed = below(2), wide = below(2);
	unsigned stride = indexed ? wide || below(2) ? 3 : 2 : below(4);
	unsigned how = indexed ? PAPI_VPMU_ACTIVE_INDEXED | below(4) | (wide ? PAPI_VPMU_ACTIVE_WIDE : 0) |
			(below(2) ? PAPI_VPMU_ACTIVE_SIGNED : 0)
			       : 0;

	access->prefetches = !below(4);
	access->kind = access->prefetches || access->kind != PAPI_VPMU_WRITE ? PAPI_VPMU_READ : PAPI_VPMU_WRITE;
	if (!indexed && !access->prefetches && !below(4))
		how |= PAPI_VPMU_ACTIVE_ANY;
	if (!access->prefetches && !below(3))
		how |= PAPI_VPMU_ACTIVE_STOPS;
	access->size = (unsigned)ONE_OF(1, 2, 4, 8, 12, 32);
	access->active = (struct papi_vpmu_active){ .displacement = (int32_t)access->displacement,
		.last = (uint8_t)((64 >> stride) - 1),
		.size = (uint8_t)access->size,
		.stride = (uint8_t)stride,
		.how = (uint8_t)how };
}

static void add_access(struct block *block, unsigned instruction, bool special)
{
	struct access *access = &block->accesses[block->n_accesses++];

	*access = (struct access){ .instruction = instruction,
		.kind = below(3),
		.word = below(WORDS),
		.size = (unsigned)ONE_OF(1, 2, 4, 8, 8, 8, 16, 32, 64),
		.displacement = (int64_t)(below(2) ? below(32) * 8 : below(256)) - 64 };
	if (!below(6)) {
		access->sort = CONSTANT;
		access->displacement = 0x600000 + below(2 * PAGE);
	}
	if (special && below(2))
		access->sort = PREFETCH + below(5);
	/* Each has values of its own. */
	for (unsigned i = 0; i + 1 < block->n_accesses; i++)
		if (access->sort >= STRING && access->sort != THREAD_LOCAL && block->accesses[i].sort == access->sort)
			access->sort = ORDINARY;
	if (access->sort == STRING && access->kind == PAPI_VPMU_MODIFY)
		access->kind = PAPI_VPMU_WRITE;
	if (access->sort == STRING || access->sort == GATHER)
		access->size = access->size >= 8 ? 8 : 4;
	if (access->sort == GATHER)
		access->kind = access->kind == PAPI_VPMU_WRITE ? PAPI_VPMU_WRITE : PAPI_VPMU_READ;
	if (access->sort == ACTIVE)
		make_active(access);
}

/* Pushes or pops: a run of accesses of 8 bytes, up or down. */
static void add_stack(struct block *block, unsigned instruction)
{
	unsigned n = 2 + below(3), word = below(WORDS);
	bool falls = below(2);

	for (unsigned i = 0; i < n && block->n_accesses < ACCESSES; i++)
		block->accesses[block->n_accesses++] = (struct access){ .instruction = instruction,
			.kind = falls ? PAPI_VPMU_WRITE : PAPI_VPMU_READ,
			.word = word,
			.size = 8,
			.displacement = (int64_t)(falls ? n - 1 - i : i) * 8 };
}

void make_block(struct trace *trace, struct block *block, bool empty)
{
	bool special = !below(3);
	unsigned passed = 0;

	memset(block, 0, sizeof(*block));
	block->pc = 0x400000 + below(trace->data_pages > 256 ? 1000 : 6) * PAGE + below(PAGE);
	if (block > trace->blocks && !below(3)) /* where the one before it goes on */
		block->pc = block[-1].pc + size_of(&block[-1]);
	block->counted = below(12) != 0;
	block->instructions = 1 + below(INSTRUCTIONS);
	for (unsigned i = 0; i < block->instructions; i++) {
		block->sizes[i] = 1 + below(15);
		block->passes[i] = i && !empty && !below(4) && passed < PAPI_VPMU_BRANCHES_OF_RECORD - 1;
		block->takes[i] = !below(5);
		passed += block->passes[i];
		if (empty)
			continue;
		if (!below(6))
			add_stack(block, i);
		else if (below(2) && block->n_accesses < ACCESSES)
			add_access(block, i, special);
	}
	for (unsigned i = 0; i < WORDS; i++)
		block->walks[i] = any_walk(trace);
}

/* ---- their descriptions ---- */

static void describe_lines(const struct trace *trace, const struct block *block, uint64_t *first, uint8_t *n,
	uint64_t *other, uint8_t *n_other)
{
	unsigned shift = trace->geometry.l1i.shift;
	uint64_t last = block->pc + size_of(block) - 1, page_end = block->pc | (PAGE - 1),
		 end = last < page_end ? last : page_end;

	*first = numbered(block->pc) >> shift;
	*n = (uint8_t)((end >> shift) - (block->pc >> shift) + 1);
	*n_other = 0;
	if (last <= page_end)
		return;
	*other = numbered(page_end + 1) >> shift;
	*n_other = (uint8_t)((last >> shift) - ((page_end + 1) >> shift) + 1);
}

uint64_t end_of(const struct block *block, unsigned instruction)
{
	uint64_t end = block->pc;

	for (unsigned i = 0; i <= instruction; i++)
		end += block->sizes[i];
	return end - 1;
}

static struct papi_vpmu_access describe_access(
	const struct trace *trace, const struct block *block, const struct access *access)
{
	unsigned shift = trace->geometry.l1i.shift;
	struct papi_vpmu_access made = { .displacement = access->displacement,
		.extent = (uint16_t)(access->size - 1),
		.word = (uint8_t)(1 + access->word),
		.is_write = access->kind == PAPI_VPMU_WRITE,
		.kind = (uint8_t)access->kind,
		.line = (uint8_t)((end_of(block, access->instruction) >> shift) - (block->pc >> shift)) };

	switch (access->sort) {
	case CONSTANT:
		made.word = 0;
		made.displacement -= (int64_t)block->offset;
		break;
	case PREFETCH:
		made.kind = PAPI_VPMU_PREFETCH;
		made.is_write = false;
		break;
	case STRING:
		made.form = PAPI_VPMU_FORM_STRING;
		made.word = 1 + WORDS;
		made.displacement = 0;
		break;
	case GATHER:
		made.form = PAPI_VPMU_FORM_GATHER;
		made.word = 1 + WORDS + 2;
		made.extent = PAPI_VPMU_GATHER_ALWAYS | 7 | PAPI_VPMU_GATHER_WIDE_INDEX | PAPI_VPMU_GATHER_MASK_BITS |
			1 << PAPI_VPMU_GATHER_SCALE_SHIFT | (access->size == 8 ? PAPI_VPMU_GATHER_WIDE : 0);
		break;
	case ACTIVE:
		made.form = PAPI_VPMU_FORM_ACTIVE;
		made.word = 1 + WORDS + 2 + 10;
		made.active = access->active;
		made.kind = access->prefetches ? PAPI_VPMU_PREFETCH : made.kind;
		break;
	case THREAD_LOCAL:
		made.form = PAPI_VPMU_FORM_THREAD_LOCAL;
		break;
	default:
		break;
	}
	return made;
}

/* How many accesses from this one on are near each other. */
static unsigned near_each_other(const struct access *access, unsigned left)
{
	int64_t low = access->displacement, high = low + access->size;
	unsigned n = 0;

	for (; n < left && access[n].sort == ORDINARY && access[n].word == access->word; n++) {
		int64_t start = access[n].displacement, end = start + access[n].size;

		low = start < low ? start : low;
		high = end > high ? end : high;
		if (high - low > 64)
			break;
	}
	return n;
}

static uint8_t form_of(const struct access *access, unsigned n)
{
	bool rises = true, falls = true;

	for (unsigned i = 0; i < n; i++) {
		if (access[i].size != 8 || access[i].kind != access->kind || access[i].kind == PAPI_VPMU_MODIFY)
			return PAPI_VPMU_FORM_PLAIN;
		rises = rises && access[i].displacement == access->displacement + 8 * (int64_t)i;
		falls = falls && access[i].displacement == access->displacement - 8 * (int64_t)i;
	}
	return rises ? PAPI_VPMU_FORM_RISING : falls ? PAPI_VPMU_FORM_FALLING : PAPI_VPMU_FORM_PLAIN;
}

static struct papi_vpmu_access lead(const struct papi_vpmu_access *described, const struct access *access, unsigned n)
{
	struct papi_vpmu_access leader = described[0];
	int64_t high = 0;

	for (unsigned i = 0; i < n; i++) {
		if (described[i].displacement < leader.displacement)
			leader.displacement = described[i].displacement;
		if (described[i].displacement + described[i].extent > high)
			high = described[i].displacement + described[i].extent;
	}
	for (unsigned i = 0; i < n; i++)
		high = described[i].displacement + described[i].extent > high
			? described[i].displacement + described[i].extent
			: high;
	leader.extent = (uint16_t)(high - leader.displacement);
	leader.spanned = (uint8_t)n;
	leader.form = form_of(access, n);
	leader.line = described[n - 1].line;
	return leader;
}

static void describe_accesses(
	const struct trace *trace, const struct block *block, struct papi_vpmu_description *description)
{
	struct papi_vpmu_access *to = (void *)(description + 1), described[ACCESSES];
	unsigned n;

	for (unsigned i = 0; i < block->n_accesses; i++) {
		described[i] = describe_access(trace, block, &block->accesses[i]);
		if (block->accesses[i].sort > CONSTANT)
			description->plain = false;
	}
	for (unsigned i = 0; i < block->n_accesses; i += n) {
		n = near_each_other(&block->accesses[i], block->n_accesses - i);
		if (n < 2 || !often())
			n = 1;
		else
			to[description->accesses++] = lead(described + i, &block->accesses[i], n);
		for (unsigned j = 0; j < n; j++)
			to[description->accesses++] = described[i + j];
	}
}

/* Two blocks of one record: the second has no accesses, and the call leads from one to the other. */
static void describe_called(const struct trace *trace, struct block *block)
{
	struct papi_vpmu_description *description = block->description;
	const struct block *called = block->called;
	uint64_t other;
	uint8_t n_other;

	description->words -= papi_vpmu_tells_target(description->end);
	description->end = PAPI_VPMU_ENDS_CALL;
	block->conditional = true;
	describe_lines(trace, called, &description->other_line, &description->n_other_lines, &other, &n_other);
}

/* By the address of their last byte. A branch in the middle may have been taken, as where it leaves the block: that is
 * known. */
static void describe_branches(const struct block *block)
{
	struct papi_vpmu_description *description = block->description;
	const struct block *last = block->called ? block->called : block;
	uint32_t *branches = papi_vpmu_described_branches(description),
		 flags = block->counted ? 0 : PAPI_VPMU_BRANCH_UNCOUNTED;

	for (unsigned i = 0; i < block->instructions; i++)
		if (block->passes[i])
			branches[description->branches++] = (uint16_t)numbered(end_of(block, i - 1)) | flags |
				(block->takes[i] ? PAPI_VPMU_BRANCH_TAKEN : 0);
	if (!block->conditional)
		return;
	branches[description->branches++] = (uint16_t)numbered(end_of(last, last->instructions - 1)) | flags;
	description->behind = last->pc + size_of(last);
}

/* The first instruction that is in a line of code, counted from the block's first line; from 1 on. */
static uint8_t first_in_line(const struct trace *trace, const struct block *block, unsigned line)
{
	unsigned shift = trace->geometry.l1i.shift, i = 0;

	while ((end_of(block, i) >> shift) - (block->pc >> shift) < line)
		i++;
	return (uint8_t)(i + 1);
}

/* Blocks are known by their place in the trace, from 1 on. */
static void describe_origins(const struct trace *trace, const struct block *block)
{
	const struct papi_vpmu_description *description = block->description;
	struct papi_vpmu_origins *origins = (void *)(uintptr_t)papi_vpmu_described_origins(description);
	const struct papi_vpmu_access *accesses = papi_vpmu_described_accesses(description);
	unsigned lines = description->n_lines + (block->called ? 0u : description->n_other_lines), single = 0;
	uint8_t *next = origins->instructions;

	origins->block = (uint32_t)(block - trace->blocks) + 1;
	origins->following = BLOCKS + 1;
	for (unsigned i = 0; i < description->accesses; i++) {
		*next++ = (uint8_t)(block->accesses[single].instruction + 1);
		single += !accesses[i].spanned;
	}
	for (unsigned i = 0; i < lines; i++)
		*next++ = first_in_line(trace, block, i);
	for (unsigned i = 0; block->called && i < description->n_other_lines; i++)
		*next++ = first_in_line(trace, block->called, i) | PAPI_VPMU_ORIGIN_FOLLOWS;
	for (unsigned i = 0; i < block->instructions && description->branches; i++)
		if (block->passes[i])
			*next++ = (uint8_t)i;
	if (block->conditional && description->branches)
		*next++ = block->called ? (uint8_t)block->called->instructions | PAPI_VPMU_ORIGIN_FOLLOWS
					: (uint8_t)block->instructions;
	*next++ = (uint8_t)block->instructions;
	assert_in_range(next - (uint8_t *)origins, 1, papi_vpmu_origins_size(description));
	assert_in_range(next - (uint8_t *)description, 1, 512);
}

static bool is_in_one_page(const struct block *block)
{
	return block->pc / PAGE == (block->pc + size_of(block) - 1) / PAGE;
}

void describe(const struct trace *trace, struct block *block)
{
	struct papi_vpmu_description *description = block->description;

	*description = (struct papi_vpmu_description){
		.pc = block->pc,
		.next = block->pc + size_of(block),
		.entry = numbered(block->pc),
		.branch = numbered(end_of(block, block->instructions - 1)),
		.words = 1 + WORDS,
		.end = (uint8_t)ONE_OF(PAPI_VPMU_ENDS_ANYHOW, PAPI_VPMU_ENDS_ANYHOW, PAPI_VPMU_ENDS_ANYHOW,
			PAPI_VPMU_ENDS_ANYHOW, PAPI_VPMU_ENDS_CALL, PAPI_VPMU_ENDS_INDIRECT_JUMP,
			PAPI_VPMU_ENDS_INDIRECT_CALL, PAPI_VPMU_ENDS_RETURN),
		.counted = block->counted,
		.plain = true,
	};
	block->conditional = description->end == PAPI_VPMU_ENDS_ANYHOW && often();
	describe_lines(trace, block, &description->first_line, &description->n_lines, &description->other_line,
		&description->n_other_lines);
	if (trace->parts & PAPI_VPMU_PART_DATA)
		describe_accesses(trace, block, description);
	else
		description->words = 1;
	if (!description->plain)
		description->words = WORDS_MOST;
	if (trace->parts & PAPI_VPMU_PART_BRANCHES)
		description->words += papi_vpmu_tells_target(description->end);
	else
		description->end = PAPI_VPMU_ENDS_ANYHOW;
	if (!below(4) && is_in_one_page(block) && is_in_one_page(&trace->blocks[BLOCKS])) {
		block->called = &trace->blocks[BLOCKS];
		describe_called(trace, block);
	}
	if (trace->parts & PAPI_VPMU_PART_BRANCHES && trace->parts != PAPI_VPMU_PART_BRANCHES)
		describe_branches(block);
	papi_vpmu_description_finish(description, papi_vpmu_described_accesses(description));
	describe_origins(trace, block);
}
