/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"
#include "harness_calls.h"
#include "harness_profile.h"
#include "harness_step.h"

#include <asm/prctl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "components/vpmu/x86_64/translate/remembered.h"
#include "components/vpmu/x86_64/translate/zydis.h"

/* CF, PF, AF, ZF, SF, OF */
#define ARITHMETIC_FLAGS 0x8d5u
#define CODE_SIZE        131072u
#define MAX_UNSURE       64
#define PLACE            0x10000000 /* of the program: far from where mmap() puts things by itself */

void harness_dispatch(void);
void harness_miss(void);
void harness_gate(void);

/* The program's text, its data behind it; data and stack elsewhere; code near and far, and where it is written. */
static uint8_t *text, *near_code, *far_code;
static _Alignas(4096) struct memory *memory;
static _Alignas(8) uint8_t written[CODE_SIZE];
static struct area *area;
static unsigned char *signal_stack;

static struct machine natives[MAX_STATES];
static uint64_t native_counts[MAX_STATES][PAPI_VPMU_FIRST_MODELLED];
static unsigned n_natives;
static int native_signal;

/* A recovered state whose flags are not the native ones: that is right if the program does not need them. */
struct unsure {
	struct machine machine;
	struct memory memory;
	unsigned native;
};

static struct unsure unsure[MAX_UNSURE];
static unsigned n_unsure;

static struct subject *running;
static uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static uint64_t label(void (*function)(void))
{
	return (uint64_t)(uintptr_t)function;
}

/* ---- natively ---- */

/* What the step has counted that led from one state to the next: by the tables, which classify's own tests prove. */
static void count_step(const struct subject *s, const struct machine *from, const struct machine *to, uint64_t *counts)
{
	const struct papi_vpmu_wants *wants = &s->wants;
	struct papi_vpmu_instruction instruction;
	uint64_t iterations = from->registers[RCX] - to->registers[RCX];
	bool in_range = !wants->instructions_end ||
		(from->pc >= wants->instructions_start && from->pc < wants->instructions_end);

	if (!in_range || !papi_vpmu_decode_copy(&instruction, from->pc, (const uint8_t *)(uintptr_t)from->pc, 15))
		return;
	if (instruction.class.loads_each || instruction.class.stores_each) {
		counts[PAPI_VPMU_LOADS] += instruction.class.loads_each * iterations;
		counts[PAPI_VPMU_STORES] += instruction.class.stores_each * iterations;
		if (to->pc == from->pc)
			return;
	}
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		counts[i] += instruction.class.counts[i];
	if (instruction.class.counts[PAPI_VPMU_BRANCHES_CONDITIONAL])
		counts[PAPI_VPMU_BRANCHES_TAKEN] += to->pc != from->pc + instruction.length;
}

/* Stepping skips the state behind a system call: it is seen behind the nop that follows. */
static void skip_system_call(struct machine *machine, const struct machine *from)
{
	static const uint8_t syscall_nop[] = { 0x0f, 0x05, 0x90 };

	if (machine->pc == from->pc + 3 && !memcmp((const void *)(uintptr_t)from->pc, syscall_nop, 3))
		machine->pc--;
}

static bool observe_native(const struct machine *machine, int signal)
{
	const struct papi_vpmu_decoded *block = &running->t.decoded;
	unsigned n = n_natives;

	natives[n] = *machine;
	skip_system_call(&natives[n], &natives[n - 1]);
	memcpy(native_counts[n], native_counts[n - 1], sizeof(native_counts[n]));
	native_signal = signal;
	if (!signal || machine->pc != natives[n - 1].pc) /* int3 is done when it traps */
		count_step(running, &natives[n - 1], &natives[n], native_counts[n]);
	n_natives++;
	return signal || natives[n].pc < block->pc || natives[n].pc >= block->end || n_natives == MAX_STATES;
}

static void run_natively(struct subject *s)
{
	*memory = s->memory;
	memcpy(text + TEXT_SIZE, s->memory.near, DATA_SIZE);
	running = s;
	natives[0] = s->start;
	memset(native_counts[0], 0, sizeof(native_counts[0]));
	n_natives = 1;
	harness_run(&s->start, observe_native);
}

/* ---- translated ---- */

static uint64_t *word(unsigned offset)
{
	return (uint64_t *)(void *)(area->bytes + offset);
}

static uint64_t trace_memory[600];
static uint32_t branch_memory[600];
static unsigned at; /* the native state that the translated run has come to */

static void finish_call(const struct papi_vpmu_recovery *r, unsigned step, const struct papi_vpmu_state *state)
{
	(void)r;
	harness_calls_finish(running, step, *word(VPMU_CALLEE), state->registers[RSP]);
}

/* Whether the call or return at the end of the block led to that native state. */
static bool is_behind_call(const struct subject *s, unsigned state)
{
	unsigned n = s->t.decoded.count;
	const struct papi_vpmu_instruction *last = n ? &s->t.decoded.instructions[n - 1] : NULL;

	return last && s->wants.calls && !s->request.library && last->counted && state > 0 &&
		(papi_vpmu_is_call(&s->t, last) || last->kind == PAPI_VPMU_CALL_INDIRECT ||
			last->kind == PAPI_VPMU_RETURN) &&
		natives[state - 1].pc == last->pc && natives[state].pc != last->pc;
}

static const char *wrong_call(unsigned state, const uint64_t *counters)
{
	return running->wants.calls && !running->request.library
		? harness_calls_wrong(running, is_behind_call(running, state), counters)
		: NULL;
}

/* The stack pointer at the end of the block. */
static uint64_t stack_at_end(const struct subject *s)
{
	unsigned n = s->t.decoded.count, i = 0;
	uint64_t pc = n ? s->t.decoded.instructions[n - 1].pc : 0;

	while (i + 1 < n_natives && natives[i].pc != pc)
		i++;
	return natives[i].registers[RSP];
}

static void sum_counters(uint64_t *sums)
{
	for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++) {
		sums[i] = 0;
		for (unsigned lane = 0; lane < VPMU_LANES; lane++)
			sums[i] += *word(VPMU_COUNTERS + lane * VPMU_LANE_SIZE + 8 * i);
	}
}

/* The first counter that is not what it was natively; FIRST_MODELLED: none. */
static unsigned wrong_counter(const struct subject *s, const uint64_t *counters, const uint64_t *expected)
{
	unsigned i = 0;

	while (i < PAPI_VPMU_FIRST_MODELLED &&
		counters[i] == (!s->request.library && papi_vpmu_is_wanted(&s->wants, i) ? expected[i] : 0))
		i++;
	return i;
}

/* A system call destroys rcx: it holds something else by then. */
static bool is_at_syscall(const struct machine *machine)
{
	const uint8_t *bytes = text + (machine->pc - address(text));

	return machine->pc - address(text) < TEXT_SIZE && bytes[0] == 0x0f && bytes[1] == 0x05;
}

static bool same_registers(const struct machine *a, const struct machine *b)
{
	struct machine copy = *b;

	if (is_at_syscall(a))
		copy.registers[RCX] = a->registers[RCX];
	return a->pc == b->pc && !memcmp(a->registers, copy.registers, sizeof(a->registers));
}

static void copy_memory(struct memory *to)
{
	*to = *memory;
	memcpy(to->near, text + TEXT_SIZE, DATA_SIZE);
}

static bool complain_of_difference(const struct machine *machine, const uint64_t *counters)
{
	const struct machine *native = &natives[at];
	unsigned i = 0, counter = wrong_counter(running, counters, native_counts[at]);

	if (machine->pc != native->pc)
		return harness_complain(
			"pc is %llx, not %llx", (unsigned long long)machine->pc, (unsigned long long)native->pc);
	while (i < 16 && machine->registers[i] == native->registers[i])
		i++;
	if (i < 16)
		return harness_complain("register %u is %llx, not %llx", i, (unsigned long long)machine->registers[i],
			(unsigned long long)native->registers[i]);
	if (counter < PAPI_VPMU_FIRST_MODELLED)
		return harness_complain("counter %u is %lld, not %lld", counter, (long long)counters[counter],
			(long long)native_counts[at][counter]);
	if (wrong_call(at, counters))
		return harness_complain("of calls, %s", wrong_call(at, counters));
	counter = harness_profile_wrong(running, native_counts[at]) % PAPI_VPMU_FIRST_MODELLED;
	return harness_complain("counter %u is %lld in the profile, not %lld", counter,
		(long long)harness_profile_of(counter), (long long)native_counts[at][counter]);
}

/* Whether the flags of that state are not yet to be looked at. */
static bool is_new(uint64_t flags)
{
	if (n_unsure == MAX_UNSURE)
		return false;
	return !n_unsure || unsure[n_unsure - 1].native != at || unsure[n_unsure - 1].machine.flags != flags;
}

/* Whether the program is where it has been natively, or further by an instruction, and perhaps a jump that leaves no
 * code. */
static bool follow(const struct machine *machine, const uint64_t *counters)
{
	unsigned next = at;

	while (next < n_natives && next <= at + 2 &&
		(wrong_call(next, counters) || !same_registers(machine, &natives[next]) ||
			wrong_counter(running, counters, native_counts[next]) < PAPI_VPMU_FIRST_MODELLED ||
			harness_profile_wrong(running, native_counts[next]) < PAPI_VPMU_FIRST_MODELLED))
		next++;
	if (next == n_natives || next > at + 2)
		return complain_of_difference(machine, counters);
	at = next;
	if (machine->flags != natives[at].flags && is_new(machine->flags)) {
		unsure[n_unsure].machine = *machine;
		copy_memory(&unsure[n_unsure].memory);
		unsure[n_unsure++].native = at;
	}
	return true;
}

static bool is_in_code(const struct subject *s, uint64_t pc)
{
	return pc >= s->t.entry && pc < s->t.entry + s->code_size;
}

static void note_mark(struct subject *s, uint64_t offset)
{
	unsigned i = s->t.n_marks;

	while (i > 0 && s->t.marks[i - 1].code > offset)
		i--;
	s->marks_seen[i - 1] = true;
}

/* As the runtime does. */
static void finish_what_is_left(const struct subject *s)
{
	int64_t site = (int64_t)*word(VPMU_CALL_SITE);

	if (s->ending != ENDS_AT_EXIT || s->exit != PAPI_VPMU_EXIT_CALLS || site < 0)
		return;
	harness_calls_finish(s, site ? PAPI_VPMU_CALL_MADE_NOTED : PAPI_VPMU_CALL_RETURNED, *word(VPMU_CALLEE),
		s->end.registers[RSP]);
}

/* Where the code has led, if it has been left. */
static bool find_ending(struct subject *s, struct machine *machine)
{
	uint64_t pc = machine->pc;

	s->exit = (int64_t)*word(VPMU_EXIT);
	if (pc == label(harness_dispatch)) {
		s->ending = s->exit < 0 ? ENDS_AT_EXIT : ENDS_AT_LINK;
		machine->pc = s->exit < 0 ? *word(VPMU_PC) : s->t.links[s->exit - s->t.place.first_link].pc;
	} else if (pc == harness_label_known()) {
		s->ending = ENDS_AT_KNOWN;
		machine->pc = s->known;
	} else if (pc == label(harness_gate)) {
		s->ending = ENDS_AT_GATE;
		machine->pc = *word(VPMU_CODE);
	} else if (pc == label(harness_miss)) {
		s->ending = ENDS_AT_TARGET;
		machine->pc = machine->registers[RCX];
		machine->registers[RCX] = *word(VPMU_SPILLED + 8 * RCX);
		machine->registers[RDX] = *word(VPMU_SPILLED + 8 * RDX);
	} else {
		return false;
	}
	return true;
}

static bool observe_translated(const struct machine *seen, int signal)
{
	struct subject *s = running;
	struct machine machine = *seen;
	uint64_t counters[PAPI_VPMU_COUNTERS];
	struct papi_vpmu_state state;
	struct papi_vpmu_recovery recovery = { .block = &s->t.block,
		.wants = &s->wants,
		.library = s->request.library,
		.counters = counters,
		.spilled = word(VPMU_SPILLED),
		.add_way = s->wants.profile ? harness_profile_add : NULL,
		.finish_call = s->wants.calls ? finish_call : NULL,
		.rep_count = *word(VPMU_REP_COUNT),
		.pc = *word(VPMU_PC) };

	s->translated_steps++;
	sum_counters(counters);
	harness_profile_begin();
	harness_profile_make(s);
	if (s->wants.calls)
		harness_calls_read();
	memcpy(s->counters, counters, sizeof(counters));
	s->signal = signal;
	s->ending = ENDS_BY_SIGNAL;
	if (!signal && find_ending(s, &machine)) {
		s->end = machine;
		finish_what_is_left(s);
		if (!s->ends_apart)
			follow(&machine, counters);
		return true;
	}
	if (!is_in_code(s, seen->pc))
		return !harness_complain("left the code to %llx by signal %d", (unsigned long long)seen->pc, signal);
	note_mark(s, seen->pc - s->t.entry);
	memcpy(state.registers, seen->registers, sizeof(state.registers));
	state.pc = seen->pc;
	state.flags = seen->flags;
	papi_vpmu_recover_state(&recovery, &state);
	harness_profile_make(s);
	memcpy(machine.registers, state.registers, sizeof(state.registers));
	machine.pc = state.pc;
	machine.flags = state.flags;
	s->end = machine;
	memcpy(s->counters, counters, sizeof(counters));
	return !follow(&machine, counters) || signal || s->translated_steps == 20 * MAX_STATES;
}

static void set_up_area(struct subject *s)
{
	memset(area->bytes, 0, sizeof(area->bytes));
	memset(area->ways, 0, 512 * sizeof(area->ways[0]));
	*word(VPMU_DISPATCH) = label(harness_dispatch);
	*word(VPMU_JUMP_MISS) = label(harness_miss);
	*word(VPMU_GATE_ENTER) = label(harness_gate);
	if (s->wants.calls)
		harness_calls_set_up(s, area, stack_at_end(s));
	*word(VPMU_TRACE_NEXT) = address(trace_memory);
	*word(VPMU_TRACE_LIMIT) = address(trace_memory + s->trace_room) - 8;
	*word(VPMU_BRANCHES_NEXT) = address(branch_memory);
	*word(VPMU_BRANCHES_LIMIT) = address(branch_memory + s->trace_room) - 8;
	*word(VPMU_BUDGET) = (uint64_t)s->budget;
	memset(area->bytes + VPMU_SYSCALL_KINDS, s->syscall_kind, 512);
}

static void run_translated(struct subject *s)
{
	struct machine start = s->start;

	*memory = s->memory;
	memcpy(text + TEXT_SIZE, s->memory.near, DATA_SIZE);
	set_up_area(s);
	at = n_unsure = 0;
	s->translated_steps = 0;
	running = s;
	start.pc = s->t.entry;
	harness_forget_complaint();
	if (!observe_translated(&start, 0)) /* the first trap comes behind the first instruction */
		harness_run(&start, observe_translated);
	s->trace_words = (unsigned)((*word(VPMU_TRACE_NEXT) - address(trace_memory)) / 8);
	memcpy(s->trace, trace_memory, sizeof(s->trace));
	s->n_branches = (unsigned)((*word(VPMU_BRANCHES_NEXT) - address(branch_memory)) / 4);
	memcpy(s->branches, branch_memory, sizeof(s->branches));
}

/* ---- comparisons ---- */

static void print_code(const struct subject *s)
{
	for (unsigned i = 0; i < s->size && i < 64; i++)
		fprintf(stderr, "%02x ", text[i]);
	fprintf(stderr, "\n  code:");
	for (uint64_t i = 0; i < s->code_size; i++)
		fprintf(stderr, " %02x", ((const uint8_t *)(uintptr_t)s->t.entry)[i]);
	fprintf(stderr, "\n");
}

void subject_failed(const struct subject *s, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s: ", s->name);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n  program: ");
	print_code(s);
	fail();
	abort();
}

static void compare_memory(const struct subject *s, const struct memory *native, const struct memory *translated)
{
	const uint8_t *a = (const uint8_t *)native, *b = (const uint8_t *)translated;

	for (size_t i = 0; i < sizeof(*native); i++)
		if (a[i] != b[i])
			subject_failed(s, "memory: byte %zu is %02x, not %02x", i, b[i], a[i]);
}

static struct machine last_native;

/* From a recovered state on, to where the program has ended natively. Its pc and registers are known to be right, and
 * the program's end is the marker behind it: ud2, unless it ended by a signal before. */
static bool observe_end(const struct machine *machine, int signal)
{
	last_native = *machine;
	native_signal = signal;
	return signal || --n_natives == 0;
}

static void run_to_end(const struct machine *start)
{
	n_natives = MAX_STATES;
	harness_run(start, observe_end);
}

/* Where an instruction of the block faults that sets all flags when it does not, nobody needs the old ones: there the
 * counters may have been added to. */
static bool same_end(const struct subject *s, const struct machine *a, const struct machine *b)
{
	bool faulted = a->pc >= s->t.decoded.pc && a->pc < s->t.decoded.end;
	uint64_t ignored = faulted ? ARITHMETIC_FLAGS : 0;

	return same_registers(a, b) && (a->flags | ignored) == (b->flags | ignored);
}

/* The flags of a state may be others if the program ends all the same as from the native one. */
static void check_unsure(struct subject *s, unsigned i)
{
	struct machine native, from = natives[unsure[i].native];
	struct memory after, other;
	int signal;

	*memory = unsure[i].memory;
	memcpy(text + TEXT_SIZE, unsure[i].memory.near, DATA_SIZE);
	run_to_end(&from);
	native = last_native;
	signal = native_signal;
	copy_memory(&after);
	*memory = unsure[i].memory;
	memcpy(text + TEXT_SIZE, unsure[i].memory.near, DATA_SIZE);
	run_to_end(&unsure[i].machine);
	copy_memory(&other);
	if (signal != native_signal || !same_end(s, &native, &last_native))
		subject_failed(s, "flags %llx instead of %llx at %llx are needed",
			(unsigned long long)unsure[i].machine.flags, (unsigned long long)from.flags,
			(unsigned long long)from.pc);
	compare_memory(s, &after, &other);
}

static void check_end(struct subject *s, int signal)
{
	if (harness_complaint())
		subject_failed(s, "%s (after %u steps, native state %u of %u)", harness_complaint(),
			s->translated_steps, at, n_natives);
	if (s->ending == ENDS_BY_SIGNAL && (s->signal != signal || !same_registers(&s->end, &natives[n_natives - 1])))
		subject_failed(s, "ended by signal %d, not %d", s->signal, signal);
}

void compare_translated(struct subject *s)
{
	struct memory native, translated;
	int signal;

	run_natively(s);
	signal = native_signal;
	s->native_steps = n_natives - 1;
	copy_memory(&native);
	run_translated(s);
	check_end(s, signal);
	copy_memory(&translated);
	if (at + 1 == n_natives)
		compare_memory(s, &native, &translated);
	for (unsigned i = 0; i < n_unsure; i++)
		check_unsure(s, i);
}

void run_without_native(struct subject *s)
{
	natives[0] = s->start;
	memset(native_counts[0], 0, sizeof(native_counts[0]));
	n_natives = 1;
	run_translated(s);
	if (harness_complaint())
		subject_failed(s, "%s", harness_complaint());
}

void compare(struct subject *s)
{
	translate(s);
	compare_translated(s);
}

/* ---- the view ---- */

static const struct subject *subject_of(const struct papi_vpmu_view *view)
{
	return (const struct subject *)(const void *)view;
}

static uint64_t executable_until(const struct papi_vpmu_view *view, uint64_t pc)
{
	const struct subject *s = subject_of(view);
	uint64_t start = harness_text(), end = start + (s->executable ? s->executable : s->size);

	return pc >= start && pc < end ? end : 0;
}

static bool may_change(const struct papi_vpmu_view *view, uint64_t pc)
{
	(void)pc;
	return subject_of(view)->may_change;
}

static bool is_library(const struct papi_vpmu_view *view, uint64_t pc)
{
	return pc >= subject_of(view)->library_start && pc < subject_of(view)->library_end;
}

static bool is_engine(const struct papi_vpmu_view *view, uint64_t pc)
{
	return pc == subject_of(view)->engine;
}

static bool load(const struct papi_vpmu_view *view, uint64_t from, uint64_t *value)
{
	(void)view;
	if (from < harness_text() || from + 8 > harness_text() + TEXT_SIZE + DATA_SIZE)
		return false;
	memcpy(value, (const void *)(uintptr_t)from, 8);
	return true;
}

static bool begins_another(const struct papi_vpmu_view *view, uint64_t site, uint64_t target)
{
	return ((const struct subject *)(const void *)view)->tails && target != site;
}

static bool owns_breakpoints(const struct papi_vpmu_view *view)
{
	return subject_of(view)->breakpoints;
}

/* ---- subjects ---- */

static uint64_t find_known(const void *translated, uint64_t pc)
{
	const struct subject *s = translated;

	return s->known && pc == s->known ? harness_label_known() : 0;
}

void translate(struct subject *s)
{
	uint8_t *code = s->far ? far_code : near_code;
	struct papi_vpmu_place place = { .e = { .next = written, .to_code = (intptr_t)code - (intptr_t)written },
		.first_link = 1000,
		.first_way = 7,
		.pair = HARNESS_PAIR,
		.active = HARNESS_ACTIVE,
		.find = find_known,
		.translated = s };

	s->request.view = &s->view;
	s->request.wants = &s->wants;
	if (!s->request.pc)
		s->request.pc = harness_text();
	papi_vpmu_translation_plan(&s->t, &s->request);
	s->t.description = 77;
	s->t.block.profile = s->wants.calls && s->t.n_ways ? HARNESS_BLOCK : 0;
	for (unsigned i = 0; i < PAPI_VPMU_MAX_ASIDES; i++)
		s->t.ways_out[i] = 100 + i;
	for (unsigned i = 0; i <= PAPI_VPMU_MAX_ASIDES; i++)
		s->t.plan.branches[i] = HARNESS_BRANCHES + i;
	papi_vpmu_translation_emit(&s->t, &place);
	s->code_size = papi_vpmu_emit_address(&s->t.e) - s->t.entry;
	if (s->code_size > PAPI_VPMU_EMIT_MARGIN)
		subject_failed(s, "the code has %llu bytes", (unsigned long long)s->code_size);
	memcpy(code, written, s->code_size);
	papi_vpmu_marks_pack(s->t.marks, s->t.n_marks, s->marks);
	s->t.block.marks = s->marks;
	s->t.block.bytes = (const uint8_t *)(uintptr_t)s->t.pc;
	memset(s->marks_seen, 0, sizeof(s->marks_seen));
	for (unsigned i = 0; i + 1 < s->t.n_marks; i++)
		if (s->t.marks[i].code >= s->t.marks[i + 1].code)
			subject_failed(s, "marks %u and %u are not in order", i, i + 1);
}

void subject_begin(struct subject *s, const char *name, const void *bytes, size_t size)
{
	static const uint8_t ud2[] = { 0x0f, 0x0b };
	static struct papi_vpmu_remembered remembered;

	harness_catch_signals();
	memset(s, 0, sizeof(*s));
	s->name = name;
	s->view = (struct papi_vpmu_view){ 0, &remembered, executable_until, may_change, is_library, is_engine, load,
		owns_breakpoints, begins_another };
	s->wants.counters = (1ull << PAPI_VPMU_FIRST_MODELLED) - 1;
	s->size = size;
	s->trace_room = 500;
	s->budget = INT32_MAX;
	s->request.line_shift = 6;
	memset(text, 0x06, TEXT_SIZE); /* no instruction */
	memcpy(text, bytes, size);
	memcpy(text + size, ud2, sizeof(ud2));
	for (size_t i = 0; i < sizeof(s->memory) / 8; i++)
		((uint64_t *)(void *)&s->memory)[i] = harness_target();
	for (unsigned i = 0; i < 16; i++)
		s->start.registers[i] = 0x0123456789abcdefull * (i + 3);
	s->start.registers[RBX] = s->start.registers[RSI] = harness_data() + 64;
	s->start.registers[RDI] = s->start.registers[R13] = harness_data() + 256;
	s->start.registers[RBP] = s->start.registers[R12] = harness_data() + 128;
	s->start.registers[RSP] = harness_stack();
	s->start.registers[R14] = harness_target();
	s->start.registers[RCX] = 3;
	s->start.registers[R9] = 2;
	s->start.pc = harness_text();
	s->start.flags = 0x202;
}

uint64_t harness_text(void)
{
	return address(text);
}

uint64_t harness_target(void)
{
	return address(text) + 0x200;
}

uint64_t harness_data(void)
{
	return address(memory->data);
}

uint64_t harness_near(void)
{
	return address(text + TEXT_SIZE);
}

uint64_t harness_stack(void)
{
	return address(memory->stack + STACK_SIZE / 2);
}

uint64_t harness_label_known(void)
{
	return address(near_code) + CODE_SIZE - 16;
}

uint64_t harness_label_miss(void)
{
	return label(harness_miss);
}

uint64_t harness_label_other(void)
{
	return address(near_code) + CODE_SIZE - 32;
}

uint8_t *harness_code(void)
{
	return near_code;
}

struct area *harness_area(void)
{
	return area;
}

const struct subject *harness_running(void)
{
	return running;
}

const struct machine *harness_native(unsigned step)
{
	return &natives[step];
}

static void *map(void *where, size_t size, int protection)
{
	void *memory_at = mmap(
		where, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	return memory_at == MAP_FAILED ? NULL : memory_at;
}

int harness_begin(void **state)
{
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
	stack_t stack = { .ss_size = 1 << 18 };
	const char *reason;

	(void)state;
	text = map((void *)PLACE, TEXT_SIZE + 4096, all);
	near_code = map((void *)(PLACE + 0x100000), CODE_SIZE, all);
	far_code = map(NULL, CODE_SIZE, all);
	memory = map(NULL, sizeof(*memory) + 4096, PROT_READ | PROT_WRITE);
	area = map(NULL, sizeof(*area), PROT_READ | PROT_WRITE);
	signal_stack = map(NULL, stack.ss_size, PROT_READ | PROT_WRITE);
	if (!text || !near_code || !far_code || !memory || !area || !signal_stack || !harness_calls_begin())
		return -1;
	stack.ss_sp = signal_stack;
	for (unsigned i = 0; i < 65536; i++)
		area->jumps[i] = label(harness_miss);
	return sigaltstack(&stack, NULL) || syscall(SYS_arch_prctl, ARCH_SET_GS, area) || !papi_vpmu_zydis_find(&reason)
		? -1
		: 0;
}

int harness_end(void **state)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	(void)state;
	return sigaltstack(&none, NULL);
}
