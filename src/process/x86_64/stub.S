/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that is copied into another process (load.c): the function of a new thread there. It waits until the thread that
 * has made it is out of this memory, loads libraries and goes on in a function of the last, which unmaps this code in
 * the end and never comes back.
 */
	.section .rodata
	.globl	papi_remote_stub, papi_remote_stub_end, papi_remote_stub_thread
	.hidden	papi_remote_stub, papi_remote_stub_end, papi_remote_stub_thread
papi_remote_stub:
	int3			/* where calls return to */
	.balign	16
papi_remote_stub_thread:	/* void *(struct words *) */
	endbr64
	push	%rbx
	push	%rbp
	push	%r12
	mov	%rdi, %rbx
	mov	$30000, %r12d	/* as many ms at most */
	push	$1000000	/* ns */
	push	$0
0:	mov	1384(%rbx), %eax
	test	%eax, %eax
	jne	8f
	lea	1384(%rbx), %rdi
	mov	$128, %esi	/* FUTEX_WAIT_PRIVATE, which nobody wakes */
	xor	%edx, %edx
	mov	%rsp, %r10
	mov	$202, %eax	/* futex() */
	syscall
	dec	%r12d
	jne	0b
8:	add	$16, %rsp
	cmp	$1, %eax
	jne	9f
	lea	104(%rbx), %rbp	/* the libraries, one after the other */
1:	mov	%rbp, %rdi
	mov	$2, %esi	/* RTLD_NOW */
	call	*0(%rbx)	/* dlopen() */
	test	%rax, %rax
	je	4f
	mov	%rax, %r12
2:	inc	%rbp
	cmpb	$0, -1(%rbp)
	jne	2b
	cmpb	$0, (%rbp)
	jne	1b
	mov	%r12, %rdi
	lea	40(%rbx), %rsi	/* the function */
	call	*8(%rbx)	/* dlsym() */
	test	%rax, %rax
	je	4f
	mov	%rax, %r12
	call	close_files
	mov	%r12, %rax
	mov	32(%rbx), %rdi	/* its argument */
	pop	%r12
	pop	%rbp
	pop	%rbx
	jmp	*%rax
4:	call	*16(%rbx)	/* dlerror() */
	xor	%ecx, %ecx
	test	%rax, %rax
	je	6f
5:	mov	(%rax, %rcx), %dl
	mov	%dl, 1128(%rbx, %rcx)
	inc	%ecx
	test	%dl, %dl
	je	6f
	cmp	$255, %ecx
	jne	5b
6:	call	close_files
9:	movq	$1, 24(%rbx)	/* it has failed, and the reason is there */
	xor	%eax, %eax
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
close_files:			/* which the kernel refuses for those that are none */
	xor	%ebp, %ebp
7:	mov	72(%rbx, %rbp, 4), %edi
	mov	$3, %eax	/* close() */
	syscall
	inc	%ebp
	cmp	$8, %ebp
	jne	7b
	ret
papi_remote_stub_end:
	.section .note.GNU-stack, "", @progbits
