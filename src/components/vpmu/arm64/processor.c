/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is of the processor, and the registers of threads (translator/processor.h). */
#include "components/vpmu/translator/processor.h"

#include <elf.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "components/vpmu/call_frame.h"
#include "components/vpmu/arm64/raw.h"
#include "components/vpmu/arm64/vectors.h"
#include "components/vpmu/arm64/translate/offsets.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/thread.h"

#define BTI_C       0xd503245fu
#define STP_X16_X30 0xa9bf7bf0u /* onto the stack */

#define AT(field, offset) \
	_Static_assert(offsetof(struct papi_vpmu_thread, field) == A64_BASE + (offset), #field " moved")
AT(counters[A64_LANE], A64_COUNTERS);
AT(counters[A64_LANE][62], A64_BRANCHING);
AT(registers, A64_REGISTERS);
AT(spilled, A64_SPILLED);
AT(flags, A64_FLAGS);
AT(pc, A64_PC);
AT(code, A64_CODE);
AT(exit, A64_EXIT);
AT(dispatch, A64_DISPATCH);
AT(stack, A64_STACK);
AT(self, A64_SELF);
AT(in_runtime, A64_IN_RUNTIME);
AT(signal_state, A64_SIGNAL_STATE);
AT(gate_depth, A64_GATE_DEPTH);
AT(gate_enter, A64_GATE_ENTER);
AT(trace_next, A64_TRACE_NEXT);
AT(trace_limit, A64_TRACE_LIMIT);
AT(budget, A64_BUDGET);
AT(jump_miss, A64_JUMP_MISS);
AT(watched, A64_WATCHED);
AT(guard, A64_GUARD);
AT(handler_mask, A64_HANDLER_MASK);
AT(deferred_mask, A64_DEFERRED_MASK);
AT(delivering, A64_DELIVERING);
AT(calls_top, A64_CALLS_TOP);
AT(callee, A64_CALLEE);
AT(call_site, A64_CALL_SITE);
AT(branches_next, A64_BRANCHES_NEXT);
AT(branches_limit, A64_BRANCHES_LIMIT);
AT(gates, A64_GATES);
AT(syscall_kinds, A64_SYSCALL_KINDS);
AT(scalable_saved, A64_SCALABLE_SAVED);
AT(scalable_state, A64_SCALABLE);
AT(jumps, A64_JUMPS);
_Static_assert(A64_PAIR_KEYS == A64_WAYS + 8 * A64_MAX_WAYS && A64_PAIR_VALUES == A64_PAIR_KEYS + 8 * PAPI_VPMU_PAIRS,
	"pairs lie behind the ways");
_Static_assert(sizeof(struct papi_vpmu_thread) <= A64_BASE + A64_WAYS, "the counters of ways lie behind the thread");
_Static_assert(A64_MAX_GATES == PAPI_VPMU_GATES, "not as many");
_Static_assert(sizeof(struct papi_vpmu_gate) == A64_GATE_SIZE, "gates are larger");
_Static_assert(PAPI_VPMU_LAST_MODELLED < 62, "an event has the place of x16");
_Static_assert(A64_JUMPS == 16 * 4096 - A64_BASE && A64_BASE % 16 == 0 && _Alignof(struct papi_vpmu_thread) >= 65536,
	"as indirect.c says");
_Static_assert(PAPI_VPMU_SYSCALL_RUNTIME == 1, "as system_call.c says");

const uint32_t papi_vpmu_processor_audit = AUDIT_ARCH_AARCH64;
const int papi_vpmu_processor_needed_call = SYS_rt_sigreturn;
/* Branches reach 128 MiB in both directions. */
const uint64_t papi_vpmu_processor_reach = (uint64_t)1 << 27;
/* A branch to no address at all has been done when the processor finds out. */
const uint64_t papi_vpmu_processor_end_of_programs = UINT64_MAX;
const uint32_t papi_vpmu_processor_jump_slot = R_AARCH64_JUMP_SLOT;
const unsigned papi_vpmu_processor_parts = PAPI_VPMU_PARTS;
const bool papi_vpmu_processor_checks = false;
const bool papi_vpmu_processor_calls_by_stack = false;
const uint64_t papi_vpmu_processor_ways = A64_BASE + A64_WAYS, papi_vpmu_processor_max_ways = A64_MAX_WAYS,
	       papi_vpmu_processor_pairs = A64_BASE + A64_PAIR_KEYS;

long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f)
{
	return papi_vpmu_raw_inline(number, a, b, c, d, e, f);
}

uint64_t papi_vpmu_guarded_bytes(uint64_t to, uint64_t from, uint64_t size)
{
	uint64_t first, second;

	/* A signal's frame has more than four thousand. */
	for (; size >= 16; size -= 16)
		__asm__ volatile("ldp %2, %3, [%1], #16; stp %2, %3, [%0], #16"
				 : "+r"(to), "+r"(from), "=&r"(first), "=&r"(second)
				 :
				 : "memory");
	for (; size; size--)
		__asm__ volatile("ldrb %w2, [%1], #1; strb %w2, [%0], #1"
				 : "+r"(to), "+r"(from), "=&r"(first)
				 :
				 : "memory");
	return 0;
}

/* ---- what there is ---- */

/* No obstacle; but what there is may be asked of libc here. */
const char *papi_vpmu_processor_obstacle(void)
{
	uint64_t bytes = 0;

	if (getauxval(AT_HWCAP) & HWCAP_SVE)
		__asm__ volatile(".arch_extension sve\n\trdvl %0, #1" : "=r"(bytes));
	papi_a64_vector_bytes = (unsigned)bytes;
	return NULL;
}

bool papi_vpmu_processor_can_decode(const char **reason)
{
	(void)reason;
	return true;
}

/* ---- threads ---- */

uint64_t papi_vpmu_processor_thread_pointer(void)
{
	return (uint64_t)(uintptr_t)__builtin_thread_pointer();
}

/* Each way into translated code brings the thread in x18. */
bool papi_vpmu_processor_bind(struct papi_vpmu_thread *thread)
{
	return thread;
}

void papi_vpmu_processor_move_count(uint64_t *to, uint64_t *from)
{
	uint64_t number = *from;

	if (!number)
		return;
	__atomic_fetch_sub(from, number, __ATOMIC_RELAXED);
	__atomic_fetch_add(to, number, __ATOMIC_RELAXED);
}

uint32_t papi_a64_scalable_used, papi_a64_stops_used;
unsigned papi_a64_vector_bytes;

void papi_vpmu_processor_save_vectors(struct papi_vpmu_thread *thread)
{
	papi_a64_save_vectors(thread->vector_state);
}

void papi_vpmu_processor_restore_vectors(const struct papi_vpmu_thread *thread)
{
	papi_a64_restore_vectors(thread->vector_state);
}

void papi_vpmu_processor_save_all(struct papi_vpmu_thread *thread)
{
	papi_a64_save_vectors(thread->vector_state);
}

void papi_vpmu_processor_restore_all(const struct papi_vpmu_thread *thread)
{
	papi_a64_restore_vectors(thread->vector_state);
}

/* ---- the program's registers ---- */

uint64_t papi_vpmu_processor_stack_pointer(const struct papi_vpmu_thread *thread)
{
	return thread->registers[A64_SP];
}

/* The place of a gate is where a function may keep its return address. */
uint64_t papi_vpmu_processor_returned_through(const struct papi_vpmu_thread *thread)
{
	return thread->registers[A64_SP] - 8;
}

uint64_t papi_vpmu_processor_slot(uint64_t stack)
{
	return stack - 8;
}

/* The way to the dynamic linker begins by saving x16, the slot's address, which no function has a reason to do. */
uint64_t papi_vpmu_processor_callee(uint64_t pc, uint64_t callee)
{
	const uint32_t *code = (const uint32_t *)(uintptr_t)callee;
	uint32_t words[2];

	if (pc == callee || !papi_vpmu_guarded_copy(words, code, sizeof(words)))
		return callee;
	return words[words[0] == BTI_C] == STP_X16_X30 ? pc : callee;
}

const unsigned papi_vpmu_processor_clock = A64_LANE;

/* No flag changes what instructions do. */
uint64_t papi_vpmu_processor_flags(void)
{
	return 0;
}

uint64_t papi_vpmu_processor_flags_after_call(uint64_t before)
{
	return before;
}

/* ---- instructions that cannot be translated: none can be run alone ---- */

uint64_t papi_vpmu_step_begin(struct papi_vpmu_thread *thread)
{
	(void)thread;
	__builtin_trap(); /* there is always an obstacle */
}

bool papi_vpmu_step_trap(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	(void)thread;
	(void)delivery;
	return false;
}

int32_t papi_vpmu_foresee(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block)
{
	(void)thread;
	return block->weight;
}
