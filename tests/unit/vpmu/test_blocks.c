/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What decides how a block is made: where it ends, what is not counted of it, what cannot be translated, what leads
 * where, and what it weighs. Where something runs, the harness compares it.
 */
#include "harness.h"
#include "random.h"

#define BEGIN(s, name, bytes) subject_begin(s, name, bytes, sizeof(bytes) - 1)

static struct subject s;

/* ---- what cannot be translated ---- */

static void expect_step(const char *name, const char *bytes, size_t size)
{
	subject_begin(&s, name, bytes, size);
	s.wants.parts = PAPI_VPMU_PARTS;
	s.may_change = true;
	translate(&s);
	assert_int_equal(s.t.decoded.count, 1);
	assert_int_equal(s.t.decoded.instructions[0].kind, PAPI_VPMU_STEP);
	run_without_native(&s);
	if (s.ending != ENDS_AT_EXIT || s.exit != PAPI_VPMU_EXIT_STEP)
		subject_failed(&s, "is not run alone");
}

static void what_runs_alone(void **state)
{
	static const struct {
		const char *name, *bytes;
		size_t size;
	} all[] = {
		{ "gs", "\x65\x48\x8b\x04\x25\0\0\0\0", 9 },
		{ "rdgsbase", "\xf3\x48\x0f\xae\xc8", 5 },
		{ "wrgsbase", "\xf3\x48\x0f\xae\xd8", 5 },
		{ "mov gs, ax", "\x8e\xe8", 2 },
		{ "iretq", "\x48\xcf", 2 },
		{ "iretd", "\xcf", 1 },
		{ "iretw", "\x66\xcf", 2 },
		{ "retf", "\xcb", 1 },
		{ "jmp far", "\xff\x2b", 2 },
		{ "int 0x80", "\xcd\x80", 2 },
		{ "sysenter", "\x0f\x34", 2 },
		{ "sysret", "\x0f\x07", 2 },
		{ "sysexit", "\x0f\x35", 2 },
		{ "incsspd", "\xf3\x0f\xae\xe8", 4 },
		{ "incsspq", "\xf3\x48\x0f\xae\xe8", 5 },
		{ "rstorssp", "\xf3\x0f\x01\x2f", 4 },
		{ "uiret", "\xf3\x0f\x01\xec", 4 },
		{ "no instruction", "\x06", 1 },
		{ "nothing", "", 0 },
		{ "half of an instruction", "\x48\x8b", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect_step(all[i].name, all[i].bytes, all[i].size);
}

static void a_breakpoint_of_a_debugger_runs_alone(void **state)
{
	(void)state;
	BEGIN(&s, "int3", "\xcc\x90");
	s.breakpoints = true;
	translate(&s);
	assert_int_equal(s.t.decoded.instructions[0].kind, PAPI_VPMU_STEP);
	BEGIN(&s, "int3 behind", "\x90\xcc\x90");
	s.breakpoints = true;
	compare(&s);
	assert_int_equal(s.t.decoded.count, 1);
	assert_int_equal(s.end.pc, harness_text() + 1);
}

static void what_must_not_be_read_runs_alone(void **state)
{
	(void)state;
	BEGIN(&s, "unreadable", "\x90\x90");
	s.request.unreadable = true;
	translate(&s);
	run_without_native(&s);
	assert_int_equal(s.exit, PAPI_VPMU_EXIT_STEP);
	assert_int_equal(s.t.decoded.end, s.t.pc);
}

/* ---- where blocks end ---- */

static void a_block_ends_before_what_may_run_alone(void **state)
{
	(void)state;
	BEGIN(&s, "popf behind", "\x48\x8b\x03\x9d\x90");
	compare(&s);
	assert_int_equal(s.t.decoded.count, 1);
	BEGIN(&s, "iret behind", "\x48\x8b\x03\x48\xcf");
	compare(&s);
	assert_int_equal(s.t.decoded.count, 1);
}

static void a_block_ends_at_the_end_of_its_page(void **state)
{
	(void)state;
	BEGIN(&s, "end of memory", "\x48\x8b\x03\x48\x01\xd8\x48\xff\xc0");
	for (s.executable = 3; s.executable <= 9; s.executable++) {
		compare(&s);
		assert_int_equal(s.t.decoded.count, s.executable / 3);
		assert_int_equal(s.end.pc, harness_text() + s.executable / 3 * 3);
	}
}

static void a_block_has_64_instructions(void **state)
{
	char nops[100];

	(void)state;
	memset(nops, 0x90, sizeof(nops));
	subject_begin(&s, "nops", nops, sizeof(nops));
	compare(&s);
	assert_int_equal(s.t.decoded.count, PAPI_VPMU_BLOCK_LENGTH);
	assert_int_equal(s.counters[PAPI_VPMU_INSTRUCTIONS], PAPI_VPMU_BLOCK_LENGTH);
}

/* So many instructions, and where it ends: by what the code is, and what is wanted. */
static unsigned length_of_asides(const char *bytes, size_t size, bool simulate, bool overflow, bool changes)
{
	subject_begin(&s, "asides", bytes, size);
	s.wants.parts = simulate ? PAPI_VPMU_PARTS : 0;
	s.wants.overflow = overflow;
	s.may_change = changes;
	translate(&s);
	return s.t.decoded.count;
}

static void a_block_goes_on_behind_conditional_branches(void **state)
{
	static const char forward[] = "\x74\x10\x90\x75\x10\x90", back[] = "\x90\x74\xfd\x90", alone[] = "\xe3\x10\x90";
	char many[20];

	(void)state;
	assert_int_equal(length_of_asides(forward, 6, false, false, false), 4);
	assert_int_equal(s.t.n_asides, 2);
	assert_int_equal(length_of_asides(forward, 6, true, false, false), 4);
	assert_int_equal(s.t.plan.n_ways_out, 2);
	assert_int_equal(length_of_asides(forward, 6, false, true, false), 1);
	assert_int_equal(length_of_asides(forward, 6, false, false, true), 1);
	assert_int_equal(length_of_asides(back, 4, false, false, false), 2);
	assert_int_equal(length_of_asides(alone, 3, false, false, false), 1);
	for (unsigned i = 0; i < sizeof(many); i += 2)
		memcpy(many + i, "\x74\x20", 2);
	assert_int_equal(length_of_asides(many, sizeof(many), false, false, false), PAPI_VPMU_MAX_ASIDES + 1);
}

/* The largest code there is: each instruction addresses memory, and is as long as can be. */
static void the_largest_block_fits(void **state)
{
	static const uint8_t longest[] = { 0x67, 0x2e, 0x48, 0x81, 0x05, 0x80, 0x10, 0, 0, 1, 2, 3, 4 };
	uint8_t all[sizeof(longest) * 64];

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		memcpy(all + i * sizeof(longest), longest, sizeof(longest));
	subject_begin(&s, "large", all, sizeof(all));
	s.wants.parts = PAPI_VPMU_PARTS;
	s.far = s.may_change = true;
	s.wants.overflow = true;
	s.wants.weights[PAPI_VPMU_LOADS] = 1;
	translate(&s);
	assert_true(s.code_size < PAPI_VPMU_EMIT_MARGIN / 4);
}

/* ---- flags that popf loads ---- */

static void popf_is_stepped_if_it_sets_the_trap_flag(void **state)
{
	(void)state;
	for (unsigned trap = 0; trap < 2; trap++) {
		uint64_t loaded = 0x246 | (trap ? 0x100 : 0);

		BEGIN(&s, "popf", "\x9d\x90");
		memcpy(s.memory.stack + STACK_SIZE / 2, &loaded, 8);
		translate(&s);
		if (trap)
			run_without_native(&s);
		else
			compare_translated(&s);
		assert_int_equal(s.ending, trap ? ENDS_AT_EXIT : ENDS_AT_LINK);
		assert_int_equal(s.exit == PAPI_VPMU_EXIT_STEP, trap);
	}
}

/* ---- the library ---- */

/* Up to where the program calls the library, and what of it is not counted. */
static void expect_trimmed(unsigned trimmed, unsigned counted)
{
	s.library_start = harness_text() + 0x100;
	s.library_end = harness_text() + 0x400;
	translate(&s);
	if (s.t.block.trimmed != trimmed)
		subject_failed(&s, "%u instructions are trimmed, not %u", s.t.block.trimmed, trimmed);
	assert_int_equal(s.t.sums[PAPI_VPMU_INSTRUCTIONS], counted);
}

static void calls_of_the_library_are_not_counted(void **state)
{
	(void)state;
	BEGIN(&s, "call", "\x48\x01\xd8\x48\x89\xc7\x31\xf6\x48\x8d\x13\x48\x63\xcb\xe8\xfb\0\0\0");
	expect_trimmed(5, 1);
	BEGIN(&s, "call of something else", "\x48\x89\xc7\xe8\x20\0\0\0");
	expect_trimmed(0, 2);
	BEGIN(&s, "call, rbx loaded", "\x48\x89\xc3\xe8\xfb\0\0\0");
	expect_trimmed(1, 1);
	BEGIN(&s, "call, a store", "\x48\x89\x03\xe8\xfb\0\0\0");
	expect_trimmed(1, 1);
	BEGIN(&s, "call, xor of two", "\x31\xde\xe8\xfb\0\0\0");
	expect_trimmed(1, 1);
	BEGIN(&s, "call, an addition", "\x01\xde\xe8\xfb\0\0\0");
	expect_trimmed(1, 1);
	BEGIN(&s, "call of memory", "\x48\x89\xc7\xff\x15\x77\x10\0\0");
	memcpy((void *)(uintptr_t)(harness_text() + TEXT_SIZE), s.memory.near, DATA_SIZE);
	expect_trimmed(2, 0);
	BEGIN(&s, "call of memory at rbx", "\x48\x89\xc7\xff\x13");
	expect_trimmed(0, 2);
	BEGIN(&s, "call of memory out of reach", "\x48\x89\xc7\xff\x15\0\0\0\x7f");
	expect_trimmed(0, 2);
	BEGIN(&s, "stub", "\xf3\x0f\x1e\xfa\xf2\xff\x25\x75\x10\0\0");
	expect_trimmed(2, 0);
	BEGIN(&s, "jump of memory", "\x90\xff\x25\x79\x10\0\0");
	expect_trimmed(1, 1);
	BEGIN(&s, "ret", "\x48\x89\xc7\xc3");
	expect_trimmed(0, 2);
}

/* Where the block is cut within the call, what is left of it is all that is trimmed. */
static void a_call_may_be_cut(void **state)
{
	(void)state;
	BEGIN(&s, "cut call", "\x48\x01\xd8\x48\x89\xc7\x31\xf6\xe8\x01\x01\0\0");
	s.wants.parts = PAPI_VPMU_PARTS;
	s.wants.instructions_start = harness_text();
	s.wants.instructions_end = harness_text() + 6;
	expect_trimmed(1, 1);
	assert_int_equal(s.t.decoded.count, 2);
	s.wants.instructions_end = harness_text() + 3;
	expect_trimmed(0, 1);
	assert_int_equal(s.t.decoded.count, 1);
}

/* A call of a stub, of the forms that linkers make. */
static void calls_through_stubs_are_not_counted(void **state)
{
	static const struct {
		const char *bytes;
		unsigned size, trimmed;
	} stubs[] = {
		{ "\xff\x25\x50\x10\0\0", 6, 2 },
		{ "\xf3\x0f\x1e\xfa\xff\x25\x4c\x10\0\0", 10, 2 },
		{ "\xf3\x0f\x1e\xfa\xf2\xff\x25\x4b\x10\0\0", 11, 2 },
		{ "\xf3\x0f\x1e\x90\xff\x25\x4c\x10\0\0", 10, 0 },
		{ "\xff\x35\x50\x10\0\0", 6, 0 },
		{ "\x90\x25\x50\x10\0\0", 6, 0 },
		{ "\xff\x25\0\0\0\x70", 6, 0 },
	};
	uint8_t program[64];

	(void)state;
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		memset(program, 0x90, sizeof(program));
		memcpy(program, "\x48\x89\xc7\xe8\x22\0\0\0", 8); /* to byte 42 */
		memcpy(program + 42, stubs[i].bytes, stubs[i].size);
		subject_begin(&s, "stub", program, sizeof(program));
		memcpy((void *)(uintptr_t)(harness_text() + TEXT_SIZE), s.memory.near, DATA_SIZE);
		expect_trimmed(stubs[i].trimmed, 2 - stubs[i].trimmed);
		s.executable = 50;
		expect_trimmed(0, 2);
	}
}

/* What recovery makes of a block of which the last two are trimmed. */
static void trimmed_calls_are_recovered(void **state)
{
	struct papi_vpmu_recovery recovery = { .wants = &s.wants };
	uint64_t counters[PAPI_VPMU_COUNTERS] = { 0 }, pc = 1, stack = 100;

	(void)state;
	BEGIN(&s, "call of memory", "\x48\x01\xd8\x48\x89\xc7\xff\x15\x74\x10\0\0");
	memcpy((void *)(uintptr_t)(harness_text() + TEXT_SIZE), s.memory.near, DATA_SIZE);
	expect_trimmed(2, 1);
	recovery.block = &s.t.block;
	recovery.counters = counters;
	assert_true(papi_vpmu_recover_indirect(&recovery, &pc, &stack));
	assert_int_equal(pc, harness_text() + 6);
	assert_int_equal(stack, 108);
	assert_int_equal(counters[PAPI_VPMU_INSTRUCTIONS], 0);
}

static void functions_of_the_library_are_gates(void **state)
{
	(void)state;
	BEGIN(&s, "gate", "\x48\x01\xd8");
	s.library_start = harness_text();
	s.library_end = harness_text() + 64;
	translate(&s);
	assert_true(s.t.gate);
	assert_int_equal(s.t.block.size, 0);
	s.start.registers[R11] = harness_text(); /* a call destroys it */
	run_without_native(&s);
	assert_int_equal(s.ending, ENDS_AT_GATE);

	s.request.library = true;
	translate(&s);
	assert_false(s.t.gate);
	s.engine = harness_text();
	translate(&s);
	assert_true(s.t.gate);
}

/* ---- what leads where ---- */

static void a_translated_target_is_reached_directly(void **state)
{
	(void)state;
	BEGIN(&s, "jmp", "\xeb\x10");
	s.known = harness_text() + 0x12;
	compare(&s);
	assert_int_equal(s.ending, ENDS_AT_KNOWN);
	assert_int_equal(s.t.n_links, 0);
	s.request.step = true;
	compare(&s);
	assert_int_equal(s.ending, ENDS_AT_LINK);
	assert_null(s.t.links[0].place);
}

static void without_a_table_nothing_is_translated(void **state)
{
	static uint8_t code[4096];
	struct papi_vpmu_place place = { .e = { .next = code } };

	(void)state;
	BEGIN(&s, "jmp", "\xeb\x10");
	translate(&s);
	papi_vpmu_translation_plan(&s.t, &s.request);
	papi_vpmu_translation_emit(&s.t, &place);
	assert_int_equal(s.t.n_links, 1);
	assert_int_equal(s.t.links[0].pc, harness_text() + 0x12);
}

/* Links are connected as blocks come up: the place is where the jump's displacement is. */
static void links_name_the_place_of_their_jump(void **state)
{
	int32_t distance;

	(void)state;
	BEGIN(&s, "jmp", "\x48\x8b\x03\xeb\x10");
	translate(&s);
	assert_int_equal(s.t.n_links, 1);
	assert_int_equal(s.t.links[0].place[-1], 0xe9);
	assert_true(((uintptr_t)s.t.links[0].place & 7) <= 4);
	memcpy(&distance, s.t.links[0].place, 4);
	assert_int_equal(distance, 0);
}

/* Where a block that begins there begins; entries are even. */
static const uint8_t *emit_at(unsigned entry)
{
	static _Alignas(8) uint8_t code[4096];
	struct papi_vpmu_place place = { .e = { .next = code + entry } };

	s.wants.counters = 0;
	translate(&s);
	papi_vpmu_translation_plan(&s.t, &s.request);
	papi_vpmu_translation_emit(&s.t, &place);
	return code + entry;
}

/* What becomes stale changes two bytes there, and nobody may stand between them: whatever aligns the jump. */
static void no_block_begins_with_one_byte(void **state)
{
	(void)state;
	for (unsigned entry = 0; entry < 8; entry += 2) {
		BEGIN(&s, "jmp", "\xeb\x10");
		assert_int_not_equal(emit_at(entry)[0], 0x90);
		assert_true(((uintptr_t)s.t.links[0].place & 7) <= 4);
		assert_int_equal(s.t.links[0].place[-1], 0xe9);
		BEGIN(&s, "push", "\x50");
		assert_int_equal(emit_at(entry)[0], 0x40);
	}
}

static bool plan_following(struct papi_vpmu_translation *following)
{
	s.wants.parts = PAPI_VPMU_PARTS;
	translate(&s);
	return papi_vpmu_translation_plan_following(following, &s.t, 3);
}

static void a_short_function_follows_its_caller(void **state)
{
	static struct papi_vpmu_translation following;
	static uint8_t code[4096];
	struct papi_vpmu_place place = { .e = { .next = code } };

	(void)state;
	/* call f; ... f: cmp rdi, rax; je */
	BEGIN(&s, "call", "\xe8\x03\0\0\0\x90\x90\x90\x48\x39\xc7\x74\x10");
	assert_true(plan_following(&following));
	assert_true(following.block.follows);
	assert_int_equal(following.pc, harness_text() + 8);
	papi_vpmu_translation_emit(&following, &place);
	assert_int_equal(following.n_links, 2);
	s.t.following = following.entry;
	assert_int_equal(following.plan.n_branches, 1);

	BEGIN(&s, "jmp", "\xeb\x03\x90\x90\x90\x48\x39\xc7\x74\x10");
	assert_true(plan_following(&following));
	/* Not what accesses memory, ends otherwise, or begins in nothing. */
	BEGIN(&s, "load", "\xe8\x03\0\0\0\x90\x90\x90\x48\x39\x07\x74\x10");
	assert_false(plan_following(&following));
	BEGIN(&s, "no branch", "\xe8\x03\0\0\0\x90\x90\x90\x48\x39\xc7\xc3");
	assert_false(plan_following(&following));
	BEGIN(&s, "nowhere", "\xe8\0\x08\0\0");
	assert_false(plan_following(&following));
	BEGIN(&s, "another page", "\xe8\0\x20\0\0");
	assert_false(plan_following(&following));
	BEGIN(&s, "conditional", "\x74\x02\x90\x90\x48\x39\xc7\x74\x10");
	assert_false(plan_following(&following));
	for (unsigned i = 0; i < 4; i++) {
		BEGIN(&s, "call", "\xe8\x03\0\0\0\x90\x90\x90\x48\x39\xc7\x74\x10");
		s.may_change = i == 0;
		s.request.step = i == 1;
		s.wants.overflow = i == 2;
		s.library_start = i == 3 ? harness_text() + 8 : 0;
		s.library_end = i == 3 ? harness_text() + 20 : 0;
		assert_false(plan_following(&following));
	}
	BEGIN(&s, "range", "\xe8\x03\0\0\0\x90\x90\x90\x48\x39\xc7\x74\x10");
	s.wants.instructions_start = harness_text();
	s.wants.instructions_end = harness_text() + 5;
	assert_false(plan_following(&following));
}

static void the_caller_jumps_to_what_follows(void **state)
{
	struct papi_vpmu_place place;

	(void)state;
	BEGIN(&s, "call", "\xe8\x03\0\0\0\x90\x90\x90\x48\x39\xc7\x74\x10");
	translate(&s);
	assert_int_equal(s.t.n_links, 1);
	place = s.t.place;
	papi_vpmu_translation_plan(&s.t, &s.request);
	s.t.following = harness_label_known();
	papi_vpmu_translation_emit(&s.t, &place);
	assert_int_equal(s.t.n_links, 0);
}

/* ---- system calls ---- */

static void expect_syscall(uint8_t kind, enum ending ending)
{
	BEGIN(&s, "getpid", "\xb8\x27\0\0\0\x0f\x05\x90");
	s.syscall_kind = kind;
	compare(&s);
	assert_int_equal(s.ending, ending);
	assert_int_equal(s.end.pc, harness_text() + 7);
}

/* Stepping shows what comes behind a system call only after the next instruction: it is a nop. */
static void system_calls(void **state)
{
	(void)state;
	expect_syscall(0, ENDS_AT_LINK);
	expect_syscall(2, ENDS_AT_LINK);
	BEGIN(&s, "for the runtime", "\xb8\x27\0\0\0\x0f\x05\x90");
	s.syscall_kind = 1;
	s.ends_apart = true;
	compare(&s);
	assert_int_equal(s.exit, PAPI_VPMU_EXIT_SYSCALL);
	assert_int_equal(s.end.pc, harness_text() + 7);
	assert_int_equal(s.end.registers[RAX], 0x27);
	assert_int_equal(s.counters[PAPI_VPMU_INSTRUCTIONS], 2);
}

/* ---- transactions ---- */

static void a_transaction_aborts_at_once(void **state)
{
	(void)state;
	BEGIN(&s, "xbegin", "\xc7\xf8\x10\0\0\0\x90");
	translate(&s);
	assert_int_equal(s.t.decoded.instructions[0].kind, PAPI_VPMU_TRANSACTION);
	assert_int_equal(s.t.n_links, 1);
	assert_int_equal(s.t.links[0].pc, harness_text() + 0x16);
	assert_int_equal(s.t.block.target, harness_text() + 0x16);
}

/* ---- indirect branches ---- */

static void indirect_branches_find_their_block(void **state)
{
	static struct papi_vpmu_translation arrival;
	const uint64_t pc = harness_text() + 0x40;

	(void)state;
	for (int before = 0; before < 2; before++) {
		assert_int_equal(run_arrival(&arrival, pc, before, 0, pc), harness_label_known());
		assert_int_equal(run_arrival(&arrival, pc, before, 0, pc + 1), harness_label_miss());
		assert_int_equal(run_arrival(&arrival, pc, before, harness_label_other(), pc), harness_label_known());
		assert_int_equal(
			run_arrival(&arrival, pc, before, harness_label_other(), pc + 0x10000), harness_label_other());
		/* The block's entry leads back over it by two bytes. */
		assert_in_range(arrival.e.next - (uint8_t *)(uintptr_t)arrival.entry, 1, 128 - 24 - 2);
	}
}

/* Back from where an indirect branch has led, which is no address. */
static void indirect_branches_are_taken_back(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int64_t stack;
		bool known;
	} all[] = { { "\xff\xd0", 2, 8, true }, { "\xff\xe0", 2, 0, true }, { "\xc3", 1, -8, true },
		{ "\xc2\x10\0", 3, -24, true }, { "\xeb\x10", 2, 0, false } };
	uint64_t counters[PAPI_VPMU_COUNTERS], pc, stack;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct papi_vpmu_recovery recovery = { .block = &s.t.block, .wants = &s.wants, .counters = counters };

		subject_begin(&s, "branch", all[i].bytes, all[i].size);
		translate(&s);
		stack = 1000;
		for (unsigned j = 0; j < PAPI_VPMU_COUNTERS; j++)
			counters[j] = s.t.sums[j];
		assert_int_equal(papi_vpmu_recover_indirect(&recovery, &pc, &stack), all[i].known);
		if (!all[i].known)
			continue;
		assert_int_equal(pc, harness_text());
		assert_int_equal(stack, 1000 + all[i].stack);
		for (unsigned j = 0; j < PAPI_VPMU_FIRST_MODELLED; j++)
			assert_int_equal(counters[j], 0);
	}
	/* Bytes that are no branch any more. */
	s.t.block.size = 0;
	assert_false(papi_vpmu_recover_indirect(
		&(struct papi_vpmu_recovery){ .block = &s.t.block, .wants = &s.wants, .counters = counters }, &pc,
		&stack));
}

static void what_ran_alone_is_counted(void **state)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x03 }, none[] = { 0x06 };
	struct papi_vpmu_wants wants = { .counters = 1ull << PAPI_VPMU_LOADS };
	uint64_t counters[PAPI_VPMU_COUNTERS] = { 0 };

	(void)state;
	papi_vpmu_recover_alone(&wants, counters, load, sizeof(load), 100);
	assert_int_equal(counters[PAPI_VPMU_LOADS], 1);
	assert_int_equal(counters[PAPI_VPMU_INSTRUCTIONS], 0);
	papi_vpmu_recover_alone(&wants, counters, none, sizeof(none), 100);
	wants.instructions_start = 1;
	wants.instructions_end = 100;
	papi_vpmu_recover_alone(&wants, counters, load, sizeof(load), 100);
	assert_int_equal(counters[PAPI_VPMU_LOADS], 1);
	assert_true(papi_vpmu_decode_works());
}

/* Code that is of no block of the program's says nothing. */
static void without_marks_nothing_is_recovered(void **state)
{
	struct papi_vpmu_block block = { .n_marks = 0 };
	struct papi_vpmu_recovery recovery = { .block = &block };
	struct papi_vpmu_state before = { .pc = 5 };

	(void)state;
	papi_vpmu_recover_state(&recovery, &before);
	assert_int_equal(before.pc, 5);
}

/* ---- weights ---- */

static void expect_weight(const char *name, const char *bytes, size_t size, int counter, int32_t weight, int32_t least)
{
	subject_begin(&s, name, bytes, size);
	s.wants.parts = PAPI_VPMU_PARTS;
	s.wants.overflow = true;
	s.wants.weights[counter] = 1;
	translate(&s);
	if (s.t.block.weight != weight || s.t.block.least_weight != least)
		subject_failed(&s, "weighs %d, at least %d, not %d and %d", s.t.block.weight, s.t.block.least_weight,
			weight, least);
}

#define EXPECT_WEIGHT(name, bytes, counter, weight, least) \
	expect_weight(name, bytes, sizeof(bytes) - 1, PAPI_VPMU_##counter, weight, least)

static void weights_are_the_most_that_can_happen(void **state)
{
	(void)state;
	EXPECT_WEIGHT("exact", "\x48\x8b\x03\x48\x89\x03\x90", INSTRUCTIONS, 3, 3);
	EXPECT_WEIGHT("taken", "\x48\x8b\x03\x74\x10", BRANCHES_TAKEN, 1, 1);
	EXPECT_WEIGHT("loop", "\x48\x8b\x03\xe2\x10", BRANCHES_TAKEN, 1, 1);
	EXPECT_WEIGHT("no branch", "\x48\x8b\x03", BRANCHES_TAKEN, 0, 0);
	EXPECT_WEIGHT("reads", "\x48\x8b\x03\x48\x8b\x07\x48\x89\x07", L1D_READ_MISSES, 2, 0);
	EXPECT_WEIGHT("writes", "\x48\x8b\x03\x48\x8b\x07\x48\x89\x07", L2D_WRITE_MISSES, 1, 0);
	EXPECT_WEIGHT("pages", "\x48\x8b\x03", DTLB_READ_MISSES, 2, 0);
	EXPECT_WEIGHT("prefetch", "\x0f\x18\x0b", PREFETCH_MISSES, 1, 0);
	EXPECT_WEIGHT("lines of code", "\x48\x8b\x03", L1I_MISSES, 1, 0);
	EXPECT_WEIGHT("pages of code", "\x48\x8b\x03", ITLB_WALKS, 1, 0);
	EXPECT_WEIGHT("prediction", "\x74\x10", CONDITIONAL_MISPREDICTED, 1, 1);
	EXPECT_WEIGHT("prediction of a jump", "\xff\xe0", INDIRECT_MISPREDICTED, 1, 1);
	EXPECT_WEIGHT("prediction of a call", "\xff\xd0", INDIRECT_MISPREDICTED, 1, 1);
	EXPECT_WEIGHT("prediction of a return", "\xc3", RETURNS_MISPREDICTED, 1, 1);
	EXPECT_WEIGHT("nothing to predict", "\xeb\x10", RETURNS_MISPREDICTED, 0, 0);
	EXPECT_WEIGHT("gather", "\xc4\xe2\x69\x90\x04\x8b", L1D_READ_MISSES, 4, 0);
	EXPECT_WEIGHT("string", "\xf3\xa4", L1D_READ_MISSES, INT32_MAX, INT32_MAX);
	EXPECT_WEIGHT("string, behind", "\x90\xf3\xa4", LOADS, 0, 0);
	EXPECT_WEIGHT("string, nobody cares", "\x90\xf3\xa4", INSTRUCTIONS, 2, 2);
	EXPECT_WEIGHT("alone", "\x06", INSTRUCTIONS, INT32_MAX, INT32_MAX);
}

/* Each changes something of the one before, a little or all of it. */
static void next_mark(struct papi_vpmu_mark *mark, uint64_t *random)
{
	static const unsigned distances[] = { 1, 4, 30, 31, 32, 255, 300 };

	mark->code = (uint16_t)(mark->code + distances[next_random(random) % 7]);
	if (next_random(random) % 2)
		mark->pc = (uint16_t)(next_random(random) % 4 ? mark->pc + next_random(random) % 300 - 150
							      : next_random(random));
	if (next_random(random) % 2)
		mark->spilled = (uint16_t)(next_random(random) % 4 ? mark->spilled ^ 1u << next_random(random) % 16
								   : next_random(random));
	if (next_random(random) % 3)
		return;
	mark->added = (uint8_t)next_random(random);
	mark->kind = (uint8_t)(next_random(random) % (PAPI_VPMU_MARK_ASIDE + 1));
	mark->call = (uint8_t)(next_random(random) % 8);
}

static void expect_mark(const struct papi_vpmu_block *block, int64_t offset, const struct papi_vpmu_mark *expected)
{
	struct papi_vpmu_mark mark = papi_vpmu_block_mark(block, offset);

	assert_int_equal(mark.code, expected->code);
	assert_int_equal(mark.pc, expected->pc);
	assert_int_equal(mark.spilled, expected->spilled);
	assert_int_equal(mark.added, expected->added);
	assert_int_equal(mark.kind, expected->kind);
	assert_int_equal(mark.call, expected->call);
}

static void marks_are_kept_as_they_are(void **state)
{
	static struct papi_vpmu_mark marks[100];
	static uint8_t packed[100 * PAPI_VPMU_PACKED_MARK_MAX + 1];
	struct papi_vpmu_block block = { .marks = packed, .n_marks = 100 };
	uint64_t random = 5;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		size_t size;

		for (unsigned i = 0; i < 100; i++) {
			marks[i] = i ? marks[i - 1] : (struct papi_vpmu_mark){ 0 };
			next_mark(&marks[i], &random);
		}
		packed[sizeof(packed) - 1] = 0xa5;
		size = papi_vpmu_marks_pack(marks, 100, packed);
		assert_true(size > 100 && size < sizeof(packed) && packed[sizeof(packed) - 1] == 0xa5);
		expect_mark(&block, -1, &marks[0]);
		for (unsigned i = 0; i < 100; i++) {
			expect_mark(&block, marks[i].code, &marks[i]);
			expect_mark(&block, i < 99 ? marks[i + 1].code - 1 : 1 << 20, &marks[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_kept_as_they_are),
		cmocka_unit_test(what_runs_alone),
		cmocka_unit_test(a_breakpoint_of_a_debugger_runs_alone),
		cmocka_unit_test(what_must_not_be_read_runs_alone),
		cmocka_unit_test(a_block_ends_before_what_may_run_alone),
		cmocka_unit_test(a_block_ends_at_the_end_of_its_page),
		cmocka_unit_test(a_block_has_64_instructions),
		cmocka_unit_test(a_block_goes_on_behind_conditional_branches),
		cmocka_unit_test(the_largest_block_fits),
		cmocka_unit_test(popf_is_stepped_if_it_sets_the_trap_flag),
		cmocka_unit_test(calls_of_the_library_are_not_counted),
		cmocka_unit_test(a_call_may_be_cut),
		cmocka_unit_test(calls_through_stubs_are_not_counted),
		cmocka_unit_test(trimmed_calls_are_recovered),
		cmocka_unit_test(functions_of_the_library_are_gates),
		cmocka_unit_test(a_translated_target_is_reached_directly),
		cmocka_unit_test(without_a_table_nothing_is_translated),
		cmocka_unit_test(links_name_the_place_of_their_jump),
		cmocka_unit_test(no_block_begins_with_one_byte),
		cmocka_unit_test(a_short_function_follows_its_caller),
		cmocka_unit_test(the_caller_jumps_to_what_follows),
		cmocka_unit_test(system_calls),
		cmocka_unit_test(a_transaction_aborts_at_once),
		cmocka_unit_test(indirect_branches_find_their_block),
		cmocka_unit_test(indirect_branches_are_taken_back),
		cmocka_unit_test(what_ran_alone_is_counted),
		cmocka_unit_test(without_marks_nothing_is_recovered),
		cmocka_unit_test(weights_are_the_most_that_can_happen),
	};

	return cmocka_run_group_tests(tests, harness_begin, harness_end);
}
