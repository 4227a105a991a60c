/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that is copied into another process (load.c): the function of a new thread there. It loads a library and goes
 * on in a function of it, which unmaps this code in the end and never comes back.
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
	mov	%rdi, %rbx
	lea	72(%rbx), %rdi	/* the library */
	mov	$2, %esi	/* RTLD_NOW */
	call	*0(%rbx)	/* dlopen() */
	test	%rax, %rax
	je	1f
	mov	%rax, %rdi
	lea	40(%rbx), %rsi	/* the function */
	call	*8(%rbx)	/* dlsym() */
	test	%rax, %rax
	je	1f
	mov	32(%rbx), %rdi	/* its argument */
	pop	%rbx
	jmp	*%rax
1:	call	*16(%rbx)	/* dlerror() */
	mov	%rax, 24(%rbx)
	xor	%eax, %eax
	pop	%rbx
	ret
papi_remote_stub_end:
	.section .note.GNU-stack, "", @progbits
