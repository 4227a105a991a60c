/* SPDX-License-Identifier: BSD-3-Clause */
/* Every counter of every kind of instruction, from its bytes: what is not named must stay 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "components/vpmu/classify.h"

/* The expectation: counters and what each gets, or for a rep string "each" with loads and stores of an iteration. */
struct row {
	const char *text, *bytes, *expected;
};

#define NAME(counter) [PAPI_VPMU_##counter] = #counter

static const char *const names[PAPI_VPMU_FIRST_MODELLED] = {
	NAME(INSTRUCTIONS),
	NAME(LOADS),
	NAME(STORES),
	NAME(BRANCHES_CONDITIONAL),
	NAME(BRANCHES_TAKEN),
	NAME(BRANCHES_UNCONDITIONAL),
	NAME(CALLS),
	NAME(RETURNS),
	NAME(SYSTEM_CALLS),
	NAME(INTEGER),
	NAME(VECTOR),
	NAME(FP_INSTRUCTIONS),
	NAME(FP_SCALAR_SINGLE),
	NAME(FP_SCALAR_DOUBLE),
	NAME(FP_128_SINGLE),
	NAME(FP_128_DOUBLE),
	NAME(FP_256_SINGLE),
	NAME(FP_256_DOUBLE),
	NAME(FP_512_SINGLE),
	NAME(FP_512_DOUBLE),
	NAME(FP_X87),
	NAME(FMA),
	NAME(FP_MULTIPLIES),
	NAME(FP_ADDS),
	NAME(FP_DIVIDES),
	NAME(FP_SQUARE_ROOTS),
	NAME(FENCES),
	NAME(ATOMICS),
	NAME(FP_HALF),
	NAME(FP_INVERSES),
	NAME(VECTOR_SINGLE),
	NAME(VECTOR_DOUBLE),
	NAME(BRANCHES_INDIRECT),
	NAME(PREFETCHES),
};

static const struct row rows[] = {
	{ "mov %rax, %rbx", "48 89 c3", "" },
	{ "mov (%rax), %rbx", "48 8b 18", "LOADS 1" },
	{ "mov %rbx, 8(%rax,%rcx,4)", "48 89 5c 88 08", "STORES 1" },
	{ "movzbl (%rax), %ebx", "0f b6 18", "LOADS 1" },
	{ "mov %fs:0, %rax", "64 48 8b 04 25 00 00 00 00", "LOADS 1" },
	{ "add $1, (%rax)", "48 83 00 01", "LOADS 1 STORES 1 INTEGER 1" },
	{ "add %rax, %rbx", "48 01 c3", "INTEGER 1" },
	{ "cmp (%rax), %rbx", "48 3b 18", "LOADS 1 INTEGER 1" },
	{ "test %rax, %rax", "48 85 c0", "INTEGER 1" },
	{ "inc (%rax)", "ff 00", "LOADS 1 STORES 1 INTEGER 1" },
	{ "neg %eax", "f7 d8", "INTEGER 1" },
	{ "imul $3, (%rax), %rbx", "48 6b 18 03", "LOADS 1 INTEGER 1" },
	{ "div %rcx", "48 f7 f1", "INTEGER 1" },
	{ "shl $3, %rax", "48 c1 e0 03", "INTEGER 1" },
	{ "ror %cl, (%rax)", "d3 08", "LOADS 1 STORES 1 INTEGER 1" },
	{ "bt %rax, (%rbx)", "48 0f a3 03", "LOADS 1 INTEGER 1" },
	{ "bts %rax, (%rbx)", "48 0f ab 03", "LOADS 1 STORES 1 INTEGER 1" },
	{ "andn %rax, %rbx, %rcx", "c4 e2 e0 f2 c8", "INTEGER 1" },
	{ "pdep (%rax), %rbx, %rcx", "c4 e2 e3 f5 08", "LOADS 1 INTEGER 1" },
	{ "lzcnt %rax, %rbx", "f3 48 0f bd d8", "INTEGER 1" },
	{ "popcnt (%rax), %rbx", "f3 48 0f b8 18", "LOADS 1 INTEGER 1" },
	{ "crc32 %rax, %rbx", "f2 48 0f 38 f1 d8", "INTEGER 1" },
	{ "adcx %rax, %rbx", "66 48 0f 38 f6 d8", "INTEGER 1" },
	{ "cqo", "48 99", "INTEGER 1" },
	{ "lea 8(%rax), %rbx", "48 8d 58 08", "INTEGER 1" },
	{ "cmove (%rax), %rbx", "48 0f 44 18", "LOADS 1" },
	{ "sete (%rax)", "0f 94 00", "STORES 1" },
	{ "bswap %rax", "48 0f c8", "" },
	{ "xchg %rax, %rbx", "48 93", "" },
	{ "xchg %rax, (%rbx)", "48 87 03", "LOADS 1 STORES 1 ATOMICS 1" },
	{ "lock addq $1, (%rax)", "f0 48 83 00 01", "LOADS 1 STORES 1 INTEGER 1 ATOMICS 1" },
	{ "lock cmpxchg %rcx, (%rax)", "f0 48 0f b1 08", "LOADS 1 STORES 1 INTEGER 1 ATOMICS 1" },
	{ "cmpxchg %rcx, (%rax)", "48 0f b1 08", "LOADS 1 STORES 1 INTEGER 1" },
	{ "lock cmpxchg16b (%rax)", "f0 48 0f c7 08", "LOADS 1 STORES 1 INTEGER 1 ATOMICS 1" },
	{ "lock xadd %rax, (%rbx)", "f0 48 0f c1 03", "LOADS 1 STORES 1 INTEGER 1 ATOMICS 1" },
	{ "push %rax", "50", "STORES 1" },
	{ "push (%rax)", "ff 30", "LOADS 1 STORES 1" },
	{ "push $1", "6a 01", "STORES 1" },
	{ "pop %rax", "58", "LOADS 1" },
	{ "pop (%rax)", "8f 00", "LOADS 1 STORES 1" },
	{ "pushf", "9c", "STORES 1" },
	{ "popf", "9d", "LOADS 1" },
	{ "leave", "c9", "LOADS 1" },
	{ "enter $16, $0", "c8 10 00 00", "STORES 1" },
	{ "call rel32", "e8 3b 00 00 00", "STORES 1 BRANCHES_UNCONDITIONAL 1 CALLS 1" },
	{ "call *%rax", "ff d0", "STORES 1 BRANCHES_UNCONDITIONAL 1 CALLS 1 BRANCHES_INDIRECT 1" },
	{ "call *8(%rax)", "ff 50 08", "LOADS 1 STORES 1 BRANCHES_UNCONDITIONAL 1 CALLS 1 BRANCHES_INDIRECT 1" },
	{ "ret", "c3", "LOADS 1 BRANCHES_UNCONDITIONAL 1 RETURNS 1" },
	{ "repz ret", "f3 c3", "LOADS 1 BRANCHES_UNCONDITIONAL 1 RETURNS 1" },
	{ "ret $8", "c2 08 00", "LOADS 1 BRANCHES_UNCONDITIONAL 1 RETURNS 1" },
	{ "jmp rel8", "eb 0e", "BRANCHES_UNCONDITIONAL 1" },
	{ "jmp *%rax", "ff e0", "BRANCHES_UNCONDITIONAL 1 BRANCHES_INDIRECT 1" },
	{ "jmp *(%rax,%rcx,8)", "ff 24 c8", "LOADS 1 BRANCHES_UNCONDITIONAL 1 BRANCHES_INDIRECT 1" },
	{ "je rel8", "74 0e", "BRANCHES_CONDITIONAL 1" },
	{ "jae rel32", "0f 83 fa 03 00 00", "BRANCHES_CONDITIONAL 1" },
	{ "jrcxz", "e3 0e", "BRANCHES_CONDITIONAL 1" },
	{ "loop", "e2 0e", "BRANCHES_CONDITIONAL 1" },
	{ "xbegin", "c7 f8 3a 00 00 00", "" },
	{ "xend", "0f 01 d5", "" },
	{ "syscall", "0f 05", "SYSTEM_CALLS 1" },
	{ "int $0x80", "cd 80", "SYSTEM_CALLS 1" },
	{ "int3", "cc", "" },
	{ "nop", "90", "" },
	{ "nopw (%rax,%rax)", "66 0f 1f 04 00", "" },
	{ "endbr64", "f3 0f 1e fa", "" },
	{ "pause", "f3 90", "" },
	{ "rdtsc", "0f 31", "" },
	{ "movsb", "a4", "LOADS 1 STORES 1" },
	{ "rep movsq", "f3 48 a5", "each 1 1" },
	{ "rep stosb", "f3 aa", "each 0 1" },
	{ "stosb", "aa", "STORES 1" },
	{ "rep lodsb", "f3 ac", "each 1 0" },
	{ "repe cmpsb", "f3 a6", "each 2 0" },
	{ "repne scasb", "f2 ae", "each 1 0" },
	{ "cmpsb", "a6", "LOADS 2" },
	{ "scasb", "ae", "LOADS 1" },
	{ "xlat", "d7", "LOADS 1" },
	{ "mfence", "0f ae f0", "FENCES 1" },
	{ "lfence", "0f ae e8", "FENCES 1" },
	{ "sfence", "0f ae f8", "FENCES 1" },
	{ "prefetcht0 (%rax)", "0f 18 08", "PREFETCHES 1" },
	{ "prefetchnta 64(%rax)", "0f 18 40 40", "PREFETCHES 1" },
	{ "prefetchw (%rax)", "0f 0d 08", "PREFETCHES 1" },
	{ "clflush (%rax)", "0f ae 38", "" },
	{ "clflushopt (%rax)", "66 0f ae 38", "" },
	{ "clwb (%rax)", "66 0f ae 30", "" },
	{ "fld (%rax)", "dd 00", "LOADS 1" },
	{ "fstp (%rax)", "dd 18", "STORES 1" },
	{ "fld %st(1)", "d9 c1", "" },
	{ "fild (%rax)", "df 28", "LOADS 1" },
	{ "fxch", "d9 c9", "" },
	{ "faddp", "de c1", "FP_INSTRUCTIONS 1 FP_X87 1 FP_ADDS 1" },
	{ "fadd (%rax)", "dc 00", "LOADS 1 FP_INSTRUCTIONS 1 FP_X87 1 FP_ADDS 1" },
	{ "fsubr", "d8 e9", "FP_INSTRUCTIONS 1 FP_X87 1 FP_ADDS 1" },
	{ "fmul", "d8 c9", "FP_INSTRUCTIONS 1 FP_X87 1 FP_MULTIPLIES 1" },
	{ "fidiv (%rax)", "da 30", "LOADS 1 FP_INSTRUCTIONS 1 FP_X87 1 FP_DIVIDES 1" },
	{ "fsqrt", "d9 fa", "FP_INSTRUCTIONS 1 FP_X87 1 FP_SQUARE_ROOTS 1" },
	{ "fsin", "d9 fe", "FP_INSTRUCTIONS 1 FP_X87 1" },
	{ "fcomip", "df f1", "" },
	{ "fabs", "d9 e1", "" },
	{ "fnstcw (%rax)", "d9 38", "STORES 1" },
	{ "fldcw (%rax)", "d9 28", "LOADS 1" },
	{ "movss (%rax), %xmm0", "f3 0f 10 00", "LOADS 1" },
	{ "movsd %xmm0, (%rax)", "f2 0f 11 00", "STORES 1" },
	{ "movd %eax, %xmm0", "66 0f 6e c0", "" },
	{ "movq %xmm0, %rax", "66 48 0f 7e c0", "" },
	{ "movaps %xmm1, (%rax)", "0f 29 08", "STORES 1 VECTOR 1" },
	{ "movdqu (%rax), %xmm1", "f3 0f 6f 08", "LOADS 1 VECTOR 1" },
	{ "addsd (%rax), %xmm1", "f2 0f 58 08", "LOADS 1 FP_INSTRUCTIONS 1 FP_SCALAR_DOUBLE 1 FP_ADDS 1" },
	{ "subss %xmm0, %xmm1", "f3 0f 5c c8", "FP_INSTRUCTIONS 1 FP_SCALAR_SINGLE 1 FP_ADDS 1" },
	{ "mulsd %xmm0, %xmm1", "f2 0f 59 c8", "FP_INSTRUCTIONS 1 FP_SCALAR_DOUBLE 1 FP_MULTIPLIES 1" },
	{ "divss %xmm0, %xmm1", "f3 0f 5e c8", "FP_INSTRUCTIONS 1 FP_SCALAR_SINGLE 1 FP_DIVIDES 1" },
	{ "sqrtsd %xmm0, %xmm1", "f2 0f 51 c8", "FP_INSTRUCTIONS 1 FP_SCALAR_DOUBLE 1 FP_SQUARE_ROOTS 1" },
	{ "minsd %xmm0, %xmm1", "f2 0f 5d c8", "FP_INSTRUCTIONS 1 FP_SCALAR_DOUBLE 1" },
	{ "ucomisd %xmm0, %xmm1", "66 0f 2e c8", "" },
	{ "cmpltsd %xmm0, %xmm1", "f2 0f c2 c8 01", "" },
	{ "cmpltpd %xmm0, %xmm1", "66 0f c2 c8 01", "VECTOR 1" },
	{ "cvtsi2sd (%rax), %xmm0", "f2 48 0f 2a 00", "LOADS 1" },
	{ "cvttsd2si %xmm0, %rax", "f2 48 0f 2c c0", "" },
	{ "cvtdq2pd %xmm0, %xmm1", "f3 0f e6 c8", "VECTOR 1" },
	{ "roundsd $1, %xmm0, %xmm1", "66 0f 3a 0b c8 01", "" },
	{ "addps %xmm0, %xmm1", "0f 58 c8", "VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_128_SINGLE 4 FP_ADDS 1" },
	{ "mulpd (%rax), %xmm1", "66 0f 59 08",
		"LOADS 1 VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_128_DOUBLE 2 FP_MULTIPLIES 1" },
	{ "haddpd %xmm0, %xmm1", "66 0f 7c c8",
		"VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_128_DOUBLE 2 FP_ADDS 1" },
	{ "dpps $1, %xmm0, %xmm1", "66 0f 3a 40 c8 01", "VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_128_SINGLE 8" },
	{ "rcpps %xmm0, %xmm1", "0f 53 c8",
		"VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_128_SINGLE 4 FP_INVERSES 1" },
	{ "rsqrtss %xmm0, %xmm1", "f3 0f 52 c8", "FP_INSTRUCTIONS 1 FP_SCALAR_SINGLE 1" },
	{ "andpd %xmm0, %xmm1", "66 0f 54 c8", "VECTOR 1" },
	{ "pand %xmm0, %xmm1", "66 0f db c8", "VECTOR 1" },
	{ "paddd (%rax), %xmm1", "66 0f fe 08", "LOADS 1 VECTOR 1" },
	{ "paddb %mm0, %mm1", "0f fc c8", "VECTOR 1" },
	{ "maskmovdqu %xmm0, %xmm1", "66 0f f7 c8", "STORES 1 VECTOR 1" },
	{ "pxor %xmm0, %xmm0", "66 0f ef c0", "VECTOR 1" },
	{ "emms", "0f 77", "" },
	{ "vaddsd %xmm2, %xmm1, %xmm3", "c5 f3 58 da", "FP_INSTRUCTIONS 1 FP_SCALAR_DOUBLE 1 FP_ADDS 1" },
	{ "vmovsd (%rax), %xmm0", "c5 fb 10 00", "LOADS 1" },
	{ "vaddps %ymm0, %ymm1, %ymm2", "c5 f4 58 d0",
		"VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_256_SINGLE 8 FP_ADDS 1" },
	{ "vdivpd (%rax), %ymm1, %ymm2", "c5 f5 5e 10",
		"LOADS 1 VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_256_DOUBLE 4 FP_DIVIDES 1" },
	{ "vsqrtpd %ymm1, %ymm2", "c5 fd 51 d1",
		"VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_256_DOUBLE 4 FP_SQUARE_ROOTS 1" },
	{ "vfmadd231pd (%rax), %ymm1, %ymm2", "c4 e2 f5 b8 10",
		"LOADS 1 VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_256_DOUBLE 8 FMA 1" },
	{ "vfnmsub132ss %xmm0, %xmm1, %xmm2", "c4 e2 71 9f d0", "FP_INSTRUCTIONS 1 FP_SCALAR_SINGLE 2 FMA 1" },
	{ "vfmaddsub213ps %xmm0, %xmm1, %xmm2", "c4 e2 71 a6 d0",
		"VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_128_SINGLE 8 FMA 1" },
	{ "vpaddd %ymm1, %ymm2, %ymm3", "c5 ed fe d9", "VECTOR 1" },
	{ "vpxor %ymm1, %ymm2, %ymm3", "c5 ed ef d9", "VECTOR 1" },
	{ "vzeroupper", "c5 f8 77", "" },
	{ "vbroadcastsd (%rax), %ymm0", "c4 e2 7d 19 00", "LOADS 1 VECTOR 1" },
	{ "vgatherdpd %ymm0, (%rax,%xmm1,8), %ymm2", "c4 e2 fd 92 14 c8", "LOADS 1 VECTOR 1" },
	{ "vmaskmovps %ymm1, %ymm0, (%rax)", "c4 e2 7d 2e 08", "STORES 1 VECTOR 1" },
	{ "vaddpd %zmm1, %zmm2, %zmm3", "62 f1 ed 48 58 d9",
		"VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_512_DOUBLE 8 FP_ADDS 1" },
	{ "vaddpd %zmm1, %zmm2, %zmm3{%k1}", "62 f1 ed 49 58 d9",
		"VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_512_DOUBLE 8 FP_ADDS 1" },
	{ "vmulps (%rax){1to16}, %zmm1, %zmm2", "62 f1 74 58 59 10",
		"LOADS 1 VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_512_SINGLE 16 FP_MULTIPLIES 1" },
	{ "vfmadd213ps %zmm0, %zmm1, %zmm2", "62 f2 75 48 a8 d0",
		"VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_512_SINGLE 32 FMA 1" },
	{ "vaddpd %xmm17, %xmm18, %xmm19", "62 a1 ed 00 58 d9",
		"VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_128_DOUBLE 2 FP_ADDS 1" },
	{ "vaddsd %xmm17, %xmm18, %xmm19{%k1}", "62 a1 ef 01 58 d9", "FP_INSTRUCTIONS 1 FP_SCALAR_DOUBLE 1 FP_ADDS 1" },
	{ "vrcp14pd %zmm0, %zmm1", "62 f2 fd 48 4c c8",
		"VECTOR 1 VECTOR_DOUBLE 1 FP_INSTRUCTIONS 1 FP_512_DOUBLE 8 FP_INVERSES 1" },
	{ "vaddph %zmm0, %zmm1, %zmm2", "62 f5 74 48 58 d0", "VECTOR 1 FP_INSTRUCTIONS 1 FP_HALF 32 FP_ADDS 1" },
	{ "vfmadd231sh %xmm0, %xmm1, %xmm2", "62 f6 75 08 b9 d0", "FP_INSTRUCTIONS 1 FP_HALF 2 FMA 1" },
	{ "vdpbf16ps %zmm0, %zmm1, %zmm2", "62 f2 76 48 52 d0",
		"VECTOR 1 VECTOR_SINGLE 1 FP_INSTRUCTIONS 1 FP_512_SINGLE 64" },
	{ "vpdpwssd %zmm0, %zmm1, %zmm2", "62 f2 75 48 52 d0", "VECTOR 1" },
	{ "vcvtps2pd %ymm0, %zmm1", "62 f1 7c 48 5a c8", "VECTOR 1" },
	{ "vcmppd $1, %zmm0, %zmm1, %k1", "62 f1 f5 48 c2 c8 01", "VECTOR 1" },
	{ "vpscatterdd %zmm0, (%rax,%zmm1,4){%k1}", "62 f2 7d 49 a0 04 88", "STORES 1 VECTOR 1" },
	{ "vcompresspd %zmm0, (%rax){%k1}", "62 f2 fd 49 8a 00", "STORES 1 VECTOR 1" },
	{ "kmovq %k1, %rax", "c4 e1 fb 93 c1", "" },
	{ "kandw %k1, %k2, %k3", "c5 ec 41 d9", "" },
	{ "aesenc %xmm0, %xmm1", "66 0f 38 dc c8", "VECTOR 1" },
	{ "pclmulqdq $1, %xmm0, %xmm1", "66 0f 3a 44 c8 01", "VECTOR 1" },
	{ "xsave (%rax)", "0f ae 20", "LOADS 1 STORES 1" },
	{ "fxrstor (%rax)", "0f ae 08", "LOADS 1" },
	{ "rdrand %rax", "48 0f c7 f0", "" },
};

static void decode(const char *bytes, struct papi_vpmu_class *class)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	unsigned char code[16];
	ZydisDecoder decoder;
	size_t length = 0;

	for (char *end; *bytes; bytes = end)
		code[length++] = (unsigned char)strtoul(bytes, &end, 16);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_true(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, length, &instruction, operands)));
	assert_int_equal(instruction.length, length);
	/* What was there before must not shine through. */
	memset(class, 0x55, sizeof(*class));
	papi_vpmu_classify(&instruction, operands, class);
}

static unsigned counter_named(const char *name, size_t length)
{
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], name, length))
			return i;
	fail_msg("the test names a counter that does not exist: %s", name);
	return 0;
}

static void expect(const char *text, struct papi_vpmu_class *class)
{
	*class = (struct papi_vpmu_class){ .counts[PAPI_VPMU_INSTRUCTIONS] = 1 };
	if (sscanf(text, "each %hhu %hhu", &class->loads_each, &class->stores_each) == 2)
		return;
	while (*text) {
		size_t length = strcspn(text, " ");
		unsigned counter = counter_named(text, length);
		char *end;

		class->counts[counter] = (unsigned char)strtoul(text + length, &end, 10);
		text = end + strspn(end, " ");
	}
}

static void each_instruction(void **state)
{
	struct papi_vpmu_class expected, class;
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		decode(rows[i].bytes, &class);
		expect(rows[i].expected, &expected);
		for (unsigned j = 0; j < PAPI_VPMU_FIRST_MODELLED; j++) {
			if (class.counts[j] == expected.counts[j])
				continue;
			print_error("%s: %s is %u and should be %u\n", rows[i].text, names[j], class.counts[j],
				expected.counts[j]);
			wrong++;
		}
		if (class.loads_each != expected.loads_each || class.stores_each != expected.stores_each) {
			print_error(
				"%s: %u loads and %u stores each\n", rows[i].text, class.loads_each, class.stores_each);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_instruction) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
