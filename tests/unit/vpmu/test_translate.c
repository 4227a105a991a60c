/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every kind of instruction that the translator rewrites, under what can be wanted, compared step by step with what the
 * processor makes of it (harness.h). Each row has a third of the variations, which takes a few seconds. In the end
 * every mark of each block has been looked at.
 */
#include "harness.h"
#include "harness_calls.h"

#define ANY (-1)

/* A block, and how it ends. Displacements of 0x1080 reach the data behind the text; what is read there, on the stack
 * and in the data is the address of harness_target(). */
struct row {
	const char *name, *bytes;
	size_t size;
	int ending; /* enum ending, where the block runs from its start; ANY: that depends */
};

#define ROW(name, bytes, ending)                       \
	{                                              \
		name, bytes, sizeof(bytes) - 1, ending \
	}

static const struct row rows[] = {
	/* Plain instructions, in the ways that they treat flags. */
	ROW("mov", "\x48\x89\x07\x48\x8b\x03", ENDS_AT_LINK),
	ROW("one byte first", "\x50\x58", ENDS_AT_LINK),
	ROW("add sets all flags", "\x48\x03\x03\x48\x01\x07", ENDS_AT_LINK),
	ROW("adc reads the carry", "\x48\x8b\x03\x48\x11\xd0", ENDS_AT_LINK),
	ROW("inc leaves the carry", "\x48\xff\xc0\x48\x8b\x03", ENDS_AT_LINK),
	ROW("inc, then add", "\x48\xff\xc0\x48\x8b\x03\x48\x01\xd8", ENDS_AT_LINK),
	ROW("no flag", "\x48\x8d\x43\x08\x48\xf7\xd0\x48\x87\xd8", ENDS_AT_LINK),
	ROW("lahf, sahf", "\x9f\x9e\x48\x8b\x03", ENDS_AT_LINK),
	ROW("cmp, setcc, cmovcc", "\x48\x39\x03\x0f\x92\xc0\x48\x0f\x44\xc3", ENDS_AT_LINK),
	ROW("shl by cl", "\x48\xd3\xe0\x48\x8b\x03", ENDS_AT_LINK),
	ROW("shl by 0", "\x48\xc1\xe0\x00\x48\x8b\x03", ENDS_AT_LINK),
	ROW("shl by 32", "\xc1\xe0\x20\x48\x8b\x03", ENDS_AT_LINK),
	ROW("shl by 1", "\x48\xd1\xe0\x48\x8b\x03", ENDS_AT_LINK),
	ROW("sar, rol, rcr by 3", "\x48\xc1\xf8\x03\x48\xc1\xc0\x03\x48\xc1\xd8\x03", ENDS_AT_LINK),
	ROW("shld and shrd by cl", "\x48\x0f\xa5\xd0\x48\x0f\xad\xd0", ENDS_AT_LINK),
	ROW("shr after add by cl", "\x48\x01\xc2\x48\xd3\xea", ENDS_AT_LINK),
	ROW("clc, cmc, stc", "\xf8\xf5\xf9", ENDS_AT_LINK),
	ROW("std, cld", "\xfd\x48\x8b\x03\xfc", ENDS_AT_LINK),
	ROW("lock cmpxchg", "\xf0\x48\x0f\xb1\x0f\x48\x0f\xc8", ENDS_AT_LINK),
	ROW("pushf", "\x9c\x48\x8b\x04\x24", ENDS_AT_LINK),
	ROW("push and pop of memory", "\xff\x33\x8f\x07", ENDS_AT_LINK),
	ROW("nop, endbr64", "\x90\xf3\x0f\x1e\xfa", ENDS_AT_LINK),
	ROW("flags dead behind the block", "\x48\x8b\x03\x74\x01\x90\x48\x31\xc0", ENDS_AT_LINK),

	/* Faults in the middle. */
	ROW("division by rcx", "\x48\x8b\x03\x31\xd2\x48\xf7\xf1\x48\x8b\x03", ANY),
	ROW("load from nowhere", "\x48\x8b\x03\x48\x8b\x04\x25\0\0\0\0\x48\x89\x07", ENDS_BY_SIGNAL),
	ROW("store to nowhere", "\x48\x01\xd8\x48\x89\x04\x25\0\0\0\0\x90", ENDS_BY_SIGNAL),
	ROW("ud2", "\x48\x8b\x03\x0f\x0b", ENDS_BY_SIGNAL),
	ROW("hlt", "\x48\x01\xd8\xf4", ENDS_BY_SIGNAL),
	ROW("int3", "\x48\x01\xd8\xcc\x48\x8b\x03", ENDS_BY_SIGNAL),

	/* Relative to rip. */
	ROW("mov from rip", "\x48\x8b\x05\x80\x10\0\0\x48\x8b\x0d\x80\x10\0\0", ENDS_AT_LINK),
	ROW("add to rip", "\x48\x01\x05\x80\x10\0\0\x48\x01\x15\x88\x10\0\0", ENDS_AT_LINK),
	ROW("cmp of rip with a constant", "\x81\x3d\x80\x10\0\0\x00\x02\x00\x10\x0f\x94\xc0", ENDS_AT_LINK),
	ROW("mov of a byte to rip", "\xc6\x05\x80\x10\0\0\x7f\x48\xff\xc0", ENDS_AT_LINK),
	ROW("high registers and rip", "\x4c\x8b\x05\x80\x10\0\0\x44\x88\x0d\x80\x10\0\0", ENDS_AT_LINK),
	ROW("REX.B and rip", "\x49\x8b\x05\x80\x10\0\0", ENDS_AT_LINK),
	ROW("lea of rip", "\x48\x8d\x05\x80\x10\0\0\x4c\x8d\x3d\x80\x10\0\0", ENDS_AT_LINK),
	ROW("lea of 32 bits of rip", "\x8d\x05\x80\x10\0\0\x66\x8d\x0d\x80\x10\0\0", ENDS_AT_LINK),
	ROW("eip", "\x67\x48\x8b\x05\x80\x10\0\0\x67\x48\x8d\x05\x80\x10\0\0", ENDS_AT_LINK),
	ROW("cmpxchg16b of rip", "\x48\x0f\xc7\x0d\x7b\x10\0\0\x48\x8b\x03", ANY),
	ROW("xmm and rip", "\x0f\x10\x05\x80\x10\0\0\x0f\x11\x05\x90\x10\0\0", ENDS_AT_LINK),
	ROW("two bytes of VEX and rip", "\xc5\xf8\x10\x05\x80\x10\0\0\xc5\xf8\x11\x05\x90\x10\0\0", ANY),
	ROW("three bytes of VEX and rip", "\xc4\xe1\x78\x10\x05\x80\x10\0\0\xc4\xc1\x78\x10\x05\x80\x10\0\0", ANY),
	ROW("EVEX and rip", "\x62\xf1\x7c\x48\x10\x05\x70\x10\0\0\x62\xd1\x7c\x48\x10\x05\x70\x10\0\0", ANY),
	ROW("XOP and rip", "\x8f\xe9\x78\x81\x05\x80\x10\0\0\x48\x8b\x03", ANY),

	/* String instructions. */
	ROW("movsb", "\xa4\xa5\x48\xa5", ENDS_AT_LINK),
	ROW("rep movsb", "\xf3\xa4\x48\x8b\x03", ENDS_AT_LINK),
	ROW("rep movsq between additions", "\x48\x01\xd8\xf3\x48\xa5\x48\x01\xd8", ENDS_AT_LINK),
	ROW("rep stosb", "\xf3\xaa", ENDS_AT_LINK),
	ROW("rep lodsd", "\x48\x8b\x03\xf3\xad", ENDS_AT_LINK),
	ROW("repe cmpsb", "\xf3\xa6\x0f\x94\xc0", ENDS_AT_LINK),
	ROW("repne scasb", "\xf2\xae\x75\x10", ENDS_AT_LINK),
	ROW("two rep", "\xf3\xa4\xb9\x02\0\0\0\xf3\xab\x48\x8b\x03", ENDS_AT_LINK),
	ROW("rep and a fault", "\x31\xff\xf3\xa4\x90", ANY),

	/* Direct branches. */
	ROW("jmp, short", "\x48\x8b\x03\xeb\x10", ENDS_AT_LINK),
	ROW("jmp, near", "\x48\x01\xd8\xe9\x20\0\0\0", ENDS_AT_LINK),
	ROW("jmp to itself", "\xeb\xfe", ENDS_AT_LINK),
	ROW("jmp where flags are dead", "\x48\x8b\x03\xeb\x02\x90\x90\x48\x01\xd8", ENDS_AT_LINK),
	ROW("call", "\x48\x8b\x03\xe8\x10\0\0\0", ENDS_AT_LINK),
	ROW("call of the next", "\x48\x01\xd8\xe8\0\0\0\0\x58", ENDS_AT_LINK),
	ROW("call where flags are dead", "\x48\x8b\x03\xe8\0\0\0\0\x48\x29\xd8", ENDS_AT_LINK),
	ROW("call with a broken stack", "\x31\xe4\xe8\x10\0\0\0", ENDS_BY_SIGNAL),
	ROW("loop", "\x48\x8b\x03\xe2\x10", ENDS_AT_LINK),
	ROW("loope", "\x48\x8b\x03\xe1\x10", ENDS_AT_LINK),
	ROW("loopne", "\x48\x01\xd8\xe0\x10", ENDS_AT_LINK),
	ROW("loop with ecx", "\x48\x8b\x03\x67\xe2\x10", ENDS_AT_LINK),
	ROW("loop back to itself", "\x48\x8b\x03\xe2\xfb", ENDS_AT_LINK),
	ROW("jrcxz", "\x48\x8b\x03\xe3\x10", ENDS_AT_LINK),
	ROW("jecxz", "\x67\xe3\x10", ENDS_AT_LINK),
	ROW("short loop", "\x48\xff\xc0\x48\xff\xc9\x75\xf8", ENDS_AT_LINK),
	ROW("short loop of loads", "\x48\x8b\x03\x48\x01\xc2\x48\xff\xc9\x75\xf5", ENDS_AT_LINK),
	ROW("long loop", "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x48\xff\xc9\x75\xeb",
		ENDS_AT_LINK),
	ROW("conditional, flags dead both ways", "\x48\x8b\x03\x74\x03\x48\x31\xc0\x48\x31\xdb", ENDS_AT_LINK),

	ROW("the bytes of a system call in a constant", "\xb8\x00\x00\x0f\x05", ENDS_AT_LINK),

	/* Conditional branches in the middle: by rcx they are taken or not. */
	ROW("asides",
		"\x48\x8b\x03\x85\xc9\x74\x0d\x83\xf9\x01\x74\x0b\x48\x01\xc8\x48\x89\x03\xeb\x20"
		"\x48\x29\xd8\x0f\x94\xc0\x90",
		ENDS_AT_LINK),
	ROW("asides of a loop", "\x48\x03\x03\x83\xf9\x02\x74\x20\xff\xc9\x75\xf4", ANY),
	ROW("an aside and an indirect jump", "\x85\xc9\x74\x06\x48\x8b\x03\x41\xff\xe6\x39\xc8", ENDS_AT_TARGET),
	ROW("string instructions around an aside",
		"\x89\xca\xf3\x48\xa5\x85\xd2\x74\x20\xb9\x02\x00\x00\x00\xf3\xab\x48\x8b\x03", ENDS_AT_LINK),
	ROW("an aside and a fault", "\x85\xc9\x74\x20\x31\xff\x48\x8b\x07\x75\x0e", ENDS_BY_SIGNAL),

	/* Indirect branches. */
	ROW("jmp register", "\x48\x8b\x03\x41\xff\xe6", ENDS_AT_TARGET),
	ROW("jmp memory", "\x48\x01\xd8\xff\x23", ENDS_AT_TARGET),
	ROW("jmp memory with index", "\x42\xff\x24\xcb", ENDS_AT_TARGET),
	ROW("jmp memory at r12", "\x41\xff\x64\x24\x08", ENDS_AT_TARGET),
	ROW("jmp memory at rip", "\xff\x25\x7a\x10\0\0", ENDS_AT_TARGET),
	ROW("jmp memory at fs", "\x64\xff\x24\x25\0\0\0\0", ENDS_AT_TARGET),
	ROW("jmp memory with ebx", "\x67\xff\x23", ANY),
	ROW("jmp rcx", "\xb9\x40\0\0\x10\xff\xe1", ENDS_AT_TARGET),
	ROW("call register", "\x48\x8b\x03\x41\xff\xd6", ENDS_AT_TARGET),
	ROW("call memory", "\xff\x13", ENDS_AT_TARGET),
	ROW("call memory with displacement", "\x42\xff\x54\xcb\x08", ENDS_AT_TARGET),
	ROW("call memory at rsp", "\xff\x14\x24", ENDS_AT_TARGET),
	ROW("call memory at rip", "\x48\x01\xd8\xff\x15\x77\x10\0\0", ENDS_AT_TARGET),
	ROW("call memory nowhere", "\x48\x01\xd8\xff\x14\x25\0\0\0\0", ENDS_BY_SIGNAL),
	ROW("ret", "\x48\x8b\x03\xc3", ENDS_AT_TARGET),
	ROW("ret imm", "\x48\x01\xd8\xc2\x10\0", ENDS_AT_TARGET),
	ROW("rep ret", "\xf3\xc3", ENDS_AT_TARGET),
	ROW("ret with a broken stack", "\x31\xe4\xc3", ENDS_BY_SIGNAL),

	/* Accesses of all kinds, for records. */
	ROW("stack", "\x50\x53\x48\x8b\x44\x24\x08\x48\x89\x5c\x24\x10\x58\x48\x83\xc4\x08\xc3", ENDS_AT_TARGET),
	ROW("base and index", "\x4a\x8b\x04\xcb\x4a\x89\x44\xcb\x08\x4a\x8b\x14\xcd\0\0\0\x10", ENDS_AT_LINK),
	ROW("index alone", "\x4a\x8b\x04\xcd\x80\x10\0\x10\x90", ANY),
	ROW("changes by constants",
		"\x48\x8b\x03\x48\x83\xc3\x08\x48\x8b\x13\x48\xff\xc3\x48\x8d\x5b\x07\x48\x8b\x03"
		"\x48\xff\xcb\x48\x83\xeb\x07\x48\x89\x03",
		ENDS_AT_LINK),
	ROW("changes by more", "\x48\x8b\x03\x48\x01\xcb\x48\x8b\x13\x4c\x89\xe3\x48\x8b\x03\x5b\x48\x8b\x07",
		ENDS_AT_LINK),
	ROW("prefetch", "\x0f\x18\x0b\x0f\x0d\x0f\x48\x8b\x03", ENDS_AT_LINK),
	ROW("fs", "\x64\x48\x8b\x04\x25\x10\0\0\0\x90", ENDS_AT_LINK),
	ROW("many registers", "\x4d\x01\xc8\x4d\x01\xd3\x4d\x01\xe5\x4d\x01\xf7\x48\x01\xed\x48\x8b\x03", ENDS_AT_LINK),
	ROW("enter and leave", "\xc8\x10\0\0\xc9", ENDS_AT_LINK),
	ROW("xlat, bt of memory", "\xd7\x0f\xa3\x0b\x48\x0f\xba\x2f\x05", ANY),
	ROW("gather", "\xc5\xf1\xef\xc9\xc5\xe9\x76\xd2\xc4\xe2\x69\x90\x04\x8b", ANY),
};

/* What is wanted, and how the code is made. */
struct variation {
	const char *name;
	uint64_t counters, profile;
	unsigned parts; /* of the simulators */
	bool far, overflow, may_change, step, library, in_range, data_range, calls, contexts;
	uint64_t modelled;
};

#define ALL          ((1ull << PAPI_VPMU_FIRST_MODELLED) - 1)
#define BIT(counter) (1ull << PAPI_VPMU_##counter)
#define MODELLED     (BIT(L1I_MISSES) | BIT(L1D_READ_MISSES))
#define CLOCKS       (BIT(INSTRUCTIONS) | BIT(LOADS) | BIT(BRANCHES_TAKEN))

static const struct variation variations[] = {
	{ "all, near", .counters = ALL },
	{ "all, far", .counters = ALL, .far = true },
	{ "instructions", .counters = BIT(INSTRUCTIONS), .far = true },
	{ "nothing", .counters = 0 },
	{ "loads", .counters = BIT(LOADS) },
	{ "stores, taken branches", .counters = BIT(STORES) | BIT(BRANCHES_TAKEN), .far = true },
	{ "simulated", .counters = ALL, .parts = PAPI_VPMU_PARTS },
	{ "simulated, far, few", .counters = BIT(INSTRUCTIONS), .far = true, .parts = PAPI_VPMU_PARTS },
	{ "simulated, range of data", .counters = ALL, .parts = PAPI_VPMU_PARTS, .data_range = true },
	{ "branches alone", .counters = ALL, .parts = PAPI_VPMU_PART_BRANCHES },
	{ "data alone", .counters = ALL, .parts = PAPI_VPMU_PART_DATA },
	{ "code alone, far", .counters = ALL, .far = true, .parts = PAPI_VPMU_PART_CODE },
	{ "overflow", .counters = ALL, .overflow = true },
	{ "overflow, simulated, far", .counters = ALL, .far = true, .parts = PAPI_VPMU_PARTS, .overflow = true },
	{ "may change", .counters = ALL, .may_change = true },
	{ "may change, all else", .counters = ALL, .far = true, .parts = PAPI_VPMU_PARTS, .overflow = true,
		.may_change = true },
	{ "step", .counters = ALL, .step = true },
	{ "step, simulated, overflow", .counters = ALL, .far = true, .step = true, .parts = PAPI_VPMU_PARTS,
		.overflow = true },
	{ "library", .counters = ALL, .profile = ALL, .library = true },
	{ "profile", .profile = ALL },
	{ "profile, far", .profile = BIT(INSTRUCTIONS) | BIT(LOADS), .far = true },
	{ "profile, taken branches", .profile = BIT(INSTRUCTIONS) | BIT(STORES) | BIT(BRANCHES_TAKEN) },
	{ "profile and counters", .counters = ALL, .profile = ALL },
	{ "profile and counters, simulated", .counters = BIT(LOADS) | BIT(BRANCHES_TAKEN), .profile = ALL,
		.parts = PAPI_VPMU_PARTS },
	{ "profile, overflow", .counters = BIT(INSTRUCTIONS), .profile = ALL, .overflow = true },
	{ "calls", .counters = BIT(INSTRUCTIONS), .profile = BIT(INSTRUCTIONS), .calls = true },
	{ "calls, far", .counters = CLOCKS, .profile = CLOCKS, .far = true, .calls = true },
	{ "calls, step", .counters = CLOCKS, .profile = CLOCKS, .calls = true, .step = true },
	{ "contexts", .counters = BIT(INSTRUCTIONS), .profile = BIT(INSTRUCTIONS), .calls = true, .contexts = true },
	{ "contexts, far", .counters = CLOCKS, .profile = CLOCKS, .far = true, .calls = true, .contexts = true },
	{ "calls, simulated", .counters = CLOCKS, .profile = CLOCKS, .parts = PAPI_VPMU_PARTS, .calls = true,
		.modelled = MODELLED },
	{ "contexts, simulated, far", .counters = BIT(INSTRUCTIONS), .profile = BIT(INSTRUCTIONS), .far = true,
		.parts = PAPI_VPMU_PARTS, .calls = true, .contexts = true, .modelled = MODELLED },
	{ "profile, may change", .profile = ALL, .may_change = true },
	{ "profile, step", .profile = ALL, .step = true },
	{ "profile, range", .profile = ALL, .in_range = true, .far = true },
	{ "range", .counters = ALL, .in_range = true },
	{ "range, simulated", .counters = ALL, .in_range = true, .parts = PAPI_VPMU_PARTS, .far = true },
};

static void vary(struct subject *s, const struct variation *variation)
{
	s->wants.counters = variation->counters;
	s->wants.profile = variation->profile;
	s->wants.calls = variation->calls;
	s->wants.contexts = variation->contexts;
	s->wants.modelled = variation->modelled;
	s->wants.parts = variation->parts;
	s->wants.overflow = variation->overflow;
	for (unsigned i = 0; variation->overflow && i <= PAPI_VPMU_LAST_MODELLED; i++)
		s->wants.weights[i] = 1;
	s->far = variation->far;
	s->may_change = variation->may_change;
	s->request.step = variation->step;
	s->request.library = variation->library;
	if (variation->library) {
		s->library_start = harness_text();
		s->library_end = harness_text() + TEXT_SIZE;
	}
	if (variation->in_range) {
		s->wants.instructions_start = harness_text() + 3;
		s->wants.instructions_end = harness_text() + 7;
	}
	if (variation->data_range)
		s->wants.data_end = harness_data() + 256;
}

static const uint64_t flags[] = { 0, 0x8d5, 0x80, 0x804, 0x41 };
/* Of rcx: the copies of a short loop run one after the other. */
static const uint64_t counts[] = { 0, 5, 1, 2, 3, 4 };

/* From 0, it would take for ever. */
static bool loops_by_rcx(const struct subject *s)
{
	return s->t.block.target == s->t.pc && s->t.decoded.count > 1;
}

static void compare_all_starts(struct subject *s, unsigned n_flags)
{
	bool loops = loops_by_rcx(s);

	for (unsigned i = 0; i < n_flags; i++)
		for (unsigned j = loops; j < (loops ? 6 : 3); j++) {
			s->start.flags = 0x202 | flags[i];
			s->start.registers[RCX] = counts[j];
			compare_translated(s);
		}
}

/* Where the block is not to run at all, it ends as it began. */
static void expect_refusal(struct subject *s, enum ending ending, int64_t exit)
{
	compare_translated(s);
	if (s->ending != ending || s->exit != exit || s->end.pc != s->start.pc)
		subject_failed(s, "refused by exit %lld, not %lld", (long long)s->exit, (long long)exit);
}

static int64_t link_for(const struct subject *s, intptr_t reason)
{
	for (unsigned i = 0; i < s->t.n_links; i++)
		if (!s->t.links[i].place && s->t.links[i].to_code == reason)
			return s->t.place.first_link + i;
	subject_failed(s, "it has no link of kind %ld", (long)reason);
}

static void refuse_in_all_ways(struct subject *s)
{
	bool alone = s->t.decoded.instructions[0].kind == PAPI_VPMU_STEP;

	if (s->t.traced || s->t.plan.n_branches) {
		s->trace_room = 0;
		for (unsigned i = 0; i < 2; i++) {
			s->start.flags = 0x202 | flags[i];
			expect_refusal(s, ENDS_AT_EXIT, PAPI_VPMU_EXIT_TRACE);
		}
		s->trace_room = 500;
	}
	if (s->wants.overflow && !s->request.step) {
		s->budget = (int64_t)s->t.block.weight - 1;
		for (unsigned i = 0; i < 2; i++) {
			s->start.flags = 0x202 | flags[i];
			expect_refusal(s, ENDS_AT_LINK, link_for(s, PAPI_VPMU_LINK_BUDGET));
		}
		s->budget = INT32_MAX;
	}
	for (unsigned i = CALL_NESTED; s->wants.calls && i < CALL_CASES; i++) { /* no refusal, but other ways on */
		s->calls = i;
		compare_translated(s);
	}
	s->calls = CALL_FOUND;
	if (s->may_change && !alone) {
		uint8_t *last = (uint8_t *)(uintptr_t)(harness_text() + s->t.block.size - 1);

		*last ^= 1;
		expect_refusal(s, ENDS_AT_LINK, link_for(s, PAPI_VPMU_LINK_CHANGED));
		*last ^= 1;
	}
}

static void expect_all_marks(const struct subject *s)
{
	for (unsigned i = 0; i < s->t.n_marks; i++)
		if (!s->marks_seen[i] && (i + 1 < s->t.n_marks || s->t.marks[i].code < s->code_size))
			subject_failed(s, "mark %u of %u, at %u, was not seen", i, s->t.n_marks, s->t.marks[i].code);
}

static void compare_row(const struct row *row, const struct variation *variation, bool all_flags)
{
	static struct subject s;
	char name[128];

	snprintf(name, sizeof(name), "%s: %s", row->name, variation->name);
	subject_begin(&s, name, row->bytes, row->size);
	vary(&s, variation);
	translate(&s);
	compare_all_starts(&s, all_flags ? 5 : 2);
	if (row->ending != ANY && variation == variations && s.ending != (enum ending)row->ending)
		subject_failed(&s, "ends as %d, not %d", s.ending, row->ending);
	refuse_in_all_ways(&s);
	if (row->ending != ANY && row->ending != ENDS_BY_SIGNAL)
		expect_all_marks(&s);
}

static void every_row_in_several_ways(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned j = 0; j < sizeof(variations) / sizeof(variations[0]); j++)
			if (j < 2 || (i + j) % 3 == 0)
				compare_row(&rows[i], &variations[j], j < 2);
}

/* Where the program goes on, in each case; that frames and counters are right is looked at by the harness. */
static void calls_and_returns(void **state)
{
	static const struct row calls[] = {
		ROW("call", "\x48\x8b\x03\xe8\x10\0\0\0", ENDS_AT_LINK),
		ROW("call register", "\x48\x8b\x03\x41\xff\xd6", ENDS_AT_TARGET),
		ROW("ret imm", "\x48\x8b\x03\xc2\x10\0", ENDS_AT_TARGET),
		ROW("mov rsp, jmp", "\x48\x89\xe0\x48\x89\xc4\x41\xff\xe6", ENDS_AT_EXIT),
		ROW("jmp", "\x48\x8b\x03\xe9\x10\0\0\0", ENDS_AT_LINK),
		ROW("call of what sets flags", "\x48\x8b\x03\xe8\0\0\0\0\x48\x01\xd8", ENDS_AT_LINK),
	};
	const uint64_t targets[] = { harness_text() + 0x18, harness_target(), harness_target(), harness_target(),
		harness_text() + 0x18, harness_text() + 8 };
	const unsigned n = sizeof(calls) / sizeof(calls[0]);
	static struct subject s;

	(void)state;
	for (unsigned i = 0; i < 4 * n * CALL_CASES; i++) {
		const struct row *row = &calls[i % n];
		bool is_direct = i % n == 0 || i % n >= 4, calls_now = is_direct || i % n == 1;
		unsigned how = i / n % CALL_CASES;
		bool contexts = i / n / CALL_CASES % 2, modelled = i / n / CALL_CASES > 1;
		bool leaves = i % n == 3 || (how == CALL_MISSING && (contexts || !is_direct)) ||
			(how == CALL_FULL && calls_now) || (how == CALL_UNNOTED && modelled && i % n != 3);

		subject_begin(&s, row->name, row->bytes, row->size);
		s.wants.calls = s.tails = true;
		s.wants.counters = s.wants.profile = CLOCKS;
		s.calls = how;
		s.wants.contexts = contexts;
		s.wants.modelled = modelled ? MODELLED : 0;
		s.wants.parts = modelled ? PAPI_VPMU_PARTS : 0;
		compare(&s);
		if (s.end.pc != targets[i % n] || leaves != (s.ending == ENDS_AT_EXIT) ||
			(leaves && s.exit != PAPI_VPMU_EXIT_CALLS) || (!leaves && s.ending != (enum ending)row->ending))
			subject_failed(&s, "it goes on wrongly");
	}
}

/* All sixteen conditions, short and near, forward. */
static void every_condition(void **state)
{
	(void)state;
	for (unsigned condition = 0; condition < 16; condition++) {
		const char near[] = { 0x48, (char)0x8b, 0x03, 0x0f, (char)(0x80 + condition), 0x20, 0, 0, 0 };
		const char brief[] = { 0x48, (char)0x8b, 0x03, (char)(0x70 + condition), 0x20 };
		const struct row both[] = { { "jcc near", near, sizeof(near), ANY },
			{ "jcc short", brief, sizeof(brief), ANY } };

		for (unsigned i = 0; i < 2; i++)
			for (unsigned j = i; j < sizeof(variations) / sizeof(variations[0]); j += 6)
				compare_row(&both[i], &variations[j], true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_in_several_ways),
		cmocka_unit_test(every_condition),
		cmocka_unit_test(calls_and_returns),
	};

	return cmocka_run_group_tests(tests, harness_begin, harness_end);
}
