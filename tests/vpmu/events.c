/* SPDX-License-Identifier: BSD-3-Clause */
/* The component through the public functions: options it takes and refuses, baselines, ranges, presets, modelled
 * events. */
#include <limits.h>
#include <papi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "virtual.h"

#define TURNS 1000

/* Ten instructions for each turn, of which three read and two write; and nothing else but the function's frame. */
static __attribute__((noinline)) void turns(long n, long *data)
{
#ifdef __aarch64__
	__asm__ volatile("1:\n\t"
			 "ldr x9, [%1]\n\t"
			 "add x9, x9, #1\n\t"
			 "str x9, [%1]\n\t"
			 "ldr x10, [%1, #64]\n\t"
			 "ldr x11, [%1, #8]\n\t"
			 "str x11, [%1, #8]\n\t"
			 "tst wzr, wzr\n\t"
			 "b.ne 1b\n\t"
			 "subs %0, %0, #1\n\t"
			 "b.ne 1b"
			 : "+r"(n)
			 : "r"(data)
			 : "x9", "x10", "x11", "cc", "memory");
#else
	__asm__ volatile("1:\n\t"
			 "mov (%1), %%rax\n\t"
			 "add $1, %%rax\n\t"
			 "mov %%rax, (%1)\n\t"
			 "mov 64(%1), %%rdx\n\t"
			 "addq $1, 8(%1)\n\t"
			 "xor %%ecx, %%ecx\n\t"
			 "test %%ecx, %%ecx\n\t"
			 "jnz 1b\n\t"
			 "dec %0\n\t"
			 "jnz 1b"
			 : "+r"(n)
			 : "r"(data)
			 : "rax", "rcx", "rdx", "cc", "memory");
#endif
}

/* Of the ten, those that calculate, some of which on x86-64 also read or write. */
#ifdef __aarch64__
#define CALCULATE 3
#else
#define CALCULATE 5
#endif

static long data[64] __attribute__((aligned(128)));

static int set_of(const char *first, const char *second, const char *third)
{
	const char *names[] = { first, second, third };
	int set = PAPI_NULL;

	EXPECT_OK(PAPI_create_eventset(&set));
	for (int i = 0; i < 3; i++)
		if (names[i])
			EXPECT_OK(PAPI_add_named_event(set, names[i]));
	return set;
}

static void drop(int set)
{
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

/* One place in the code: another would have other lines. */
static __attribute__((noinline)) void region(int set, long n, long long *counts)
{
	EXPECT_OK(PAPI_start(set));
	turns(n, data);
	EXPECT_OK(PAPI_stop(set, counts));
}

/* What a thousand turns more count, so that frames and calls cancel out. */
static void difference(int set, long long counts[3])
{
	long long few[3] = { 0 }, many[3] = { 0 };

	region(set, TURNS, few); /* brings in lines and pages */
	region(set, TURNS, few);
	region(set, 2 * TURNS, many);
	for (int i = 0; i < 3; i++)
		counts[i] = many[i] - few[i];
}

static void expect_counts(
	const char *first, const char *second, const char *third, long long a, long long b, long long c)
{
	int set = set_of(first, second, third);
	long long counts[3];

	difference(set, counts);
	EXPECT_EQUAL(a * TURNS, counts[0]);
	EXPECT_EQUAL(b * TURNS, counts[1]);
	EXPECT_EQUAL(c * TURNS, counts[2]);
	drop(set);
}

static void test_exact(void)
{
	expect_counts("PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", 10, 3, 2);
	expect_counts("PAPI_BR_CN", "PAPI_BR_TKN", "PAPI_BR_NTK", 2, 1, 1);
	expect_counts("PAPI_BR_INS", "PAPI_INT_INS", "PAPI_FP_OPS", 2, CALCULATE, 0);
	expect_counts("vpmu:::LOADS_AND_STORES", "vpmu:::INTEGER_INSTRUCTIONS", "PAPI_BR_UCN", 5, CALCULATE, 0);
}

/* The two lines of the data are there after the first turn. */
static void test_modelled(void)
{
	expect_counts("PAPI_L1_DCM", "PAPI_L2_TCM", "PAPI_TLB_DM", 0, 0, 0);
	expect_counts("PAPI_L1_DCA", "PAPI_L1_DCH", "PAPI_L1_ICH", 5, 5, 10);
	expect_counts("PAPI_BR_MSP", "PAPI_BR_PRC", "PAPI_L1_ICA", 0, 2, 10);
}

static void test_cycles(void)
{
	int set = set_of("PAPI_TOT_CYC", "PAPI_RES_STL", "PAPI_TOT_INS");
	long long counts[3];

	difference(set, counts);
	/* Nothing is waited for; the quarters of two runs may be rounded down. */
	EXPECT(counts[0] >= counts[2] / 4 - 1 && counts[0] <= counts[2] / 4 + 1);
	EXPECT_EQUAL(0, counts[1]);
	drop(set);
}

static void test_empty_region(void)
{
	int set = set_of("PAPI_TOT_INS", "PAPI_L1_DCA", "PAPI_TOT_CYC");
	long long counts[3], least = LLONG_MAX;

	for (int i = 0; i < 100; i++) {
		PAPI_start(set);
		PAPI_stop(set, counts);
		if (i < 2)
			continue; /* functions are bound when they are first called */
		EXPECT_EQUAL(0, counts[0]);
		EXPECT_EQUAL(0, counts[1]);
		/* Modelled: a line of code may have to be fetched again. */
		least = counts[2] < least ? counts[2] : least;
	}
	EXPECT_EQUAL(0, least);
	drop(set);
}

static void test_baselines(void)
{
	int set = set_of("PAPI_LD_INS", "PAPI_TOT_CYC", NULL);
	long long counts[2], sum[2] = { 0, 0 };

	EXPECT_OK(PAPI_start(set));
	turns(TURNS, data);
	EXPECT_OK(PAPI_reset(set));
	turns(TURNS, data);
	EXPECT_OK(PAPI_read(set, counts));
	EXPECT(counts[0] >= 3 * TURNS && counts[0] < 3 * TURNS + 50);
	EXPECT_OK(PAPI_accum(set, sum));
	turns(TURNS, data);
	EXPECT_OK(PAPI_accum(set, sum));
	EXPECT(sum[0] >= 6 * TURNS && sum[0] < 6 * TURNS + 100);
	EXPECT_OK(PAPI_stop(set, counts));
	EXPECT(counts[0] < 50);
	drop(set);
}

/* The clock of the model has one rate. */
static void test_reference_cycles(void)
{
	int set = set_of("PAPI_TOT_CYC", "PAPI_REF_CYC", NULL);
	float rtime, ptime, rate;
	long long counts[3], n;

	difference(set, counts);
	EXPECT(counts[0] > 0);
	EXPECT_EQUAL(counts[0], counts[1]);
	drop(set);
	for (int i = 0; i < 2; i++) {
		EXPECT_OK(PAPI_epc(0, &rtime, &ptime, &counts[0], &counts[1], &n, &rate));
		turns(TURNS, data);
	}
	EXPECT(counts[0] > 0 && n > 0);
	EXPECT_EQUAL(counts[1], counts[0]);
	EXPECT_OK(PAPI_rate_stop());
}

static void set_range(int set, int option, void *start, void *end)
{
	PAPI_option_t value;

	memset(&value, 0, sizeof(value));
	value.addr.eventset = set;
	value.addr.start = start;
	value.addr.end = end;
	EXPECT_OK(PAPI_set_opt(option, &value));
}

/* Of the data only the first eight bytes, which are read and written once. */
static void test_data_range(void)
{
	int set = set_of("PAPI_LD_INS", "PAPI_SR_INS", "PAPI_TOT_INS");
	long long counts[3];

	set_range(set, PAPI_DATA_ADDRESS, data, data + 1);
	difference(set, counts);
	EXPECT_EQUAL(TURNS, counts[0]);
	EXPECT_EQUAL(TURNS, counts[1]);
	EXPECT_EQUAL(10 * TURNS, counts[2]);
	drop(set);
}

static void test_instruction_range(void)
{
	int set = set_of("PAPI_TOT_INS", "PAPI_L1_DCA", NULL);
	long long counts[3];

	set_range(set, PAPI_INSTR_ADDRESS, (char *)(void *)drop, (char *)(void *)drop + 16);
	difference(set, counts);
	EXPECT_EQUAL(0, counts[0]);
	EXPECT_EQUAL(0, counts[1]);
	drop(set);
}

static void test_two_sets(void)
{
	int one = set_of("PAPI_TOT_INS", NULL, NULL), other = set_of("PAPI_LD_INS", NULL, NULL);
	long long instructions, loads;

	EXPECT_OK(PAPI_start(one));
	turns(TURNS, data);
	EXPECT_OK(PAPI_start(other));
	turns(TURNS, data);
	EXPECT_OK(PAPI_stop(other, &loads));
	turns(TURNS, data);
	EXPECT_OK(PAPI_stop(one, &instructions));
	EXPECT(loads >= 3 * TURNS && loads < 3 * TURNS + 100);
	EXPECT(instructions >= 30 * TURNS && instructions < 30 * TURNS + 1000);
	drop(one);
	drop(other);
}

static void test_refusals(void)
{
	int set = set_of("PAPI_TOT_INS", NULL, NULL), code;
	PAPI_option_t option;

	EXPECT_ERROR(PAPI_ECMP, "papi_run", PAPI_attach(set, 1));
	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR;
	EXPECT_ERROR(PAPI_EINVAL_DOM, "user mode only", PAPI_set_opt(PAPI_DOMAIN, &option));
	option.granularity.eventset = set;
	option.granularity.granularity = PAPI_GRN_SYS;
	EXPECT_ERROR(PAPI_ECMP, "PAPI_GRN_THR", PAPI_set_opt(PAPI_GRANUL, &option));
	EXPECT_ERROR(PAPI_ENOEVNT, "NOTHING", PAPI_event_name_to_code("vpmu:::NOTHING", &code));
	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT_OK(PAPI_add_named_event(set, "vpmu:::L1D_MISSES"));
	EXPECT_ERROR(PAPI_ECMP, "threads", PAPI_start(set));
	drop(set);
}

/* Whoever asks for all modes gets the user's, and is told; whoever wants the kernel alone gets nothing. */
static void test_domains(void)
{
	long long user[3], all[3];
	PAPI_event_info_t info;
	int set = PAPI_NULL;

	EXPECT_OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
	EXPECT(strstr(info.note, "user mode only") != NULL);
	EXPECT_OK(PAPI_get_event_info(PAPI_L1_DCM, &info));
	EXPECT(strstr(info.note, "user mode only") != NULL);
	set = set_of("PAPI_TOT_INS", NULL, NULL);
	difference(set, user);
	drop(set);

	EXPECT_OK(PAPI_set_domain(PAPI_DOM_ALL));
	check_plant();
	set = set_of("PAPI_TOT_INS", NULL, NULL);
	EXPECT(check_detail(CHECK_HERE("PAPI_add_event"), "user mode only"));
	/* The kernel's own in the same set, where it may be counted, counts all that was asked for. */
	if (PAPI_add_named_event(set, "perf::PAGE-FAULTS") != PAPI_OK)
		printf("the kernel's events cannot be counted in this domain here: %s\n", PAPI_error_detail());
	difference(set, all);
	EXPECT_EQUAL(user[0], all[0]);
	drop(set);

	EXPECT_OK(PAPI_set_domain(PAPI_DOM_KERNEL));
	set = PAPI_NULL;
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_ERROR(PAPI_EINVAL_DOM, "user mode only", PAPI_add_event(set, PAPI_TOT_INS));
	drop(set);
	EXPECT_OK(PAPI_set_domain(PAPI_DOM_USER));
}

/* A function that begins with a comparison and a branch, and is called from within its page. */
static __attribute__((noinline)) long fibonacci(long n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Called likewise: it begins with a loop, of which each round but the first has a record of its own. */
static __attribute__((noinline)) void count_down(long n)
{
#ifdef __aarch64__
	__asm__ volatile("bl 1f\n\t"
			 "b 2f\n"
			 "1:\n\t"
			 "subs %0, %0, #1\n\t"
			 "b.ne 1b\n\t"
			 "ret\n"
			 "2:"
			 : "+r"(n)
			 :
			 : "x30", "cc", "memory");
#else
	__asm__ volatile("sub $128, %%rsp\n\t"
			 "call 1f\n\t"
			 "jmp 2f\n"
			 "1:\n\t"
			 "sub $1, %0\n\t"
			 "jnz 1b\n\t"
			 "ret\n"
			 "2:\n\t"
			 "sub $-128, %%rsp"
			 : "+r"(n)
			 :
			 : "cc", "memory");
#endif
}

static const char *const modelled[] = { "vpmu:::INSTRUCTIONS", "vpmu:::L1I_MISSES", "vpmu:::L1D_MISSES",
	"vpmu:::L2_MISSES", "vpmu:::DTLB_MISSES", "vpmu:::BRANCHES_MISPREDICTED", "vpmu:::CYCLES" };
#define N_MODELLED (sizeof(modelled) / sizeof(modelled[0]))

static void never(int set, void *address, long long which, void *context)
{
	(void)set, (void)address, (void)context;
	EXPECT_EQUAL(0, which); /* it has a bit for each event that overflows */
}

struct recursion {
	bool overflows;
	long depth;
	long long counts[N_MODELLED];
};

/* In a thread of its own, whose models are new. */
static void *recur(void *argument)
{
	struct recursion *recursion = argument;
	int set = PAPI_NULL, code;

	EXPECT_OK(PAPI_register_thread());
	EXPECT_OK(PAPI_create_eventset(&set));
	for (unsigned i = 0; i < N_MODELLED; i++)
		EXPECT_OK(PAPI_add_named_event(set, modelled[i]));
	EXPECT_OK(PAPI_event_name_to_code(modelled[0], &code));
	if (recursion->overflows)
		EXPECT_OK(PAPI_overflow(set, code, INT_MAX, 0, never));
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(2584, fibonacci(recursion->depth));
	for (long n = 1; n < 40; n++)
		count_down(n);
	EXPECT_OK(PAPI_stop(set, recursion->counts));
	if (recursion->overflows)
		EXPECT_OK(PAPI_overflow(set, code, 0, 0, never));
	drop(set);
	EXPECT_OK(PAPI_unregister_thread());
	return NULL;
}

/* One record may stand for a call and what it calls, but not where an overflow may be near: that changes no count. */
static void test_calls(void)
{
	struct recursion one = { .overflows = false, .depth = 18 }, two = { .overflows = true, .depth = 18 };
	struct recursion *recursions[] = { &one, &two };

	for (unsigned i = 0; i < 2; i++) {
		pthread_t thread;

		EXPECT_EQUAL(0, pthread_create(&thread, NULL, recur, recursions[i]));
		EXPECT_EQUAL(0, pthread_join(thread, NULL));
	}
	for (unsigned i = 0; i < N_MODELLED; i++)
		if (!EXPECT_EQUAL(two.counts[i], one.counts[i]))
			fprintf(stderr, "^ %s\n", modelled[i]);
	EXPECT_BETWEEN(10, one.counts[5], one.counts[0] / 20);
}

/* All of them at once, and multiplexing changes nothing. */
static void test_everything(void)
{
	int component = PAPI_get_component_index("vpmu"), code = PAPI_NATIVE_MASK, set = PAPI_NULL, n = 0;
	static long long values[512];

	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_assign_eventset_component(set, component));
	EXPECT_OK(PAPI_set_multiplex(set));
	for (int status = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); status == PAPI_OK;
		status = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		PAPI_event_info_t info;

		EXPECT_OK(PAPI_get_event_info(code, &info));
		EXPECT(!strncmp(info.note, "exact", 5) || !strncmp(info.note, "modelled", 8));
		EXPECT(strstr(info.note, "user mode only") != NULL);
		EXPECT(info.long_descr[0] != '\0');
		EXPECT_OK(PAPI_add_event(set, code));
		n++;
	}
	EXPECT_EQUAL(PAPI_get_component_info(component)->num_native_events, n);
	EXPECT_OK(PAPI_start(set));
	turns(TURNS, data);
	EXPECT_OK(PAPI_stop(set, values));
	for (int i = 0; i < n; i++)
		EXPECT(values[i] >= 0);
	drop(set);
}

/* Presets that mean something to the virtual PMU are its, and there are enough of them. */
static void test_presets(void)
{
	int code = PAPI_PRESET_MASK, available = 0;
	PAPI_event_info_t info;

	EXPECT_OK(PAPI_get_event_info(PAPI_TOT_INS, &info));
	if (strncmp(info.name[0], "vpmu::", 6)) {
		check_skip("presets are the hardware's here; PAPI_VPMU=always would make them the virtual PMU's");
		return;
	}
	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL))
		if (PAPI_query_event(code) == PAPI_OK)
			available++;
	EXPECT(available >= 75);
}

int main(void)
{
	static const struct test tests[] = {
		{ "presets", test_presets },
		{ "exact events", test_exact },
		{ "modelled events", test_modelled },
		{ "reference cycles", test_reference_cycles },
		{ "cycles", test_cycles },
		{ "an empty region", test_empty_region },
		{ "baselines", test_baselines },
		{ "a range of data", test_data_range },
		{ "a range of instructions", test_instruction_range },
		{ "two sets at once", test_two_sets },
		{ "domains", test_domains },
		{ "refusals", test_refusals },
		{ "calls", test_calls },
		{ "everything at once", test_everything },
	};

	return virtual_begin() ? check_run(tests, COUNT_OF(tests)) : 77;
}
