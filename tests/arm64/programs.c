/* SPDX-License-Identifier: BSD-3-Clause */
#include "modelled.h"

#include <papi.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#define FAR    ((size_t)1 << 20)
#define LENGTH 40 /* of the loop, about */
#define ROUNDS 12

uint8_t *arena;
static uint8_t *code_write, *code_run;
static uint64_t random_state;

void draw_from(uint64_t seed)
{
	random_state = seed * 2 + 1;
}

/* xorshift64*, one number after the other. */
uint64_t draw(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1du >> 16;
}

/* ---- memory ---- */

/* In the middle of nothing, so that accesses by mistake fault. */
void make_memory(void)
{
	int file = memfd_create("code", 0);

	REQUIRE(file >= 0 && ftruncate(file, (off_t)ALL_PAGES * PAGE) == 0);
	code_write = mmap(NULL, (size_t)ALL_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	code_run = mmap(NULL, (size_t)ALL_PAGES * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	/* Where addresses have 32 bits, if that is free. */
	arena = mmap((void *)0x40000000, 2 * FAR + ARENA_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(code_write != MAP_FAILED && code_run != MAP_FAILED && arena != MAP_FAILED);
	arena += FAR;
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE) == 0);
	find_vectors();
}

uint32_t *code_words(unsigned page)
{
	return (uint32_t *)(void *)(code_write + (size_t)PAGE * page);
}

uint64_t code_address(unsigned page)
{
	return (uint64_t)(uintptr_t)code_run + (uint64_t)PAGE * page;
}

void code_changed(unsigned page, unsigned pages)
{
	char *written = (char *)code_words(page), *run = (char *)(uintptr_t)code_address(page);

	__builtin___clear_cache(written, written + (size_t)PAGE * pages);
	__builtin___clear_cache(run, run + (size_t)PAGE * pages);
}

void fill_arena(uint64_t seed)
{
	for (unsigned i = 0; i < ARENA_SIZE / 8; i++)
		((uint64_t *)(void *)arena)[i] = seed * (i + 1) >> (i % 3) * 20;
}

struct state initial_state(const struct program *program, int set, long long *counts)
{
	struct state state = { .flags = 0 };

	(void)program;
	state.registers[0] = state.registers[21] = (uint64_t)set;
	state.registers[20] = (uint64_t)(uintptr_t)PAPI_start;
	state.registers[22] = (uint64_t)(uintptr_t)counts;
	state.registers[23] = (uint64_t)(uintptr_t)PAPI_stop;
	state.registers[25] = state.registers[28] = (uint64_t)(uintptr_t)arena + ARENA_SIZE / 2;
	state.registers[26] = ROUNDS;
	state.registers[27] = 16;
	return state;
}

/* ---- what is drawn ---- */

/* Accesses: the word, and bits of it that may be anything; base, and data registers, are put in. */
static const struct {
	uint32_t word, free;
	bool moves, pair, indexed, aligned;
} templates[] = {
	{ 0xf9400000, 0x3f << 10, false, false, false, false }, /* ldr x, [b, #n] */
	{ 0xf9000000, 0x3f << 10, false, false, false, false },
	{ 0x39400000, 0xff << 10, false, false, false, false }, /* ldrb */
	{ 0x39000000, 0xff << 10, false, false, false, false }, { 0x79400000, 0xff << 10, false, false, false, false },
	{ 0xb9800000, 0xff << 10, false, false, false, false }, /* ldrsw */
	{ 0x3dc00000, 0x3f << 10, false, false, false, false }, /* ldr q */
	{ 0x3d800000, 0x3f << 10, false, false, false, false },
	{ 0xfd400000, 0x3f << 10, false, false, false, false },  /* ldr d */
	{ 0xbd000000, 0x3f << 10, false, false, false, false },  /* str s */
	{ 0xf8400000, 0x1ff << 12, false, false, false, false }, /* ldur x */
	{ 0xf8000000, 0x1ff << 12, false, false, false, false },
	{ 0x3c800000, 0x1ff << 12, false, false, false, false }, /* stur q */
	{ 0xf8400400, 0x1f << 16, true, false, false, false },   /* ldr x, [b], #n: multiples of 16 */
	{ 0xf8000c00, 0x1f << 16, true, false, false, false },   /* str x, [b, #n]! */
	{ 0x3cc00c00, 0x1f << 16, true, false, false, false },   /* ldr q, [b, #n]! */
	{ 0xa9400000, 0x7f << 15, false, true, false, false },   /* ldp x */
	{ 0xad000000, 0x3f << 15, false, true, false, false },   /* stp q */
	{ 0x69400000, 0x7f << 15, false, true, false, false },   /* ldpsw */
	{ 0xa9800000, 0x7e << 15, true, true, false, false },    /* stp x, [b, #n]! */
	{ 0xa8c00000, 0x7e << 15, true, true, false, false },    /* ldp x, [b], #n */
	{ 0xf8607800, 0, false, false, true, false },            /* ldr x, [b, i, lsl #3] */
	{ 0xb820c800, 0, false, false, true, false },            /* str w, [b, wi, sxtw] */
	{ 0x38604800, 0, false, false, true, false },            /* ldrb w, [b, wi, uxtw] */
	{ 0x4c402000, 0, false, false, false, false },           /* ld1 of four */
	{ 0x4c008000, 0, false, false, false, false },           /* st2 */
	{ 0x4d40a400, 0, false, false, false, false },           /* ld3, one element */
	{ 0x4d60e000, 0, false, false, false, false },           /* ld4r */
	{ 0x4c9f7000, 0, true, false, false, false },            /* st1, [b], #16 */
	{ 0x4cc07000, 0, true, false, true, false },             /* ld1, [b], i */
	{ 0xc8a07c00, 0x1f << 16, false, false, false, true },   /* cas x */
	{ 0xf8200000, 0x1f << 16, false, false, false, true },   /* ldadd x */
	{ 0xb8e08000, 0x1f << 16, false, false, false, true },   /* swpal w */
	{ 0xc8dffc00, 0, false, false, false, true },            /* ldar x */
	{ 0xc89ffc00, 0, false, false, false, true },            /* stlr x */
	{ 0xf9800000, 0xff << 10, false, false, false, false },  /* prfm pldl1keep */
};

static const uint32_t calculations[] = { 0x8b000000, 0xca000000, 0xeb000000, 0xab000000, 0x9a800000, 0x9ac02400,
	0x93407c00, 0xaa0003e0, 0x91000400, 0x1b007c00 };

/* x0 to x18, but for x16 and x17, where branches go. */
static uint32_t draw_register(void)
{
	uint32_t n = (uint32_t)(draw() % 17);

	return n > 15 ? 18 : n;
}

static uint32_t draw_base(bool aligned)
{
	static const uint32_t bases[] = { 28, 25, 25, 31 };

	return aligned ? 28 : bases[draw() % COUNT_OF(bases)];
}

static uint32_t draw_access(void)
{
	unsigned n = (unsigned)(draw() % COUNT_OF(templates));
	uint32_t base = draw_base(templates[n].aligned), data = draw_register(), other = data;
	uint32_t word = templates[n].word | ((uint32_t)draw() & templates[n].free);

	if (templates[n].moves)
		base = templates[n].indexed || base == 28 ? 25 : base;
	while (other == data)
		other = draw_register();
	if (templates[n].pair)
		word |= other << 10;
	if (templates[n].free == 0x1f << 16 && templates[n].aligned)
		word = (word & ~(31u << 16)) | other << 16;
	if (templates[n].indexed)
		word |= 27 << 16;
	return word | base << 5 | (templates[n].word >> 22 == 0xf9800000 >> 22 ? 0 : data);
}

static uint32_t draw_calculation(void)
{
	return calculations[draw() % COUNT_OF(calculations)] | draw_register() << 16 | draw_register() << 5 |
		draw_register();
}

/* Forward by so many words at most. */
static uint32_t draw_branch(unsigned most)
{
	static const uint32_t kinds[] = { 0x54000000, 0x34000000, 0xb5000000, 0x36000000, 0x37000000 };
	uint32_t distance = 1 + (uint32_t)(draw() % most), word = kinds[draw() % COUNT_OF(kinds)];

	if (word == 0x54000000)
		return word | distance << 5 | (uint32_t)(draw() % 14);
	return word | (word >> 25 == 0x1b ? (uint32_t)(draw() & 7) << 19 : 0) | distance << 5 | draw_register();
}

/* ---- programs ---- */

unsigned put_end(uint32_t *words)
{
	uint64_t target = (uint64_t)(uintptr_t)leave;

	words[0] = 0x58000000u | 2u << 5 | 30; /* ldr x30, behind; br x30 */
	words[1] = 0xd61f03c0u;
	memcpy(&words[2], &target, sizeof(target));
	return 4;
}

static unsigned put(uint32_t *words, unsigned n, const uint32_t *more, unsigned count)
{
	memcpy(words + n, more, count * sizeof(*more));
	return n + count;
}

/* Every register that was not kept gets a value from the arena. */
static unsigned put_loads(uint32_t *words, unsigned n)
{
	for (uint32_t i = 0; i < 18; i += 2)
		words[n++] = 0xa9400000u | i << 15 | (i + 1) << 10 | 28 << 5 | i; /* ldp x, x, [x28, #8 i] */
	words[n++] = 0xf9404000u | 28 << 5 | 18;                                  /* ldr x18, [x28, #128] */
	for (uint32_t i = 0; i < 32; i += 2)
		words[n++] = 0xad400000u | i << 15 | (i + 1) << 10 | 28 << 5 | i; /* ldp q, q, [x28, #16 i] */
	return vector_bytes ? put_scalable_loads(words, n) : n;
}

/* Two functions, 32 bytes apart. */
static void put_functions(uint32_t *words, unsigned at)
{
	for (unsigned i = 0; i < 2; i++) {
		words[at + 8 * i] = draw_calculation();
		words[at + 8 * i + 1] = 0xa9bf07e0; /* stp x0, x1, [sp, #-16]! */
		words[at + 8 * i + 2] = draw_access();
		words[at + 8 * i + 3] = 0x910043ff; /* add sp, sp, #16 */
		words[at + 8 * i + 4] = 0xd65f03c0; /* ret */
	}
}

/* bl; or adr, and, add, blr, by whether the round is odd. */
static unsigned put_call(uint32_t *words, unsigned n, unsigned functions)
{
	if (draw() & 1) {
		words[n] = 0x94000000u | (functions - n);
		return n + 1;
	}
	words[n] = 0x10000000u | (functions - n) << 5 | 16;
	words[n + 1] = 0x92400351; /* and x17, x26, #1 */
	words[n + 2] = 0x8b111610; /* add x16, x16, x17, lsl #5 */
	words[n + 3] = 0xd63f0200;
	return n + 4;
}

/* A literal, zeros, a return that nobody could foresee, and exclusive accesses: with another between them, of an
 * address that is not known before, or known. */
static unsigned put_special(uint32_t *words, unsigned n, unsigned functions, enum sort sort)
{
	static const uint32_t chain[] = { 0xc85f7f81, 0x927c1022, 0x8b020382, 0xf9400043, 0xc8047f83 },
			      changed[] = { 0xc85f7f81, 0x927c1022, 0x8b020382, 0xf9400042, 0xc8047f82 },
			      left[] = { 0xc85f7f81, 0x927c1022, 0x8b020382, 0xf9400043, 0x37000043, 0xc8047f83 },
			      plain[] = { 0x885f7f85, 0xf9400b26, 0x110004a5, 0x88077f85 }, zero[] = { 0xd50b743c },
			      zero_moved[] = { 0x91004f88, 0xd50b7428 }, returns[] = { 0x1000005e, 0xd65f03c0 };

	static const unsigned first[] = { [ANYTHING] = 0, [WITHOUT_LEAVING] = 1, [RESTARTABLE] = 6 };

	switch (first[sort] + draw() % (9 - first[sort])) {
	case 0: /* with tbnz w3, #0, behind, before the store */
		return put(words, n, left, COUNT_OF(left));
	case 1: /* ldxr x1, [x28]; and x2, x1, #0x1f0; add x2, x28, x2; ldr x3, [x2]; stxr w4, x3, [x28] */
		return put(words, n, chain, COUNT_OF(chain));
	case 2: /* ldxr w5, [x28]; ldr x6, [x25, #16]; add w5, w5, #1; stxr w7, w5, [x28] */
		return put(words, n, plain, COUNT_OF(plain));
	case 3: /* with ldr x2, [x2] */
		return put(words, n, changed, COUNT_OF(changed));
	case 4:
		return put(words, n, zero, COUNT_OF(zero)); /* dc zva, x28 */
	case 5:                                             /* add x8, x28, #19; dc zva, x8 */
		return put(words, n, zero_moved, COUNT_OF(zero_moved));
	case 6: /* ldr x9, behind the functions */
		words[n] = 0x58000000u | (functions + 16 - n) << 5 | 9;
		return n + 1;
	case 7: /* adr x30, behind; ret, which nothing has called */
		return put(words, n, returns, COUNT_OF(returns));
	default:
		return put_call(words, n, functions);
	}
}

/* An access, or what is computed for one. */
static unsigned put_scalable(uint32_t *words, unsigned n, bool may_begin, enum sort sort)
{
	uint64_t kind = draw() % 8;

	if (kind < 2) {
		words[n] = draw_scalable();
		return n + 1;
	}
	if (kind < 5 && may_begin)
		return put_gather(words, n, draw() & 1 ? 28 : 25, sort);
	words[n] = draw_in_row(draw_base(false), sort);
	return n + 1;
}

static unsigned put_body(uint32_t *words, unsigned n, unsigned functions, enum sort sort)
{
	unsigned until = n + LENGTH / 2 + (unsigned)(draw() % LENGTH), branches = 0, behind = 0;

	while (n < until || n < behind) {
		uint64_t kind = draw() % 16;

		/* Where a branch may lead, nothing is put that has to begin before. */
		if (kind < 2 && n >= behind) {
			n = put_special(words, n, functions, sort);
		} else if (kind < 5 && branches++ < 24) {
			words[n] = draw_branch(5);
			behind = n + 6 > behind ? n + 6 : behind;
			n++;
		} else if (kind < 8) {
			words[n++] = draw_calculation();
		} else if (kind < 12 && vector_bytes) {
			n = put_scalable(words, n, n >= behind, sort);
		} else {
			words[n++] = draw_access();
		}
	}
	return n;
}

struct program make_program(unsigned page, enum sort sort)
{
	static const uint32_t begin[] = { 0xd63f0280 },
			      loop[] = { 0xaa1c03f9, 0x910003f8, 0x9100033f }, /* x25 = x28; x24 = sp; sp = x25 */
		flags[] = { 0xeb1c039f },                                      /* cmp x28, x28 */
		end_of_round[] = { 0x9100031f, 0x9101039c, 0x9100237b },       /* sp = x24; x28 += 64; x27 += 8 */
		end[] = { 0xaa1503e0, 0xaa1603e1, 0xd63f02e0 };                /* x0 = x21; x1 = x22; blr x23 */
	struct program program = { .page = page, .number = page, .seed = draw() | 1 };
	uint32_t *words = code_words(page);
	unsigned functions = PAGE_WORDS - 64, n = put(words, 0, begin, COUNT_OF(begin)), start;

	program.begin = n;
	n = put(words, put_loads(words, n), flags, COUNT_OF(flags));
	start = n;
	n = put(words, n, loop, COUNT_OF(loop));
	n = put_body(words, n, functions, sort);
	n = put(words, n, end_of_round, COUNT_OF(end_of_round));
	words[n++] = 0xd100075a;                                    /* sub x26, x26, #1 */
	words[n] = 0xb5000000u | ((start - n) & 0x7ffff) << 5 | 26; /* cbnz x26, start */
	n = put(words, n + 1, end, COUNT_OF(end));
	program.end = n;
	put_end(words + n);
	put_functions(words, functions);
	code_changed(page, 1);
	return program;
}
