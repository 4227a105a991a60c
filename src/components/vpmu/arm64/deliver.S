/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handler that the kernel calls while threads run translated (signals.h). On the stack is struct papi_vpmu_frame;
 * all registers and flags are free, for it holds those of what was interrupted.
 *
 * Up to papi_vpmu_signal_blocked another signal may come in between, and one for a fault up to papi_vpmu_signal_end, if
 * somebody sends one; they are put off, as in the runtime.
 */
#include "components/vpmu/arm64/macros.S"

	/* struct papi_vpmu_delivery, with room for the link register and the one that points to the frame record */
#define NUMBER 0
#define INFO 8
#define CONTEXT 16
#define FRAME 24
#define THREAD 32
	.set	MASK, 40
#define HANDLER 48
#define STACK 56
#define RESTORER 64
#define RECORD 72
#define SIZE 80

	/* Where the context is in the frame. */
#define TO_CONTEXT 128

	/* The signal mask becomes what is at x1; the old one goes to where x2 points. */
	.macro set_mask
	mov	x8, #SYS_rt_sigprocmask
	mov	x0, #SIG_SETMASK
	mov	x3, #8
	svc	#0
	.endm

	.macro fetch_delivery
	add	x10, sp, #SIZE
	stp	x0, x1, [sp, #NUMBER]
	stp	x2, x10, [sp, #CONTEXT]
	str	x9, [sp, #THREAD]
	stp	x30, x29, [sp, #RESTORER]
	.endm

	.text

	function papi_vpmu_signal_entry
	get_self x9, x10
	add	x10, sp, #TO_CONTEXT
	cmp	x10, x2
	b.ne	called
	cbz	x9, native
	add	x11, x9, #A64_BASE
	ldr	x10, [x11, #A64_WATCHED]
	cbz	x10, native

	sub	sp, sp, #SIZE
	fetch_delivery
	adr	x1, all_bits
	add	x2, sp, #MASK
	set_mask
	label papi_vpmu_signal_blocked
	ldr	x19, [sp, #THREAD]
	add	x20, x19, #A64_BASE
	ldr	x1, [x20, #A64_DELIVERING]
	add	x1, x1, #1
	str	x1, [x20, #A64_DELIVERING]
	mov	x0, x19
	mov	x1, sp
	bl	papi_vpmu_signal_deliver
	ldr	x1, [x20, #A64_DELIVERING]
	sub	x1, x1, #1
	str	x1, [x20, #A64_DELIVERING]
	cmp	w0, #1
	b.eq	translated
	b.hi	call_natively
	ldr	x0, [sp, #FRAME]
	mov	sp, x0
leave:
	mov	x8, #SYS_rt_sigreturn
	svc	#0

translated:
	ldr	x0, [sp, #STACK]
	mov	sp, x0
	mov	x18, x20
	b	papi_vpmu_resume

	/* The frame may have moved; x20 to x25 stay. */
call_natively:
	ldp	x21, x22, [sp, #NUMBER]
	ldp	x23, x24, [sp, #CONTEXT]
	ldr	x25, [sp, #HANDLER]
	ldr	x29, [sp, #RECORD]
	mov	sp, x24
	add	x1, x20, #A64_HANDLER_MASK
	mov	x2, #0
	set_mask
	mov	x0, x21
	mov	x1, x22
	mov	x2, x23
	blr	x25
	adr	x1, all_bits
	mov	x2, #0
	set_mask
	mov	x0, x19
	mov	x1, x23
	bl	papi_vpmu_signal_returned
	mov	sp, x24
	b	leave

	/* A thread that is not translated. */
native:
	sub	sp, sp, #SIZE
	fetch_delivery
	mov	x0, sp
	bl	papi_vpmu_signal_native
	ldp	x30, x29, [sp, #RESTORER]
	ldr	x16, [sp, #HANDLER]
	ldp	x0, x1, [sp, #NUMBER]
	ldp	x2, x10, [sp, #CONTEXT]
	mov	sp, x10
	cbz	x16, 1f
	br	x16
1:	ret

	/* By a handler that was installed natively meanwhile, and passes on what it found before. */
called:
	stp	x29, x30, [sp, #-48]!
	stp	x0, x1, [sp, #16]
	str	x2, [sp, #32]
	bl	papi_vpmu_signal_handler
	mov	x16, x0
	ldr	x2, [sp, #32]
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #48
	br	x16

	.balign	8
all_bits:
	.quad	-1
	.size	papi_vpmu_signal_entry, . - papi_vpmu_signal_entry

	function papi_vpmu_signal_end
	.size	papi_vpmu_signal_end, . - papi_vpmu_signal_end

	function papi_vpmu_signal_restorer
	mov	x8, #SYS_rt_sigreturn
	svc	#0
	.size	papi_vpmu_signal_restorer, . - papi_vpmu_signal_restorer

	function papi_vpmu_signal_nothing
	ret
	.size	papi_vpmu_signal_nothing, . - papi_vpmu_signal_nothing

	.section .note.GNU-stack, "", %progbits
