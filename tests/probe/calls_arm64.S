/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that a compiler does not make in this way each time: machine.h says which. Code of the linker may change x16
 * and x17 between a caller and a function, and x18 is for the system: they are not looked at.
 */
#include "machine.h"

	.macro	EACH_REGISTER what
	.set	at, 0
	.irp	name, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15
	\what	\name
	.set	at, at + 8
	.endr
	.irp	name, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, x29
	\what	\name
	.set	at, at + 8
	.endr
	.endm
	.macro	FILL name
	movz	\name, #(CONTENT & 0xffff) + at
	movk	\name, #(CONTENT >> 32), lsl #32
	.endm
	.macro	STORE name
	str	\name, [x17, #at]
	.endm
	/* Changes x17 and x0. */
	.macro	STORE_ALL to
	adrp	x17, \to
	add	x17, x17, :lo12:\to
	EACH_REGISTER STORE
	mrs	x0, nzcv
	str	x0, [x17, #at]
	.endm

	.text
	.globl	keeps
	.type	keeps, %function
keeps:
	.cfi_startproc
	STORE_ALL at_entry
	ldr	x0, [x17]
	ret
	.cfi_endproc
	.size	keeps, . - keeps

	.globl	pass_registers
	.type	pass_registers, %function
pass_registers:
	.cfi_startproc
	stp	x29, x30, [sp, #-96]!
	.cfi_def_cfa_offset 96
	.cfi_offset 29, -96
	.cfi_offset 30, -88
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	msr	nzcv, x0
	EACH_REGISTER FILL
	bl	keeps
	STORE_ALL at_return
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret
	.cfi_endproc
	.size	pass_registers, . - pass_registers

	.macro	JUMPER name, other
	.globl	\name
	.type	\name, %function
\name:
	.cfi_startproc
	sub	x0, x0, #1
	tbnz	x0, #63, 1f
	add	x1, x1, #1
	b	\other
1:	mov	x0, x1
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm
	JUMPER ping, pong
	JUMPER pong, ping

	.globl	slow_load
	.type	slow_load, %function
slow_load:
	.cfi_startproc
	mov	x1, xzr
	ldr	x0, [x0]
	add	x0, x0, x1
	ret
	.cfi_endproc
	.size	slow_load, . - slow_load

	/* Functions whose first instruction refers to where it is, or goes on in two ways: long entry_...(long n). */
	.macro	ENTRY name
	.globl	entry_\name
	.type	entry_\name, %function
	.balign	8
entry_\name:
	.cfi_startproc
	.endm
	.macro	END name
	.cfi_endproc
	.size	entry_\name, . - entry_\name
	.endm

	ENTRY	adr
	adr	x1, numbers
	ldr	x2, [x1]
	add	x0, x0, x2
	ret
	END	adr
	ENTRY	adrp
	adrp	x1, numbers
	ldr	x2, [x1, :lo12:numbers]
	sub	x0, x2, x0
	ret
	END	adrp
	.macro	LOADER name, instruction, register, move, to, from
	ENTRY	\name
	\instruction \register, numbers
	\move	\to, \from
	add	x0, x0, x1
	ret
	END	\name
	.endm
	LOADER	load_w, ldr, w2, mov, w1, w2
	LOADER	load_x, ldr, x2, mov, x1, x2
	LOADER	load_sw, ldrsw, x2, mov, x1, x2
	LOADER	load_s, ldr, s2, fmov, w1, s2
	LOADER	load_d, ldr, d2, fmov, x1, d2
	LOADER	load_q, ldr, q2, fmov, x1, "v2.d[1]"
	ENTRY	prefetch
	prfm	pldl1keep, numbers
	add	x0, x0, #5
	ret
	END	prefetch
	.macro	BRANCHER name, branch:vararg
	ENTRY	\name
	\branch	, 1f
	mov	x0, #100
	ret
1:	mov	x0, #7
	ret
	END	\name
	.endm
	BRANCHER zero, cbz x0
	BRANCHER not_zero, cbnz w0
	BRANCHER bit, tbz x0, #0
	BRANCHER not_bit, tbnz x0, #0
	ENTRY	condition
	b.eq	1f
	mov	x0, #1000
	ret
1:	mov	x0, #70
	ret
	END	condition
	.globl	with_condition
	.type	with_condition, %function
with_condition:
	cmp	x0, #1
	b	entry_condition
	.size	with_condition, . - with_condition
	ENTRY	jump
	b	entry_adr
	END	jump
	ENTRY	landing
	hint	#34 /* bti c */
	adr	x1, numbers
	ldr	x2, [x1]
	sub	x0, x0, x2
	ret
	END	landing
	/* Signed by either key, where the processor has keys; each calls what is signed, too. */
	.macro	SIGNER name, sign, authenticate, next
	ENTRY	\name
	hint	#\sign
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	bl	\next
	add	x0, x0, #3
	ldp	x29, x30, [sp], #16
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	hint	#\authenticate
	.cfi_negate_ra_state
	ret
	END	\name
	.endm
	SIGNER	signed, 25, 29, entry_landing
	SIGNER	signed_b, 27, 31, entry_signed
	.balign	16
numbers:
	.quad	0x8000000100000011, 0x1234567

	.bss
	.balign	8
	.globl	at_entry, at_return
	.hidden	at_entry, at_return
at_entry:
	.skip	256
at_return:
	.skip	256
	.section .note.GNU-stack, "", %progbits
