/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random code, run natively and in a region that is counted virtually: registers, flags, the x87 and vector state and
 * memory must be the same afterwards; if it faults, the same where it does.
 *
 * A sequence is made of random bytes that decode to an instruction a user program could execute, with its memory
 * operand mostly turned to a scratch area. It loops a few times, and some parts are branched over or called.
 *
 *	test_vpmu_differential [seconds [seed]]
 */
#include <Zydis/Zydis.h>
#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "virtual.h"

#define ARITHMETIC_FLAGS 0x8d5u
#define CODE_SIZE        ((size_t)1 << 26)
#define SCRATCH          16384
#define PASSES           3

/* What run_code() loads before and stores after, at fixed offsets that it knows. */
struct state {
	uint64_t registers[16]; /* 0 */
	uint64_t flags;         /* 128 */
	uint64_t unused[7];
	unsigned char vectors[4096]; /* 192: xsave */
};

struct outcome {
	struct state state;
	unsigned char memory[SCRATCH];
	int signal; /* 0: it came to its end */
	uint64_t pc;
	long long instructions;
};

extern struct state state;
extern uint64_t target, host_stack;
extern uint32_t passes;
struct state state __attribute__((aligned(64)));
uint64_t target, host_stack;
uint32_t passes;
static unsigned char *scratch; /* far from everything that is the test's own */
static uint8_t *code_write, *code_run;
static size_t code_used;

void run_code(void);
void end_of_code(void);
__asm__("	.text\n"
	"	.globl	run_code, end_of_code\n"
	"	.hidden	run_code, end_of_code, state, target, host_stack\n"
	"run_code:\n"
	"	push	%rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov	%rsp, host_stack(%rip)\n"
	"	mov	$-1, %eax\n"
	"	mov	$-1, %edx\n"
	"	xrstor64 192+state(%rip)\n"
	"	push	128+state(%rip)\n"
	"	popf\n"
	"	mov	state(%rip), %rax\n"
	"	mov	8+state(%rip), %rcx\n"
	"	mov	16+state(%rip), %rdx\n"
	"	mov	24+state(%rip), %rbx\n"
	"	mov	40+state(%rip), %rbp\n"
	"	mov	48+state(%rip), %rsi\n"
	"	mov	56+state(%rip), %rdi\n"
	"	mov	64+state(%rip), %r8\n"
	"	mov	72+state(%rip), %r9\n"
	"	mov	80+state(%rip), %r10\n"
	"	mov	88+state(%rip), %r11\n"
	"	mov	96+state(%rip), %r12\n"
	"	mov	104+state(%rip), %r13\n"
	"	mov	112+state(%rip), %r14\n"
	"	mov	120+state(%rip), %r15\n"
	"	mov	32+state(%rip), %rsp\n"
	"	jmp	*target(%rip)\n"
	"end_of_code:\n"
	"	mov	%rsp, 32+state(%rip)\n"
	"	mov	host_stack(%rip), %rsp\n"
	"	pushf\n"
	"	pop	128+state(%rip)\n"
	"	cld\n"
	"	mov	%rax, state(%rip)\n"
	"	mov	%rcx, 8+state(%rip)\n"
	"	mov	%rdx, 16+state(%rip)\n"
	"	mov	%rbx, 24+state(%rip)\n"
	"	mov	%rbp, 40+state(%rip)\n"
	"	mov	%rsi, 48+state(%rip)\n"
	"	mov	%rdi, 56+state(%rip)\n"
	"	mov	%r8, 64+state(%rip)\n"
	"	mov	%r9, 72+state(%rip)\n"
	"	mov	%r10, 80+state(%rip)\n"
	"	mov	%r11, 88+state(%rip)\n"
	"	mov	%r12, 96+state(%rip)\n"
	"	mov	%r13, 104+state(%rip)\n"
	"	mov	%r14, 112+state(%rip)\n"
	"	mov	%r15, 120+state(%rip)\n"
	"	mov	$-1, %eax\n"
	"	mov	$-1, %edx\n"
	"	xsave64	192+state(%rip)\n"
	"	pop	%r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

/* ---- chance ---- */

static uint64_t random_state;

static uint64_t any(void)
{
	random_state += 0x9e3779b97f4a7c15u;
	uint64_t z = random_state;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
	return (unsigned)(any() % n);
}

/* ---- instructions ---- */

static ZydisDecoder decoder;

/* What is not the same twice, changes what the test itself stands on, or asks the machine below. */
static bool is_unwanted(const ZydisDecodedInstruction *decoded)
{
	static const ZydisMnemonic unwanted[] = {
		ZYDIS_MNEMONIC_CPUID,
		ZYDIS_MNEMONIC_RDTSC,
		ZYDIS_MNEMONIC_RDTSCP,
		ZYDIS_MNEMONIC_RDPMC,
		ZYDIS_MNEMONIC_RDPRU,
		ZYDIS_MNEMONIC_RDRAND,
		ZYDIS_MNEMONIC_RDSEED,
		ZYDIS_MNEMONIC_RDPID,
		ZYDIS_MNEMONIC_POPF,
		ZYDIS_MNEMONIC_POPFQ,
		ZYDIS_MNEMONIC_XBEGIN,
		ZYDIS_MNEMONIC_XEND,
		ZYDIS_MNEMONIC_XTEST,
		ZYDIS_MNEMONIC_MONITORX,
		ZYDIS_MNEMONIC_MWAITX,
		ZYDIS_MNEMONIC_TPAUSE,
		ZYDIS_MNEMONIC_UMWAIT,
		ZYDIS_MNEMONIC_UMONITOR,
		ZYDIS_MNEMONIC_SGDT,
		ZYDIS_MNEMONIC_SIDT,
		ZYDIS_MNEMONIC_SLDT,
		ZYDIS_MNEMONIC_STR,
		ZYDIS_MNEMONIC_SMSW,
		ZYDIS_MNEMONIC_VMCALL,
		ZYDIS_MNEMONIC_VMMCALL,
		ZYDIS_MNEMONIC_VMFUNC,
		ZYDIS_MNEMONIC_WRFSBASE,
		ZYDIS_MNEMONIC_WRGSBASE,
		ZYDIS_MNEMONIC_RDGSBASE,
		ZYDIS_MNEMONIC_WRPKRU,
		ZYDIS_MNEMONIC_SYSENTER,
		ZYDIS_MNEMONIC_SYSEXIT,
		ZYDIS_MNEMONIC_SYSRET,
		ZYDIS_MNEMONIC_INT,
		ZYDIS_MNEMONIC_INT1,
		ZYDIS_MNEMONIC_INT3,
		ZYDIS_MNEMONIC_IRET,
		ZYDIS_MNEMONIC_IRETD,
		ZYDIS_MNEMONIC_IRETQ,
		ZYDIS_MNEMONIC_LFS,
		ZYDIS_MNEMONIC_LGS,
		ZYDIS_MNEMONIC_LSS,
		ZYDIS_MNEMONIC_CLZERO,
		ZYDIS_MNEMONIC_SWAPGS,
		/* These store where the last x87 instruction was, which is an address of code. */
		ZYDIS_MNEMONIC_FNSTENV,
		ZYDIS_MNEMONIC_FNSAVE,
		ZYDIS_MNEMONIC_FXSAVE,
		ZYDIS_MNEMONIC_FXSAVE64,
		ZYDIS_MNEMONIC_FLDENV,
		ZYDIS_MNEMONIC_FRSTOR,
		ZYDIS_MNEMONIC_FXRSTOR,
		ZYDIS_MNEMONIC_FXRSTOR64,
		/* Approximations, and the last of them is in microcode: undefined bits. */
		ZYDIS_MNEMONIC_ENTER,
	};
	ZydisInstructionCategory category = decoded->meta.category;

	for (unsigned i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		if (decoded->mnemonic == unwanted[i])
			return true;
	return category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_RET ||
		category == ZYDIS_CATEGORY_COND_BR || category == ZYDIS_CATEGORY_UNCOND_BR ||
		category == ZYDIS_CATEGORY_SYSCALL || category == ZYDIS_CATEGORY_XSAVE ||
		category == ZYDIS_CATEGORY_XSAVEOPT || category == ZYDIS_CATEGORY_AMX_TILE ||
		category == ZYDIS_CATEGORY_CET || category == ZYDIS_CATEGORY_KEYLOCKER ||
		decoded->attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS) ||
		decoded->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED;
}

static bool loads_segment(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands)
{
	for (unsigned i = 0; i < decoded->operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
			ZydisRegisterGetClass(operands[i].reg.value) == ZYDIS_REGCLASS_SEGMENT)
			return true;
	return false;
}

static unsigned put_random_bytes(uint8_t *bytes)
{
	static const uint8_t prefixes[] = { 0x66, 0xf2, 0xf3, 0xf0, 0x67 };
	unsigned n = 0;

	for (unsigned i = 0; i < ZYDIS_MAX_INSTRUCTION_LENGTH; i++)
		bytes[i] = (uint8_t)any();
	switch (below(6)) {
	case 0: /* VEX */
		bytes[n++] = 0xc4;
		bytes[n] = (uint8_t)((bytes[n] & 0xe0) | (1 + below(3)));
		break;
	case 1: /* EVEX */
		bytes[n++] = 0x62;
		bytes[n] = (uint8_t)((bytes[n] & 0xf0) | (1 + below(3)));
		bytes[n + 1] |= 4;
		break;
	case 2: /* two bytes of opcode */
		if (below(2))
			bytes[n++] = prefixes[below(5)];
		if (below(2))
			bytes[n++] = (uint8_t)(0x40 | below(16));
		bytes[n++] = 0x0f;
		break;
	default:
		if (!below(4))
			bytes[n++] = prefixes[below(5)];
		if (below(2))
			bytes[n++] = (uint8_t)(0x40 | below(16));
		break;
	}
	return n;
}

/* Memory operands: of the scratch area by rbx or rip, or as chance has them. place: where the instruction will be
 * run. */
static void aim(uint8_t *bytes, const ZydisDecodedInstruction *decoded, uint64_t place)
{
	unsigned modrm = decoded->raw.modrm.offset;
	int32_t displacement = (int32_t)(below(SCRATCH / 2 - 512) & ~(below(2) ? 63u : 0u));
	uint8_t rest[ZYDIS_MAX_INSTRUCTION_LENGTH];
	unsigned operand_end = decoded->raw.disp.size ? decoded->raw.disp.offset + decoded->raw.disp.size / 8u
						      : modrm + 1u + (decoded->raw.modrm.rm == 4);
	unsigned rest_size = decoded->length - operand_end;

	if (!(decoded->attributes & ZYDIS_ATTRIB_HAS_MODRM) || decoded->raw.modrm.mod == 3 || !below(12))
		return;
	memcpy(rest, bytes + operand_end, rest_size);
	if (decoded->attributes & ZYDIS_ATTRIB_HAS_REX)
		bytes[decoded->raw.rex.offset] &= (uint8_t)~1;
	if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && decoded->raw.vex.size == 3)
		bytes[decoded->raw.vex.offset + 1] |= 0x20;
	if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
		bytes[decoded->raw.evex.offset + 1] |= 0x20;
	if (below(2)) {
		bytes[modrm] = (uint8_t)((bytes[modrm] & 0x38) | 0x83); /* [rbx + displacement] */
		if (decoded->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
			displacement &= ~63;
	} else {
		bytes[modrm] = (uint8_t)((bytes[modrm] & 0x38) | 0x05); /* [rip + displacement] */
		displacement = (int32_t)((uint64_t)(uintptr_t)scratch + (uint64_t)displacement -
			(place + modrm + 5 + rest_size));
	}
	memcpy(bytes + modrm + 1, &displacement, 4);
	if (modrm + 5 + rest_size <= ZYDIS_MAX_INSTRUCTION_LENGTH)
		memcpy(bytes + modrm + 5, rest, rest_size);
}

static bool decode(const uint8_t *bytes, ZydisDecodedInstruction *decoded, ZydisDecodedOperand *operands)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, ZYDIS_MAX_INSTRUCTION_LENGTH, decoded, operands));
}

/* An instruction to run at place; undefined: the flags that have no defined value there. Returns its length. */
static unsigned make_instruction(uint8_t *bytes, uint64_t place, unsigned *undefined)
{
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	for (;;) {
		put_random_bytes(bytes);
		if (!decode(bytes, &decoded, operands) || is_unwanted(&decoded))
			continue;
		aim(bytes, &decoded, place);
		if (!decode(bytes, &decoded, operands) || is_unwanted(&decoded) || loads_segment(&decoded, operands))
			continue;
		if (decoded.cpu_flags && decoded.cpu_flags->tested & *undefined)
			continue;
		if (decoded.cpu_flags) {
			*undefined &= ~(decoded.cpu_flags->set_0 | decoded.cpu_flags->set_1);
			/* A shift may turn out to be by nothing: what it would define stays as it was. */
			if (decoded.meta.category != ZYDIS_CATEGORY_SHIFT &&
				decoded.meta.category != ZYDIS_CATEGORY_ROTATE &&
				!(decoded.attributes &
					(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)))
				*undefined &= ~decoded.cpu_flags->modified;
			*undefined |= decoded.cpu_flags->undefined;
		}
		return decoded.length;
	}
}

/* ---- sequences ---- */

struct sequence {
	uint64_t start;
	unsigned size, undefined; /* flags */
	long long instructions;   /* of all passes; -1: depends */
};

static uint8_t *next_byte;

static uint64_t place_of(const uint8_t *written)
{
	return (uint64_t)(uintptr_t)(code_run + (written - code_write));
}

static void put(const void *bytes, size_t count)
{
	memcpy(next_byte, bytes, count);
	next_byte += count;
}

static void put_byte(unsigned value)
{
	*next_byte++ = (uint8_t)value;
}

static void put_32(uint64_t value)
{
	uint32_t low = (uint32_t)value;

	put(&low, 4);
}

static unsigned put_random(unsigned n, unsigned *undefined)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH + 16];
		unsigned length = make_instruction(bytes, place_of(next_byte), undefined);

		put(bytes, length);
	}
	return n;
}

/* jcc over some; the flags that it looks at have to be defined. */
static void put_branch(struct sequence *sequence)
{
	uint8_t *displacement;
	unsigned before, condition = below(16);

	if (sequence->undefined & ARITHMETIC_FLAGS) {
		put("\x48\x85\xc0", 3); /* test rax, rax: defines all but AF, which no branch looks at */
		sequence->undefined = ZYDIS_CPUFLAG_AF;
	}
	before = sequence->undefined;
	put_byte(0x0f);
	put_byte(0x80 | condition);
	displacement = next_byte;
	put_32(0);
	put_random(1 + below(4), &sequence->undefined);
	sequence->undefined |= before;
	*(uint32_t *)(void *)displacement = (uint32_t)(next_byte - displacement - 4);
	sequence->instructions = -1;
}

/* call over a function, which follows, and does something. */
static void put_call(struct sequence *sequence)
{
	uint8_t *displacement, *jump;
	unsigned inside;

	put("\xe8\x05\0\0\0", 5); /* call behind the jump */
	put_byte(0xe9);
	jump = next_byte;
	put_32(0);
	inside = put_random(below(4), &sequence->undefined);
	put_byte(0xc3);
	displacement = jump;
	*(uint32_t *)(void *)displacement = (uint32_t)(next_byte - displacement - 4);
	sequence->instructions += 3 + inside;
}

static void make_sequence(struct sequence *sequence)
{
	unsigned parts = 1 + below(6);
	uint8_t *start;

	if (code_used + 65536 > CODE_SIZE)
		code_used = 0;
	next_byte = start = code_write + code_used;
	*sequence = (struct sequence){ .start = place_of(start), .undefined = ZYDIS_CPUFLAG_AF, .instructions = 1 };
	put("\x48\x85\xc0", 3); /* test rax, rax: in the next pass, too, the flags have a value */
	for (unsigned i = 0; i < parts; i++) {
		unsigned sort = below(8);
		long long before = sequence->instructions;

		if (sort == 0)
			put_branch(sequence);
		else if (sort == 1)
			put_call(sequence);
		else
			sequence->instructions += put_random(1 + below(8), &sequence->undefined);
		if (before < 0)
			sequence->instructions = -1;
	}
	/* dec dword [passes]; jnz start; jmp [end_of_code] */
	put("\xff\x0d", 2);
	put_32((uint64_t)(uintptr_t)&passes - (place_of(next_byte) + 4));
	put("\x0f\x85", 2);
	put_32(sequence->start - (place_of(next_byte) + 4));
	put("\xff\x25\0\0\0\0", 6);
	put(&(uint64_t){ (uint64_t)(uintptr_t)end_of_code }, 8);
	sequence->size = (unsigned)(next_byte - start);
	if (sequence->instructions >= 0)
		sequence->instructions = PASSES * (sequence->instructions + 2) + 1;
	code_used = (code_used + sequence->size + 63) & ~(size_t)63;
}

/* ---- running ---- */

static struct state first_state;
static unsigned char first_memory[SCRATCH];
static sigjmp_buf fault;
static struct outcome *running;
static volatile bool may_fault; /* the code runs: anything else that faults is a defect, and dies of it */

static void on_fault(int number, siginfo_t *info, void *context)
{
	const ucontext_t *program = context;
	static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	(void)info;
	if (!may_fault) {
		signal(number, SIG_DFL);
		return;
	}
	running->signal = number;
	running->pc = (uint64_t)program->uc_mcontext.gregs[REG_RIP];
	for (unsigned i = 0; i < 16; i++)
		state.registers[i] = (uint64_t)program->uc_mcontext.gregs[order[i]];
	state.flags = (uint64_t)program->uc_mcontext.gregs[REG_EFL];
	memcpy(state.vectors, program->uc_mcontext.fpregs, 512);
	siglongjmp(fault, 1);
}

static void go(void *unused)
{
	(void)unused;
	if (!sigsetjmp(fault, 1)) {
		may_fault = true;
		run_code();
	}
	may_fault = false;
}

static void start_over(const struct sequence *sequence, struct outcome *outcome)
{
	memset(outcome, 0, sizeof(*outcome));
	running = outcome;
	state = first_state;
	memcpy(scratch, first_memory, SCRATCH);
	passes = PASSES;
	target = sequence->start;
}

static void finish(struct outcome *outcome)
{
	static const unsigned default_control = 0x1f80;

	_mm_setcsr(default_control);
	__asm__ volatile("fninit");
	outcome->state = state;
	memcpy(outcome->memory, scratch, SCRATCH);
}

static void make_first_state(void)
{
	memset(&first_state, 0, sizeof(first_state));
	for (unsigned i = 0; i < 16; i++)
		first_state.registers[i] = below(3) ? any() >> below(64)
						    : (uint64_t)(uintptr_t)scratch + below(SCRATCH / 2);
	first_state.registers[3] = (uint64_t)(uintptr_t)scratch;
	first_state.registers[4] = (uint64_t)(uintptr_t)scratch + SCRATCH - 2048 + 8 * below(64);
	first_state.flags = 0x202 | (any() & ARITHMETIC_FLAGS);
	/* x87, SSE, AVX and AVX-512 components, all in use. */
	__asm__ volatile("xsave64 %0" : "=m"(first_state.vectors) : "a"(-1), "d"(-1) : "memory");
	for (unsigned i = 160; i < 416; i++)
		first_state.vectors[i] = (uint8_t)any();
	*(uint64_t *)(void *)(first_state.vectors + 512) |= 6;
	for (unsigned i = 576; i < 832; i++)
		first_state.vectors[i] = (uint8_t)any();
	for (unsigned i = 0; i < SCRATCH; i++)
		first_memory[i] = (uint8_t)(i % 64 < 32 ? any() : any() & 1);
}

/* ---- comparing ---- */

static void disassemble(const struct sequence *sequence)
{
	ZydisFormatter formatter;
	const uint8_t *bytes = (const uint8_t *)(uintptr_t)sequence->start;
	unsigned at = 0;

	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	while (at + 8 < sequence->size) {
		ZydisDecodedInstruction decoded;
		ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
		char text[200];

		if (!decode(bytes + at, &decoded, operands))
			break;
		ZydisFormatterFormatInstruction(&formatter, &decoded, operands, decoded.operand_count_visible, text,
			sizeof(text), sequence->start + at, NULL);
		printf("  %012llx %s\n", (unsigned long long)sequence->start + at, text);
		at += decoded.length;
	}
}

static unsigned flags_that_count(const struct sequence *sequence, const struct outcome *native)
{
	/* A fault shows flags that the program may not be going to look at. */
	return native->signal ? 0x400 : 0x400 | (ARITHMETIC_FLAGS & ~sequence->undefined);
}

static bool is_no_address(uint64_t pc)
{
	return pc >> 47 != 0 && pc >> 47 != 0x1ffff;
}

static bool same(const struct sequence *sequence, const struct outcome *native, const struct outcome *got)
{
	const unsigned char *a = native->state.vectors, *b = got->state.vectors;
	unsigned flags = flags_that_count(sequence, native);
	const char *difference = NULL;

	/* A return to what is no address: the processor stays at the return, translated code has left it. */
	if (got->signal && is_no_address(got->pc) && native->signal == got->signal)
		return true;
	if (native->signal != got->signal || native->pc != got->pc)
		difference = "where it ends";
	else if (memcmp(native->state.registers, got->state.registers, sizeof(got->state.registers)))
		difference = "registers";
	else if ((native->state.flags ^ got->state.flags) & flags)
		difference = "flags";
	else if (memcmp(a, b, 6) || memcmp(a + 24, b + 24, 4) || memcmp(a + 32, b + 32, 384))
		difference = "x87 or SSE state"; /* but for the addresses of the last x87 instruction */
	else if (!native->signal && memcmp(a + 576, b + 576, sizeof(native->state.vectors) - 576))
		difference = "AVX state";
	else if (memcmp(native->memory, got->memory, SCRATCH))
		difference = "memory";
	if (!difference)
		return true;
	printf("different: %s\n", difference);
	printf("  native signal %d at %llx flags %llx, translated signal %d at %llx flags %llx\n", native->signal,
		(unsigned long long)native->pc, (unsigned long long)native->state.flags, got->signal,
		(unsigned long long)got->pc, (unsigned long long)got->state.flags);
	for (unsigned i = 0; i < sizeof(native->state.vectors); i++)
		if (a[i] != b[i])
			printf("  xsave[%u] native %02x translated %02x\n", i, a[i], b[i]);
	for (unsigned i = 0; i < 16; i++)
		if (native->state.registers[i] != got->state.registers[i])
			printf("  register %u native %llx translated %llx\n", i,
				(unsigned long long)native->state.registers[i],
				(unsigned long long)got->state.registers[i]);
	disassemble(sequence);
	return false;
}

/* What go() and run_code() themselves count. */
static long long measure_frame(void)
{
	struct sequence empty = { 0 };
	static struct outcome outcome;
	struct counts counts;

	empty.start = (uint64_t)(uintptr_t)end_of_code;
	start_over(&empty, &outcome);
	counts = virtual_count(go, NULL);
	finish(&outcome);
	return counts.of[INSTRUCTIONS];
}

static bool try_one(long long frame)
{
	static struct outcome native, again, translated;
	struct sequence sequence;
	struct counts counts;
	long long instructions;

	make_first_state();
	make_sequence(&sequence);
	start_over(&sequence, &native);
	go(NULL);
	finish(&native);
	start_over(&sequence, &again);
	go(NULL);
	finish(&again);
	if (memcmp(&native, &again, sizeof(native)))
		return true; /* nothing that could be compared */
	start_over(&sequence, &translated);
	counts = virtual_count(go, NULL);
	finish(&translated);
	if (!same(&sequence, &native, &translated))
		return false;
	instructions = counts.of[INSTRUCTIONS] - frame;
	if (native.signal || sequence.instructions < 0 || sequence.instructions == instructions)
		return true;
	printf("%lld instructions, counted %lld\n", sequence.instructions, instructions);
	disassemble(&sequence);
	return false;
}

/* Memory near the test's own data, which the code names relative to rip. The heap is somewhere there, too. */
static uint8_t *near_data(size_t size)
{
	uintptr_t data = (uintptr_t)&state & ~(uintptr_t)0xfffff;

	for (uintptr_t distance = 0x4000000; distance < 0x78000000 - size; distance += 0x4000000) {
		uint8_t *place = mmap((void *)(data + distance), size,
			PROT_NONE, /* NOLINT(performance-no-int-to-ptr) */
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

		if (place == (uint8_t *)(data + distance)) /* NOLINT(performance-no-int-to-ptr) */
			return place;
		if (place != MAP_FAILED)
			munmap(place, size); /* a kernel that does not know the flag */
	}
	printf("no room near the test's data\n");
	exit(77);
}

static void prepare(void)
{
	static char stack[65536];
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	int file = memfd_create("code", 0);
	uint8_t *area = mmap((void *)0x200000000, CODE_SIZE + 3 * 65536, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	(void)area;
	sigaltstack(&alternate, NULL);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &action, NULL);
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (file < 0 || ftruncate(file, CODE_SIZE))
		exit(1);
	code_write = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	code_run = near_data(CODE_SIZE + 0x100000 + SCRATCH);
	scratch = code_run + CODE_SIZE + 0x100000;
	if (mmap(code_run, CODE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED ||
		mprotect(scratch, SCRATCH, PROT_READ | PROT_WRITE))
		exit(1);
	if (code_write == MAP_FAILED)
		exit(1);
}

int main(int count, char **arguments)
{
	double seconds = virtual_seconds(count, arguments);
	struct timespec start, now;
	uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 0) : 20261120, tried = 0;
	long long frame;

	if (!virtual_begin())
		return 77;
	prepare();
	measure_frame(); /* the dynamic linker's work, the first time */
	frame = measure_frame();
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		random_state = seed + tried * 1000003;
		if (!try_one(frame)) {
			printf("sequence %llu of seed %llu\n", (unsigned long long)tried, (unsigned long long)seed);
			return 1;
		}
		tried++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (seconds > 0 ? (double)(now.tv_sec - start.tv_sec) < seconds : tried < 20000);
	printf("%llu sequences are the same\n", (unsigned long long)tried);
	return 0;
}
