/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of vectors of any length, for the programs that are drawn (modelled.h). Data is z0 to z29, offsets z30,
 * addresses z31; p0 has all elements, p1 to p7 what memory and instructions say.
 */
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "check.h"
#include "modelled.h"

#define HIGHEST_DATA 26 /* of a structure, the first register */
#define OFFSETS      30u

unsigned vector_bytes;

void find_vectors(void)
{
	uint64_t bytes = 0;

	if (getauxval(AT_HWCAP) & HWCAP_SVE)
		__asm__ volatile(".arch_extension sve\n\trdvl %0, #1" : "=r"(bytes));
	vector_bytes = (unsigned)bytes;
}

/* ---- what is drawn ---- */

#define FOUR_BITS (15u << 16)
#define FIVE_BITS (31u << 16)
#define SIX_BITS  (63u << 16)
#define SMALL     (3u << 16 | 7u << 10) /* of nine bits */

/* At a general register, and another, which is x27, or a number: the word, and bits of it that may be anything. */
static const struct {
	uint32_t word, free;
} in_rows[] = {
	{ 0xa41b4380, 0 },         /* ld1b z0.b, [x28, x27] */
	{ 0xa51b4380, 0 },         /* ld1sh z0.d */
	{ 0xa57b4380, 0 },         /* ld1w z0.d */
	{ 0xa5fb4380, 0 },         /* ld1d */
	{ 0xe45b4380, 0 },         /* st1b z0.s */
	{ 0xe4bb4380, 0 },         /* st1h of halves */
	{ 0xe5fb4380, 0 },         /* st1d */
	{ 0xa51bc380, 0 },         /* ldnt1w */
	{ 0xe41b6380, 0 },         /* stnt1b */
	{ 0xa43bc380, 0 },         /* ld2b */
	{ 0xa5fbc380, 0 },         /* ld4d */
	{ 0xe4db6380, 0 },         /* st3h */
	{ 0xa51b0380, 0 },         /* ld1rqw */
	{ 0xa420a380, FOUR_BITS }, /* ld1b of halves, [x28, #n, mul vl] */
	{ 0xa480a380, FOUR_BITS }, /* ld1sw z0.d */
	{ 0xa5e0a380, FOUR_BITS }, /* ld1d */
	{ 0xe540e380, FOUR_BITS }, /* st1w z0.s */
	{ 0xe4e0e380, FOUR_BITS }, /* st1h z0.d */
	{ 0xa580e380, FOUR_BITS }, /* ldnt1d */
	{ 0xe490e380, FOUR_BITS }, /* stnt1h */
	{ 0xa540e380, FOUR_BITS }, /* ld3w */
	{ 0xa460e380, FOUR_BITS }, /* ld4b */
	{ 0xe5b0e380, FOUR_BITS }, /* st2d */
	{ 0xe4f0e380, FOUR_BITS }, /* st4h */
	{ 0xa5802380, FOUR_BITS }, /* ld1rqd z0.d, [x28, #n] */
	{ 0x8440e380, SIX_BITS },  /* ld1rb z0.d */
	{ 0x85c0e380, SIX_BITS },  /* ld1rd */
	{ 0x84c08380, SIX_BITS },  /* ld1rsw */
	{ 0xa51b6380, 0 },         /* ldff1sh z0.d */
	{ 0xa5ff6380, 0 },         /* ldff1d [x28] */
	{ 0xa550a380, FOUR_BITS }, /* ldnf1w z0.s, [x28, #n, mul vl] */
	{ 0x85c00380, SIX_BITS },  /* prfb [x28, #n, mul vl] */
	{ 0x859bc380, 0 },         /* prfd [x28, x27, lsl #3] */
};

/* Of whole registers: the number is small, or small and below 0. */
static const uint32_t wholes[] = { 0x85804380, 0x85bc4380, 0xe5804380, 0xe5bc4380, 0x85800380, 0x85bc0380, 0xe5800380,
	0xe5bc0380 };

/* At a general register, and offsets; these come about by shifts of other vectors to the right, so that they are small.
 * Or at addresses, for which a general register is added to them. */
enum { OF_WORDS, OF_WORDS_SIGNED, OF_DOUBLES, OF_DOUBLES_SIGNED };
static const uint32_t shifts[] = { 0x046b941e, 0x046a901e, 0x04ab941e, 0x04aa901e };
static const struct {
	uint32_t word, free;
	uint8_t offsets;
	bool addresses, second; /* of the second version of SVE */
} gathers[] = {
	{ 0x843e4380, 0, OF_WORDS, false, false },               /* prfw [x28, z30.s, uxtw #2] */
	{ 0xc47ea380, 0, OF_DOUBLES_SIGNED, false, false },      /* prfh [x28, z30.d, lsl #1] */
	{ 0xc580e3e0, FIVE_BITS, OF_DOUBLES, true, false },      /* prfd [z31.d, #n] */
	{ 0x841e4380, 0, OF_WORDS, false, false },               /* ld1b z0.s, uxtw */
	{ 0x857e4380, 0, OF_WORDS_SIGNED, false, false },        /* ld1w z0.s, sxtw #2 */
	{ 0x84be0380, 0, OF_WORDS, false, false },               /* ld1sh z0.s, uxtw #1 */
	{ 0xc5be4380, 0, OF_WORDS, false, false },               /* ld1d z0.d, [x28, z30.d, uxtw #3] */
	{ 0xc55e4380, 0, OF_WORDS_SIGNED, false, false },        /* ld1w z0.d, sxtw */
	{ 0xc4dec380, 0, OF_DOUBLES_SIGNED, false, false },      /* ld1h z0.d, [x28, z30.d] */
	{ 0xc5fec380, 0, OF_DOUBLES, false, false },             /* ld1d, lsl #3 */
	{ 0xc5a0c3e0, FIVE_BITS, OF_DOUBLES, true, false },      /* ld1d [z31.d, #n] */
	{ 0xc42083e0, FIVE_BITS, OF_DOUBLES, true, false },      /* ld1sb */
	{ 0x8520c3e0, FIVE_BITS, OF_WORDS, true, false },        /* ld1w [z31.s, #n] */
	{ 0xc5fee380, 0, OF_DOUBLES, false, false },             /* ldff1d [x28, z30.d, lsl #3] */
	{ 0x8520e3e0, FIVE_BITS, OF_WORDS, true, false },        /* ldff1w [z31.s, #n] */
	{ 0xc59cc3c0, 0, OF_DOUBLES_SIGNED, false, true },       /* ldnt1d [z30.d, x28] */
	{ 0x851ca3c0, 0, OF_WORDS, false, true },                /* ldnt1w [z30.s, x28] */
	{ 0x849c83c0, 0, OF_WORDS, false, true },                /* ldnt1sh */
	{ 0xe57e8380, 0, OF_WORDS, false, false },               /* st1w z0.s, uxtw #2 */
	{ 0xe45ec380, 0, OF_WORDS_SIGNED, false, false },        /* st1b z0.s, sxtw */
	{ 0xe5bec380, 0, OF_WORDS_SIGNED, false, false },        /* st1d [x28, z30.d, sxtw #3] */
	{ 0xe49e8380, 0, OF_WORDS, false, false },               /* st1h z0.d, uxtw */
	{ 0xe59ea380, 0, OF_DOUBLES, false, false },             /* st1d */
	{ 0xe53ea380, 0, OF_DOUBLES_SIGNED, false, false },      /* st1w z0.d, lsl #2 */
	{ 0xe5c0a3e0, FIVE_BITS, OF_DOUBLES, true, false },      /* st1d [z31.d, #n] */
	{ 0xe4e0a3e0, FIVE_BITS, OF_WORDS_SIGNED, true, false }, /* st1h z0.s, [z31.s, #n] */
	{ 0xe51c23c0, 0, OF_DOUBLES, false, true },              /* stnt1w z0.d, [z30.d, x28] */
	{ 0xe45c23c0, 0, OF_WORDS, false, true },                /* stnt1b z0.s, [z30.s, x28] */
};

static uint32_t draw_data(void)
{
	return (uint32_t)(draw() % (HIGHEST_DATA + 1));
}

static uint32_t draw_predicate(void)
{
	return (uint32_t)(draw() & 7);
}

static bool is_prefetch(uint32_t word)
{
	struct papi_a64_instruction instruction;

	papi_a64_decode(word, &instruction);
	return instruction.prefetches;
}

/* The base, in the place of x28, may be another; its first registers, and the predicate, are drawn. */
static uint32_t with_registers(uint32_t word, uint32_t base)
{
	if ((word >> 5 & 31) == 28)
		word = (word & ~(31u << 5)) | base << 5;
	return word | draw_predicate() << 10 | (is_prefetch(word) ? draw_predicate() : draw_data());
}

/* Whether no element is in two pages, where the base is a multiple of 8, and it does not matter what can be read. */
static bool is_restartable(uint32_t word)
{
	struct papi_a64_instruction instruction;
	unsigned size;

	papi_a64_decode(word, &instruction);
	size = instruction.operand.active.size;
	return size <= 8 && (size & (size - 1)) == 0 && !instruction.operand.active.stops;
}

uint32_t draw_in_row(uint32_t base, enum sort sort)
{
	unsigned n = (unsigned)(draw() % (COUNT_OF(in_rows) + COUNT_OF(wholes)));
	uint32_t word;

	while (n < COUNT_OF(in_rows) && sort == RESTARTABLE && !is_restartable(in_rows[n].word))
		n = (unsigned)(draw() % COUNT_OF(in_rows));
	if (n < COUNT_OF(in_rows))
		return with_registers(in_rows[n].word | ((uint32_t)draw() & in_rows[n].free), base);
	word = wholes[n - COUNT_OF(in_rows)];
	word = (word & ~(31u << 5)) | base << 5 | ((uint32_t)draw() & SMALL);
	return word | (word >> 14 & 1 ? draw_data() : 1 + (uint32_t)(draw() % 7));
}

unsigned put_gather(uint32_t *words, unsigned n, uint32_t base, enum sort sort)
{
	bool second = getauxval(AT_HWCAP2) & HWCAP2_SVE2, low = (uint64_t)(uintptr_t)arena >> 32 == 0, doubles;
	unsigned i;

	do {
		i = (unsigned)(draw() % COUNT_OF(gathers));
		doubles = gathers[i].offsets >= OF_DOUBLES;
	} while ((gathers[i].second && !second) || (gathers[i].addresses && !doubles && !low) ||
		(sort == RESTARTABLE && !is_restartable(gathers[i].word)));
	words[n++] = shifts[gathers[i].offsets] | draw_data() << 5;
	if (gathers[i].addresses) {
		words[n++] = (doubles ? 0x05e0381f : 0x05a0381f) | base << 5; /* dup z31.d, x28; add z31, z31, z30 */
		words[n++] = doubles ? 0x04fe03ff : 0x04be03ff;
	}
	words[n++] = with_registers(gathers[i].word | ((uint32_t)draw() & gathers[i].free), base);
	return n;
}

/* Vectors, and predicates but p0. */
uint32_t draw_scalable(void)
{
	static const uint32_t of_vectors[] = { 0x04a03000, 0x04a00000, 0x04200000 }, /* eor, add of words, of bytes */
		of_predicates[] = { 0x25004200, 0x05744000, 0x253b1fe0,
			0x25fa1f60 }; /* not; rev; whilelo p.b, xzr, x27; whilelo p.d, x27, x26 */
	unsigned n = (unsigned)(draw() % (COUNT_OF(of_vectors) + COUNT_OF(of_predicates)));
	uint32_t word, to = 1 + (uint32_t)(draw() % 7), from = draw_predicate();

	if (n < COUNT_OF(of_vectors))
		return of_vectors[n] | draw_data() << 16 | draw_data() << 5 | draw_data();
	word = of_predicates[n - COUNT_OF(of_vectors)] | to;
	return word >> 24 == 0x25 && word & 1 << 12 ? word : word | from << 5;
}

/* Every vector and predicate gets a value from the arena; but p0. */
unsigned put_scalable_loads(uint32_t *words, unsigned n)
{
	for (uint32_t i = 0; i < 32; i++)
		words[n++] = 0x85804000u | i >> 3 << 16 | (i & 7) << 10 | 28 << 5 | i;
	for (uint32_t i = 1; i < 8; i++)
		words[n++] = 0x85800000u | i << 10 | 28 << 5 | i;
	words[n++] = 0x2518e3e0; /* ptrue p0.b */
	return n;
}

/* ---- where they are ---- */

uint64_t scalable_registers[(32 * 256 + 16 * 32) / 8];

static uint64_t element_of(unsigned vector, unsigned byte, unsigned bytes)
{
	uint64_t element = 0;

	__builtin_memcpy(
		&element, (const unsigned char *)scalable_registers + (size_t)vector * vector_bytes + byte, bytes);
	return element;
}

static bool is_active(unsigned predicate, unsigned byte)
{
	const unsigned char *bytes = (const unsigned char *)scalable_registers + (size_t)32 * vector_bytes +
		(size_t)predicate * vector_bytes / 8;

	return bytes[byte / 8] >> byte % 8 & 1;
}

unsigned chosen_addresses(const struct papi_a64_operand *operand, uint64_t from, uint64_t addresses[256])
{
	const struct papi_a64_active *active = &operand->active;
	unsigned bytes = 1u << active->element, all = active->elements ? active->elements : vector_bytes / bytes, n = 0;
	int64_t distance = operand->displacement;

	if (active->by_length)
		distance *= (int64_t)all * active->size;
	for (unsigned i = 0; i < all; i++) {
		uint64_t address = from + (uint64_t)distance, index;

		if (!is_active(active->predicate, i * bytes))
			continue;
		if (active->vector != PAPI_A64_NO_REGISTER) {
			index = element_of(active->vector, i * bytes, active->is_wide ? 8 : 4);
			address += (active->is_signed ? (uint64_t)(int64_t)(int32_t)index : index) << active->shift;
		} else if (!active->is_any) {
			address += (uint64_t)i * active->size;
		}
		addresses[n++] = address;
		if (active->is_any)
			break;
	}
	return n;
}
