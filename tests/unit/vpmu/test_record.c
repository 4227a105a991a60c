/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records that blocks append for the simulators: each access of the description, with the values of the record,
 * is at the address that the instruction itself has touched.
 */
#include "harness.h"

static struct subject s;

/* The address that the description gives an access, from the words of the record. */
static uint64_t address_of(const struct papi_vpmu_access *access)
{
	return (access->word ? s.trace[access->word] : 0) + (uint64_t)access->displacement;
}

struct touched {
	uint64_t address;
	unsigned kind, size;
};

static void run_record(const char *name, const char *bytes, size_t size)
{
	subject_begin(&s, name, bytes, size);
	s.wants.parts = PAPI_VPMU_PARTS;
	compare(&s);
	assert_true(s.t.traced);
	assert_int_equal(s.trace_words, s.t.plan.description.words);
	assert_int_equal(s.trace[0], 77);
}

/* In their order; those that span others do not count. */
static void expect_accesses(const char *name, const char *bytes, size_t size, const struct touched *touched, unsigned n)
{
	unsigned found = 0;

	run_record(name, bytes, size);
	for (unsigned i = 0; i < s.t.plan.description.accesses; i++) {
		const struct papi_vpmu_access *access = &s.t.plan.accesses[i];

		if (access->spanned)
			continue;
		if (found == n || address_of(access) != touched[found].address || access->kind != touched[found].kind ||
			access->extent != touched[found].size - 1)
			subject_failed(&s, "access %u is at %llx, of kind %u", found,
				(unsigned long long)address_of(access), access->kind);
		found++;
	}
	assert_int_equal(found, n);
}

#define EXPECT(name, bytes, ...)                                                                    \
	do {                                                                                        \
		const struct touched all[] = { __VA_ARGS__ };                                       \
		expect_accesses(name, bytes, sizeof(bytes) - 1, all, sizeof(all) / sizeof(all[0])); \
	} while (0)

#define READ(at, bytes)                   \
	{                                 \
		at, PAPI_VPMU_READ, bytes \
	}
#define WRITE(at, bytes)                   \
	{                                  \
		at, PAPI_VPMU_WRITE, bytes \
	}
#define MODIFY(at, bytes)                   \
	{                                   \
		at, PAPI_VPMU_MODIFY, bytes \
	}

static void accesses_are_where_the_instructions_touch(void **state)
{
	uint64_t data, stack, near;

	(void)state;
	subject_begin(&s, "nothing", "", 0);
	data = harness_data() + 64; /* rbx, rsi; r9 is 2 */
	stack = harness_stack();
	near = harness_near();
	EXPECT("load", "\x48\x8b\x03", READ(data, 8));
	EXPECT("store of a byte", "\x88\x43\x05", WRITE(data + 5, 1));
	EXPECT("modify", "\x01\x03", MODIFY(data, 4));
	EXPECT("index", "\x4a\x8b\x04\xcb", READ(data + 16, 8));
	EXPECT("base and index, changed", "\x4a\x8b\x04\xcb\x49\xff\xc1\x4a\x8b\x54\xcb\x08", READ(data + 16, 8),
		READ(data + 32, 8));
	EXPECT("rip", "\x48\x8b\x05\x80\x10\0\0", READ(near + 0x87, 8));
	EXPECT("an address that is a constant", "\x4a\x8b\x04\xcd\x80\x10\0\x10", READ(0x10001090, 8));
	EXPECT("push and pop", "\x50\x5a", WRITE(stack - 8, 8), READ(stack - 8, 8));
	EXPECT("push of memory", "\xff\x33", READ(data, 8), WRITE(stack - 8, 8));
	EXPECT("pop to the stack", "\x8f\x04\x24", WRITE(stack + 8, 8), READ(stack, 8));
	EXPECT("call", "\x50\xe8\0\0\0\0", WRITE(stack - 8, 8), WRITE(stack - 16, 8));
	EXPECT("ret", "\x58\xc3", READ(stack, 8), READ(stack + 8, 8));
	EXPECT("changed by constants",
		"\x48\x83\xc3\x08\x48\xff\xc3\x48\x8b\x03\x48\x8d\x5b\xf0\x48\x8b\x03\x48\xff\xcb"
		"\x48\x83\xeb\x08\x48\x8b\x03",
		READ(data + 9, 8), READ(data - 7, 8), READ(data - 16, 8));
	EXPECT("changed by another register", "\x48\x8b\x03\x4c\x01\xcb\x48\x8b\x03", READ(data, 8), READ(data + 2, 8));
	EXPECT("overwritten", "\x48\x8b\x03\x4c\x89\xe3\x48\x8b\x03", READ(data, 8), READ(harness_data() + 128, 8));
	EXPECT("lea from another", "\x48\x8b\x03\x48\x8d\x5e\x10\x48\x8b\x03", READ(data, 8), READ(data + 16, 8));
	EXPECT("32 bits of a register", "\x48\x8b\x03\x83\xc6\x00\x48\x8b\x03", READ(data, 8), READ(data, 8));
	EXPECT("descending", "\x48\x8b\x43\x18\x48\x8b\x53\x10\x48\x8b\x7b\x08", READ(data + 24, 8), READ(data + 16, 8),
		READ(data + 8, 8));
	EXPECT("ascending", "\x48\x8b\x43\x08\x48\x8b\x53\x10\x48\x8b\x7b\x18", READ(data + 8, 8), READ(data + 16, 8),
		READ(data + 24, 8));
	EXPECT("far apart", "\x48\x8b\x43\x08\x48\x8b\x53\x48", READ(data + 8, 8), READ(data + 72, 8));
	EXPECT("down and up", "\x48\x8b\x43\x10\x88\x43\x11\x88\x43\x0f", READ(data + 16, 8), WRITE(data + 17, 1),
		WRITE(data + 15, 1));
}

/* Constants may be as far apart as there are any. */
static void addresses_at_both_ends(void **state)
{
	static const char loads[] = "\x48\xa1\xf8\xff\xff\xff\xff\xff\xff\x7f\x48\xa1\0\0\0\0\0\0\0\x80";

	(void)state;
	subject_begin(&s, "movabs", loads, sizeof(loads) - 1);
	s.wants.parts = PAPI_VPMU_PARTS;
	translate(&s);
	assert_int_equal(s.t.plan.description.accesses, 2);
	assert_int_equal(s.t.plan.accesses[0].spanned, 0);
	assert_true((uint64_t)s.t.plan.accesses[0].displacement == 0x7ffffffffffffff8);
	assert_true((uint64_t)s.t.plan.accesses[1].displacement == 0x8000000000000000);
}

static void rows_of_accesses_have_an_order(void **state)
{
	static const char up[] = "\x48\x8b\x43\x08\x48\x8b\x53\x10", down[] = "\x48\x8b\x43\x10\x48\x8b\x53\x08",
			  mixed[] = "\x48\x8b\x43\x08\x48\x89\x53\x10";

	(void)state;
	run_record("up", up, sizeof(up) - 1);
	assert_int_equal(s.t.plan.accesses[0].form, PAPI_VPMU_FORM_RISING);
	assert_int_equal(s.t.plan.accesses[0].spanned, 2);
	run_record("down", down, sizeof(down) - 1);
	assert_int_equal(s.t.plan.accesses[0].form, PAPI_VPMU_FORM_FALLING);
	run_record("mixed", mixed, sizeof(mixed) - 1);
	assert_int_equal(s.t.plan.accesses[0].form, PAPI_VPMU_FORM_PLAIN);
}

/*
 *	mov  rax, [rbx]         0
 *	test ecx, ecx
 *	je   out                the first way out, with one access
 *	mov  [rdi + 8], rax
 *	cmp  ecx, 1
 *	je   out                the second, with two, and a branch passed
 *	mov  [rbx], rax
 */
static const char three_ways[] = "\x48\x8b\x03\x85\xc9\x74\x20\x48\x89\x47\x08\x83\xf9\x01\x74\x20\x48\x89\x03";

static void leave_by(unsigned rcx, unsigned parts, unsigned words, uint64_t description)
{
	subject_begin(&s, "ways out", three_ways, sizeof(three_ways) - 1);
	s.wants.parts = parts;
	s.start.registers[RCX] = rcx;
	compare(&s);
	assert_int_equal(s.t.plan.n_ways_out, 2);
	assert_int_equal(s.trace_words, words);
	if (words)
		assert_int_equal(s.trace[0], description);
}

/* How many of the first accesses are looked at as one, where registers are that when the block is about to run. */
static unsigned looked_at_as_one(const char *bytes, size_t size, const uint64_t *registers)
{
	subject_begin(&s, "looks", bytes, size);
	s.wants.parts = PAPI_VPMU_PART_DATA;
	s.request.view = &s.view;
	s.request.wants = &s.wants;
	s.request.pc = harness_text();
	s.request.checks = true;
	s.request.data_shift = 6;
	s.request.registers = registers;
	papi_vpmu_translation_plan(&s.t, &s.request);
	return s.t.plan.accesses[0].spanned;
}

/* Those that are in one slot, as lines begin where slots do: where they lie is seen before the block runs first. */
static void looks_are_at_what_is_in_one_slot(void **state)
{
	static const char near[] = "\x48\x8b\x43\x08\x48\x8b\x53\x10", pushes[] = "\x53\x55\x53",
			  behind_a_load[] = "\x48\x8b\x1b\x48\x8b\x43\x08\x48\x8b\x13";
	uint64_t registers[16] = { [RBX] = 0x7008, [RSP] = 0x7ff0 };

	(void)state;
	assert_int_equal(looked_at_as_one(near, sizeof(near) - 1, registers), 2);
	registers[RBX] = 0x7000;
	assert_int_equal(looked_at_as_one(near, sizeof(near) - 1, registers), 0);
	assert_int_equal(looked_at_as_one(near, sizeof(near) - 1, NULL), 0);
	assert_int_equal(looked_at_as_one(pushes, sizeof(pushes) - 1, registers), 2);
	registers[RSP] += 8;
	assert_int_equal(looked_at_as_one(pushes, sizeof(pushes) - 1, registers), 0);
	assert_int_equal(s.t.plan.accesses[1].spanned, 2);
	/* What is loaded first is taken for a multiple of 16. */
	registers[RBX] = 0x7008;
	looked_at_as_one(behind_a_load, sizeof(behind_a_load) - 1, registers);
	assert_int_equal(s.t.plan.accesses[1].spanned, 2);
}

/* From 1 on; what spans others is of the first of them. */
static void accesses_are_of_their_instructions(void **state)
{
	static const char near_and_far[] = "\x48\x8b\x43\x08\x48\x8b\x53\x10\x90\x88\x43\x60";
	static const uint8_t expected[] = { 1, 1, 2, 4 };
	uint8_t found[256];

	(void)state;
	run_record("near and far", near_and_far, sizeof(near_and_far) - 1);
	assert_int_equal(s.t.plan.description.accesses, sizeof(expected));
	papi_vpmu_trace_plan_origins(&s.t.plan, s.t.plan.accesses, sizeof(expected), found);
	assert_memory_equal(found, expected, sizeof(expected));
	assert_int_equal(s.t.plan.of_end, s.t.decoded.count);
}

/* A line is of the first instruction that is in it. */
static void lines_and_ways_out_are_of_their_instructions(void **state)
{
	unsigned shift, lines = 0;

	(void)state;
	subject_begin(&s, "lines", three_ways, sizeof(three_ways) - 1);
	s.wants.parts = PAPI_VPMU_PARTS;
	translate(&s);
	assert_int_equal(s.t.plan.ways_out[0].instruction, 3);
	assert_int_equal(s.t.plan.ways_out[1].instruction, 6);
	shift = s.t.plan.line_shift;
	for (unsigned i = 0; i < s.t.decoded.count; i++) {
		const struct papi_vpmu_instruction *instruction = &s.t.decoded.instructions[i];
		uint64_t last = instruction->pc + instruction->length - 1;

		for (; lines <= (last >> shift) - (s.t.pc >> shift); lines++)
			assert_int_equal(s.t.plan.of_line[lines], i + 1);
	}
	assert_in_range(lines, 1, 60);
}

static void each_way_out_has_a_record(void **state)
{
	struct papi_vpmu_access accesses[256];
	struct papi_vpmu_description way;

	(void)state;
	leave_by(0, PAPI_VPMU_PARTS, 2, 100);
	leave_by(1, PAPI_VPMU_PARTS, 3, 101);
	leave_by(2, PAPI_VPMU_PARTS, 3, 77);
	assert_int_equal(s.t.plan.n_branches, 2);
	assert_int_equal(s.t.plan.description.accesses, 3);
	assert_int_equal(s.trace[1], harness_data() + 64);
	assert_int_equal(s.trace[2], harness_data() + 256);
	way = papi_vpmu_trace_plan_way_out(&s.t.plan, 0, accesses);
	assert_int_equal(way.branches, 1);
	assert_int_equal(way.behind, 0);
	assert_int_equal(way.accesses, 1);
	assert_int_equal(way.words, 2);
	assert_int_equal(way.end, PAPI_VPMU_ENDS_ANYHOW);
	assert_int_equal(way.next, harness_text() + 7);
	way = papi_vpmu_trace_plan_way_out(&s.t.plan, 1, accesses);
	assert_int_equal(way.accesses, 2);
	assert_int_equal(accesses[1].displacement, 8);
	assert_int_equal(way.next, harness_text() + 16);
	leave_by(0, PAPI_VPMU_PART_BRANCHES, 0, 0);
	leave_by(2, PAPI_VPMU_PART_BRANCHES, 0, 0);
	leave_by(1, PAPI_VPMU_PART_DATA, 3, 101);
}

static void expect_branches(unsigned first, unsigned n, const bool taken[])
{
	assert_int_equal(s.n_branches, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(s.branches[i], (first + i) | (taken[i] ? PAPI_VPMU_BRANCH_TAKEN : 0));
}

/* Each tells of the branches that it has passed, and of the one that it took. */
static void each_way_out_tells_of_its_branches(void **state)
{
	static const bool outcomes[3][2] = { { true }, { false, true }, { false, false } };
	static const char loop[] = "\xe3\x20", /* jrcxz */
		conditional[] = "\x74\x20";

	(void)state;
	for (unsigned rcx = 0; rcx < 3; rcx++) {
		leave_by(rcx, PAPI_VPMU_PARTS, rcx ? 3 : 2, rcx == 2 ? 77 : 100 + rcx);
		assert_int_equal(s.n_branches, 0);
		assert_int_equal(s.t.plan.description.branches, 2);
		assert_int_equal(s.t.plan.description.behind, 0);
		leave_by(rcx, PAPI_VPMU_PART_BRANCHES, 0, 0);
		expect_branches(HARNESS_BRANCHES, rcx ? 2 : 1, outcomes[rcx]);
		leave_by(rcx, PAPI_VPMU_PART_CODE, 1, rcx == 2 ? 77 : 100 + rcx);
		assert_int_equal(s.n_branches, 0);
	}
	for (unsigned taken = 0; taken < 2; taken++) {
		subject_begin(&s, "jrcxz", loop, sizeof(loop) - 1);
		s.wants.parts = PAPI_VPMU_PART_BRANCHES;
		s.start.registers[RCX] = !taken;
		compare(&s);
		expect_branches(HARNESS_BRANCHES, 1, &outcomes[!taken][0]);
		subject_begin(&s, "je", conditional, sizeof(conditional) - 1);
		s.wants.parts = PAPI_VPMU_PART_BRANCHES;
		s.start.flags = taken ? 0x242 : 0x202;
		compare(&s);
		expect_branches(HARNESS_BRANCHES, 1, &outcomes[!taken][0]);
		s.wants.parts = PAPI_VPMU_PARTS;
		compare(&s);
		assert_int_equal(s.n_branches, 0);
		assert_int_equal(s.t.plan.description.branches, 1);
		assert_int_equal(s.t.plan.description.behind, harness_text() + 2);
	}
}

static void run_end(const char *name, const char *bytes, size_t size, unsigned parts, unsigned words)
{
	subject_begin(&s, name, bytes, size);
	s.wants.parts = parts;
	compare(&s);
	assert_int_equal(s.trace_words, words);
}

#define RUN_END(name, bytes, parts, words) run_end(name, bytes, sizeof(bytes) - 1, parts, words)

/* With the branch predictor alone a record is made by what it has to know of, and by nothing else. */
static void ends_tell_their_target(void **state)
{
	static const bool passed[1] = { false };

	(void)state;
	RUN_END("load", "\x48\x8b\x03", PAPI_VPMU_PART_BRANCHES, 0);
	RUN_END("jmp", "\xeb\x10", PAPI_VPMU_PART_BRANCHES, 0);
	RUN_END("call", "\xe8\x10\0\0\0", PAPI_VPMU_PART_BRANCHES, 1);
	assert_int_equal(s.t.plan.description.end, PAPI_VPMU_ENDS_CALL);
	RUN_END("call of the next instruction", "\xe8\0\0\0\0", PAPI_VPMU_PART_BRANCHES, 0);
	RUN_END("ret", "\xc3", PAPI_VPMU_PART_BRANCHES, 2);
	assert_int_equal(s.trace[0], 77);
	assert_int_equal(s.trace[1], harness_target());
	RUN_END("jmp r14", "\x41\xff\xe6", PAPI_VPMU_PART_BRANCHES, 2);
	assert_int_equal(s.trace[1], harness_target());
	RUN_END("jmp r14", "\x41\xff\xe6", PAPI_VPMU_PART_CODE, 1);
	RUN_END("call [rbx]", "\xff\x13", PAPI_VPMU_PARTS, 4);
	assert_int_equal(s.trace[3], harness_target());
	/* test ecx, ecx; je; ret: both buffers, or all in the record */
	for (unsigned i = 0; i < 2; i++) {
		RUN_END("je and ret", "\x85\xc9\x74\x20\xc3", i ? PAPI_VPMU_PARTS : PAPI_VPMU_PART_BRANCHES, 2 + i);
		assert_int_equal(s.trace[1 + i], harness_target());
		expect_branches(HARNESS_BRANCHES, !i, passed);
	}
}

/* With data alone there is none where nothing has been touched. */
static void a_way_out_without_accesses_has_no_record(void **state)
{
	static const char late[] = "\x85\xc9\x74\x20\x48\x8b\x03";

	(void)state;
	for (unsigned rcx = 0; rcx < 2; rcx++) {
		subject_begin(&s, "late", late, sizeof(late) - 1);
		s.wants.parts = PAPI_VPMU_PART_DATA;
		s.start.registers[RCX] = rcx;
		compare(&s);
		assert_int_equal(s.trace_words, rcx ? 2 : 0);
	}
}

/* From where a string instruction went to where it came. */
static void strings_tell_their_ends(void **state)
{
	static const char copy[] = "\xf3\x48\xa5\x48\x8b\x06";

	(void)state;
	run_record("rep movsq", copy, sizeof(copy) - 1);
	for (unsigned i = 0; i < 2; i++) {
		const struct papi_vpmu_access *access = &s.t.plan.accesses[i];

		assert_int_equal(access->form, PAPI_VPMU_FORM_STRING);
		assert_int_equal(s.trace[access->word + 1] - s.trace[access->word], 24);
	}
	assert_int_equal(
		s.trace[s.t.plan.accesses[0].word], harness_data() + (s.t.plan.accesses[0].is_write ? 256 : 64));
	assert_int_equal(address_of(&s.t.plan.accesses[2]), harness_data() + 64 + 24);
}

/* What the models have to know of a thread's own data, and of prefetches. */
static void forms_off_the_fast_path(void **state)
{
	static const char local[] = "\x64\x48\x8b\x04\x25\x10\0\0\0", prefetch[] = "\x0f\x18\x0b";

	(void)state;
	run_record("fs", local, sizeof(local) - 1);
	assert_int_equal(s.t.plan.accesses[0].form, PAPI_VPMU_FORM_THREAD_LOCAL);
	assert_int_equal(s.t.plan.accesses[0].displacement, 16);
	assert_false(s.t.plan.description.plain);
	run_record("prefetch", prefetch, sizeof(prefetch) - 1);
	assert_int_equal(s.t.plan.accesses[0].kind, PAPI_VPMU_PREFETCH);
	assert_false(s.t.plan.description.plain);
}

/* Addresses of 32 bits are values of their own. */
static void narrow_addresses(void **state)
{
	static const char bytes[] = "\x67\x8b\x83\x00\x10\0\x10";

	(void)state;
	subject_begin(&s, "ebx", bytes, sizeof(bytes) - 1);
	s.wants.parts = PAPI_VPMU_PARTS;
	s.start.registers[RBX] = 0xffffffff00000080;
	compare(&s);
	assert_int_equal(s.trace[s.t.plan.accesses[0].word], 0x10001080);
	assert_int_equal(s.t.plan.accesses[0].displacement, 0);
}

/* A block that would have no free register, or too many values, ends before. */
static void blocks_are_cut_where_no_record_fits(void **state)
{
	static const char all[] = "\x4d\x01\xc8\x4d\x01\xd1\x4d\x01\xdc\x4d\x01\xee\x48\x01\xed\x4d\x01\xff\x90";
	char loads[64 * 7];

	(void)state;
	run_record("all registers", all, sizeof(all) - 1);
	assert_true(s.t.decoded.count < 7);
	for (unsigned i = 0; i < 64; i++)
		memcpy(loads + 7 * i, "\x48\x8b\x03\x4c\x01\xcb\x90", 7);
	run_record("loads", loads, sizeof(loads));
	assert_int_equal(s.t.decoded.count, PAPI_VPMU_BLOCK_LENGTH);
	for (unsigned i = 0; i < 64; i++)
		memcpy(loads + 6 * i, "\xff\x33\x8f\x43\x08\x90", 6);
	run_record("pushes and pops of memory", loads, 6 * 64);
	assert_true(s.t.plan.description.words < PAPI_VPMU_RECORD_WORDS_MAX);
	/* An odd number of accesses before those that make two: the last one would not fit. */
	memcpy(loads, "\x48\x8b\x03", 3);
	for (unsigned i = 0; i < 64; i++)
		memcpy(loads + 3 + 5 * i, "\xff\x33\x8f\x43\x08", 5);
	run_record("a load, pushes and pops of memory", loads, 3 + 5 * 64);
	assert_int_equal(s.t.plan.of_single[PAPI_VPMU_MAX_ACCESSES - 1], 0);
	assert_int_equal(s.t.plan.of_single[PAPI_VPMU_MAX_ACCESSES - 2], s.t.decoded.count);
}

/* ---- gathers ---- */

static const struct papi_vpmu_trace_store *store_of(enum papi_vpmu_trace_sort sort)
{
	for (unsigned i = 0; i < s.t.plan.n_stores; i++)
		if (s.t.plan.stores[i].sort == sort)
			return &s.t.plan.stores[i];
	fail_msg("there is no store of sort %d", sort);
	return NULL;
}

static void plan_gather(const char *bytes, size_t size)
{
	subject_begin(&s, "gather", bytes, size);
	s.wants.parts = PAPI_VPMU_PARTS;
	translate(&s);
	assert_int_equal(s.t.decoded.count, 1);
	assert_int_equal(s.t.plan.accesses[0].form, PAPI_VPMU_FORM_GATHER);
}

#define PLAN_GATHER(bytes) plan_gather(bytes, sizeof(bytes) - 1)

static void gathers_tell_base_indexes_and_mask(void **state)
{
	(void)state;
	/* vpgatherdd xmm0, [rbx + xmm1 * 4], xmm2 */
	PLAN_GATHER("\xc4\xe2\x69\x90\x04\x8b");
	assert_int_equal(s.t.plan.description.words, 1 + 1 + 4 + 4);
	assert_int_equal(store_of(PAPI_VPMU_STORE_VECTOR)->base, 1);
	assert_int_equal(s.t.plan.accesses[0].extent & PAPI_VPMU_GATHER_LANES, 3);
	/* vpgatherqq ymm0, [r8 + ymm9 * 8], ymm12: high registers of all sorts */
	PLAN_GATHER("\xc4\x82\x9d\x91\x04\xc8");
	assert_int_equal(store_of(PAPI_VPMU_STORE_VECTOR)->base, 9);
	assert_true(s.t.plan.accesses[0].extent & PAPI_VPMU_GATHER_WIDE_INDEX);
	/* vpgatherdd zmm0 {k1}, [rbx + zmm17 * 4] */
	PLAN_GATHER("\x62\xf2\x7d\x41\x90\x04\x8b");
	assert_int_equal(store_of(PAPI_VPMU_STORE_LARGE)->base, 17);
	assert_int_equal(store_of(PAPI_VPMU_STORE_MASK)->base, 1);
	assert_int_equal(s.t.plan.description.words, 1 + 1 + 8 + 1);
	/* vpscatterdd [rbx + zmm1 * 4] {k2}, zmm0 */
	PLAN_GATHER("\x62\xf2\x7d\x4a\xa0\x04\x8b");
	assert_int_equal(s.t.plan.accesses[0].kind, PAPI_VPMU_WRITE);
	/* vpgatherdd xmm0, [xmm1 * 4 + 16], xmm2; with fs; with ebx */
	PLAN_GATHER("\xc4\xe2\x69\x90\x04\x8d\x10\0\0\0");
	assert_true(s.t.plan.accesses[0].extent & PAPI_VPMU_GATHER_NO_BASE);
	PLAN_GATHER("\x64\xc4\xe2\x69\x90\x04\x8b");
	assert_true(s.t.plan.accesses[0].extent & PAPI_VPMU_GATHER_THREAD_LOCAL);
	PLAN_GATHER("\x67\xc4\xe2\x69\x90\x04\x8b");
	assert_true(s.t.plan.accesses[0].extent & PAPI_VPMU_GATHER_NARROW);
}

/* ---- the encodings of what is stored ---- */

/* Written by one of them, the bytes say that instruction with these operands. */
/* The register of that number, of the kind of the first. */
static ZydisRegister register_after(ZydisRegister first, unsigned number)
{
	return (ZydisRegister)(first + number);
}

static void expect_encoding(const struct papi_vpmu_emitter *e, const uint8_t *bytes, ZydisMnemonic mnemonic,
	ZydisRegister base, int64_t displacement, ZydisRegister reg)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_true(ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&decoder, bytes, (ZyanUSize)(e->next - bytes), &instruction, operands)));
	assert_int_equal(instruction.length, e->next - bytes);
	assert_int_equal(instruction.mnemonic, mnemonic);
	for (unsigned i = 0; i < instruction.operand_count_visible; i++) {
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			assert_int_equal(operands[i].mem.base, base);
			assert_int_equal(operands[i].mem.disp.value, displacement);
		} else if (instruction.avx.mask.reg != operands[i].reg.value) {
			assert_int_equal(operands[i].reg.value, reg);
		}
	}
}

static void stores_name_every_register(void **state)
{
	uint8_t bytes[32];

	(void)state;
	for (unsigned base = 0; base < 16; base++)
		for (unsigned reg = 0; reg < 32; reg++) {
			ZydisRegister from = register_after(ZYDIS_REGISTER_RAX, base);
			struct papi_vpmu_emitter e = { .next = bytes };

			papi_vpmu_emit_store_vector_large(&e, base, 640, reg);
			expect_encoding(&e, bytes, ZYDIS_MNEMONIC_VMOVDQU64, from, 640,
				register_after(ZYDIS_REGISTER_ZMM0, reg));
			if (reg > 15)
				continue;
			e.next = bytes;
			papi_vpmu_emit_store_vector(&e, base, 64, reg);
			expect_encoding(
				&e, bytes, ZYDIS_MNEMONIC_VMOVDQU, from, 64, register_after(ZYDIS_REGISTER_YMM0, reg));
			e.next = bytes;
			papi_vpmu_emit_store_mask(&e, base, 64, reg & 7);
			expect_encoding(
				&e, bytes, ZYDIS_MNEMONIC_KMOVW, from, 64, register_after(ZYDIS_REGISTER_K0, reg & 7));
			for (unsigned at = 8; at < 1000; at *= 8) {
				e.next = bytes;
				papi_vpmu_emit_store_at(&e, base, at, reg);
				expect_encoding(&e, bytes, ZYDIS_MNEMONIC_MOV, from, at,
					register_after(ZYDIS_REGISTER_RAX, reg));
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_where_the_instructions_touch),
		cmocka_unit_test(addresses_at_both_ends),
		cmocka_unit_test(rows_of_accesses_have_an_order),
		cmocka_unit_test(each_way_out_has_a_record),
		cmocka_unit_test(each_way_out_tells_of_its_branches),
		cmocka_unit_test(looks_are_at_what_is_in_one_slot),
		cmocka_unit_test(accesses_are_of_their_instructions),
		cmocka_unit_test(lines_and_ways_out_are_of_their_instructions),
		cmocka_unit_test(ends_tell_their_target),
		cmocka_unit_test(a_way_out_without_accesses_has_no_record),
		cmocka_unit_test(strings_tell_their_ends),
		cmocka_unit_test(forms_off_the_fast_path),
		cmocka_unit_test(narrow_addresses),
		cmocka_unit_test(blocks_are_cut_where_no_record_fits),
		cmocka_unit_test(gathers_tell_base_indexes_and_mask),
		cmocka_unit_test(stores_name_every_register),
	};

	return cmocka_run_group_tests(tests, harness_begin, harness_end);
}
