/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of virtual.c: void known_region(int set, long long *values). */
	.text
	.globl	known_region
	.type	known_region, @function
known_region:
	push	%rbx
	push	%r12
	sub	$8, %rsp
	mov	%edi, %ebx
	mov	%rsi, %r12
	call	PAPI_start@PLT
10:	mov	$3000, %ecx
11:	lea	known_data(%rip), %rdx
12:	mov	(%rdx), %rax
13:	add	$8, %rdx
14:	nop
15:	mov	-8(%rdx), %r8
16:	add	(%rdx), %rax
17:	push	%rax
18:	pop	%rax
19:	dec	%ecx
20:	jnz	12b
21:	mov	%ebx, %edi
	mov	%r12, %rsi
	call	PAPI_stop@PLT
	add	$8, %rsp
	pop	%r12
	pop	%rbx
	ret
	.size	known_region, . - known_region

	.section .data.rel.ro, "aw"
	.globl	known_addresses
	.balign	8
known_addresses:
	.quad	10b, 11b, 12b, 13b, 14b, 15b, 16b, 17b, 18b, 19b, 20b, 21b

	.section .note.GNU-stack, "", @progbits
