/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathers and scatters in the models. The first cache has one way and the size of a page, the TLB one entry, and the
 * elements are a page apart: each that the mask lets through misses both each time. Of the cache, that is one miss
 * altogether.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "virtual.h"

#define PAGE  4096
#define PAGES 20
#define TURNS 1000

struct work {
	char *base;
	const void *indexes, *mask; /* vectors */
	uint64_t bits;              /* the mask as a number */
	uint64_t turns;
	uint64_t result[8];
};

static char data[PAGES * PAGE] __attribute__((aligned(PAGE)));

#define OPERANDS                                                                                                   \
	: "+r"(turns)                                                                                               \
	: [base] "r"(work->base), [indexes] "r"(work->indexes), [mask] "r"(work->mask), [result] "r"(work->result)  \
	: "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3"

/* prepare comes once, again before each gather, which takes the mask away. clang-format would take turns between two
 * layouts. */
/* clang-format off */
#define FORM(name, prepare, again, instruction, finish) \
	static __attribute__((noinline)) void name(void *argument) \
	{ \
		struct work *work = argument; \
		uint64_t turns = work->turns; \
		\
		__asm__ volatile(prepare "\n" \
			"1:	" again "\n" \
			"	" instruction "\n" \
			"	dec %0\n" \
			"	jnz 1b\n" \
			"	" finish "\n" \
			"	vzeroupper\n" OPERANDS); \
	}
/* clang-format on */

#define PREPARE_AVX2 "vmovdqu (%[indexes]), %%ymm2\n vmovdqu (%[mask]), %%ymm3\n vpxor %%xmm0, %%xmm0, %%xmm0"
#define AGAIN_AVX2   "vmovdqa %%ymm3, %%ymm1"
#define FINISH_AVX2  "vmovdqu %%ymm0, (%[result])"

FORM(gather_dps, PREPARE_AVX2, AGAIN_AVX2, "vgatherdps %%ymm1, 64(%[base],%%ymm2,4), %%ymm0", FINISH_AVX2)
FORM(gather_dd_128, PREPARE_AVX2, AGAIN_AVX2, "vpgatherdd %%xmm1, (%[base],%%xmm2,4), %%xmm0", FINISH_AVX2)
FORM(gather_qps, PREPARE_AVX2, AGAIN_AVX2, "vgatherqps %%xmm1, (%[base],%%ymm2,8), %%xmm0", FINISH_AVX2)
FORM(gather_dpd, PREPARE_AVX2, AGAIN_AVX2, "vgatherdpd %%ymm1, -64(%[base],%%xmm2,4), %%ymm0", FINISH_AVX2)
FORM(gather_qq, PREPARE_AVX2, AGAIN_AVX2, "vpgatherqq %%ymm1, 8(%[base],%%ymm2,8), %%ymm0", FINISH_AVX2)

#define PREPARE_AVX512 \
	"vmovdqu64 (%[indexes]), %%zmm30\n kmovw %k[bits], %%k3\n vpxord %%zmm17, %%zmm17, %%zmm17\n mov %[base], %%r12"
#define AGAIN_AVX512  "kmovw %%k3, %%k2"
#define FINISH_AVX512 "vmovdqu64 %%zmm17, (%[result])"

#undef OPERANDS
#define OPERANDS                                                                                  \
	: "+r"(turns)                                                                                               \
	: [base] "r"(work->base), [indexes] "r"(work->indexes), [bits] "r"((uint32_t)work->bits),                   \
	  [result] "r"(work->result)                                                                                \
	: "memory", "cc", "r12"

FORM(gather_dps_512, PREPARE_AVX512, AGAIN_AVX512, "vgatherdps 64(%%r12,%%zmm30,4), %%zmm17%{%%k2%}", FINISH_AVX512)
FORM(gather_qpd_512, PREPARE_AVX512, AGAIN_AVX512, "vgatherqpd (%[base],%%zmm30,8), %%zmm17%{%%k2%}", FINISH_AVX512)
FORM(gather_dpd_512, PREPARE_AVX512, AGAIN_AVX512, "vgatherdpd (%[base],%%ymm30,4), %%zmm17%{%%k2%}", FINISH_AVX512)
FORM(gather_qps_512, PREPARE_AVX512, AGAIN_AVX512, "vgatherqps (%[base],%%zmm30,8), %%ymm17%{%%k2%}", FINISH_AVX512)
FORM(scatter_dps_512, PREPARE_AVX512, AGAIN_AVX512, "vscatterdps %%zmm17, 128(%%r12,%%zmm30,4)%{%%k2%}", FINISH_AVX512)
FORM(scatter_qq_512, PREPARE_AVX512, AGAIN_AVX512, "vpscatterqq %%zmm17, (%[base],%%zmm30,8)%{%%k2%}", FINISH_AVX512)

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") != 0;
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") != 0;
}

static const struct form {
	const char *name;
	void (*run)(void *work);
	bool (*can)(void);
	unsigned lanes, element, index; /* bytes */
	bool scatters;
} forms[] = {
	{ "vgatherdps 256", gather_dps, has_avx2, 8, 4, 4, false },
	{ "vpgatherdd 128", gather_dd_128, has_avx2, 4, 4, 4, false },
	{ "vgatherqps 256", gather_qps, has_avx2, 4, 4, 8, false },
	{ "vgatherdpd 256", gather_dpd, has_avx2, 4, 8, 4, false },
	{ "vpgatherqq 256", gather_qq, has_avx2, 4, 8, 8, false },
	{ "vgatherdps 512", gather_dps_512, has_avx512, 16, 4, 4, false },
	{ "vgatherqpd 512", gather_qpd_512, has_avx512, 8, 8, 8, false },
	{ "vgatherdpd 512", gather_dpd_512, has_avx512, 8, 8, 4, false },
	{ "vgatherqps 512", gather_qps_512, has_avx512, 8, 4, 8, false },
	{ "vscatterdps 512", scatter_dps_512, has_avx512, 16, 4, 4, true },
	{ "vpscatterqq 512", scatter_qq_512, has_avx512, 8, 8, 8, true },
};

/* Two are of reads, and behind it of writes. */
enum { MISSES, ACCESSES = MISSES + 2, PAGE_MISSES = ACCESSES + 2, COUNTED };

static int set;

static __attribute__((noinline)) void count(
	const struct form *form, struct work *work, uint64_t turns, long long values[COUNTED])
{
	work->turns = turns;
	REQUIRE_OK(PAPI_start(set));
	form->run(work);
	REQUIRE_OK(PAPI_stop(set, values));
}

/* Which elements the mask lets through, and how they lie. */
static void try_mask(const struct form *form, unsigned bits, int64_t stride, unsigned misses)
{
	int32_t narrow[16], signs[16] = { 0 };
	int64_t wide[8];
	struct work work = { .base = data + (stride < 0 ? PAGES - 2 : 1) * PAGE, .mask = signs, .bits = bits };
	unsigned lanes_of_mask = form->element / 4;
	uint64_t native[8];
	long long few[COUNTED], many[COUNTED];
	int failures = check_failures();

	for (unsigned i = 0; i < form->lanes; i++) {
		int64_t index = (int64_t)i * stride / (form->index == 4 ? 4 : 8);

		if (form->index == 4)
			narrow[i] = (int32_t)index;
		else
			wide[i] = index;
		signs[i * lanes_of_mask + lanes_of_mask - 1] = bits >> i & 1 && i * lanes_of_mask < 16 ? INT32_MIN : 0;
	}
	for (unsigned i = form->lanes; i < 16; i++)
		narrow[i] = 0;
	for (unsigned i = form->lanes; i < 8; i++)
		wide[i] = 0;
	work.indexes = form->index == 4 ? (const void *)narrow : wide;
	work.turns = 1;
	form->run(&work);
	memcpy(native, work.result, sizeof(native));
	for (int round = 0; round < 2; round++) {
		count(form, &work, TURNS, few); /* so that both begin with the same in the cache */
		count(form, &work, TURNS, few);
		count(form, &work, 2 * TURNS, many);
		for (unsigned i = 0; i < COUNTED; i++)
			many[i] -= few[i];
		EXPECT_EQUAL(misses ? TURNS : 0, many[MISSES + form->scatters]);
		EXPECT_EQUAL((long long)misses * TURNS, many[PAGE_MISSES]);
		EXPECT_EQUAL(TURNS, many[ACCESSES + form->scatters]);
		EXPECT_EQUAL(0, many[MISSES + !form->scatters]);
		EXPECT_EQUAL(0, many[ACCESSES + !form->scatters]);
		EXPECT(!memcmp(native, work.result, sizeof(native)));
		if (check_failures() == failures)
			continue;
		printf("    %s, mask %x, stride %lld\n", form->name, bits, (long long)stride);
		break;
	}
}

static unsigned ones(unsigned bits)
{
	return (unsigned)__builtin_popcount(bits);
}

static void test_forms(void)
{
	unsigned tried = 0;

	for (size_t i = 0; i < sizeof(data) / sizeof(uint32_t); i++)
		memcpy(data + 4 * i, &(uint32_t){ (uint32_t)i * 2654435761u }, 4);
	for (unsigned i = 0; i < COUNT_OF(forms); i++) {
		unsigned all = (1u << forms[i].lanes) - 1, some = 0xa5a6u & all;

		if (!forms[i].can())
			continue;
		tried++;
		try_mask(&forms[i], all, PAGE, forms[i].lanes);
		try_mask(&forms[i], all, -PAGE, forms[i].lanes);
		try_mask(&forms[i], some, PAGE, ones(some));
		try_mask(&forms[i], 3, PAGE, 2);
		try_mask(&forms[i], 2, PAGE, 0); /* one alone stays */
		try_mask(&forms[i], 0, PAGE, 0);
		try_mask(&forms[i], all, 0, 0); /* all the same */
	}
	if (!tried)
		check_skip("the processor has no gathers");
}

int main(void)
{
	static const char *const events[COUNTED] = { "vpmu:::L1D_READ_MISSES", "vpmu:::L1D_WRITE_MISSES",
		"vpmu:::LOADS", "vpmu:::STORES", "vpmu:::DTLB_MISSES" };
	static const struct test tests[] = { { "gathers and scatters", test_forms } };

	setenv("PAPI_VPMU_CACHE", "L1D=4K/1/64,DTLB=1/1", 1);
	if (!virtual_begin())
		return 77;
	set = PAPI_NULL;
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (unsigned i = 0; i < COUNTED; i++)
		REQUIRE_OK(PAPI_add_named_event(set, events[i]));
	return check_run(tests, COUNT_OF(tests));
}
