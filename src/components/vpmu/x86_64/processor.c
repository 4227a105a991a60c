/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is of the processor, and the registers of threads (translator/processor.h). */
#include "components/vpmu/translator/processor.h"

#include <asm/prctl.h>
#include <elf.h>
#include <linux/audit.h>
#include <stddef.h>

#include "base/error.h"
#include "components/vpmu/call_frame.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/x86_64/raw.h"
#include "components/vpmu/x86_64/translate/decode.h"
#include "components/vpmu/x86_64/translate/offsets.h"
#include "components/vpmu/x86_64/translate/zydis.h"
#include "linux/cpu/cpuid.h"

#define AT(field, offset) _Static_assert(offsetof(struct papi_vpmu_thread, field) == (offset), #field " moved")
AT(counters, VPMU_COUNTERS);
AT(registers, VPMU_REGISTERS);
AT(spilled, VPMU_SPILLED);
AT(flags, VPMU_FLAGS);
AT(pc, VPMU_PC);
AT(code, VPMU_CODE);
AT(exit, VPMU_EXIT);
AT(dispatch, VPMU_DISPATCH);
AT(stack, VPMU_STACK);
AT(self, VPMU_SELF);
AT(rep_count, VPMU_REP_COUNT);
AT(in_runtime, VPMU_IN_RUNTIME);
AT(signal_state, VPMU_SIGNAL_STATE);
AT(gate_depth, VPMU_GATE_DEPTH);
AT(gate_enter, VPMU_GATE_ENTER);
AT(trace_next, VPMU_TRACE_NEXT);
AT(trace_limit, VPMU_TRACE_LIMIT);
AT(budget, VPMU_BUDGET);
AT(jump_miss, VPMU_JUMP_MISS);
AT(watched, VPMU_WATCHED);
AT(guard, VPMU_GUARD);
AT(handler_mask, VPMU_HANDLER_MASK);
AT(deferred_mask, VPMU_DEFERRED_MASK);
AT(delivering, VPMU_DELIVERING);
AT(source, VPMU_SOURCE);
AT(branches_next, VPMU_BRANCHES_NEXT);
AT(branches_limit, VPMU_BRANCHES_LIMIT);
AT(calls_top, VPMU_CALLS_TOP);
AT(callee, VPMU_CALLEE);
AT(call_site, VPMU_CALL_SITE);
AT(notes_next, VPMU_NOTES_NEXT);
AT(thread_base, VPMU_THREAD_BASE);
AT(check, VPMU_CHECK);
AT(access, VPMU_ACCESS);
AT(look_limit, VPMU_LOOK_LIMIT);
AT(record, VPMU_RECORD);
AT(checks.now, VPMU_NOW);
AT(checks.uses, VPMU_USES);
AT(checks.slots, VPMU_SLOTS);
AT(checks.code, VPMU_LINES);
AT(checks.page_uses, VPMU_PAGES);
AT(gates, VPMU_GATES);
AT(syscall_kinds, VPMU_SYSCALL_KINDS);
AT(jumps, VPMU_JUMPS);
_Static_assert(
	VPMU_PAIR_KEYS == VPMU_WAYS + 8 * VPMU_MAX_WAYS && VPMU_PAIR_VALUES == VPMU_PAIR_KEYS + 8 * PAPI_VPMU_PAIRS,
	"pairs lie behind the ways");
_Static_assert(sizeof(struct papi_vpmu_thread) <= VPMU_WAYS, "the counters of ways lie behind the thread");
_Static_assert(VPMU_LANES == PAPI_VPMU_LANES && VPMU_MAX_GATES == PAPI_VPMU_GATES, "not as many");
_Static_assert(sizeof(struct papi_vpmu_gate) == VPMU_GATE_SIZE, "gates are larger");

const uint32_t papi_vpmu_processor_audit = AUDIT_ARCH_X86_64;
const int papi_vpmu_processor_needed_call = SYS_arch_prctl;
/* Displacements have 32 bits with their sign, which is room for this and for a heap before it; offsets in the region
 * have 31. */
const uint64_t papi_vpmu_processor_reach = (uint64_t)3 << 28;
/* Beyond, most processors have no address. */
const uint64_t papi_vpmu_processor_end_of_programs = (uint64_t)1 << 47;
const uint64_t papi_vpmu_processor_ways = VPMU_WAYS, papi_vpmu_processor_max_ways = VPMU_MAX_WAYS,
	       papi_vpmu_processor_pairs = VPMU_PAIR_KEYS;
const uint32_t papi_vpmu_processor_jump_slot = R_X86_64_JUMP_SLOT;
const unsigned papi_vpmu_processor_parts = PAPI_VPMU_PARTS;
const bool papi_vpmu_processor_checks = true;
const bool papi_vpmu_processor_calls_by_stack = true;

/* CF, PF, AF, ZF, SF, OF */
#define ARITHMETIC_FLAGS 0x8d5u

/* SSE, AVX and AVX-512; x87 and the rest no C of the runtime touches. A function of the program may use them, too. */
#define VECTOR_STATE 0xe6u
#define ALL_STATE    0xe7u

long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f)
{
	return papi_vpmu_raw_inline(number, a, b, c, d, e, f);
}

uint64_t papi_vpmu_guarded_bytes(uint64_t to, uint64_t from, uint64_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return 0;
}

/* ---- what there is ---- */

/* The kernel's number for arch_prctl(2): Linux 6.6 and later. */
#define SHADOW_STACK_STATUS 0x5005

static bool has_shadow_stack(void)
{
	unsigned long features = 0;

	return !papi_vpmu_raw(SYS_arch_prctl, SHADOW_STACK_STATUS, (long)&features, 0, 0, 0, 0) && features & 1;
}

/* And the kernel has switched it on. One instruction: each leaf takes a virtual machine microseconds. */
static bool has_xsave(void)
{
	papi_cpuid_t features;

	return papi_cpuid_execute(1, 0, &features) && features.ecx >> 27 & 1;
}

const char *papi_vpmu_processor_obstacle(void)
{
	if (!has_xsave())
		return "the processor has no xsave instruction";
	if (has_shadow_stack())
		return "the program runs with a shadow stack, which translated code cannot keep";
	return NULL;
}

bool papi_vpmu_processor_can_decode(const char **reason)
{
	if (!papi_vpmu_zydis_find(reason))
		return false;
	if (!papi_vpmu_decode_works())
		*reason = "the version of the Zydis library does not fit";
	return !*reason;
}

/* ---- threads ---- */

uint64_t papi_vpmu_processor_thread_pointer(void)
{
	uint64_t here;

	__asm__("mov %%fs:0, %0" : "=r"(here));
	return here;
}

/* A thread that was made while its maker counted has the maker's. */
bool papi_vpmu_processor_bind(struct papi_vpmu_thread *thread)
{
	uint64_t base = 0;
	bool known = !papi_vpmu_raw(SYS_arch_prctl, ARCH_GET_GS, (long)&base, 0, 0, 0, 0);

	if (known && base == (uint64_t)(uintptr_t)thread)
		return true;
	if (!known || (base && !papi_vpmu_threads_hold(base))) {
		papi_error(PAPI_ECMP, "this thread uses the gs segment, which the virtual PMU needs");
		return false;
	}
	return !papi_vpmu_raw(SYS_arch_prctl, ARCH_SET_GS, (long)thread, 0, 0, 0, 0);
}

/* Single instructions. */
void papi_vpmu_processor_move_count(uint64_t *to, uint64_t *from)
{
	uint64_t number = *from;

	if (!number)
		return;
	__asm__ volatile("subq %1, %0" : "+m"(*from) : "r"(number) : "cc");
	__asm__ volatile("addq %1, %0" : "+m"(*to) : "r"(number) : "cc");
}

static void save(struct papi_vpmu_thread *thread, uint32_t parts)
{
	__asm__ volatile("xsave64 %0" : "=m"(thread->vector_state) : "a"(parts), "d"(0) : "memory");
}

static void restore(const struct papi_vpmu_thread *thread, uint32_t parts)
{
	__asm__ volatile("xrstor64 %0" : : "m"(thread->vector_state), "a"(parts), "d"(0) : "memory");
}

void papi_vpmu_processor_save_vectors(struct papi_vpmu_thread *thread)
{
	save(thread, VECTOR_STATE);
}

void papi_vpmu_processor_restore_vectors(const struct papi_vpmu_thread *thread)
{
	restore(thread, VECTOR_STATE);
}

void papi_vpmu_processor_save_all(struct papi_vpmu_thread *thread)
{
	save(thread, ALL_STATE);
}

void papi_vpmu_processor_restore_all(const struct papi_vpmu_thread *thread)
{
	restore(thread, ALL_STATE);
}

/* ---- the program's registers ---- */

uint64_t papi_vpmu_processor_stack_pointer(const struct papi_vpmu_thread *thread)
{
	return thread->registers[RSP];
}

/* The handler has taken its return address from the stack: what is next is the context. */
uint64_t papi_vpmu_processor_frame_context(const struct papi_vpmu_thread *thread)
{
	return thread->registers[RSP];
}

/* The return address has been popped: it was right below the stack pointer. */
uint64_t papi_vpmu_processor_returned_through(const struct papi_vpmu_thread *thread)
{
	return thread->registers[RSP] - 8;
}

/* The call has put it there. */
uint64_t papi_vpmu_processor_slot(uint64_t stack)
{
	return stack;
}

/* Each slot leads to an instruction of its own as long as its function is not bound. */
uint64_t papi_vpmu_processor_callee(uint64_t pc, uint64_t callee)
{
	(void)pc;
	return callee;
}

const unsigned papi_vpmu_processor_clock = 0;

uint64_t papi_vpmu_processor_flags(void)
{
	return __builtin_ia32_readeflags_u64();
}

uint64_t papi_vpmu_processor_flags_after_call(uint64_t before)
{
	return before & ~(uint64_t)ARITHMETIC_FLAGS;
}
