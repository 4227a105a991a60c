/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that call each other, of which it is known how often, and how many instructions that takes. */
	.text

	.macro	function name
	.globl	\name, \name\()_end
	.type	\name, %function
	.balign	16
\name:
	.cfi_startproc
	.endm

	.macro	end name
	.cfi_endproc
\name\()_end:
	.size	\name, . - \name
	.endm

	.macro	save
	stp	x29, x30, [sp, #-32]!
	stp	x19, x20, [sp, #16]
	.endm

	.macro	restore
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	.endm

	/* Two instructions; no frame. */
	function leaf
	add	x0, x0, #1
	ret
	end	leaf

	/* Jumps there as its last act: three with those. */
	function tail
	b	leaf
	end	tail

	/* void call_leaf(uint64_t times) */
	function call_leaf
	save
	mov	x19, x0
1:	bl	leaf
	sub	x19, x19, #1
	cbnz	x19, 1b
	restore
	ret
	end	call_leaf

	/* Likewise of tail. */
	function call_tail
	save
	mov	x19, x0
1:	bl	tail
	sub	x19, x19, #1
	cbnz	x19, 1b
	restore
	ret
	end	call_tail

	/* void call_pointer(uint64_t times, function): by each register that is not easily read, and another */
	function call_pointer
	save
	mov	x19, x0
	mov	x20, x1
1:	mov	x15, x20
	blr	x15
	mov	x16, x20
	blr	x16
	mov	x18, x20
	blr	x18
	mov	x30, x20
	blr	x30
	blr	x20
	sub	x19, x19, #1
	cbnz	x19, 1b
	restore
	ret
	end	call_pointer

	/* uint64_t recurse(uint64_t n): calls itself twice, for n - 1 and n - 2, down to 1. Returns how often it was
	 * called. */
	function recurse
	cmp	x0, #2
	b.lo	2f
	save
	sub	x19, x0, #2
	sub	x0, x0, #1
	bl	recurse
	mov	x20, x0
	mov	x0, x19
	bl	recurse
	add	x0, x0, x20
	add	x0, x0, #1
	restore
	ret
2:	mov	x0, #1
	ret
	end	recurse

	/* Whether registers that translated code has for itself, and flags, are kept behind calls: 1 if so. */
	function keeps
	save
	mov	x0, #0
	mov	x1, #1
	mov	x15, #15
	mov	x16, #16
	mov	x17, #17
	mov	x18, #18
	cmp	x1, #1
	bl	leaf
	b.ne	3f
	cmp	x15, #15
	ccmp	x16, #16, #0, eq
	ccmp	x17, #17, #0, eq
	ccmp	x18, #18, #0, eq
	ccmp	x0, #1, #0, eq
3:	cset	x0, eq
	restore
	ret
	end	keeps

	/* Functions of libraries, one of them twice, that nobody else calls here. */
	function call_libraries
	save
	bl	lrand48
	bl	lrand48
	bl	mrand48
	restore
	ret
	end	call_libraries
	.section .note.GNU-stack, "", %progbits
