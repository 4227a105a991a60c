/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Behind each instruction stands what it is besides one instruction: L a load, S a store, I integer, B a conditional
 * branch (T taken), J an unconditional one, V vector, and operations of floating point as a number. The numbers of the
 * table are the sums.
 */
#include "assembly_loops.h"

/* Each turn ends with dec (I) and jnz (B, T but in the last turn), which assembly.c adds. r8 is left alone by all. */
#define LOOP(name, turn)                       \
	void name(void *data);                 \
	__asm__(".text\n"                      \
		".balign 64\n" #name ":\n\t"   \
		"mov $1000, %r8d\n"            \
		"1:\n\t" turn "dec %r8d\n\t"   \
		"jnz 1b\n\t"                   \
		"ret\n"                        \
		".type " #name ", @function\n" \
		".size " #name ", . - " #name "\n")

LOOP(loop_nothing, "");

LOOP(loop_integer,
	"lea 8(%rdi), %rax\n\t" /* I */
	"add $1, %rax\n\t"      /* I */
	"imul %rax, %rdx\n\t"   /* I */
	"shl $3, %rdx\n\t"      /* I */
	"popcnt %rdx, %rdx\n\t" /* I */
	"bt $3, %edx\n\t"       /* I */
	"not %rax\n\t"          /* I */
	"mov %rax, %rdx\n\t"
	"cmove %rax, %rdx\n\t"
	"nop\n\t");

LOOP(loop_memory,
	"mov (%rdi), %rax\n\t"   /* L */
	"mov %rax, 8(%rdi)\n\t"  /* S */
	"addq $1, 16(%rdi)\n\t"  /* L S I */
	"push %rax\n\t"          /* S */
	"pop %rax\n\t"           /* L */
	"cmp 24(%rdi), %rax\n\t" /* L I */
	"push 32(%rdi)\n\t"      /* L S */
	"pop 40(%rdi)\n\t"       /* L S */
	"prefetcht0 (%rdi)\n\t"
	"nopl (%rdi)\n\t");

LOOP(loop_branches,
	"xor %eax, %eax\n\t"  /* I */
	"test %eax, %eax\n\t" /* I */
	"jz 2f\n\t"           /* B T */
	"ud2\n"
	"2:\n\t"
	"jnz 3f\n\t" /* B */
	"jmp 4f\n"   /* J */
	"3:\n\t"
	"ud2\n"
	"4:\n\t"
	"lea 5f(%rip), %rax\n\t" /* I */
	"jmp *%rax\n"            /* J */
	"5:\n\t"
	"call 6f\n\t"            /* J S */
	"lea 6f(%rip), %rax\n\t" /* I */
	"mov %rax, (%rdi)\n\t"   /* S */
	"call *(%rdi)\n\t"       /* J S L */
	"jmp 7f\n"               /* J */
	"6:\n\t"
	"ret\n" /* J L, twice */
	"7:\n\t"
	"mov $3, %ecx\n"
	"8:\n\t"
	"loop 8b\n\t"  /* B, three times, T twice */
	"jrcxz 9f\n\t" /* B T */
	"ud2\n"
	"9:\n\t");

LOOP(loop_system_calls,
	"mov $110, %eax\n\t" /* getppid */
	"syscall\n\t");

LOOP(loop_strings,
	"cld\n\t"
	"mov %rdi, %rdx\n\t"
	"xor %eax, %eax\n\t" /* I */
	"mov $10, %ecx\n\t"
	"rep stosb\n\t" /* 10 S */
	"mov %rdx, %rdi\n\t"
	"lea 512(%rdx), %rsi\n\t" /* I */
	"mov $7, %ecx\n\t"
	"rep movsq\n\t" /* 7 L, 7 S */
	"mov %rdx, %rdi\n\t"
	"mov $5, %ecx\n\t"
	"mov $1, %al\n\t"
	"repne scasb\n\t" /* 5 L: there is no 1 */
	"mov %rdx, %rdi\n\t"
	"lea 512(%rdx), %rsi\n\t" /* I */
	"mov $3, %ecx\n\t"
	"repe cmpsb\n\t"     /* 6 L: all is the same */
	"xor %ecx, %ecx\n\t" /* I */
	"rep stosb\n\t"      /* none */
	"movsb\n\t"          /* L S */
	"lodsb\n\t"          /* L */
	"mov %rdx, %rdi\n\t");

LOOP(loop_order,
	"mfence\n\t"
	"lfence\n\t"
	"sfence\n\t"
	"lock incl (%rdi)\n\t"            /* L S I */
	"xchg %rax, 8(%rdi)\n\t"          /* L S: locks without being told */
	"lock cmpxchg %rdx, 16(%rdi)\n\t" /* L S I */
	"lock xadd %rdx, 24(%rdi)\n\t"    /* L S I */
	"cmpxchg %rdx, 32(%rdi)\n\t");    /* L S I, and not atomic */

LOOP(loop_scalar,
	"movsd (%rdi), %xmm0\n\t"  /* L */
	"addsd %xmm0, %xmm1\n\t"   /* double 1 */
	"mulsd 8(%rdi), %xmm1\n\t" /* L, double 1 */
	"sqrtsd %xmm1, %xmm2\n\t"  /* double 1 */
	"maxsd %xmm1, %xmm2\n\t"   /* double 1 */
	"subss %xmm3, %xmm4\n\t"   /* single 1 */
	"divss %xmm3, %xmm4\n\t"   /* single 1 */
	"sqrtss %xmm3, %xmm4\n\t"  /* single 1 */
	"minss %xmm3, %xmm4\n\t"   /* single 1 */
	"rcpss %xmm3, %xmm4\n\t"   /* single 1 */
	"rsqrtss %xmm3, %xmm4\n\t" /* single 1 */
	"ucomisd %xmm1, %xmm2\n\t"
	"cvtsi2sd %eax, %xmm5\n\t");

LOOP(loop_sse,
	"addps %xmm0, %xmm1\n\t"      /* V, single 4 */
	"mulps 16(%rdi), %xmm1\n\t"   /* V L, single 4 */
	"haddps %xmm0, %xmm1\n\t"     /* V, single 4 */
	"rcpps %xmm0, %xmm1\n\t"      /* V, single 4 */
	"subpd %xmm2, %xmm3\n\t"      /* V, double 2 */
	"divpd %xmm2, %xmm3\n\t"      /* V, double 2 */
	"sqrtpd %xmm2, %xmm3\n\t"     /* V, double 2 */
	"movaps %xmm0, %xmm4\n\t"     /* V */
	"andps %xmm0, %xmm4\n\t"      /* V */
	"paddd %xmm0, %xmm4\n\t"      /* V */
	"cvtdq2ps %xmm0, %xmm4\n\t"); /* V */

LOOP(loop_avx2,
	"vaddps %ymm0, %ymm1, %ymm2\n\t"       /* V, single 8 */
	"vfmadd231ps %ymm0, %ymm1, %ymm2\n\t"  /* V, single 16 */
	"vsqrtps %ymm0, %ymm2\n\t"             /* V, single 8 */
	"vmulpd 32(%rdi), %ymm1, %ymm3\n\t"    /* V L, double 4 */
	"vfmadd231pd %ymm0, %ymm1, %ymm3\n\t"  /* V, double 8 */
	"vdivpd %ymm0, %ymm1, %ymm3\n\t"       /* V, double 4 */
	"vfmadd213sd %xmm0, %xmm1, %xmm4\n\t"  /* scalar double 2 */
	"vfnmadd132ps %xmm0, %xmm1, %xmm4\n\t" /* V, single of 128 bits 8 */
	"vpaddd %ymm0, %ymm1, %ymm5\n\t"       /* V */
	"vmovaps %ymm5, 64(%rdi)\n\t");        /* V S */

LOOP(loop_gather,
	"vpcmpeqd %ymm1, %ymm1, %ymm1\n\t"              /* V */
	"vpxor %ymm2, %ymm2, %ymm2\n\t"                 /* V */
	"vgatherdps %ymm1, (%rdi,%ymm2,4), %ymm0\n\t"); /* V L */

LOOP(loop_avx512,
	"kxnorw %k1, %k1, %k1\n\t"
	"vaddps %zmm0, %zmm1, %zmm2\n\t"          /* V, single 16 */
	"vfmadd213ps %zmm0, %zmm1, %zmm2\n\t"     /* V, single 32 */
	"vsqrtps %zmm0, %zmm2\n\t"                /* V, single 16 */
	"vmulpd 64(%rdi), %zmm1, %zmm3 {%k1}\n\t" /* V L, double 8 */
	"vfmadd231pd %zmm0, %zmm1, %zmm3\n\t"     /* V, double 16 */
	"vdivpd %zmm0, %zmm1, %zmm16\n\t"         /* V, double 8 */
	"vpaddd %zmm0, %zmm1, %zmm17\n\t"         /* V */
	"vmovapd %zmm17, 128(%rdi)\n\t");         /* V S */

LOOP(loop_x87,
	"fld1\n\t"
	"fldpi\n\t"
	"fmulp\n\t" /* 1 */
	"fld1\n\t"
	"faddp\n\t"           /* 1 */
	"fsqrt\n\t"           /* 1 */
	"fdivs one(%rip)\n\t" /* L, 1 */
	"fstpl (%rdi)\n\t");  /* S */

__asm__(".section .rodata\n"
	".balign 4\n"
	"one: .float 1\n"
	".text\n");

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") != 0;
}

const struct loop loops[] = {
	{ "nothing", loop_nothing, NULL, { 0 } },
	{ "integer", loop_integer, NULL, { [INS] = 10, [INT] = 7 } },
	{ "memory", loop_memory, NULL, { [INS] = 10, [LD] = 6, [SR] = 5, [INT] = 2, [PRE] = 1 } },
	{ "branches", loop_branches, NULL,
		{ [INS] = 19,
			[CN] = 6,
			[TKN] = 4,
			[UCN] = 7,
			[IND] = 2,
			[CAL] = 2,
			[RETURNS] = 2,
			[LD] = 3,
			[SR] = 3,
			[INT] = 4 } },
	{ "system calls", loop_system_calls, NULL, { [INS] = 2, [SYS] = 1 } },
	{ "strings", loop_strings, NULL, { [INS] = 22, [LD] = 20, [SR] = 18, [INT] = 4 } },
	{ "order", loop_order, NULL, { [INS] = 8, [LD] = 5, [SR] = 5, [INT] = 4, [FEN] = 3, [ATO] = 4 } },
	{ "scalar", loop_scalar, NULL,
		{ [INS] = 13,
			[LD] = 2,
			[FPI] = 10,
			[SD] = 4,
			[SS] = 6,
			[ADD] = 2,
			[MUL] = 1,
			[DIV] = 1,
			[SQR] = 2,
			[INV] = 1 } },
	{ "sse", loop_sse, NULL,
		{ [INS] = 11,
			[LD] = 1,
			[FPI] = 7,
			[S128] = 16,
			[D128] = 6,
			[VEC] = 11,
			[VECS] = 4,
			[VECD] = 3,
			[ADD] = 3,
			[MUL] = 1,
			[DIV] = 1,
			[SQR] = 1,
			[INV] = 1 } },
	{ "avx2", loop_avx2, has_avx2,
		{ [INS] = 10,
			[LD] = 1,
			[SR] = 1,
			[FPI] = 8,
			[S256] = 32,
			[D256] = 16,
			[SD] = 2,
			[S128] = 8,
			[VEC] = 9,
			[VECS] = 4,
			[VECD] = 3,
			[FMA] = 4,
			[ADD] = 1,
			[MUL] = 1,
			[DIV] = 1,
			[SQR] = 1 } },
	{ "gather", loop_gather, has_avx2, { [INS] = 3, [LD] = 1, [VEC] = 3 } },
	{ "avx512", loop_avx512, has_avx512,
		{ [INS] = 9,
			[LD] = 1,
			[SR] = 1,
			[FPI] = 6,
			[S512] = 64,
			[D512] = 32,
			[VEC] = 8,
			[VECS] = 3,
			[VECD] = 3,
			[FMA] = 2,
			[ADD] = 1,
			[MUL] = 1,
			[DIV] = 1,
			[SQR] = 1 } },
	{ "x87", loop_x87, NULL,
		{ [INS] = 8, [LD] = 1, [SR] = 1, [FPI] = 4, [X87] = 4, [ADD] = 1, [MUL] = 1, [DIV] = 1, [SQR] = 1 } },
};

const size_t n_loops = sizeof(loops) / sizeof(loops[0]);
