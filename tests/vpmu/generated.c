/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions by the million, generated (generator.h), run natively and in regions that are counted virtually: all
 * registers, the flags, the x87 and vector state, and memory must be the same afterwards, and instructions, calls and
 * taken branches as many as the sequence itself has counted. A sixteenth of the sequences may fault: those must do so
 * at the same instruction, in the same state.
 *
 *	test_vpmu_generated [instructions [seed [flavour...]]]
 *
 * With an even seed translated code reaches the arena by displacements of 32 bits. With an odd one it does not, and a
 * sixteenth of the sequences is wild: there is nothing but them within four gigabytes.
 *
 * Every sequence is counted exactly, and in one of the other flavours; in all flavours that are named, where some are.
 *
 * A difference is reduced to the fewest units that show it, and printed with the seed that begins with it.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "generator.h"
#include "instructions.h"
#include "machine_state.h"
#include "virtual.h"

#define PASSES       3
#define FAR          ((size_t)1 << 32)
#define NEAR         ((size_t)1 << 27)
#define OVERFLOWS_AT 61
#define REPAIRS      60

/* ---- memory ---- */

#define TRIED 64 /* bytes at the start of an area, where it is tried whether an instruction exists */

/*
 * Code is written in one view of a file and run in another. Of a private mapping the virtual PMU takes code to stay as
 * it is; a shared one is written to again and again. Both and the arena lie in the middle of nothing, where the kernel
 * chose: what the instructions access by mistake is not there.
 */
struct area {
	uint8_t *write;
	uint64_t run;
	size_t size, used;
	bool again;
};

static struct area kept_code = { .size = (size_t)1 << 26 }, changing_code = { .size = (size_t)1 << 20, .again = true };
static uint8_t *arena;

static uint64_t address_of(const void *place)
{
	return (uint64_t)(uintptr_t)place;
}

static void make_area(struct area *area, uint8_t *place, int sharing)
{
	int file = memfd_create("code", 0);

	REQUIRE(file >= 0 && ftruncate(file, (off_t)area->size) == 0);
	area->write = mmap(NULL, area->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	REQUIRE(area->write != MAP_FAILED);
	REQUIRE(mmap(place, area->size, PROT_READ | PROT_EXEC, sharing | MAP_FIXED, file, 0) == place);
	area->run = address_of(place);
	close(file);
}

/* Near: where translated code is, too, near the program, if the kernel agrees. */
static void make_memory(bool is_near)
{
	size_t isolation = is_near ? NEAR : FAR, size = 2 * isolation + 4 * kept_code.size;
	uintptr_t wish = is_near ? ((uintptr_t)&machine_state & ~(uintptr_t)0xfffff) + 2 * NEAR : 0;
	uint8_t *nothing = mmap((void *)wish, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	REQUIRE(nothing != MAP_FAILED);
	make_area(&kept_code, nothing + isolation, MAP_PRIVATE);
	make_area(&changing_code, nothing + isolation + 2 * kept_code.size, MAP_SHARED);
	arena = nothing + isolation + 3 * kept_code.size;
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE) == 0);
}

static void place(struct sequence *sequence)
{
	struct area *area = sequence->seed / 2 % 2 ? &changing_code : &kept_code;

	if (area->used + GENERATOR_SIZE_MAX > area->size && !area->again)
		area = &changing_code;
	if (area->used + GENERATOR_SIZE_MAX > area->size)
		area->used = TRIED;
	sequence->arena = address_of(arena);
	sequence->leaves_to = address_of((const void *)(uintptr_t)machine_leave);
	sequence->start = area->run + area->used;
	sequence->bytes = area->write + area->used;
}

static void keep(const struct sequence *sequence)
{
	struct area *area = sequence->start >= changing_code.run &&
			sequence->start < changing_code.run + changing_code.size
		? &changing_code
		: &kept_code;

	area->used = (area->used + sequence->size + 63) & ~(size_t)63;
}

/* ---- running ---- */

struct outcome {
	struct machine_state state;
	unsigned char memory[ARENA_SIZE];
	int signal; /* 0: it came to its end */
	uint64_t pc;
};

static struct machine_state first_state;
static unsigned char first_memory[ARENA_SIZE];
static sigjmp_buf fault;
static struct outcome *running;
static uint64_t current_seed;
static volatile bool may_fault; /* the code runs: anything else that faults is a defect, and dies of it */

static void on_fault(int number, siginfo_t *info, void *context)
{
	const ucontext_t *program = context;

	if (!may_fault) {
		printf("signal %d at %llx for %p, between sequences; the last is that of seed %llu\n", number,
			(unsigned long long)program->uc_mcontext.gregs[REG_RIP], info->si_addr,
			(unsigned long long)current_seed);
		fflush(stdout);
		signal(number, SIG_DFL);
		return;
	}
	running->signal = number;
	running->pc = (uint64_t)program->uc_mcontext.gregs[REG_RIP];
	machine_state_of_signal(&machine_state, program);
	siglongjmp(fault, 1);
}

static void go(void)
{
	if (!sigsetjmp(fault, 1)) {
		may_fault = true;
		machine_run();
	}
	may_fault = false;
}

static void start_over(uint64_t start, struct outcome *outcome)
{
	outcome->signal = 0;
	outcome->pc = 0;
	running = outcome;
	machine_state = first_state;
	memcpy(arena, first_memory, ARENA_SIZE);
	machine_target = start;
}

static void finish(struct outcome *outcome)
{
	machine_state_reset_control();
	outcome->state = machine_state;
	memcpy(outcome->memory, arena, ARENA_SIZE);
}

static void run_natively(const struct sequence *sequence, struct outcome *outcome)
{
	start_over(sequence->start, outcome);
	go();
	finish(outcome);
}

static void make_first_state(const struct sequence *sequence)
{
	const uint32_t passes = PASSES;
	uint64_t random = ~sequence->seed;

	machine_state_randomize(&first_state, &random);
	for (unsigned i = 0; i < 16; i++) {
		uint64_t value = generator_random(&random);

		first_state.registers[i] = generator_random(&random) % 3 ? value >> (value & 63)
									 : sequence->arena + value % ARENA_DATA;
	}
	first_state.registers[sequence->base] = sequence->arena + ARENA_BASE;
	first_state.registers[sequence->count] = 0;
	first_state.registers[RSP] = sequence->arena + ARENA_STACK + 8 * (generator_random(&random) % 64);
	for (unsigned i = 0; i < ARENA_SIZE; i += 8) {
		uint64_t value = generator_random(&random) & (i % 64 < 32 ? ~0ull : 0x0101010101010101u);

		memcpy(first_memory + i, &value, sizeof(value));
	}
	memcpy(first_memory + ARENA_CONTROL, &passes, sizeof(passes));
}

/* ---- what the processor has ---- */

/* Whether the instruction is one, with an arena wherever registers point. */
static bool exists(const uint8_t *bytes, unsigned length)
{
	static struct outcome outcome;
	uint8_t *end = changing_code.write + length;
	const uint64_t leave = address_of((const void *)(uintptr_t)machine_leave);
	const struct machine_state kept = first_state;

	memcpy(changing_code.write, bytes, length);
	memcpy(end, "\xff\x25\0\0\0\0", 6);
	memcpy(end + 6, &leave, sizeof(leave));
	for (unsigned i = 0; i < 16; i++)
		first_state.registers[i] = address_of(arena) + (i == RSP ? ARENA_STACK : ARENA_BASE);
	start_over(changing_code.run, &outcome);
	go();
	finish(&outcome);
	first_state = kept;
	return outcome.signal != SIGILL || outcome.pc != changing_code.run;
}

/* ---- counting ---- */

enum { COUNTED_INSTRUCTIONS, COUNTED_CALLS, COUNTED_TAKEN, COUNTED_OTHERS };

struct flavour {
	const char *name;
	const char *models[4]; /* events */
	bool overflows;
	int set;
	long long frame[8]; /* what go() and machine_run() count themselves */
	unsigned long long regions;
};

static struct flavour flavours[] = {
	{ .name = "exact" },
	{ .name = "modelled", .models = { "vpmu:::CYCLES", "vpmu:::L1D_MISSES", "vpmu:::L1I_MISSES" } },
	{ .name = "overflow", .overflows = true },
	{ .name = "modelled overflow", .models = { "vpmu:::CYCLES" }, .overflows = true },
};

#define FLAVOURS (sizeof(flavours) / sizeof(flavours[0]))

static volatile long long overflows;

static void on_overflow(int set, void *address, long long events, void *context)
{
	(void)set;
	(void)address;
	(void)events;
	(void)context;
	overflows++;
}

/* Never a part of another function: what it counts itself is the same in all calls. */
static __attribute__((noinline)) void count_region(int set, long long *values)
{
	int started = PAPI_start(set), stopped;

	go();
	stopped = PAPI_stop(set, values);
	REQUIRE_OK(started);
	REQUIRE_OK(stopped);
}

static void run_counted(const struct flavour *flavour, uint64_t start, struct outcome *outcome, long long *values)
{
	start_over(start, outcome);
	overflows = 0;
	count_region(flavour->set, values);
	finish(outcome);
}

static void make_set(struct flavour *flavour)
{
	static const char *const counted[] = { "vpmu:::INSTRUCTIONS", "vpmu:::CALLS", "vpmu:::BRANCHES_TAKEN" };
	static struct outcome outcome;
	int code;

	flavour->set = PAPI_NULL;
	REQUIRE_OK(PAPI_create_eventset(&flavour->set));
	for (unsigned i = 0; i < COUNTED_OTHERS; i++)
		REQUIRE_OK(PAPI_add_named_event(flavour->set, counted[i]));
	for (unsigned i = 0; flavour->models[i]; i++)
		REQUIRE_OK(PAPI_add_named_event(flavour->set, flavour->models[i]));
	REQUIRE_OK(PAPI_event_name_to_code(counted[0], &code));
	if (flavour->overflows)
		REQUIRE_OK(PAPI_overflow(flavour->set, code, OVERFLOWS_AT, 0, on_overflow));
	/* The second time the dynamic linker has done its work. */
	for (unsigned i = 0; i < 2; i++)
		run_counted(flavour, address_of((const void *)(uintptr_t)machine_leave), &outcome, flavour->frame);
}

/* As the register has it in which the sequence counts. */
static uint64_t counted_by_program(const struct flavour *flavour, const long long *values)
{
	uint64_t own[COUNTED_OTHERS];

	for (unsigned i = 0; i < COUNTED_OTHERS; i++)
		own[i] = (uint64_t)(values[i] - flavour->frame[i]);
	return own[COUNTED_INSTRUCTIONS] + own[COUNTED_CALLS] * GENERATOR_CALL + own[COUNTED_TAKEN] * GENERATOR_TAKEN;
}

/* ---- comparing ---- */

static bool is_no_address(uint64_t pc)
{
	return pc >> 47 != 0 && pc >> 47 != 0x1ffff;
}

static const char *memory_difference(const struct outcome *native, const struct outcome *got)
{
	static char text[80];

	for (unsigned i = 0; memcmp(native->memory, got->memory, ARENA_SIZE) != 0 && i < ARENA_SIZE; i++)
		if (native->memory[i] != got->memory[i]) {
			snprintf(text, sizeof(text), "memory: byte %u of the arena is %02x natively and %02x", i,
				native->memory[i], got->memory[i]);
			return text;
		}
	return NULL;
}

static const char *count_difference(const struct sequence *sequence, const struct flavour *flavour,
	const struct outcome *native, const long long *values)
{
	static char text[160];

	if (flavour->overflows && overflows != values[COUNTED_INSTRUCTIONS] / OVERFLOWS_AT) {
		snprintf(text, sizeof(text), "overflows: %lld at %lld instructions", overflows,
			values[COUNTED_INSTRUCTIONS]);
		return text;
	}
	if (sequence->wild || counted_by_program(flavour, values) == native->state.registers[sequence->count])
		return NULL;
	snprintf(text, sizeof(text), "counts: %lld instructions, %lld calls, %lld taken make %llx, and it is %llx",
		values[0] - flavour->frame[0], values[1] - flavour->frame[1], values[2] - flavour->frame[2],
		(unsigned long long)counted_by_program(flavour, values),
		(unsigned long long)native->state.registers[sequence->count]);
	return text;
}

/* NULL: none. */
static const char *difference_of(const struct sequence *sequence, const struct flavour *flavour,
	const struct outcome *native, const struct outcome *got, const long long *values)
{
	/* A fault shows flags that the program may not be going to look at. */
	uint64_t flags = native->signal ? 0x400 : 0x400 | ARITHMETIC_FLAGS;
	const char *difference;

	/* A return to what is no address: the processor stays at the return, translated code has left it. */
	if (got->signal && is_no_address(got->pc) && native->signal == got->signal)
		return NULL;
	if (native->signal != got->signal || native->pc != got->pc)
		return "where it ends";
	difference = machine_state_difference(&native->state, &got->state, flags, native->signal != 0);
	if (!difference)
		difference = memory_difference(native, got);
	return difference ? difference : count_difference(sequence, flavour, native, values);
}

/* ---- one sequence ---- */

static unsigned long long repairs, faults;
static struct outcome native, translated;

/* Writes it so that it does not fault, if it is not wild. False when it cannot be compared. */
static bool prepare(struct sequence *sequence)
{
	static struct outcome again;

	place(sequence);
	make_first_state(sequence);
	for (unsigned i = 0; i < REPAIRS; i++) {
		int unit;

		generator_write(sequence, exists);
		run_natively(sequence, &native);
		if (sequence->wild || !native.signal)
			break;
		unit = generator_unit_of(sequence, native.pc);
		if (unit < 0)
			return false;
		sequence->unit[unit].attempt++;
		repairs++;
	}
	run_natively(sequence, &again);
	return (sequence->wild || !native.signal) && memcmp(&native, &again, sizeof(native)) == 0;
}

static const char *compare(struct sequence *sequence, struct flavour *flavour)
{
	long long values[8] = { 0 };

	run_counted(flavour, sequence->start, &translated, values);
	flavour->regions++;
	return difference_of(sequence, flavour, &native, &translated, values);
}

/* Whether the sequence, as it is now, shows a difference. */
static bool shows(struct sequence *sequence, struct flavour *flavour)
{
	unsigned before = sequence->units;
	bool different = prepare(sequence) && compare(sequence, flavour);

	keep(sequence);
	sequence->units = before;
	return different;
}

/* First the shortest prefix, then what of it is of no use. */
static void reduce(struct sequence *sequence, struct flavour *flavour)
{
	unsigned all = sequence->units;

	for (sequence->units = 1; sequence->units < all && !shows(sequence, flavour);)
		sequence->units++;
	for (unsigned i = 0; i < sequence->units; i++) {
		sequence->unit[i].left_out = true;
		sequence->unit[i].left_out = shows(sequence, flavour);
	}
}

static void report(struct sequence *sequence, struct flavour *flavour, const char *difference)
{
	printf("%s, seed %llu, %s: %s\n", flavour->name, (unsigned long long)sequence->seed,
		sequence->wild ? "wild" : "tame", difference);
	reduce(sequence, flavour);
	difference = prepare(sequence) ? compare(sequence, flavour) : NULL;
	keep(sequence);
	printf("reduced: %s\n", difference ? difference : "nothing is different now");
	printf("  native: signal %d at %llx; translated: signal %d at %llx; base %u, count %u\n", native.signal,
		(unsigned long long)native.pc, translated.signal, (unsigned long long)translated.pc, sequence->base,
		sequence->count);
	machine_state_print(&native.state, &translated.state);
	for (unsigned i = 0; i < sequence->units; i++) {
		const struct generator_unit *unit = &sequence->unit[i];

		if (unit->left_out)
			continue;
		printf("unit %u: %s\n", i, unit->name);
		instruction_print(sequence->bytes + (unit->start - sequence->start),
			(unsigned)(unit->end - unit->start), unit->start);
	}
}

static bool is_chosen(unsigned flavour, uint64_t seed, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], flavours[flavour].name) == 0)
			return true;
	return count == 0 && (flavour == 0 || flavour == 1 + seed / 4 % (FLAVOURS - 1));
}

/* How many instructions it had; 0: there was a difference, which has been reported. */
static unsigned try_one(uint64_t seed, int count, char **names)
{
	struct sequence sequence;

	current_seed = seed;
	generator_choose(&sequence, seed);
	sequence.wild = sequence.wild && seed % 2;
	if (!prepare(&sequence))
		return 1;
	faults += native.signal != 0;
	keep(&sequence);
	for (unsigned i = 0; i < FLAVOURS; i++) {
		const char *difference = is_chosen(i, seed, count, names) ? compare(&sequence, &flavours[i]) : NULL;

		if (difference) {
			report(&sequence, &flavours[i], difference);
			return 0;
		}
	}
	return sequence.instructions;
}

static void catch_faults(void)
{
	static char stack[65536];
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	REQUIRE(sigaltstack(&alternate, NULL) == 0);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		REQUIRE(sigaction(numbers[i], &action, NULL) == 0);
}

int main(int count, char **arguments)
{
	unsigned long long wanted = count > 1 ? strtoull(arguments[1], NULL, 0) : 200000, made = 0, sequences = 0;
	uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 20261120;

	if (!virtual_begin())
		return 77;
	make_memory(seed % 2 == 0);
	changing_code.used = TRIED;
	catch_faults();
	for (unsigned i = 0; i < FLAVOURS; i++)
		make_set(&flavours[i]);
	while (made < wanted) {
		unsigned instructions = try_one(
			seed + 2 * sequences, count > 3 ? count - 3 : 0, count > 3 ? arguments + 3 : NULL);

		if (instructions == 0)
			return 1;
		made += instructions;
		sequences++;
	}
	printf("%llu instructions in %llu sequences, of which %llu fault; %llu units replaced\n", made, sequences,
		faults, repairs);
	for (unsigned i = 0; i < FLAVOURS; i++)
		printf("  %s: %llu regions, no difference\n", flavours[i].name, flavours[i].regions);
	return 0;
}
