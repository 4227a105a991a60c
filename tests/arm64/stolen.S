/* SPDX-License-Identifier: BSD-3-Clause */
/* Code that compilers hardly make: all uses of the registers that translated code has for itself, exclusive accesses,
 * branches of every kind. */
	.arch	armv8.2-a
	.text

	.macro function name
	.globl	\name
	.type	\name, %function
	.balign	16
\name:
	.endm

/* uint64_t stolen(uint64_t *memory, uint64_t rounds): x15 and x18 in every role. */
	function stolen
	stp	x29, x30, [sp, #-48]!
	stp	x19, x20, [sp, #16]
	mov	x19, x0
	mov	x20, x1
	mov	x0, #0
	mov	x15, #7
	mov	x18, #9
1:	add	x15, x15, #3
	add	x18, x18, x15
	add	x0, x0, x18
	str	x15, [x19]
	ldr	x18, [x19]
	stp	x18, x15, [x19, #16]
	ldp	x15, x18, [x19, #16]
	add	x18, x18, #1
	adr	x15, 2f
	ldr	x18, [x15]
	add	x0, x0, x18
	ldr	x15, 2f
	add	x0, x0, x15
	ldr	x18, 2f
	add	x0, x0, x18
	adrp	x18, stolen
	adrp	x15, stolen
	sub	x15, x15, x18
	add	x0, x0, x15
	mov	x18, x19
	ldr	x15, [x18], #8
	str	x15, [x18, #-8]!
	mov	x15, x19
	ldr	x18, [x15, #8]!
	str	x18, [x15, #-8]
	madd	x15, x18, x20, x15
	sub	x15, x15, x19
	eor	x0, x0, x15
	and	x15, x20, #1
	cbz	x15, 3f
	add	x0, x0, #5
3:	and	x18, x20, #2
	cbnz	x18, 4f
	add	x0, x0, #11
4:	mov	x18, x20
	tbz	x18, #2, 5f
	add	x0, x0, #13
5:	mov	x15, x20
	tbnz	x15, #3, 6f
	add	x0, x0, #17
6:	adr	x15, 7f
	br	x15
	udf	#0
7:	adr	x18, 8f
	br	x18
	udf	#0
8:	adr	x18, add_one
	blr	x18
	adr	x15, add_one
	blr	x15
	adr	x30, 9f
	mov	x15, x30
	ret	x15
	udf	#0
9:	mov	x16, #3
	mov	x17, #4
	adr	x15, 10f
	br	x15
	udf	#0
10:	add	x0, x0, x16
	add	x0, x0, x17
	adr	x16, 11f
	br	x16
	udf	#0
11:	mov	x15, #1
	mov	x18, #2
	ldxr	x15, [x19]
	add	x15, x15, #1
	stxr	w18, x15, [x19]
	cbnz	w18, 11b
	mov	x15, #6
	ldadd	x15, x18, [x19]
	add	x0, x0, x18
	mov	x18, #1
	swp	x18, x15, [x19]
	add	x0, x0, x15
	mov	x14, x18
	mov	x15, x20
	cas	x14, x15, [x19]
	ldr	x18, [x19]
	add	x0, x0, x18
	subs	x20, x20, #1
	b.ne	1b
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	ret
	.balign	8
2:	.quad	0x123456789abcdef
	.size	stolen, . - stolen

	.type	add_one, %function
add_one:
	add	x0, x0, #1
	ret

/* uint64_t all_registers(uint64_t *memory, uint64_t rounds): one block names 31 of them. */
	function all_registers
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	str	x0, [sp, #96]
	str	x1, [sp, #104]
	mov	x0, #1
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
	mov	x\n, #\n
	.endr
	mov	x30, #30
1:	add	x0, x0, x30
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	add	x\n, x\n, x0
	eor	x0, x0, x\n, lsl #1
	.endr
	str	x15, [sp, #-16]!
	str	x18, [sp, #8]
	ldr	x15, [sp, #16 + 104]
	sub	x15, x15, #1
	str	x15, [sp, #16 + 104]
	cmp	x15, #0
	ldr	x18, [sp, #8]
	ldr	x15, [sp], #16
	b.ne	1b
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	eor	x0, x0, x\n, ror #\n
	.endr
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #112
	ret
	.size	all_registers, . - all_registers

/* uint64_t exclusives(uint64_t *memory, uint64_t rounds): with a way out of the middle, pairs, and a spin lock. */
	function exclusives
1:	ldaxr	x2, [x0]
	cmp	x2, x1
	b.eq	2f
	add	x2, x2, #1
	stlxr	w3, x2, [x0]
	cbnz	w3, 1b
	b	3f
2:	clrex
	str	xzr, [x0]
3:	ldxp	x4, x5, [x0, #0]
	add	x5, x5, #2
	stxp	w3, x4, x5, [x0]
	cbnz	w3, 3b
	add	x6, x0, #16
	mov	w7, #1
4:	ldaxr	w8, [x6]
	cbnz	w8, 4b
	stxr	w8, w7, [x6]
	cbnz	w8, 4b
	stlr	wzr, [x6]
	subs	x1, x1, #1
	b.ne	1b
	ldp	x2, x3, [x0]
	add	x0, x2, x3
	ret
	.size	exclusives, . - exclusives

/* uint64_t signed_pointers(uint64_t rounds): hints where there is no authentication. */
	function signed_pointers
	mov	x9, x0
	mov	x0, #0
1:	mov	x10, x30
	adr	x30, 2f
	hint	#25 /* paciasp */
	mov	x11, x30
	hint	#29 /* autiasp */
	ret
	udf	#0
2:	hint	#38 /* bti jc */
	mov	x30, x10
	add	x0, x0, #1
	subs	x9, x9, #1
	b.ne	1b
	ret
	.size	signed_pointers, . - signed_pointers

/* uint64_t flags(uint64_t rounds): every flag lives across branches, calls and what is counted. */
	function flags
	stp	x29, x30, [sp, #-16]!
	mov	x9, x0
	mov	x0, #0
1:	subs	xzr, x9, #3
	bl	2f
	b.lo	3f
	adc	x0, x0, x9
3:	cset	x1, hi
	add	x0, x0, x1
	ccmp	x9, #4, #5, ne
	b	4f
4:	cinc	x0, x0, vs
	cneg	x0, x0, mi
	sub	x9, x9, #1
	cbnz	x9, 1b
	ldp	x29, x30, [sp], #16
	ret
2:	b	5f
5:	ret
	.size	flags, . - flags

	.section .note.GNU-stack, "", %progbits
