/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulators against the reference model, on random programs: blocks with instructions, accesses and branches, in
 * loops and in any order, with strides, random addresses and chains of pointers, on caches and TLBs of many shapes. The
 * simulators get descriptions and records as the translator makes them, the reference model what happens, one by one.
 * Where only some parts of the simulators run, they get no more than those need, and the events of these are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "components/vpmu/models/models.h"
#include "components/vpmu/names.h"
#include "components/vpmu/sampling.h"
#include "reference_model.h"

#define PAGE         4096u
#define BLOCKS       12
#define INSTRUCTIONS 10
#define ACCESSES     10
#define WORDS        3
#define WORDS_MOST   (1 + WORDS + 2 + 10) /* of a record: with a string and a gather, but for where it goes */
#define ARENA        ((size_t)192 << 10)
#define TRACES       3000

static uint64_t random_state;

static unsigned below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((random_state >> 33) % n);
}

static bool often(void)
{
	return below(4) != 0;
}

static uint64_t one_of(const uint64_t values[], unsigned n)
{
	return values[below(n)];
}

#define ONE_OF(...) \
	one_of((const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void *change_memory(void *memory, size_t old, size_t new)
{
	void *changed = new ? aligned_alloc(64, (new + 63) & ~(size_t)63) : NULL;

	if (changed) {
		memset(changed, 0, new);
		memcpy(changed, memory ? memory : changed, old < new ? old : new);
	}
	free(memory);
	return changed;
}

/* ---- programs ---- */

enum sort { ORDINARY, CONSTANT, PREFETCH, STRING, THREAD_LOCAL, GATHER };

/* What an instruction does to memory. */
struct access {
	enum sort sort;
	enum papi_vpmu_access_kind kind;
	unsigned instruction, word, size;
	int64_t displacement; /* from its value; of CONSTANT the address */
};

/* Where the value of a word goes from run to run. */
struct walk {
	enum { STRIDES, ANYWHERE, CHAIN } manner;
	uint64_t start, at, stride, pages;
};

struct block {
	uint64_t pc;
	unsigned sizes[INSTRUCTIONS], instructions;
	bool passes[INSTRUCTIONS]; /* a conditional branch in the middle right before it */
	bool takes[INSTRUCTIONS];  /* which is said to be taken */
	struct access accesses[ACCESSES];
	unsigned n_accesses;
	struct walk walks[WORDS];
	struct papi_vpmu_description *description;
	uint64_t offset;            /* of the description in the arena */
	const struct block *called; /* that ends the same record */
	bool conditional;           /* a branch at its end, or at that of what it calls */
	bool counted;
};

struct trace {
	struct papi_vpmu_geometry geometry;
	unsigned parts; /* of the simulators that run */
	struct papi_vpmu_models *models;
	struct reference_model *plain;
	uint64_t counters[PAPI_VPMU_GROUPS_MAX][PAPI_VPMU_COUNTERS];
	struct block blocks[BLOCKS + 1];
	unsigned char *arena;
	uint64_t words[8192];
	uint32_t branches[8192], told[65536]; /* of the stream; and room for those of records */
	unsigned n_words, n_branches;
	uint64_t data_pages;
};

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

static void choose_sampled_geometry(struct papi_vpmu_geometry *geometry)
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

static void choose_geometry(struct papi_vpmu_geometry *geometry)
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

/* Of what is there, nothing is counted: indirect branches that go there are not predicted. */
static bool is_uncounted(uint64_t pc)
{
	return pc / PAGE % 8 == 5;
}

static uint64_t numbered(uint64_t pc)
{
	return ((uint64_t)PAPI_VPMU_FRAME_OF_CODE + code_page(pc / PAGE)) * PAGE + pc % PAGE;
}

static uint64_t place_code(uint64_t pc)
{
	return is_uncounted(pc) ? 0 : numbered(pc);
}

static uint64_t size_of(const struct block *block)
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
		access->sort = PREFETCH + below(4);
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

static void make_block(struct trace *trace, struct block *block, bool empty)
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

static uint64_t end_of(const struct block *block, unsigned instruction)
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

static bool is_in_one_page(const struct block *block)
{
	return block->pc / PAGE == (block->pc + size_of(block) - 1) / PAGE;
}

static void describe(const struct trace *trace, struct block *block)
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
}

/* ---- what happens ---- */

static void fetch(struct trace *trace, uint64_t pc, unsigned size)
{
	unsigned here = (unsigned)(PAGE - pc % PAGE);

	reference_fetch(trace->plain, numbered(pc), size < here ? size : here);
	if (size > here)
		reference_fetch(trace->plain, numbered(pc + here), size - here);
}

static void access_string(struct trace *trace, const struct access *access, const uint64_t *values)
{
	uint64_t address = values[WORDS], end = values[WORDS + 1],
		 step = end > address ? access->size : -(uint64_t)access->size;

	for (; address != end; address += step)
		reference_access(trace->plain, &address, 1, access->size, access->kind);
}

static void access_gather(struct trace *trace, const struct access *access, const uint64_t *values)
{
	const uint64_t *own = values + WORDS + 2;
	uint64_t addresses[8];
	unsigned n = 0;

	for (unsigned lane = 0; lane < 8; lane++)
		if (own[9] >> lane & 1)
			addresses[n++] = own[0] + 2 * own[1 + lane] + (uint64_t)access->displacement;
	reference_access(trace->plain, addresses, n, access->size, access->kind);
}

static void access_one(struct trace *trace, const struct access *access, const uint64_t *values)
{
	uint64_t address = (access->sort == CONSTANT ? 0 : values[access->word]) + (uint64_t)access->displacement;

	if (access->sort == THREAD_LOCAL)
		address += trace->models->thread_base;
	if (access->sort == PREFETCH)
		reference_prefetch(trace->plain, address, access->size);
	else if (access->sort == STRING)
		access_string(trace, access, values);
	else if (access->sort == GATHER)
		access_gather(trace, access, values);
	else
		reference_access(trace->plain, &address, 1, access->size, access->kind);
}

static void branch(struct trace *trace, const struct block *block, uint64_t pc, bool taken)
{
	if (trace->parts == PAPI_VPMU_PART_BRANCHES)
		trace->branches[trace->n_branches++] = (uint16_t)pc | (taken ? PAPI_VPMU_BRANCH_TAKEN : 0) |
			(block->counted ? 0 : PAPI_VPMU_BRANCH_UNCOUNTED);
	reference_conditional(trace->plain, pc, taken);
}

static void run_instructions(struct trace *trace, const struct block *block, const uint64_t *values)
{
	uint64_t pc = block->pc;
	unsigned next = 0;

	for (unsigned i = 0; i < block->instructions; pc += block->sizes[i++]) {
		if (block->passes[i])
			branch(trace, block, numbered(pc - 1), block->takes[i]);
		fetch(trace, pc, block->sizes[i]);
		for (; next < block->n_accesses && block->accesses[next].instruction == i; next++)
			access_one(trace, &block->accesses[next], values);
	}
}

/* The branch at the end of a block, and of what it calls. */
static void branch_to(struct trace *trace, const struct block *block, uint64_t target)
{
	const struct papi_vpmu_description *from = block->description;
	const struct block *last = block->called ? block->called : block;

	switch (from->end) {
	case PAPI_VPMU_ENDS_CALL:
		reference_call(trace->plain, from->next);
		break;
	case PAPI_VPMU_ENDS_RETURN:
		reference_return(trace->plain, target);
		break;
	case PAPI_VPMU_ENDS_INDIRECT_CALL:
	case PAPI_VPMU_ENDS_INDIRECT_JUMP:
		if (is_uncounted(target))
			break;
		reference_indirect(trace->plain, from->branch, target, numbered(target));
		if (from->end == PAPI_VPMU_ENDS_INDIRECT_CALL && target != from->next)
			reference_call(trace->plain, from->next);
		break;
	default:
		break;
	}
	if (block->conditional)
		branch(trace, block, numbered(end_of(last, last->instructions - 1)),
			target != last->pc + size_of(last));
}

static uint64_t next_value(struct walk *walk)
{
	switch (walk->manner) {
	case STRIDES:
		walk->at += walk->stride;
		if (walk->at + PAGE > walk->pages * PAGE + PAGE)
			walk->at = 0;
		break;
	case ANYWHERE:
		walk->at = below((unsigned)walk->pages * PAGE);
		break;
	default: /* each pointer leads to the next, in a ring */
		walk->at = (walk->at * 5 + 3 * 64) % (walk->pages * PAGE);
	}
	return walk->start + walk->at;
}

static void fill_values(const struct trace *trace, struct block *block, uint64_t *values)
{
	unsigned size = 8;

	for (unsigned i = 0; i < WORDS; i++)
		values[i] = next_value(&block->walks[i]);
	if (block->description->plain)
		return;
	for (unsigned i = 0; i < block->n_accesses; i++)
		if (block->accesses[i].sort == STRING)
			size = block->accesses[i].size;
	values[WORDS] = 0x10000000 + below((unsigned)trace->data_pages) * (uint64_t)PAGE + PAGE + below(PAGE / 8) * 8;
	values[WORDS + 1] = values[WORDS] + (below(2) ? (uint64_t)below(60) * size : -(uint64_t)below(60) * size);
	for (unsigned i = 0; i < 10; i++)
		values[WORDS + 2 + i] = i == 0 ? values[0] : i == 9 ? below(256) : below(2 * PAGE);
}

/* As papi_vpmu_is_worth_record() has it. */
static void append(struct trace *trace, const struct block *block, const uint64_t *record)
{
	const struct papi_vpmu_description *description = block->description;

	if (trace->parts == PAPI_VPMU_PART_BRANCHES ? description->end == PAPI_VPMU_ENDS_ANYHOW
						    : trace->parts == PAPI_VPMU_PART_DATA && !description->accesses)
		return;
	memcpy(trace->words + trace->n_words, record, description->words * sizeof(*record));
	trace->n_words += description->words;
}

/* And it goes on at the target. */
static void run_block(struct trace *trace, struct block *block, uint64_t target)
{
	uint64_t record[WORDS_MOST + 1] = { block->offset };

	fill_values(trace, block, record + 1);
	if (papi_vpmu_tells_target(block->description->end))
		record[block->description->words - 1] = target;
	append(trace, block, record);
	trace->plain->counting = block->counted;
	run_instructions(trace, block, record + 1);
	if (block->called)
		run_instructions(trace, block->called, record + 1); /* it has no accesses */
	branch_to(trace, block, target);
}

static void simulate(struct trace *trace)
{
	papi_vpmu_simulate(
		trace->models, trace->counters[0], trace->words, trace->words + trace->n_words, trace->arena);
	papi_vpmu_simulate_branches(
		trace->models, trace->counters[0], trace->branches, trace->branches + trace->n_branches);
	trace->n_words = trace->n_branches = 0;
}

/* A few blocks, again and again; now and then the simulators are told only what has been so far, and at the end where
 * the thread is about to go on. */
static void run_phrase(struct trace *trace)
{
	unsigned n = 1 + (below(2) ? 0 : below(4)), rounds = 1 + below(40);
	struct block *blocks[4], *block = NULL;

	for (unsigned i = 0; i < n; i++)
		blocks[i] = &trace->blocks[below(BLOCKS)];
	for (unsigned i = 0; i < n && below(2); i++) /* on to the next */
		blocks[i] = i && blocks[i - 1] < &trace->blocks[BLOCKS - 1] ? blocks[i - 1] + 1 : blocks[i];
	for (unsigned i = 0; i < rounds * n; i++) {
		block = blocks[i % n];
		if (trace->n_words + 32 > sizeof(trace->words) / sizeof(trace->words[0]) || !below(30))
			simulate(trace);
		run_block(trace, block, blocks[(i + 1) % n]->pc);
	}
	simulate(trace);
	papi_vpmu_simulate_arrival(trace->models, trace->counters[0], blocks[0]->pc);
}

/* ---- traces ---- */

static void place_descriptions(struct trace *trace)
{
	uint64_t at = 64;

	/* Some are where they are taken for each other, if only the last ten bits of their number are looked at. */
	for (unsigned i = 0; i <= BLOCKS; i++) {
		trace->blocks[i].offset = i % 2 ? at + 65536 : at;
		trace->blocks[i].description = (void *)(trace->arena + trace->blocks[i].offset);
		at += i % 2 ? 512 : 0;
	}
}

static struct trace *make_trace(uint64_t seed, bool sampled)
{
	struct trace *trace = aligned_alloc(64, (sizeof(*trace) + 63) & ~(size_t)63);

	random_state = seed;
	assert_non_null(trace);
	memset(trace, 0, sizeof(*trace));
	trace->arena = aligned_alloc(64, ARENA);
	assert_non_null(trace->arena);
	memset(trace->arena, 0, ARENA);
	choose_geometry(&trace->geometry);
	if (sampled)
		choose_sampled_geometry(&trace->geometry);
	trace->models = papi_vpmu_models_make(&trace->geometry, change_memory);
	assert_non_null(trace->models);
	trace->plain = reference_make(&trace->geometry);
	trace->plain->choice = trace->geometry.choice;
	trace->parts = seed % 3 ? PAPI_VPMU_PARTS : 1 + (unsigned)(seed / 3 % PAPI_VPMU_PARTS);
	papi_vpmu_models_use(trace->models, trace->parts);
	trace->data_pages = ONE_OF(2, 8, 40, 40, 600);
	trace->models->place_code = place_code;
	papi_vpmu_models_give_room(trace->models, trace->told);
	for (unsigned i = 0; i <= BLOCKS; i++)
		make_block(trace, &trace->blocks[i], i == BLOCKS);
	place_descriptions(trace);
	for (unsigned i = 0; i < BLOCKS; i++)
		describe(trace, &trace->blocks[i]);
	return trace;
}

static void choose_circumstances(struct trace *trace)
{
	uint64_t at = 0x7ff008000 + below(PAGE) / 8 * 8;

	trace->models->thread_base = 0x50000000 - 0x10000000;
	if (often()) {
		/* Accesses that are looked up together are all in it, or none is. */
		papi_vpmu_models_set_stack(trace->models, 0x7fe000000, 0x800000000, at);
		trace->plain->stack_start = 0x7fe000000;
		trace->plain->stack_end = 0x800000000;
		trace->plain->stack_shift = -at % PAGE;
	}
	if (!below(5) && trace->parts & PAPI_VPMU_PART_DATA) {
		trace->models->data_start = trace->plain->data_start = 0x10000000 + below(4 * PAGE);
		trace->models->data_end = trace->plain->data_end = trace->models->data_start + 1 + below(40 * PAGE);
		trace->models->counts_accesses = trace->plain->counts_accesses = true;
	}
}

static void free_trace(struct trace *trace)
{
	papi_vpmu_models_end(trace->models);
	reference_end(trace->plain);
	free(trace->arena);
	free(trace);
}

static void same_count(const struct trace *trace, uint64_t seed, unsigned lane, unsigned counter, uint64_t expected)
{
	if (trace->counters[lane][counter] != expected)
		fail_msg("trace %llu: counter %u, lane %u is %llu, and %llu in the reference model",
			(unsigned long long)seed, counter, lane, (unsigned long long)trace->counters[lane][counter],
			(unsigned long long)expected);
}

/* What sampled models, or the full ones, are to have in their first lane. */
static uint64_t expected_count(const struct trace *trace, unsigned counter)
{
	uint64_t sum = 0;

	if (!trace->models->sampled || !papi_vpmu_counter_is_sampled(counter))
		return trace->plain->counters[counter];
	for (unsigned group = 0; group < PAPI_VPMU_GROUPS_MAX; group++)
		sum += (uint64_t)trace->plain->estimates[group][counter];
	return sum;
}

/* Each group of lines but the first has a lane behind the first. */
static void same_counters(const struct trace *trace, uint64_t seed)
{
	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++) {
		same_count(trace, seed, 0, i, expected_count(trace, i));
		for (unsigned group = 1; group < PAPI_VPMU_GROUPS_MAX; group++)
			same_count(trace, seed, group, i, (uint64_t)trace->plain->estimates[group][i]);
	}
}

/* Events that need none of the other parts. */
static void same_events(const struct trace *trace, uint64_t seed)
{
	uint64_t expected[PAPI_VPMU_COUNTERS] = { 0 };

	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++)
		expected[i] = expected_count(trace, i);
	for (size_t i = 0; i < papi_vpmu_event_count; i++) {
		const struct papi_vpmu_event *event = &papi_vpmu_events[i];
		long long sum = papi_vpmu_event_sum(event, trace->counters[0]),
			  plain = papi_vpmu_event_sum(event, expected);

		if (!(papi_vpmu_event_parts(event, trace->geometry.shared_tlb2) & ~trace->parts) && sum != plain)
			fail_msg("trace %llu, parts %u: %s is %lld, and %lld in the reference model",
				(unsigned long long)seed, trace->parts, event->name, sum, plain);
	}
}

static void same_counts(const struct trace *trace, uint64_t seed)
{
	if (trace->parts == PAPI_VPMU_PARTS)
		same_counters(trace, seed);
	else
		same_events(trace, seed);
}

static void compare_traces(bool sampled)
{
	uint64_t sums[PAPI_VPMU_COUNTERS] = { 0 };

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct trace *trace = make_trace(seed, sampled);

		choose_circumstances(trace);
		for (unsigned phrases = 1 + below(20); phrases > 0; phrases--) {
			run_phrase(trace);
			simulate(trace);
			same_counts(trace, seed);
		}
		for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++)
			sums[i] += trace->counters[0][i];
		free_trace(trace);
	}
	/* There was something of everything. */
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++)
		assert_in_range(sums[i], 1000, UINT64_MAX / 2);
	assert_in_range(sums[PAPI_VPMU_LOADS], 1000, UINT64_MAX / 2);
	assert_in_range(sums[PAPI_VPMU_STORES], 1000, UINT64_MAX / 2);
}

static void traces_count_the_same(void **state)
{
	(void)state;
	compare_traces(false);
}

static void sampled_sets_miss_the_same(void **state)
{
	(void)state;
	compare_traces(true);
}

/* No more than they need. */
static void events_need_parts(void **state)
{
	static const struct {
		const char *name;
		unsigned parts, with_shared_tlb2;
	} rows[] = {
		{ "LOADS", 0, 0 },
		{ "L1D_ACCESSES", 0, 0 },
		{ "BRANCHES_MISPREDICTED", PAPI_VPMU_PART_BRANCHES, PAPI_VPMU_PART_BRANCHES },
		{ "TARGETS_MISPREDICTED", PAPI_VPMU_PART_BRANCHES, PAPI_VPMU_PART_BRANCHES },
		{ "L1D_MISSES", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "PREFETCH_MISSES", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "L2D_READS", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "L1I_HITS", PAPI_VPMU_PART_CODE, PAPI_VPMU_PART_CODE },
		{ "DTLB_MISSES", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "DTLB_WALKS", PAPI_VPMU_PART_DATA, PAPI_VPMU_PARTS_SHARED },
		{ "ITLB_WALKS", PAPI_VPMU_PART_CODE, PAPI_VPMU_PARTS_SHARED },
		{ "L2D_MISSES", PAPI_VPMU_PARTS_SHARED, PAPI_VPMU_PARTS_SHARED },
		{ "L3I_MISSES", PAPI_VPMU_PARTS_SHARED, PAPI_VPMU_PARTS_SHARED },
		{ "MEMORY_STALL_CYCLES", PAPI_VPMU_PARTS_SHARED, PAPI_VPMU_PARTS_SHARED },
		{ "CYCLES", PAPI_VPMU_PARTS, PAPI_VPMU_PARTS },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct papi_vpmu_event *event = papi_vpmu_event_find(rows[i].name);

		assert_non_null(event);
		assert_int_equal(papi_vpmu_event_parts(event, false), rows[i].parts);
		assert_int_equal(papi_vpmu_event_parts(event, true), rows[i].with_shared_tlb2);
	}
}

/* The event is a sum of counters with weights; the formula is that of the documentation. */
static void cycles_are_as_stated(void **state)
{
	const struct papi_vpmu_event *event = papi_vpmu_event_find("CYCLES");
	uint64_t counters[PAPI_VPMU_COUNTERS], sum;

	(void)state;
	assert_non_null(event);
	assert_int_equal(event->fraction, 2);
	random_state = 1;
	for (unsigned times = 0; times < 100; times++) {
		sum = 0;
		for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++)
			counters[i] = below(1000000);
		for (unsigned i = 0; i < event->n_terms; i++)
			sum += counters[event->terms[i].counter] * (uint64_t)event->terms[i].weight;
		assert_int_equal(sum, reference_cycles(counters));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_count_the_same),
		cmocka_unit_test(sampled_sets_miss_the_same),
		cmocka_unit_test(events_need_parts),
		cmocka_unit_test(cycles_are_as_stated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
