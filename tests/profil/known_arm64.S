/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of virtual.c: void known_region(int set, long long *values). */
	.text
	.globl	known_region
	.type	known_region, %function
known_region:
	stp	x29, x30, [sp, #-32]!
	stp	x19, x20, [sp, #16]
	mov	w19, w0
	mov	x20, x1
	bl	PAPI_start
10:	mov	w9, #3000
11:	adr	x1, known_data
12:	ldr	x0, [x1]
13:	add	x1, x1, #8
14:	nop
15:	ldur	x2, [x1, #-8]
16:	ldr	x3, [x1]
17:	str	x0, [sp, #-16]!
18:	ldr	x0, [sp], #16
19:	sub	w9, w9, #1
20:	cbnz	w9, 12b
21:	mov	w0, w19
	mov	x1, x20
	bl	PAPI_stop
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	.size	known_region, . - known_region

	.section .data.rel.ro, "aw"
	.globl	known_addresses
	.balign	8
known_addresses:
	.xword	10b, 11b, 12b, 13b, 14b, 15b, 16b, 17b, 18b, 19b, 20b, 21b

	.section .note.GNU-stack, "", %progbits
