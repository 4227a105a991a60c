/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors of any length: SVE and SVE2. None of these instructions is a branch; what a translator has to know are the
 * general registers, whether memory is accessed, and floating-point arithmetic, whose elements are those that are
 * active when it runs. A table has their groups; what is in none, as later extensions, stays unknown.
 */
#include <stddef.h>

#include "components/vpmu/arm64/decode/parts.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What the instructions of a group have in common: registers in the places of their names, N and D; M. */
enum use {
	N = 1 << 0,
	M = 1 << 1,
	SETS_D = 1 << 2,
	CHANGES_D = 1 << 3, /* and reads it */
	LOADS = 1 << 4,
	STORES = 1 << 5,
	PREFETCHES = 1 << 6,
	Z = 1 << 7,        /* names a vector */
	INTEGER = 1 << 8,  /* computes in a general register */
	PREFIX = 1 << 9,   /* movprfx */
	ACTIVE = 1 << 10,  /* computes in the elements that are active, not in all */
	BY_SIZE = 1 << 11, /* elements are as bits 23 and 22 say, and those are no bytes */
	BY_BIT = 1 << 12,  /* of floats or, with bit 22, of doubles */
	BY_HALF = 1 << 13, /* of halves where bit 23 is not set, or as BY_BIT says */
	BY_NEXT = 1 << 14, /* of halves or, with bit 22, of floats */
	SINGLE = 1 << 15,
};

struct group {
	uint32_t mask, value;
	uint16_t uses;
	uint8_t calculation, operations; /* for each element */
};

#define FP(calculation, operations) PAPI_A64_##calculation, operations

/* The highest eight bits are 0x04 or 0x05. */
static const struct group integers[] = {
	{ 0xff3ee000, 0x04102000, Z | PREFIX, 0, 0 },           /* movprfx */
	{ 0xff200000, 0x04000000, Z, 0, 0 },                    /* by a predicate */
	{ 0xff20c000, 0x04200000, Z, 0, 0 },                    /* add, sub, logic */
	{ 0xff20fc00, 0x04204000, Z, 0, 0 },                    /* index, of numbers */
	{ 0xff20fc00, 0x04204400, Z | N, 0, 0 },                /* of a register and a number */
	{ 0xff20fc00, 0x04204800, Z | M, 0, 0 },                /* of a number and a register */
	{ 0xff20fc00, 0x04204c00, Z | N | M, 0, 0 },            /* of two registers */
	{ 0xffa0f800, 0x04205000, M | SETS_D | INTEGER, 0, 0 }, /* addvl, addpl */
	{ 0xfffff800, 0x04bf5000, SETS_D | INTEGER, 0, 0 },     /* rdvl */
	{ 0xff20e000, 0x04206000, Z, 0, 0 },                    /* products */
	{ 0xff20e000, 0x04208000, Z, 0, 0 },                    /* shifts */
	{ 0xfffffc00, 0x0420bc00, Z | PREFIX, 0, 0 },           /* movprfx */
	{ 0xff20e000, 0x0420a000, Z, 0, 0 },                    /* adr, fexpa, ftssel */
	{ 0xff20e000, 0x0420c000, Z, 0, 0 },                    /* incd and its kin, of vectors */
	{ 0xff30fc00, 0x0420e000, SETS_D | INTEGER, 0, 0 },     /* cntb */
	{ 0xff30f800, 0x0430e000, CHANGES_D | INTEGER, 0, 0 },  /* incb, decb */
	{ 0xff20f000, 0x0420f000, CHANGES_D | INTEGER, 0, 0 },  /* sqincb */
	{ 0xff3c0000, 0x05000000, Z, 0, 0 },                    /* logic with numbers */
	{ 0xff308000, 0x05100000, Z, 0, 0 },                    /* cpy of a number */
	{ 0xff30e000, 0x0510c000, Z, 0, 0 },                    /* fcpy */
	{ 0xffa0e000, 0x05200000, Z, 0, 0 },                    /* ext */
	{ 0xffe0e000, 0x05a00000, Z, 0, 0 },                    /* zip1 and its kin, of 128 bits */
	{ 0xff20f000, 0x05202000, Z, 0, 0 },                    /* dup of an element, tbl, tbx */
	{ 0xff20fc00, 0x05203000, Z, 0, 0 },                    /* tbl */
	{ 0xff3ffc00, 0x05203800, Z | N, 0, 0 },                /* dup */
	{ 0xff3ffc00, 0x05243800, Z | N, 0, 0 },                /* insr */
	{ 0xff3ffc00, 0x05343800, Z, 0, 0 },                    /* insr, of a vector register */
	{ 0xff3cfc00, 0x05303800, Z, 0, 0 },                    /* unpack */
	{ 0xff3ffc00, 0x05383800, Z, 0, 0 },                    /* rev */
	{ 0xff20e000, 0x05204000, 0, 0, 0 },                    /* predicates: zip1, punpklo, rev */
	{ 0xff20e000, 0x05206000, Z, 0, 0 },                    /* zip1 and its kin */
	{ 0xff20e000, 0x05208000, Z, 0, 0 },                    /* by a predicate: compact, splice, revb */
	{ 0xff3ee000, 0x0520a000, Z | SETS_D, 0, 0 },           /* lasta, lastb */
	{ 0xff3fe000, 0x0528a000, Z | N, 0, 0 },                /* cpy */
	{ 0xff3ee000, 0x0530a000, Z | CHANGES_D, 0, 0 },        /* clasta, clastb */
	{ 0xff20c000, 0x0520c000, Z, 0, 0 },                    /* sel */
};

/* The highest eight bits are 0x24, 0x25, 0x44, 0x45. */
static const struct group predicates[] = {
	{ 0xff000000, 0x24000000, Z, 0, 0 },                   /* comparisons */
	{ 0xff204000, 0x25000000, Z, 0, 0 },                   /* with numbers */
	{ 0xff204000, 0x25004000, 0, 0, 0 },                   /* logic, breaks, ptrue, rdffr */
	{ 0xff20e000, 0x25200000, N | M, 0, 0 },               /* whilelt and its kin */
	{ 0xffa0fc0f, 0x25a02000, N | M | INTEGER, 0, 0 },     /* ctermeq, ctermne */
	{ 0xff20fc00, 0x25203000, N | M, 0, 0 },               /* whilewr, whilerw */
	{ 0xff3fc200, 0x25208000, SETS_D | INTEGER, 0, 0 },    /* cntp */
	{ 0xff3cfe00, 0x25288000, Z, 0, 0 },                   /* sqincp and its kin, of vectors */
	{ 0xff3efe00, 0x252c8000, Z, 0, 0 },                   /* incp, decp */
	{ 0xff3cfa00, 0x25288800, CHANGES_D | INTEGER, 0, 0 }, /* the same, of registers */
	{ 0xff3efe00, 0x252c8800, CHANGES_D | INTEGER, 0, 0 }, /* incp, decp */
	{ 0xfffffe1f, 0x25289000, 0, 0, 0 },                   /* wrffr */
	{ 0xffffffff, 0x252c9000, 0, 0, 0 },                   /* setffr */
	{ 0xff20c000, 0x2520c000, Z, 0, 0 },                   /* with numbers */
	{ 0xfe000000, 0x44000000, Z, 0, 0 },                   /* products; SVE2 */
};

/* The highest eight bits are 0x64. */
static const struct group products[] = {
	{ 0xff208000, 0x64000000, Z | ACTIVE | BY_SIZE, FP(MULTIPLY_ADD, 2) }, /* fcmla */
	{ 0xff3ee000, 0x64008000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fcadd */
	{ 0xff3fe000, 0x64108000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* faddp */
	{ 0xff3ce000, 0x64148000, Z | ACTIVE | BY_SIZE, FP(OTHER, 1) },        /* fmaxp and its kin */
	{ 0xff3ce000, 0x6408a000, Z, 0, 0 },                                   /* fcvtnt, fcvtlt */
	{ 0xff20f800, 0x64200000, Z | BY_HALF, FP(MULTIPLY_ADD, 2) },          /* fmla, fmls by an element */
	{ 0xffa0f000, 0x64a01000, Z | BY_NEXT, FP(MULTIPLY_ADD, 2) },          /* fcmla */
	{ 0xff20fc00, 0x64202000, Z | BY_HALF, FP(MULTIPLY, 1) },              /* fmul */
	{ 0xffe0fc00, 0x64604000, Z | SINGLE, FP(OTHER, 4) },                  /* bfdot */
	{ 0xffe0fc00, 0x64608000, Z | SINGLE, FP(OTHER, 4) },                  /* of vectors */
	{ 0xffe0d000, 0x64a04000, Z | SINGLE, FP(MULTIPLY_ADD, 2) },           /* fmlalb and its kin */
	{ 0xffe0d800, 0x64a08000, Z | SINGLE, FP(MULTIPLY_ADD, 2) },           /* of vectors */
	{ 0xffe0f000, 0x64e04000, Z | SINGLE, FP(MULTIPLY_ADD, 2) },           /* bfmlalb, bfmlalt */
	{ 0xffe0f800, 0x64e08000, Z | SINGLE, FP(MULTIPLY_ADD, 2) },           /* of vectors */
	{ 0xffe0fc00, 0x6460e400, Z | SINGLE, FP(OTHER, 8) },                  /* bfmmla */
	{ 0xffa0fc00, 0x64a0e400, Z | BY_BIT, FP(MULTIPLY_ADD, 4) },           /* fmmla */
};

/* The highest eight bits are 0x65. */
static const struct group arithmetic[] = {
	{ 0xff20f800, 0x65000000, Z | BY_SIZE, FP(ADD, 1) },                   /* fadd, fsub */
	{ 0xff20f800, 0x65000800, Z | BY_SIZE, FP(MULTIPLY, 1) },              /* fmul, ftsmul */
	{ 0xff20f800, 0x65001800, Z | BY_SIZE, FP(OTHER, 2) },                 /* frecps, frsqrts */
	{ 0xff3fe000, 0x65002000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* faddv */
	{ 0xff3ce000, 0x65042000, Z | ACTIVE | BY_SIZE, FP(OTHER, 1) },        /* fmaxv and its kin */
	{ 0xff3ffc00, 0x650e3000, Z | BY_SIZE, FP(INVERSE, 1) },               /* frecpe */
	{ 0xff3ffc00, 0x650f3000, Z | BY_SIZE, FP(OTHER, 1) },                 /* frsqrte */
	{ 0xff3ce000, 0x65102000, Z, 0, 0 },                                   /* comparisons with 0 */
	{ 0xff3fe000, 0x65182000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fadda */
	{ 0xff204000, 0x65004000, Z, 0, 0 },                                   /* comparisons */
	{ 0xff3ee000, 0x65008000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fadd, fsub */
	{ 0xff3fe000, 0x65028000, Z | ACTIVE | BY_SIZE, FP(MULTIPLY, 1) },     /* fmul */
	{ 0xff3fe000, 0x65038000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fsubr */
	{ 0xff3ce000, 0x65048000, Z | ACTIVE | BY_SIZE, FP(OTHER, 1) },        /* fmax and its kin */
	{ 0xff3fe000, 0x65088000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fabd */
	{ 0xff3fe000, 0x65098000, Z, 0, 0 },                                   /* fscale */
	{ 0xff3fe000, 0x650a8000, Z | ACTIVE | BY_SIZE, FP(MULTIPLY, 1) },     /* fmulx */
	{ 0xff3ee000, 0x650c8000, Z | ACTIVE | BY_SIZE, FP(DIVIDE, 1) },       /* fdiv, fdivr */
	{ 0xff38fc00, 0x65108000, Z | BY_SIZE, FP(MULTIPLY_ADD, 2) },          /* ftmad */
	{ 0xff3ee3c0, 0x65188000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fadd, fsub of a number */
	{ 0xff3fe3c0, 0x651a8000, Z | ACTIVE | BY_SIZE, FP(MULTIPLY, 1) },     /* fmul */
	{ 0xff3fe3c0, 0x651b8000, Z | ACTIVE | BY_SIZE, FP(ADD, 1) },          /* fsubr */
	{ 0xff3ce3c0, 0x651c8000, Z | ACTIVE | BY_SIZE, FP(OTHER, 1) },        /* fmax and its kin */
	{ 0xff3fe000, 0x650da000, Z | ACTIVE | BY_SIZE, FP(SQUARE_ROOT, 1) },  /* fsqrt */
	{ 0xff20e000, 0x6500a000, Z, 0, 0 },                                   /* conversions, rounding, frecpx */
	{ 0xff200000, 0x65200000, Z | ACTIVE | BY_SIZE, FP(MULTIPLY_ADD, 2) }, /* fmla and its kin */
};

/* The highest eight bits are 0x84, 0x85, 0xc4, 0xc5, 0xa4, 0xa5. */
static const struct group loads[] = {
	/* Of 32 bits, and what has no offsets in vectors. */
	{ 0xffc0e010, 0x85800000, N | LOADS, 0, 0 },          /* ldr of a predicate */
	{ 0xffc0e000, 0x85804000, Z | N | LOADS, 0, 0 },      /* ldr */
	{ 0xffc08010, 0x85c00000, N | PREFETCHES, 0, 0 },     /* prfb, of a number */
	{ 0xfe60e010, 0x8400c000, N | M | PREFETCHES, 0, 0 }, /* of a register */
	{ 0xfe60e010, 0x8400e000, Z | PREFETCHES, 0, 0 },     /* at addresses in vectors */
	{ 0xffa08010, 0x84200000, Z | N | PREFETCHES, 0, 0 }, /* at offsets in vectors */
	{ 0xfe60c000, 0x84008000, Z | M | LOADS, 0, 0 },      /* ldnt1b */
	{ 0xfe408000, 0x84408000, Z | N | LOADS, 0, 0 },      /* ld1rb */
	{ 0xfe608000, 0x84208000, Z | LOADS, 0, 0 },          /* ld1b at addresses in vectors */
	{ 0xff208000, 0x84000000, Z | N | LOADS, 0, 0 },      /* at offsets in vectors: of bytes */
	{ 0xffa08000, 0x84800000, Z | N | LOADS, 0, 0 },      /* halves */
	{ 0xffa08000, 0x84a00000, Z | N | LOADS, 0, 0 },      /* scaled */
	{ 0xffa08000, 0x85200000, Z | N | LOADS, 0, 0 },      /* words, scaled */
	{ 0xff608000, 0x85000000, Z | N | LOADS, 0, 0 },      /* words */
	{ 0xff608000, 0x85400000, Z | N | LOADS, 0, 0 },      /* with signs */
	/* Of 64 bits. */
	{ 0xfe60e010, 0xc400e000, Z | PREFETCHES, 0, 0 },     /* prfb at addresses in vectors */
	{ 0xffa08010, 0xc4200000, Z | N | PREFETCHES, 0, 0 }, /* at offsets of 32 bits */
	{ 0xffe08010, 0xc4608000, Z | N | PREFETCHES, 0, 0 }, /* of 64 bits */
	{ 0xfe60a000, 0xc4008000, Z | M | LOADS, 0, 0 },      /* ldnt1b */
	{ 0xfe608000, 0xc4208000, Z | LOADS, 0, 0 },          /* ld1b at addresses in vectors */
	{ 0xfe208000, 0xc4000000, Z | N | LOADS, 0, 0 },      /* at offsets of 32 bits */
	{ 0xfe208000, 0xc4200000, Z | N | LOADS, 0, 0 },      /* scaled */
	{ 0xfe408000, 0xc4408000, Z | N | LOADS, 0, 0 },      /* of 64 bits, scaled or not */
	/* Of elements in a row. */
	{ 0xfe40e000, 0xa4000000, Z | N | M | LOADS, 0, 0 }, /* ld1rqb, ld1rob */
	{ 0xfe50e000, 0xa4002000, Z | N | LOADS, 0, 0 },     /* of a number */
	{ 0xfe00e000, 0xa4004000, Z | N | M | LOADS, 0, 0 }, /* ld1b */
	{ 0xfe00e000, 0xa4006000, Z | N | M | LOADS, 0, 0 }, /* ldff1b */
	{ 0xfe00e000, 0xa400a000, Z | N | LOADS, 0, 0 },     /* ld1b, ldnf1b */
	{ 0xfe00e000, 0xa400c000, Z | N | M | LOADS, 0, 0 }, /* ldnt1b, ld2b to ld4b */
	{ 0xfe10e000, 0xa400e000, Z | N | LOADS, 0, 0 },     /* of a number */
};

/* The highest eight bits are 0xe4 or 0xe5. */
static const struct group stores[] = {
	{ 0xffc0e010, 0xe5800000, N | STORES, 0, 0 },         /* str of a predicate */
	{ 0xffc0e000, 0xe5804000, Z | N | STORES, 0, 0 },     /* str */
	{ 0xfe20e000, 0xe4002000, Z | M | STORES, 0, 0 },     /* stnt1b */
	{ 0xfe00e000, 0xe4004000, Z | N | M | STORES, 0, 0 }, /* st1b */
	{ 0xfe00e000, 0xe4006000, Z | N | M | STORES, 0, 0 }, /* stnt1b, st2b to st4b */
	{ 0xfe00a000, 0xe4008000, Z | N | STORES, 0, 0 },     /* at offsets in vectors */
	{ 0xfe40e000, 0xe400a000, Z | N | STORES, 0, 0 },     /* at offsets of 64 bits */
	{ 0xfe40e000, 0xe440a000, Z | STORES, 0, 0 },         /* at addresses in vectors */
	{ 0xfe00e000, 0xe400e000, Z | N | STORES, 0, 0 },     /* st1b to st4b, of a number */
};

static const struct group *find(uint32_t word, const struct group *groups, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (papi_a64_matches(word, groups[i].mask, groups[i].value))
			return &groups[i];
	return NULL;
}

static const struct group *group_of(uint32_t word)
{
	switch (papi_a64_bits(word, 31, 24)) {
	case 0x04:
	case 0x05:
		return find(word, integers, COUNT_OF(integers));
	case 0x24:
	case 0x25:
	case 0x44:
	case 0x45:
		return find(word, predicates, COUNT_OF(predicates));
	case 0x64:
		return find(word, products, COUNT_OF(products));
	case 0x65:
		return find(word, arithmetic, COUNT_OF(arithmetic));
	case 0xe4:
	case 0xe5:
		return find(word, stores, COUNT_OF(stores));
	default:
		return find(word, loads, COUNT_OF(loads));
	}
}

/* Of what floating-point arithmetic is. */
static enum papi_a64_element element_of(uint32_t word, unsigned uses)
{
	static const uint8_t by_size[] = { PAPI_A64_NO_ELEMENT, PAPI_A64_HALF, PAPI_A64_SINGLE, PAPI_A64_DOUBLE };
	unsigned low = papi_a64_bit(word, 22);

	if (uses & BY_SIZE)
		return by_size[papi_a64_bits(word, 23, 22)];
	if (uses & BY_NEXT)
		return low ? PAPI_A64_SINGLE : PAPI_A64_HALF;
	if (uses & BY_HALF && !papi_a64_bit(word, 23))
		return PAPI_A64_HALF;
	return low && !(uses & SINGLE) ? PAPI_A64_DOUBLE : PAPI_A64_SINGLE;
}

void papi_a64_decode_scalable(uint32_t word, struct papi_a64_instruction *i)
{
	const struct group *group = group_of(word);
	uint32_t d = PAPI_A64_D(word);

	i->work_is_unknown = true;
	i->memory_is_unknown = papi_a64_matches(word, 0xff20f800, 0x04205800); /* of matrices: addsvl, rdsvl */
	if (!group || (group->operations && element_of(word, group->uses) == PAPI_A64_NO_ELEMENT))
		return;
	i->work_is_unknown = false;
	papi_a64_uses(i,
		(group->uses & N ? PAPI_A64_N(word) : 0) | (group->uses & M ? PAPI_A64_M(word) : 0) |
			(group->uses & CHANGES_D ? d : 0),
		group->uses & (SETS_D | CHANGES_D) ? d : 0);
	i->loads = group->uses & LOADS ? 1 : 0;
	i->stores = group->uses & STORES ? 1 : 0;
	i->prefetches = group->uses & PREFETCHES;
	i->is_integer = group->uses & INTEGER;
	i->is_vector = group->uses & Z;
	i->is_scalable = true;
	i->is_prefix = group->uses & PREFIX;
	if (i->loads || i->stores || i->prefetches)
		papi_a64_decode_scalable_memory(word, i);
	if (!group->operations)
		return;
	i->element = (uint8_t)element_of(word, group->uses);
	i->calculation = group->calculation;
	i->operations = group->operations;
	i->by_predicate = group->uses & ACTIVE;
}
