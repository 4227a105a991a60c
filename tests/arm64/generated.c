/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions by the thousand, generated, run natively and in regions that are counted virtually: all registers, the
 * flags and memory must be the same afterwards, and instructions, loads and stores as many as the sequence has, which
 * every way through it adds up itself.
 *
 *	test_arm64_generated [sequences [seed]]
 *
 * Words are drawn at random; those that the decoder takes for known, and the processor for an instruction, are used.
 * x28 points to the arena, x27 is a small offset, and no instruction changes them; x30 and the stack pointer belong to
 * the harness. Where the processor has vectors of any length, a sequence begins with loading all of them, and the
 * predicates, and ends with storing them: they are part of the memory that is compared. A difference is printed with
 * its sequence. With one event alone, code counts otherwise than with more.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "components/vpmu/arm64/decode/decode.h"
#include "virtual.h"

#define LENGTH     48
#define CODE_SIZE  ((size_t)64 << 20)
#define ARENA_SIZE 65536
#define FAR        ((size_t)1 << 20)
#define BASE       28
#define OFFSET     27
#define KEPT       (1u << BASE | 1u << OFFSET | 1u << 30)

struct state {
	uint64_t registers[31], flags;
	uint64_t vectors[64];
};

/* enter.S */
void enter(struct state *state, const void *code);
extern const char leave[];

static uint64_t random_state;
static uint8_t *code_write, *code_run, *arena;
static size_t used;
static sigjmp_buf fault;
static volatile bool may_fault;

/* xorshift64*, one number after the other. */
static uint64_t draw(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1du;
}

static void on_fault(int number)
{
	if (!may_fault)
		_exit(100 + number);
	siglongjmp(fault, 1);
}

static void make_memory(void)
{
	int file = memfd_create("code", 0);

	REQUIRE(file >= 0 && ftruncate(file, (off_t)CODE_SIZE) == 0);
	code_write = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	/* A private mapping of a file is taken to stay as it is. */
	code_run = mmap(NULL, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	arena = mmap(NULL, 2 * FAR + ARENA_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(code_write != MAP_FAILED && code_run != MAP_FAILED && arena != MAP_FAILED);
	/* In the middle of nothing, so that accesses by mistake fault. */
	arena += FAR;
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE) == 0);
}

static uint32_t *place_of(size_t at)
{
	return (uint32_t *)(void *)(code_write + at);
}

static const void *code_at(size_t at)
{
	return code_run + at;
}

static void synchronize(size_t at, size_t size)
{
	__builtin___clear_cache((char *)code_write + at, (char *)code_write + at + size);
	__builtin___clear_cache((char *)code_run + at, (char *)code_run + at + size);
}

/* ---- vectors of any length: before and behind what is drawn ---- */

#define SCALABLE_WORDS (32 + 16 + 2)

static bool has_scalable;

static uint32_t in_lengths(uint32_t word, int distance, unsigned reg)
{
	return word | ((uint32_t)distance >> 3 & 0x3f) << 16 | ((uint32_t)distance & 7) << 10 | BASE << 5 | reg;
}

/* Vectors from the base on, predicates before it; of the first-fault register a pattern that it may have. */
static uint32_t *put_scalable(uint32_t *words, bool stores)
{
	if (!has_scalable)
		return words;
	if (!stores) {
		*words++ = 0x2518e000u | (uint32_t)(draw() & 31) << 5; /* ptrue p0.b, pattern */
		*words++ = 0x25289000;                                 /* wrffr p0.b */
	}
	for (unsigned i = 0; i < 32; i++)
		*words++ = in_lengths(stores ? 0xe5804000 : 0x85804000, (int)i, i);
	for (unsigned i = 0; i < 16; i++)
		*words++ = in_lengths(stores ? 0xe5800000 : 0x85800000, -1 - (int)i, i);
	if (stores) {
		*words++ = 0x2519f000; /* rdffr p0.b */
		*words++ = in_lengths(0xe5800000, -17, 0);
	}
	return words;
}

/* To leave(), wherever that is: ldr x30, behind; br x30. */
static uint32_t *put_end(uint32_t *words)
{
	uint64_t target = (uint64_t)(uintptr_t)leave;

	words[0] = 0x58000000u | 2u << 5 | 30;
	words[1] = 0xd61f03c0u;
	memcpy(&words[2], &target, sizeof(target));
	return words + 4;
}

/* Of code that began there. Returns where. */
static size_t end_of(size_t at, const uint32_t *words)
{
	size_t size = (size_t)(words - place_of(at)) * 4;

	synchronize(at, size);
	used = (at + size + 63) & ~(size_t)63;
	return at;
}

/* ---- instructions ---- */

/* An access of memory gets its address from the registers that are kept for that; what it moves stays. */
static uint32_t with_address(uint32_t word)
{
	bool by_register = (word & 0x3b200c00) == 0x38200800, scalable = (word >> 25 & 15) == 2;
	unsigned form = word >> 13 & 7;

	word = (word & ~(31u << 5)) | BASE << 5;
	if (by_register) /* uxtw or lsl, of a small number */
		word = (word & ~(31u << 16 | 7u << 13)) | OFFSET << 16 | 3u << 13;
	if (scalable && (form == 2 || form == 3 || form == 6 || (form == 0 && word >> 30 != 3)) &&
		(word & 0xbe000000) != 0x84000000 && (word & 0xffc0e000) != 0xe5804000)
		word = (word & ~(31u << 16)) | OFFSET << 16;
	return word;
}

/* Addresses in vectors would lead anywhere. */
static bool gathers(uint32_t word)
{
	unsigned form = word >> 13 & 7;

	if (word >> 25 == 0x72) /* stores */
		return form == 1 || (form >= 4 && form < 7);
	return (word & 0xbe000000) == 0x84000000 && (word & 0xffc0a000) != 0x85800000 &&
		(word & 0xfe408000) != 0x84408000;
}

/* It is another one in a region: additions and logic may name it, and what tags or signs. */
static bool names_stack_pointer(uint32_t word)
{
	bool added = (word & 0x1f000000) == 0x11000000 || (word & 0x1fe00000) == 0x0b200000;
	bool other = (word & 0x1f800000) == 0x12000000 || (word & 0x1fe00000) == 0x1ac00000;

	if ((word & 0xffa0f000) == 0x04205000) /* addvl, addpl */
		return (word & 31) == 31 || (word >> 16 & 31) == 31;
	if ((word & 0xff3ffc00) == 0x05203800 || (word & 0xff3fe000) == 0x0528a000) /* dup, cpy */
		return (word >> 5 & 31) == 31;
	return ((added || other) && (word & 31) == 31) || ((added || other) && (word >> 5 & 31) == 31) ||
		(other && (word >> 16 & 31) == 31);
}

static bool is_usable(const struct papi_a64_instruction *i)
{
	bool plain = i->kind == PAPI_A64_PLAIN || i->kind == PAPI_A64_ADDRESS || i->kind == PAPI_A64_STORE_EXCLUSIVE;
	bool system = (i->word & 0xff000000) == 0xd5000000;

	return i->known && plain && !system && !i->work_is_unknown && !i->memory_is_unknown && !(i->writes & KEPT) &&
		!(i->reads & 1u << 30) && !names_stack_pointer(i->word) &&
		!(i->is_scalable && (!has_scalable || gathers(i->word)));
}

/* A conditional branch a little forward. */
static uint32_t draw_branch(unsigned most)
{
	static const uint32_t kinds[] = { 0x54000000, 0x34000000, 0xb5000000, 0x36000000, 0x37000000 };
	uint32_t distance = 1 + (uint32_t)(draw() % most), word = kinds[draw() % COUNT_OF(kinds)];
	uint32_t reg = (uint32_t)(draw() % 4 ? draw() % 27 : draw() % 2 ? 15 : 18);

	if (word == 0x54000000)
		return word | distance << 5 | (uint32_t)(draw() % 14);
	if (word >> 25 == 0x1b)
		return word | (uint32_t)(draw() & 31) << 19 | distance << 5 | reg;
	return word | distance << 5 | reg;
}

/* One in four names a stolen register. */
static uint32_t with_stolen(uint32_t word)
{
	static const unsigned places[] = { 0, 5, 16 };
	unsigned place = places[draw() % COUNT_OF(places)];

	return draw() % 4 ? word : (word & ~(31u << place)) | (draw() & 1 ? 15u : 18u) << place;
}

static struct state initial(void)
{
	struct state state;

	for (unsigned i = 0; i < 31; i++)
		state.registers[i] = draw() >> (draw() & 63);
	for (unsigned i = 0; i < 64; i++)
		state.vectors[i] = draw() & 1 ? 0x3ff0000000000000u | draw() >> 13 : draw();
	state.registers[BASE] = (uint64_t)(uintptr_t)arena + ARENA_SIZE / 2;
	state.registers[OFFSET] = (draw() % 64) * 16;
	state.registers[30] = 0;
	state.flags = draw() & 0xf0000000u;
	return state;
}

static bool run(struct state *state, size_t at)
{
	if (sigsetjmp(fault, 1)) {
		may_fault = false;
		return false;
	}
	may_fault = true;
	enter(state, code_at(at));
	may_fault = false;
	return true;
}

/* Whether the processor takes it, alone. */
static bool works(uint32_t word)
{
	struct state state = initial();
	uint32_t *words = put_scalable(place_of(used), false);
	size_t at = used;

	*words++ = word;
	words = put_end(put_scalable(words, true));
	return run(&state, end_of(at, words));
}

#define POOL 4096

static uint32_t pool[POOL];
static unsigned n_pool;

static uint32_t draw_word(void)
{
	static const uint32_t groups[] = { 0x10000000, 0x12000000, 0x0a000000, 0x1a000000, 0x0e000000, 0x1e000000,
		0x08000000, 0x0c000000, 0x18000000, 0x28000000, 0x38000000, 0x3c000000 };
	uint32_t word = (uint32_t)draw();

	if (has_scalable && draw() & 1)
		word = (word & ~0x1e000000u) | 0x04000000;
	else if (draw() & 1)
		word = (word & ~0x1e000000u) | (groups[draw() % COUNT_OF(groups)] & 0x1e000000u);
	return with_stolen(word);
}

static void fill_pool(void)
{
	while (n_pool < POOL) {
		struct papi_a64_instruction instruction;
		uint32_t word = draw_word();

		papi_a64_decode(word, &instruction);
		if (instruction.loads || instruction.stores || instruction.prefetches) {
			word = with_address(word);
			papi_a64_decode(word, &instruction);
		}
		if (is_usable(&instruction) && works(word))
			pool[n_pool++] = word;
	}
}

/* ---- sequences ---- */

struct sequence {
	size_t at;
	unsigned n, first; /* behind as many words */
};

static struct sequence make(void)
{
	struct sequence sequence = { used, LENGTH / 2 + (unsigned)(draw() % (LENGTH / 2)), 0 };
	uint32_t *words = put_scalable(place_of(used), false);

	sequence.first = (unsigned)(words - place_of(used));

	for (unsigned i = 0; i < sequence.n; i++)
		words[i] = draw() % 8 || i + 1 == sequence.n ? pool[draw() % POOL]
							     : draw_branch(sequence.n - i < 6 ? sequence.n - i : 6);
	words = put_end(put_scalable(words + sequence.n, true));
	end_of(sequence.at, words);
	return sequence;
}

static void fill_arena(uint64_t seed)
{
	for (unsigned i = 0; i < ARENA_SIZE / 8; i++)
		((uint64_t *)(void *)arena)[i] = seed * (i + 1);
}

struct job {
	size_t at;
	struct state *state;
	bool done;
};

static void run_job(void *pointer)
{
	struct job *job = pointer;

	job->done = run(job->state, job->at);
}

static void print_sequence(const struct sequence *sequence)
{
	for (unsigned i = 0; i < sequence->n; i++)
		printf("\t.inst 0x%08x\n", place_of(sequence->at)[sequence->first + i]);
}

static void print_difference(const struct state *native, const struct state *ours)
{
	for (unsigned i = 0; i < 30; i++)
		if (native->registers[i] != ours->registers[i])
			printf("x%u: %llx natively, %llx translated\n", i, (unsigned long long)native->registers[i],
				(unsigned long long)ours->registers[i]);
}

/* Counted twice: the first time blocks are made, the second they lead to each other. */
static bool check(const struct sequence *sequence)
{
	static unsigned char memory[ARENA_SIZE];
	struct state first = initial(), native = first, ours;
	uint64_t seed = draw();
	struct counts counts[2];

	fill_arena(seed);
	if (!run(&native, sequence->at)) /* an address that pairs, or writing back, has led astray */
		return true;
	memcpy(memory, arena, ARENA_SIZE);
	for (unsigned i = 0; i < 2; i++) {
		struct job job = { sequence->at, &ours, false };

		ours = first;
		fill_arena(seed);
		counts[i] = virtual_count(run_job, &job);
		if (!job.done || memcmp(memory, arena, ARENA_SIZE) || memcmp(&native, &ours, sizeof(ours))) {
			print_difference(&native, &ours);
			print_sequence(sequence);
			return false;
		}
	}
	return virtual_same("twice the same", counts[0], counts[1]);
}

int main(int count, char **arguments)
{
	unsigned long sequences = count > 1 ? strtoul(arguments[1], NULL, 0) : 3000, compared = 0;
	static const int signals[] = { SIGILL, SIGSEGV, SIGBUS };

	has_scalable = getauxval(AT_HWCAP) & HWCAP_SVE;
	random_state = count > 2 ? strtoull(arguments[2], NULL, 0) : 1;
	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	make_memory();
	for (unsigned i = 0; i < COUNT_OF(signals); i++)
		REQUIRE(signal(signals[i], on_fault) != SIG_ERR);
	fill_pool();
	while (compared < sequences && used + 4096 < CODE_SIZE) {
		struct sequence sequence = make();

		virtual_count_alone(compared & 16);
		if (!EXPECT(check(&sequence)))
			break;
		compared++;
	}
	printf("%lu sequences of %u instructions that the processor knows\n", compared, n_pool);
	return check_failures() || compared < sequences ? 1 : 0;
}
