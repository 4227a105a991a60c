/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in vectors of any length (SVE), and a loop that knows what is in each of their registers. */
	.arch_extension sve
	.arch_extension sve2
	.text

	.macro	kernel name
	.globl	\name
	.type	\name, %function
	.balign	16
\name:
	.endm

/* uint64_t vector_length(void): in bytes */
	kernel	vector_length
	rdvl	x0, #1
	ret

/* void daxpy(double *y, const double *x, uint64_t n, double a): 3 + 8 for each piece; two operations an element. */
	kernel	daxpy
	mov	x3, #0
	mov	z0.d, d0
	whilelo	p0.d, x3, x2
1:	ld1d	{ z1.d }, p0/z, [x1, x3, lsl #3]
	ld1d	{ z2.d }, p0/z, [x0, x3, lsl #3]
	fmla	z2.d, p0/m, z1.d, z0.d
	st1d	{ z2.d }, p0, [x0, x3, lsl #3]
	incd	x3
	whilelo	p0.d, x3, x2
	b.first	1b
	ret

/* float sum(const float *x, uint64_t n): the square root and the sum of each, in pieces, those with a prefix; of two
 * stolen registers, an index is in one. 4 + 9 for each piece; 3 operations an element and 2 for each of a vector. */
	kernel	sum
	mov	x18, #0
	mov	z0.s, #0
	whilelo	p0.s, x18, x1
	ptrue	p1.s
1:	ld1w	{ z1.s }, p0/z, [x0, x18, lsl #2]
	movprfx	z2.s, p0/z, z1.s
	fsqrt	z2.s, p0/m, z1.s
	movprfx	z3, z2
	fmla	z3.s, p0/m, z2.s, z1.s
	fadd	z0.s, z0.s, z3.s
	fadd	z0.s, z0.s, z2.s
	incw	x18
	whilelo	p0.s, x18, x1
	b.first	1b
	faddv	s0, p1, z0.s
	ret

/* double gather(const double *table, const uint64_t *index, uint64_t n): in order. 3 + 6; one operation an element. */
	kernel	gather
	mov	x15, #0
	movi	d0, #0
	whilelo	p0.d, x15, x2
1:	ld1d	{ z1.d }, p0/z, [x1, x15, lsl #3]
	ld1d	{ z2.d }, p0/z, [x0, z1.d, lsl #3]
	fadda	d0, p0, d0, z2.d
	incd	x15
	whilelo	p0.d, x15, x2
	b.first	1b
	ret

/* void rotate(float *pairs, uint64_t n): each pair (a, b) becomes (-b, a + b). 2 + 8; two operations a pair. */
	kernel	rotate
	mov	x2, #0
	whilelo	p0.s, x2, x1
1:	lsl	x3, x2, #1
	ld2w	{ z0.s, z1.s }, p0/z, [x0, x3, lsl #2]
	fadd	z0.s, p0/m, z0.s, z1.s
	fneg	z2.s, p0/m, z1.s
	mov	z3.d, z0.d
	fmul	z3.s, p0/m, z3.s, #0.5
	st2w	{ z2.s, z3.s }, p0, [x0, x3, lsl #2]
	incw	x2
	whilelo	p0.s, x2, x1
	b.first	1b
	ret

/* uint64_t length(const char *text): up to what can be read. */
	kernel	length
	mov	x1, x0
	ptrue	p0.b
1:	setffr
	ldff1b	{ z0.b }, p0/z, [x1, xzr]
	rdffrs	p1.b, p0/z
	b.nlast	2f
	cmpeq	p2.b, p0/z, z0.b, #0
	b.any	3f
	incb	x1
	b	1b
2:	cmpeq	p2.b, p1/z, z0.b, #0
	b.any	3f
	incp	x1, p1.b
	b	1b
3:	brkb	p2.b, p0/z, p2.b
	incp	x1, p2.b
	sub	x0, x1, x0
	ret

/* void gathers(const double *table): in a row, as many as there are in a block; each reads the first element. */
	kernel	gathers
	ptrue	p0.d, vl1
	index	z1.d, #0, #1
	.rept	60
	ld1d	{ z0.d }, p0/z, [x0, z1.d, lsl #3]
	.endr
	ret

/* void halves(uint16_t *x, uint64_t pieces): three operations an element of as many vectors. */
	kernel	halves
	ptrue	p7.h, vl3
1:	ldr	z0, [x0]
	fadd	z1.h, z0.h, z0.h
	fmad	z1.h, p7/m, z0.h, z0.h
	fmlalb	z2.s, z1.h, z0.h
	str	z1, [x0]
	addvl	x0, x0, #1
	subs	x1, x1, #1
	b.ne	1b
	ret

/* void past(uint64_t rounds, bool uses_them): a loop that need not use them. */
	kernel	past
1:	cbz	x1, 2f
	ptrue	p0.d
	fadd	z0.d, p0/m, z0.d, z0.d
2:	subs	x0, x0, #1
	b.ne	1b
	ret

/* uint64_t streaming_length(void): of matrices (rdsvl x0, #1) */
	kernel	streaming_length
	.inst	0x04bf5820
	ret

/* uint64_t leaves(const void *memory): how many elements of registers are not what they were before a load. */
	kernel	leaves
	ptrue	p0.d
	index	z31.d, #5, #3
	ptrue	p15.d, vl1
	ptrue	p14.b, vl7
	wrffr	p14.b
	ldr	z1, [x0]
	rdffr	p1.b
	cntp	x0, p1, p1.b
	sub	x0, x0, #7
	cntp	x1, p15, p15.d
	add	x0, x0, x1
	sub	x0, x0, #1
	ptrue	p0.d
	index	z0.d, #5, #3
	cmpne	p1.d, p0/z, z0.d, z31.d
	incp	x0, p1.d
	ret

/*
 * uint64_t known_vectors(uint64_t rounds): how many registers were found wrong. In each round all of them get what the
 * round says, much happens, and they are looked at, z0 and p0 last, which are changed on the way.
 */
	kernel	known_vectors
	stp	d8, d9, [sp, #-64]!
	stp	d10, d11, [sp, #16]
	stp	d12, d13, [sp, #32]
	stp	d14, d15, [sp, #48]
	mov	x1, #0
	mov	x2, #0
	.globl	known_vectors_loop, known_vectors_end
known_vectors_loop:
1:	add	x2, x2, #64
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	add	x3, x2, #\n
	index	z\n\().d, x3, #7
	.endr
	and	x4, x2, #127
	whilelo	p0.b, xzr, x4
	wrffr	p0.b
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	mov	x3, #\n
	whilelo	p\n\().b, x3, x4
	.endr
	/* An indirect jump, which leaves for the runtime the first time. */
	adr	x5, 2f
	br	x5
	nop
2:	rdffr	p0.b
	cntp	x5, p0, p0.b
	rdvl	x6, #1
	cmp	x4, x6
	csel	x6, x4, x6, lo
	cmp	x5, x6
	cinc	x1, x1, ne
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	mov	x3, #\n
	whilelo	p0.b, x3, x4
	eor	p0.b, p\n\()/z, p0.b, p\n\().b
	cntp	x5, p\n, p0.b
	cmp	x5, #0
	cinc	x1, x1, ne
	.endr
	mov	x3, x2
	ptrue	p0.d
	index	z1.d, x3, #7
	cmpne	p1.d, p0/z, z0.d, z1.d
	cinc	x1, x1, ne
	.irp	n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	add	x3, x2, #\n
	index	z0.d, x3, #7
	cmpne	p1.d, p0/z, z0.d, z\n\().d
	cinc	x1, x1, ne
	.endr
	subs	x0, x0, #1
	b.ne	1b
known_vectors_end:
	mov	x0, x1
	ldp	d14, d15, [sp, #48]
	ldp	d12, d13, [sp, #32]
	ldp	d10, d11, [sp, #16]
	ldp	d8, d9, [sp], #64
	ret

/* void spoil(void): changes all of them but what functions keep. */
	kernel	spoil
	.irp	n, 0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	mov	z\n\().b, #-1
	.endr
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	pfalse	p\n\().b
	.endr
	wrffr	p0.b
	ret
	.section .note.GNU-stack, "", %progbits
