/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways between translated code, the runtime and native code.
 *
 * Signals that arrive while in_runtime is set are put off: the handler blocks all signals, sends itself the signal
 * again, and makes signal_state DEFERRED (deliver.c). When the runtime is done the mask is restored here, and the
 * signal comes again, where all of the program's state is in the thread's registers, flags and pc.
 *
 * No flag of the program that changes what instructions do is in force in library code: with AC set, each access that
 * is not aligned would fault. They are back when the program goes on.
 */
#include "components/vpmu/x86_64/translate/offsets.h"

#define SYS_rt_sigprocmask 14
#define SYS_rt_sigreturn 15
#define SYS_arch_prctl 158
#define ARCH_SET_GS 0x1001
#define SIG_SETMASK 2
#define TRAP_FLAG 0x100
	/* enum papi_vpmu_signal_state */
#define SIGNALS_OPEN 0
#define SIGNALS_DEFERRED 1
	/* AC, NT, DF, TF */
#define SPECIAL_FLAGS 0x44500

#define REGISTER(number) %gs:(VPMU_REGISTERS + 8 * (number))

	.macro save_registers
	mov	%rax, REGISTER(0)
	mov	%rcx, REGISTER(1)
	mov	%rdx, REGISTER(2)
	mov	%rbx, REGISTER(3)
	mov	%rsp, REGISTER(4)
	mov	%rbp, REGISTER(5)
	mov	%rsi, REGISTER(6)
	mov	%rdi, REGISTER(7)
	mov	%r8, REGISTER(8)
	mov	%r9, REGISTER(9)
	mov	%r10, REGISTER(10)
	mov	%r11, REGISTER(11)
	mov	%r12, REGISTER(12)
	mov	%r13, REGISTER(13)
	mov	%r14, REGISTER(14)
	mov	%r15, REGISTER(15)
	.endm

	.macro restore_registers
	mov	REGISTER(0), %rax
	mov	REGISTER(1), %rcx
	mov	REGISTER(2), %rdx
	mov	REGISTER(3), %rbx
	mov	REGISTER(4), %rsp
	mov	REGISTER(5), %rbp
	mov	REGISTER(6), %rsi
	mov	REGISTER(7), %rdi
	mov	REGISTER(8), %r8
	mov	REGISTER(9), %r9
	mov	REGISTER(10), %r10
	mov	REGISTER(11), %r11
	mov	REGISTER(12), %r12
	mov	REGISTER(13), %r13
	mov	REGISTER(14), %r14
	mov	REGISTER(15), %r15
	.endm

	/* All of the program's state is the thread's, and the stack is the runtime's. */
	.macro save_state
	save_registers
	mov	%gs:VPMU_STACK, %rsp
	pushf
	pop	%gs:VPMU_FLAGS
	.endm

	/* Signals that were put off come, with the mask at rsi in force. Changes rax, rcx, rdx, rdi, r10 and r11. One
	 * that comes before the mask is in force finds the state still DEFERRED, and so which mask it will be. */
	.macro unblock_signals
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	xor	%edx, %edx
	mov	$8, %r10d
	syscall
	movq	$SIGNALS_OPEN, %gs:VPMU_SIGNAL_STATE
	.endm

	/* The flags become those of library code. */
	.macro plain_flags
	pushq	$2
	popf
	.endm

	.macro function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	.endm

	.text

/* The default of jumps: the target is in rcx; rcx and rdx are spilled. */
	function papi_vpmu_jump_miss
	mov	%rcx, %gs:VPMU_PC
	mov	%gs:(VPMU_SPILLED + 8), %rcx
	mov	%gs:(VPMU_SPILLED + 16), %rdx
	movq	$-1, %gs:VPMU_EXIT
	/* goes on into the dispatcher */
	.size	papi_vpmu_jump_miss, . - papi_vpmu_jump_miss

/* From a block whose exit is in gs:[exit]. The registers and flags are the program's. */
	function papi_vpmu_dispatch
	movq	$1, %gs:VPMU_IN_RUNTIME
	save_state
	testl	$SPECIAL_FLAGS, %gs:VPMU_FLAGS
	jne	2f
1:	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_runtime_dispatch
	mov	%rax, %gs:VPMU_CODE
	jmp	papi_vpmu_resume
2:	plain_flags
	jmp	1b
	.size	papi_vpmu_dispatch, . - papi_vpmu_dispatch

/* From within a block, where an access may miss: it is simulated. The arithmetic flags are free there. */
	function papi_vpmu_check
	movq	$1, %gs:VPMU_IN_RUNTIME
	save_state
	testl	$SPECIAL_FLAGS, %gs:VPMU_FLAGS
	jne	2f
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_trace_check
1:	test	%al, %al
	jne	3f
	restore_registers
	jmp	papi_vpmu_checked
2:	plain_flags
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_trace_check
	push	%gs:VPMU_FLAGS
	popf
	jmp	1b
3:	plain_flags
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_check_trace
	mov	%rax, %gs:VPMU_CODE
	jmp	papi_vpmu_resume
	.size	papi_vpmu_check, . - papi_vpmu_check

/* To gs:[code], with the program's registers. From here to the jump signals are welcome: papi_vpmu_resume to
 * papi_vpmu_resume_end is where the state of the program is that of the thread, whatever the registers hold. */
	function papi_vpmu_resume
	movq	$0, %gs:VPMU_IN_RUNTIME
	cmpq	$SIGNALS_DEFERRED, %gs:VPMU_SIGNAL_STATE
	je	1f
2:	push	%gs:VPMU_FLAGS
	popf
	restore_registers
	jmp	*%gs:VPMU_CODE
1:	mov	%gs:VPMU_SELF, %rsi
	add	$VPMU_DEFERRED_MASK, %rsi
	unblock_signals
	jmp	2b
	.size	papi_vpmu_resume, . - papi_vpmu_resume

/* Back to gs:[code] in the middle of a block. Until papi_vpmu_checked_end all is as it will be there, but for the pc.
 * If a signal has been put off meanwhile, it comes where the program is between two instructions. */
	function papi_vpmu_checked
	movq	$0, %gs:VPMU_IN_RUNTIME
	cmpq	$SIGNALS_DEFERRED, %gs:VPMU_SIGNAL_STATE
	je	1f
	jmp	*%gs:VPMU_CODE
1:	movq	$1, %gs:VPMU_IN_RUNTIME
	function papi_vpmu_checked_end
	save_state
	plain_flags
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_check_interrupted
	mov	%rax, %gs:VPMU_CODE
	jmp	papi_vpmu_resume
	.size	papi_vpmu_checked, . - papi_vpmu_checked

/* rt_sigreturn(2) with the program's frame. If the kernel cannot read it, that is a fault of the program here. */
	function papi_vpmu_signal_leave
	movq	$0, %gs:VPMU_IN_RUNTIME
	mov	REGISTER(4), %rsp
	mov	$SYS_rt_sigreturn, %eax
	syscall
	function papi_vpmu_leave_by_frame /* never */
	function papi_vpmu_resume_end
	.size	papi_vpmu_signal_leave, . - papi_vpmu_signal_leave

/* The code of an instruction that runs alone: the trap flag is set, and does its first work after the move of rsp. */
	function papi_vpmu_step_code
	mov	%gs:VPMU_STACK, %rsp
	push	%gs:VPMU_FLAGS
	orq	$TRAP_FLAG, (%rsp)
	popf
	mov	REGISTER(4), %rsp
	jmp	*%gs:VPMU_PC
	function papi_vpmu_step_code_end
	.size	papi_vpmu_step_code, . - papi_vpmu_step_code

/* A call of the function at gs:[code], with the return address on the stack: what comes back from it comes to
 * papi_vpmu_gate_return. r10, r11 and the flags are free at the start of a function. */
	function papi_vpmu_gate_enter
	movq	$1, %gs:VPMU_IN_RUNTIME
	mov	%gs:VPMU_GATE_DEPTH, %r10
	mov	%rsp, %r11
	mov	%gs:VPMU_STACK, %rsp
	pushf
	pop	%gs:VPMU_FLAGS
	testl	$SPECIAL_FLAGS, %gs:VPMU_FLAGS
	jne	4f
5:	mov	%r11, %rsp
	cmp	$(VPMU_GATE_SIZE * VPMU_MAX_GATES), %r10
	jae	1f
2:	mov	(%rsp), %r11
	mov	%r11, %gs:VPMU_GATES(%r10)
	mov	%rsp, %gs:(VPMU_GATES + 8)(%r10)
	mov	%gs:VPMU_FLAGS, %r11
	mov	%r11, %gs:(VPMU_GATES + 16)(%r10)
	add	$VPMU_GATE_SIZE, %r10
	mov	%r10, %gs:VPMU_GATE_DEPTH
	lea	papi_vpmu_gate_return(%rip), %r11
	mov	%r11, (%rsp)
	mov	%gs:VPMU_CODE, %r11
	movq	$0, %gs:VPMU_IN_RUNTIME
	function papi_vpmu_gate_entered
	/* From here on this is native code, and a handler may run at any point: nothing of it is in the thread. */
	cmpq	$SIGNALS_DEFERRED, %gs:VPMU_SIGNAL_STATE
	je	3f
	jmp	*%r11
1:	/* Gates that a longjmp() has left behind fill the list. */
	save_registers
	mov	%gs:VPMU_STACK, %rsp
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_runtime_forget_gates
	restore_registers
	mov	%gs:VPMU_GATE_DEPTH, %r10
	jmp	2b
4:	plain_flags
	jmp	5b
3:	push	%r11
	push	%rax
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	/* A handler for a fault may come in between, with the mask in force, and leave its own there: so that is taken
	 * before the state is looked at again. */
	pushq	%gs:VPMU_DEFERRED_MASK
	cmpq	$SIGNALS_DEFERRED, %gs:VPMU_SIGNAL_STATE
	jne	6f
	mov	%rsp, %rsi
	unblock_signals
6:	pop	%rcx
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	pop	%rax
	pop	%r11
	jmp	*%r11
	.size	papi_vpmu_gate_enter, . - papi_vpmu_gate_enter

/* A function that was called through a gate has returned. */
	function papi_vpmu_gate_return
	movq	$1, %gs:VPMU_IN_RUNTIME
	save_registers
	mov	%gs:VPMU_STACK, %rsp
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_runtime_gate_return
	mov	%rax, %gs:VPMU_CODE
	jmp	papi_vpmu_resume
	.size	papi_vpmu_gate_return, . - papi_vpmu_gate_return

/* uint64_t papi_vpmu_guarded(function, a, b, c): signal handlers send a fault in between to papi_vpmu_guard_failed. */
	function papi_vpmu_guarded
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%gs:VPMU_GUARD
	mov	%rsp, %gs:VPMU_GUARD
	mov	%rdi, %rax
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	call	*%rax
1:	pop	%gs:VPMU_GUARD
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	function papi_vpmu_guard_failed
	mov	%gs:VPMU_GUARD, %rsp
	cld
	mov	$-1, %rax
	jmp	1b
	.size	papi_vpmu_guarded, . - papi_vpmu_guarded

/* uint64_t papi_vpmu_clone_call(const uint64_t *registers): clone(2), for both threads. */
	function papi_vpmu_clone_call
	mov	(8 * 0)(%rdi), %rax
	mov	(8 * 6)(%rdi), %rsi
	mov	(8 * 2)(%rdi), %rdx
	mov	(8 * 10)(%rdi), %r10
	mov	(8 * 8)(%rdi), %r8
	mov	(8 * 9)(%rdi), %r9
	mov	(8 * 7)(%rdi), %rdi
	syscall
	test	%rax, %rax
	je	1f
	ret
	/* On the stack that the program has made: not a byte of it is touched. gs is still the maker's. */
1:	mov	papi_vpmu_self@gottpoff(%rip), %rcx
	mov	%fs:(%rcx), %rsi
	mov	$ARCH_SET_GS, %edi
	mov	$SYS_arch_prctl, %eax
	syscall
	/* A thread that was moved here begins the same way. */
	function papi_vpmu_arrive
	mov	%gs:VPMU_STACK, %rsp
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_clone_newborn
	mov	%rax, %gs:VPMU_CODE
	jmp	papi_vpmu_resume
	.size	papi_vpmu_clone_call, . - papi_vpmu_clone_call

/* A thread that was moved here goes on natively, with the registers that it has in its block. */
	function papi_vpmu_depart
	mov	%gs:VPMU_STACK, %rsp
	mov	%gs:VPMU_SELF, %rdi
	call	papi_vpmu_departing
	mov	%rax, %gs:VPMU_CODE
	jmp	papi_vpmu_resume
	.size	papi_vpmu_depart, . - papi_vpmu_depart

/* int papi_vpmu_engine_start(const struct papi_vpmu_wants *wants, void *frame): what the function returns to that has
 * the frame, runs translated; without a frame, what this one returns to. */
	function papi_vpmu_engine_start
	mov	%rsp, %rdx
	sub	$8, %rsp
	call	papi_vpmu_start
	add	$8, %rsp
	ret
	.size	papi_vpmu_engine_start, . - papi_vpmu_engine_start

	.section .note.GNU-stack, "", @progbits
