/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/trace.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "components/vpmu/models/models.h"
#include "components/vpmu/x86_64/library.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/region.h"
#include "components/vpmu/x86_64/signals.h"
#include "components/vpmu/x86_64/trace_plan.h"

/* Descriptions of all blocks, for as long as the process lives: a thread may not have looked at its trace yet. They
 * come in pieces, each as large as all before it, within these limits. */
#define PIECE_SMALLEST ((size_t)256 << 10)
#define PIECE_LARGEST  ((size_t)8 << 20)
/* Small enough to stay in the processor's caches until it is read, large enough that reading it costs nothing
 * beside. */
#define TRACE_WORDS    2048
#define TRACE_SIZE     ((TRACE_WORDS + PAPI_VPMU_RECORD_WORDS_MAX) * sizeof(uint64_t))
#define PAGES_OF_BLOCK 4 /* at most, with the one that follows it in its record */

/* From where the offsets of descriptions count. */
static unsigned char *arena;
static size_t all_pieces;
static struct {
	size_t next, end; /* offsets */
} piece;
static struct papi_vpmu_frames code_frames;
/* Of the block being translated, and of the one that follows it in its record; under the lock. */
static struct papi_vpmu_trace_plan plan, following_plan;

static bool failed(long address)
{
	return address < 0 && address > -4096;
}

static void *map_memory(size_t size)
{
	long address = papi_vpmu_raw(
		SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return failed(address) ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Raw: it may be between two instructions of the program. */
static void *change_memory(void *memory, size_t old, size_t new)
{
	long address = (long)memory;

	if (!old)
		return new ? map_memory(new) : NULL;
	if (new)
		address = papi_vpmu_raw(SYS_mremap, address, (long)old, (long)new, MREMAP_MAYMOVE, 0, 0);
	else
		papi_vpmu_raw(SYS_munmap, address, (long)old, 0, 0, 0, 0);
	return !new || failed(address) ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* An address of code with the number of its page, which it gets if it has none: there is room. */
static uint64_t place_of(uint64_t pc)
{
	uint64_t number = papi_vpmu_frames_number(&code_frames, pc >> PAPI_VPMU_PAGE_SHIFT) + PAPI_VPMU_FRAME_OF_CODE;

	return number << PAPI_VPMU_PAGE_SHIFT | (pc & ((1 << PAPI_VPMU_PAGE_SHIFT) - 1));
}

/* The lines of L1I that code within one page is in: the first, and how many. */
static uint8_t place_lines(uint64_t pc, uint64_t end, uint64_t *first)
{
	unsigned shift = papi_vpmu_geometry_current(NULL, 0)->l1i.shift;

	*first = pc < end ? place_of(pc) >> shift : 0;
	return pc < end ? (uint8_t)(((end - 1) >> shift) - (pc >> shift) + 1) : 0;
}

/* Where the block is in the models: a block has at most 64 instructions, so that two pages hold it. */
static void place_block(struct papi_vpmu_description *block)
{
	uint64_t split = (block->pc | ((1 << PAPI_VPMU_PAGE_SHIFT) - 1)) + 1;

	block->entry = place_of(block->pc);
	block->branch = place_of(plan.last);
	block->n_lines = place_lines(block->pc, plan.end < split ? plan.end : split, &block->first_line);
	block->n_other_lines = place_lines(split, plan.end, &block->other_line);
}

/* The block and the one it goes to, described as one. */
static void join(struct papi_vpmu_description *block, const struct papi_vpmu_trace_plan *following)
{
	block->n_other_lines = place_lines(following->description.pc, following->end, &block->other_line);
	block->branch = place_of(following->last);
	if (block->end == PAPI_VPMU_ENDS_CALL) {
		block->returns_to = block->next;
		block->end = PAPI_VPMU_ENDS_CALLED_CONDITIONAL;
	} else {
		block->end = PAPI_VPMU_ENDS_CONDITIONAL;
	}
	block->next = following->description.next;
}

/* The first word of a record is the offset of its description: an address that never changes comes out right if the
 * displacement is less by as much. */
static void relate_constants(size_t offset)
{
	for (unsigned i = 0; i < plan.description.accesses; i++)
		if (plan.accesses[i].slot == 0)
			plan.accesses[i].displacement -= (int64_t)offset;
}

/* A place for a description. One is a line of this machine's cache, and looked at with every record. */
static bool reserve(size_t size)
{
	size_t more = all_pieces < PIECE_SMALLEST ? PIECE_SMALLEST
		: all_pieces > PIECE_LARGEST      ? PIECE_LARGEST
						  : all_pieces;
	unsigned char *memory;

	piece.next = (piece.next + 63) & ~(size_t)63;
	if (piece.next + size <= piece.end)
		return true;
	memory = papi_vpmu_region_map(more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
	if (!memory)
		return false;
	arena = (unsigned char *)(uintptr_t)papi_vpmu_region_start();
	piece.next = (size_t)(memory - arena);
	piece.end = piece.next + more;
	all_pieces += more;
	return true;
}

/* Puts the plan's description where threads find it. */
static bool describe(struct papi_vpmu_translation *t)
{
	size_t accesses = plan.description.accesses * sizeof(plan.accesses[0]);
	size_t sources = t->flavour->wants.overflow ? plan.description.words * sizeof(plan.sources[0]) : 0;
	size_t size = sizeof(plan.description) + accesses + sources;
	unsigned char *place;

	if (!reserve(size) || !papi_vpmu_frames_reserve(&code_frames, PAGES_OF_BLOCK, change_memory))
		return false;
	place_block(&plan.description);
	papi_vpmu_description_finish(&plan.description, plan.accesses);
	if (t->following)
		join(&plan.description, &following_plan);
	relate_constants(piece.next);
	place = arena + piece.next;
	memcpy(place, &plan.description, sizeof(plan.description));
	memcpy(place + sizeof(plan.description), plan.accesses, accesses);
	memcpy(place + size - sources, plan.sources, sources);
	t->description = (uint32_t)piece.next;
	piece.next += size;
	return true;
}

/* Instructions outside of the range that is counted make blocks of their own. */
static void cut_at_range(const struct papi_vpmu_wants *wants, struct papi_vpmu_decoded *decoded)
{
	bool inside = papi_vpmu_in_range(wants, decoded->pc);

	for (unsigned i = 1; i < decoded->count; i++) {
		if (papi_vpmu_in_range(wants, decoded->instructions[i].pc) == inside)
			continue;
		decoded->count = i;
		decoded->end = decoded->instructions[i].pc;
	}
}

const struct papi_vpmu_description *papi_vpmu_trace_description(uint32_t offset)
{
	return (const struct papi_vpmu_description *)(const void *)(arena + offset);
}

void papi_vpmu_trace_plan(struct papi_vpmu_translation *t, struct papi_vpmu_decoded *decoded)
{
	if (!t->flavour->wants.simulate || t->flavour->library || decoded->instructions[0].kind == PAPI_VPMU_STEP)
		return;
	cut_at_range(&t->flavour->wants, decoded);
	papi_vpmu_trace_plan_block(&plan, decoded);
	plan.description.counted = papi_vpmu_in_range(&t->flavour->wants, decoded->pc);
	t->traced = true;
}

/* Whether [pc, end) is in that page. */
static bool is_in_page(uint64_t page, uint64_t pc, uint64_t end)
{
	return pc >> PAPI_VPMU_PAGE_SHIFT == page && (end - 1) >> PAPI_VPMU_PAGE_SHIFT == page;
}

bool papi_vpmu_trace_may_follow(const struct papi_vpmu_translation *t, struct papi_vpmu_decoded *following)
{
	const struct papi_vpmu_description *block = &following_plan.description;
	const struct papi_vpmu_wants *wants = &t->flavour->wants;
	uint64_t page = t->pc >> PAPI_VPMU_PAGE_SHIFT;

	if (!is_in_page(page, t->pc, t->decoded->end) || !is_in_page(page, following->pc, following->end))
		return false;
	cut_at_range(wants, following);
	papi_vpmu_trace_plan_block(&following_plan, following);
	return block->end == PAPI_VPMU_ENDS_CONDITIONAL && block->accesses == 0 &&
		papi_vpmu_in_range(wants, following->pc) == plan.description.counted;
}

bool papi_vpmu_trace_describe(struct papi_vpmu_translation *t)
{
	return !t->traced || describe(t);
}

/* mov [base + displacement], reg */
static void emit_store_at(struct papi_vpmu_emitter *e, unsigned base, unsigned displacement, unsigned reg)
{
	papi_vpmu_emit_byte(e, 0x48 | (reg > 7 ? 4u : 0) | (base > 7 ? 1u : 0));
	papi_vpmu_emit_byte(e, 0x89);
	papi_vpmu_emit_byte(e, (displacement < 128 ? 0x40u : 0x80u) | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == RSP)
		papi_vpmu_emit_byte(e, 0x24);
	if (displacement < 128)
		papi_vpmu_emit_byte(e, displacement);
	else
		papi_vpmu_emit_32(e, displacement);
}

/* mov qword [base], value */
static void emit_store_number(struct papi_vpmu_emitter *e, unsigned base, uint32_t value)
{
	papi_vpmu_emit_byte(e, 0x48 | (base > 7 ? 1u : 0));
	papi_vpmu_emit_byte(e, 0xc7);
	papi_vpmu_emit_byte(e, 0x40 | (base & 7));
	if ((base & 7) == RSP)
		papi_vpmu_emit_byte(e, 0x24);
	papi_vpmu_emit_byte(e, 0);
	papi_vpmu_emit_32(e, value);
}

/* cmp reg, gs:[trace_limit] */
static void emit_compare_limit(struct papi_vpmu_emitter *e, unsigned reg)
{
	const uint8_t bytes[] = { 0x65, (uint8_t)(0x48 | (reg > 7 ? 4 : 0)), 0x3b, (uint8_t)(0x04 | (reg & 7) << 3),
		0x25 };

	papi_vpmu_emit_bytes(e, bytes, sizeof(bytes));
	papi_vpmu_emit_32(e, VPMU_TRACE_LIMIT);
}

/* lea to, [index * scale + displacement] */
static void emit_lea_index(
	struct papi_vpmu_emitter *e, unsigned to, unsigned index, unsigned scale, int32_t displacement)
{
	papi_vpmu_emit_byte(e, 0x48 | (to > 7 ? 4u : 0) | (index > 7 ? 2u : 0));
	papi_vpmu_emit_byte(e, 0x8d);
	papi_vpmu_emit_byte(e, (to & 7) << 3 | 4);
	papi_vpmu_emit_byte(e, (unsigned)__builtin_ctz(scale) << 6 | (index & 7) << 3 | 5);
	papi_vpmu_emit_32(e, (uint32_t)displacement);
}

/* mov reg, reg in 32 bits: clears the upper half */
static void emit_narrow(struct papi_vpmu_emitter *e, unsigned reg)
{
	papi_vpmu_emit_byte(e, 0x40 | (reg > 7 ? 5u : 0));
	papi_vpmu_emit_byte(e, 0x89);
	papi_vpmu_emit_byte(e, 0xc0 | (reg & 7) << 3 | (reg & 7));
}

/* A vector or mask register, whose number is that of the store; it changes no flag. */
static void emit_store_vector(struct papi_vpmu_emitter *e, const struct papi_vpmu_trace_store *store)
{
	unsigned reg = (unsigned)store->base, base = plan.pointer;
	unsigned high_reg = reg & 8 ? 0 : 0x80, high_base = base & 8 ? 0 : 0x20, unused_index = 0x40;

	if (store->sort == PAPI_VPMU_STORE_LARGE) { /* vmovdqu64 */
		papi_vpmu_emit_byte(e, 0x62);
		papi_vpmu_emit_byte(e, high_reg | unused_index | high_base | (reg & 16 ? 0 : 0x10u) | 1);
		papi_vpmu_emit_byte(e, 0xfe);
		papi_vpmu_emit_byte(e, 0x48);
	} else { /* vmovdqu, kmovw */
		papi_vpmu_emit_byte(e, 0xc4);
		papi_vpmu_emit_byte(e, high_reg | unused_index | high_base | 1);
		papi_vpmu_emit_byte(e, store->sort == PAPI_VPMU_STORE_VECTOR ? 0x7e : 0x78);
	}
	papi_vpmu_emit_byte(e, store->sort == PAPI_VPMU_STORE_MASK ? 0x91 : 0x7f);
	papi_vpmu_emit_byte(e, 0x80u | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == RSP)
		papi_vpmu_emit_byte(e, 0x24);
	papi_vpmu_emit_32(e, 8u * store->slot);
}

static void emit_value(struct papi_vpmu_emitter *e, const struct papi_vpmu_trace_store *store)
{
	unsigned reg = plan.scratch, place = 8u * store->slot;

	if (store->sort != PAPI_VPMU_STORE_ADDRESS) {
		emit_store_vector(e, store);
		return;
	}
	if (store->index < 0 && !store->narrow) {
		emit_store_at(e, plan.pointer, place, (unsigned)store->base);
		return;
	}
	if (store->base < 0)
		emit_lea_index(e, reg, (unsigned)store->index, store->scale, store->displacement);
	else if (store->index < 0)
		papi_vpmu_emit_lea(e, reg, (unsigned)store->base, store->displacement);
	else
		papi_vpmu_emit_lea_scaled(
			e, reg, (unsigned)store->base, (unsigned)store->index, store->scale, store->displacement);
	if (store->narrow)
		emit_narrow(e, reg);
	emit_store_at(e, plan.pointer, place, reg);
}

#define ABOVE 7 /* condition code */

void papi_vpmu_trace_enter(struct papi_vpmu_translation *t)
{
	if (!t->traced)
		return;
	t->trace_keeps_flags = !papi_vpmu_flags_unused(t->pc);
	papi_vpmu_spill(t, plan.pointer, t->pc);
	papi_vpmu_emit_load(&t->e, plan.pointer, VPMU_TRACE_NEXT);
	if (t->trace_keeps_flags) {
		papi_vpmu_spill(t, RAX, t->pc);
		papi_vpmu_emit_flags_save(&t->e);
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	}
	emit_compare_limit(&t->e, plan.pointer);
	t->trace_full = papi_vpmu_emit_jump_if(&t->e, ABOVE, 0);
	if (t->trace_keeps_flags) {
		papi_vpmu_emit_flags_restore(&t->e);
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
		papi_vpmu_unspill(t, RAX, t->pc);
	}
	if (plan.needs_scratch)
		papi_vpmu_spill(t, plan.scratch, t->pc);
	emit_store_number(&t->e, plan.pointer, t->description);
}

static void emit_stores(struct papi_vpmu_translation *t, unsigned instruction, bool after)
{
	for (unsigned i = 0; t->traced && i < plan.n_stores; i++)
		if (plan.stores[i].instruction == instruction && plan.stores[i].after == after)
			emit_value(&t->e, &plan.stores[i]);
}

void papi_vpmu_trace_before(struct papi_vpmu_translation *t, unsigned instruction)
{
	emit_stores(t, instruction, false);
}

void papi_vpmu_trace_after(struct papi_vpmu_translation *t, unsigned instruction)
{
	emit_stores(t, instruction, true);
}

void papi_vpmu_trace_leave(struct papi_vpmu_translation *t, uint64_t pc)
{
	if (!t->traced)
		return;
	papi_vpmu_emit_lea(&t->e, plan.pointer, plan.pointer, 8 * plan.description.words);
	papi_vpmu_emit_store(&t->e, VPMU_TRACE_NEXT, plan.pointer);
	if (plan.needs_scratch)
		papi_vpmu_unspill(t, plan.scratch, pc);
	papi_vpmu_unspill(t, plan.pointer, pc);
}

void papi_vpmu_trace_finish(struct papi_vpmu_translation *t)
{
	if (!t->traced)
		return;
	papi_vpmu_emit_land_32(&t->e, t->trace_full);
	t->spilled = 1u << plan.pointer;
	t->added = 0;
	if (t->trace_keeps_flags) {
		t->spilled |= 1u << RAX;
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
		papi_vpmu_emit_flags_restore(&t->e);
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
		papi_vpmu_unspill(t, RAX, t->pc);
	} else {
		papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	}
	papi_vpmu_emit_constant(&t->e, plan.pointer, t->pc);
	papi_vpmu_emit_store(&t->e, VPMU_PC, plan.pointer);
	papi_vpmu_unspill(t, plan.pointer, t->pc);
	papi_vpmu_exit(&t->e, PAPI_VPMU_EXIT_TRACE);
}

/* ---- threads ---- */

static bool make_models(struct papi_vpmu_thread *thread, const struct papi_vpmu_geometry *geometry, uint64_t stack)
{
	uint64_t *trace = map_memory(TRACE_SIZE);
	struct papi_vpmu_models *models = trace ? papi_vpmu_models_make(geometry, change_memory) : NULL;

	if (!models) {
		change_memory(trace, trace ? TRACE_SIZE : 0, 0);
		return false;
	}
	/* About: from there down a megabyte, and up to what called. */
	papi_vpmu_models_set_stack(models, stack - (1 << 20), stack + (1 << 16), stack);
	thread->models = models;
	thread->trace = thread->trace_next = trace;
	thread->trace_limit = trace + TRACE_WORDS;
	return true;
}

bool papi_vpmu_trace_begin(struct papi_vpmu_thread *thread, uint64_t stack)
{
	const struct papi_vpmu_geometry *geometry = papi_vpmu_geometry_current(NULL, 0);

	if (thread->models && thread->models->failed)
		papi_vpmu_trace_end(thread);
	if (!geometry || (!thread->models && !make_models(thread, geometry, stack)))
		return false;
	thread->models->data_start = thread->wants.data_start;
	thread->models->data_end = thread->wants.data_end;
	thread->models->counts_accesses = thread->wants.data_end != 0;
	return true;
}

/*
 * Also in the library's own code, which signals may interrupt. The program's handlers run translated: what one appended
 * would be thrown away here, and if the trace got full, the same records would run through the same models again, in
 * the middle of one. So they wait, as for the runtime.
 */
void papi_vpmu_trace_drain(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_models *models = thread->models;
	uint64_t in_runtime = thread->in_runtime;

	if (!models || thread->trace_next == thread->trace)
		return;
	thread->in_runtime = 1;
	atomic_signal_fence(memory_order_seq_cst);
	__asm__("mov %%fs:0, %0" : "=r"(models->thread_base));
	papi_vpmu_simulate(models, thread->counters[0], thread->trace, thread->trace_next, arena);
	thread->trace_next = thread->trace;
	if (models->failed && !thread->lost)
		thread->lost = "memory for the simulators of caches ended";
	atomic_signal_fence(memory_order_seq_cst);
	thread->in_runtime = in_runtime;
	if (!in_runtime)
		papi_vpmu_signals_release(thread);
}

/* Where indirect branches have been is known by its number, which the page may not have yet. */
static uint64_t numbered(uint64_t pc)
{
	uint64_t entry = 0;

	papi_vpmu_cache_lock();
	if (papi_vpmu_frames_reserve(&code_frames, 1, change_memory))
		entry = place_of(pc);
	papi_vpmu_cache_unlock();
	return entry;
}

/* Calls of the library leave no records: what follows one tells. */
void papi_vpmu_trace_arrive(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_models *models = thread->models;
	struct papi_vpmu_description arrived = { .pc = thread->pc };

	papi_vpmu_trace_drain(thread);
	if (!models || !papi_vpmu_models_awaits_target(models) || papi_vpmu_library_holds(thread->pc))
		return;
	arrived.entry = numbered(thread->pc);
	papi_vpmu_simulate_arrival(models, thread->counters[0], &arrived);
}

void papi_vpmu_trace_end(struct papi_vpmu_thread *thread)
{
	if (!thread->models)
		return;
	change_memory(thread->trace, TRACE_SIZE, 0);
	papi_vpmu_models_end(thread->models);
	thread->models = NULL;
	thread->trace = NULL;
}
