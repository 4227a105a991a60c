/* SPDX-License-Identifier: BSD-3-Clause */
#include "known_subjects.h"

#define SUBJECT(name, text)                          \
	void known_##name(void *);                   \
	__asm__(".text\n"                            \
		".balign 64\n"                       \
		".globl known_" #name "\n"           \
		"known_" #name ":\n" text "\tret\n"  \
		".type known_" #name ", @function\n" \
		".size known_" #name ", . - known_" #name "\n")

/* `times` accesses, `stride` bytes apart, and that `passes` times. */
#define WALK(access)                      \
	"\tmov (%rdi), %r8\n"             \
	"\tmov 8(%rdi), %r9\n"            \
	"\tmov 16(%rdi), %r10\n"          \
	"\tmov 24(%rdi), %r11\n"          \
	"\tmov 32(%rdi), %rsi\n"          \
	"1:\tmov %r8, %rax\n"             \
	"\tmov %r10, %rdx\n"              \
	"2:\n" access "\tadd %r9, %rax\n" \
	"\tdec %rdx\n"                    \
	"\tjnz 2b\n"                      \
	"\tdec %r11\n"                    \
	"\tjnz 1b\n"

SUBJECT(read, WALK("\tmov (%rax), %rcx\n"));
SUBJECT(write, WALK("\tmov %rcx, (%rax)\n"));
SUBJECT(sum, WALK("\taddsd (%rax), %xmm0\n"));
SUBJECT(copy, WALK("\tmov (%rax), %rcx\n\tmov %rcx, (%rax,%rsi)\n"));

/* In each pass a thousand branches that are taken, a thousand that are not, and the one of the loop. */
SUBJECT(branch,
	"\tmov 24(%rdi), %r11\n"
	"1:\txor %eax, %eax\n"
	"\t.rept 1000\n"
	"\tjz 2f\n"
	"\tnop\n"
	"2:\tjnz 3f\n"
	"\tnop\n"
	"3:\n"
	"\t.endr\n"
	"\tdec %r11\n"
	"\tjnz 1b\n");

/* Goes through the code of its area, `passes` times. */
SUBJECT(code,
	"\tmov (%rdi), %r8\n"
	"\tmov 24(%rdi), %r11\n"
	"1:\tcall *%r8\n"
	"\tdec %r11\n"
	"\tjnz 1b\n");

/* Some of everything; the area is three times 16 bytes of it. */
SUBJECT(mix,
	"\tmov (%rdi), %r8\n"
	"\tmov 24(%rdi), %r11\n"
	"\txorps %xmm0, %xmm0\n"
	"1:\tmovsd (%r8), %xmm1\n"
	"\tmulsd %xmm0, %xmm1\n"
	"\taddsd %xmm0, %xmm1\n"
	"\taddss %xmm0, %xmm2\n"
	"\taddpd %xmm0, %xmm0\n"
	"\tmulps %xmm0, %xmm0\n"
	"\tmulps %xmm0, %xmm0\n"
	"\tmovaps %xmm0, 16(%r8)\n"
	"\tlock incl 32(%r8)\n"
	"\tmfence\n"
	"\tadd %rax, %rcx\n"
	"\tdec %r11\n"
	"\tjnz 1b\n");

/* Vectors of 256 bits, and fused multiply-adds. */
SUBJECT(wide,
	"\tmov 24(%rdi), %r11\n"
	"\tvxorps %xmm0, %xmm0, %xmm0\n"
	"1:\tvaddpd %ymm0, %ymm0, %ymm1\n"
	"\tvmulps %ymm0, %ymm0, %ymm2\n"
	"\tvfmadd231pd %ymm0, %ymm0, %ymm3\n"
	"\tvfmadd231sd %xmm0, %xmm0, %xmm4\n"
	"\tvaddsd %xmm0, %xmm0, %xmm5\n"
	"\tdec %r11\n"
	"\tjnz 1b\n");

/* Of 512 bits. */
SUBJECT(widest,
	"\tmov 24(%rdi), %r11\n"
	"\tvxorps %xmm0, %xmm0, %xmm0\n"
	"1:\tvaddpd %zmm0, %zmm0, %zmm1\n"
	"\tvmulps %zmm0, %zmm0, %zmm2\n"
	"\tvmulps %zmm0, %zmm0, %zmm3\n"
	"\tvaddsd %xmm0, %xmm0, %xmm5\n"
	"\tdec %r11\n"
	"\tjnz 1b\n");

const struct known_subject known_subjects[] = {
	{ "read", known_read, 0, NULL },
	{ "write", known_write, 0, NULL },
	{ "copy", known_copy, 0, NULL },
	{ "sum", known_sum, 0, NULL },
	{ "branch", known_branch, 0, NULL },
	{ "code", known_code, 1, NULL },
	{ "mix", known_mix, 0, NULL },
	{ "wide", known_wide, 0, "fma" },
	{ "widest", known_widest, 0, "avx512f" },
};

const size_t n_known_subjects = sizeof(known_subjects) / sizeof(known_subjects[0]);
