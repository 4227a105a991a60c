/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of exact_subject.c whose instructions are known. */
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro	end name
	.size	\name, . - \name
	.endm

	.text
	function on_signal
	incq	signals_seen(%rip)
	ret
	end	on_signal

	function copy
	mov	%rdx, %rcx
	rep movsb
	ret
	end	copy

	function branch
	xor	%eax, %eax
1:	test	$1, %dil
	je	2f
	inc	%rax
2:	dec	%rdi
	jne	1b
	ret
	end	branch

	function leaf
	ret
	end	leaf

	function other_leaf
	ret
	end	other_leaf

	function stem
	nop
	call	leaf
	ret
	end	stem

	function tail
	.cfi_startproc
	nop
	jmp	work
	.cfi_endproc
	end	tail

	function tail_of_tail
	.cfi_startproc
	jmp	tail
	.cfi_endproc
	end	tail_of_tail

	function tail_if
	.cfi_startproc
	test	%rdi, %rdi
	jnz	work
	ret
	.cfi_endproc
	end	tail_if

	function like_stub
	.cfi_startproc
	jmp	*stub_target(%rip)
	.cfi_endproc
	end	like_stub

	function parted
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	jmp	parted_cold
.Lparted_back:
	call	work
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	end	parted

	.type	parted_cold, @function
parted_cold:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	nop
	jmp	.Lparted_back
	.cfi_endproc
	end	parted_cold

	.section .rodata
	.globl	made, made_again, made_end
made:
	mov	$1000, %eax
1:	dec	%eax
	jne	1b
	ret
made_again:
	mov	$2000, %eax
1:	dec	%eax
	jne	1b
	ret
made_end:

	.section .note.GNU-stack, "", @progbits
