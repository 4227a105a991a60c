/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of exact_subject.c whose instructions are known. */
	.macro	function name
	.globl	\name
	.type	\name, %function
\name:
	.endm
	.macro	end name
	.size	\name, . - \name
	.endm

	.text
	function on_signal
	adrp	x1, signals_seen
	ldr	x0, [x1, :lo12:signals_seen]
	add	x0, x0, #1
	str	x0, [x1, :lo12:signals_seen]
	ret
	end	on_signal

	function copy
1:	ldrb	w3, [x1], #1
	strb	w3, [x0], #1
	sub	x2, x2, #1
	cbnz	x2, 1b
	ret
	end	copy

	function branch
	mov	x1, #0
1:	tst	x0, #1
	b.eq	2f
	add	x1, x1, #1
2:	subs	x0, x0, #1
	b.ne	1b
	ret
	end	branch

	function leaf
	ret
	end	leaf

	function other_leaf
	ret
	end	other_leaf

	function stem
	str	x30, [sp, #-16]!
	bl	leaf
	ldr	x30, [sp], #16
	ret
	end	stem

	function tail
	.cfi_startproc
	nop
	b	work
	.cfi_endproc
	end	tail

	function tail_of_tail
	.cfi_startproc
	b	tail
	.cfi_endproc
	end	tail_of_tail

	function tail_if
	.cfi_startproc
	cmp	x0, #0
	b.ne	work
	ret
	.cfi_endproc
	end	tail_if

	/* One that has no place among stubs: they are 8 or 16 bytes apart. */
	function like_stub
	.cfi_startproc
	hint	#34 /* bti c */
	adrp	x16, stub_target
	ldr	x17, [x16, :lo12:stub_target]
	add	x16, x16, :lo12:stub_target
	br	x17
	.cfi_endproc
	end	like_stub

	function parted
	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	b	parted_cold
.Lparted_back:
	bl	work
	ldr	x30, [sp], #16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	end	parted

	.type	parted_cold, %function
parted_cold:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	nop
	b	.Lparted_back
	.cfi_endproc
	end	parted_cold

	.section .rodata
	.balign	4
	.globl	made, made_again, made_end
made:
	mov	w0, #1000
1:	subs	w0, w0, #1
	b.ne	1b
	ret
made_again:
	mov	w0, #2000
1:	subs	w0, w0, #1
	b.ne	1b
	ret
made_end:

	.section .note.GNU-stack, "", %progbits
