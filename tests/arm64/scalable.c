/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors of any length (SVE) in regions that are counted virtually: kernels compute the same as natively, and count
 * what their instructions say (scalable.S), floating-point operations by active elements; signals find and leave all of
 * the registers; and what is not counted says why.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "scalable.h"
#include "virtual.h"

/* scalable.S */
uint64_t leaves(const void *memory), streaming_length(void);
void rotate(float *pairs, uint64_t n), halves(uint16_t *x, uint64_t pieces), gathers(const double *table), spoil(void),
	past(uint64_t rounds, bool uses_them);
extern const char known_vectors_loop[], known_vectors_end[];
double gather(const double *table, const uint64_t *index, uint64_t n);

#define N      1001
#define ROUNDS 100

/* ---- counts ---- */

enum { TOTAL, READS, WRITES, JUMPS, DOUBLES, SINGLES, HALVES, FUSED, COMPUTING, VECTORS, ALL, MISPREDICTED = ALL };

static const char *const names[ALL + 1] = { "vpmu:::INSTRUCTIONS", "vpmu:::LOADS", "vpmu:::STORES",
	"vpmu:::BRANCHES_TAKEN", "vpmu:::FP_OPERATIONS_DOUBLE", "vpmu:::FP_OPERATIONS_SINGLE",
	"vpmu:::FP_OPERATIONS_HALF", "vpmu:::FMA_INSTRUCTIONS", "vpmu:::FP_INSTRUCTIONS", "vpmu:::VECTOR_INSTRUCTIONS",
	"vpmu:::BRANCHES_MISPREDICTED" };

static double x[N], y[N];
static float floats[2 * N];
static uint64_t indexes[N];
static uint16_t small[N * 128];
static volatile uint64_t n;
static volatile double result;

static __attribute__((noinline)) void do_nothing(void)
{
	__asm__ volatile("");
}

static void do_daxpy(void)
{
	daxpy(y, x, n, 2);
}

static void do_sum(void)
{
	result = (double)sum(floats, n);
}

static void do_gather(void)
{
	result = gather(x, indexes, n);
}

static void do_rotate(void)
{
	rotate(floats, n);
}

static void do_halves(void)
{
	halves(small, n);
}

static void fill(void)
{
	for (unsigned i = 0; i < N; i++) {
		x[i] = i;
		y[i] = 1000 - (double)i;
		indexes[i] = i * 37 % N;
		floats[2 * i] = (float)(i % 16 * (i % 16));
		floats[2 * i + 1] = (float)i;
	}
	for (unsigned i = 0; i < COUNT_OF(small); i++)
		small[i] = 0x3c00; /* 1 */
}

/* Of so many elements; of those events, or of one alone. */
static void count(void (*work)(void), uint64_t elements, int only, long long counts[ALL])
{
	int set = PAPI_NULL;

	fill();
	n = elements;
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (int i = 0; i <= ALL; i++)
		if (only < 0 ? i < ALL : i == only)
			REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	REQUIRE_OK(PAPI_start(set));
	work();
	EXPECT_OK(PAPI_stop(set, counts));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

struct kernel {
	const char *name;
	void (*work)(void);
	size_t element;            /* 0: it is said how many pieces */
	long long of_piece[ALL];   /* what each time through the loop counts */
	long long of_element[ALL]; /* and each element besides */
	long long of_bytes[ALL];   /* and so many bytes of a vector, of each piece; 0: nothing */
};

static const struct kernel kernels[] = {
	{ "daxpy", do_daxpy, 8,
		{ [TOTAL] = 7, [READS] = 2, [WRITES] = 1, [JUMPS] = 1, [FUSED] = 1, [COMPUTING] = 1, [VECTORS] = 4 },
		{ [DOUBLES] = 2 }, { 0 } },
	{ "sum", do_sum, 4, { [TOTAL] = 10, [READS] = 1, [JUMPS] = 1, [FUSED] = 1, [COMPUTING] = 4, [VECTORS] = 7 },
		{ [SINGLES] = 3 }, { [SINGLES] = 2 } },
	{ "gather", do_gather, 8, { [TOTAL] = 6, [READS] = 2, [JUMPS] = 1, [COMPUTING] = 1, [VECTORS] = 3 },
		{ [DOUBLES] = 1 }, { 0 } },
	{ "rotate", do_rotate, 4,
		{ [TOTAL] = 10, [READS] = 1, [WRITES] = 1, [JUMPS] = 1, [COMPUTING] = 2, [VECTORS] = 6 },
		{ [SINGLES] = 2 }, { 0 } },
	{ "halves", do_halves, 0,
		{ [TOTAL] = 8,
			[READS] = 1,
			[WRITES] = 1,
			[JUMPS] = 1,
			[FUSED] = 2,
			[COMPUTING] = 3,
			[VECTORS] = 5,
			[HALVES] = 6 },
		{ 0 }, { [SINGLES] = 2, [HALVES] = 2 } },
};

static long long pieces_of(const struct kernel *kernel, long long elements)
{
	long long each = kernel->element ? (long long)(vector_length() / kernel->element) : 1;

	return (elements + each - 1) / each;
}

/* What N elements count more than one. */
static long long expected(const struct kernel *kernel, int event)
{
	long long pieces = pieces_of(kernel, N) - pieces_of(kernel, 1), bytes = (long long)vector_length();

	return pieces * kernel->of_piece[event] + (N - 1) * kernel->of_element[event] +
		(kernel->of_bytes[event] ? pieces * bytes / kernel->of_bytes[event] : 0);
}

static void expect_counts(const struct kernel *kernel)
{
	long long one[ALL], all[ALL], alone[ALL], one_alone[ALL];

	count(kernel->work, 1, -1, one);
	count(kernel->work, 1, -1, one); /* the first time found the way */
	count(kernel->work, N, -1, all);
	for (int i = 0; i < ALL; i++) {
		count(kernel->work, 1, i, one_alone);
		count(kernel->work, N, i, alone);
		if (!EXPECT_EQUAL(expected(kernel, i), all[i] - one[i]) ||
			!EXPECT_EQUAL(expected(kernel, i), alone[0] - one_alone[0]))
			printf("%s of %s\n", names[i], kernel->name);
	}
}

static void counts_of_kernels(void)
{
	for (unsigned i = 0; i < COUNT_OF(kernels); i++)
		expect_counts(&kernels[i]);
}

/* All of the operations are of the vectors' width. */
static void widths(void)
{
	static const char *const by_width[] = { "vpmu:::FP_128_DOUBLE", "vpmu:::FP_256_DOUBLE",
		"vpmu:::FP_512_DOUBLE" };
	unsigned width = vector_length() >= 64 ? 2 : vector_length() >= 32;
	long long counts[COUNT_OF(by_width)];
	int set = PAPI_NULL;

	n = N;
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (unsigned i = 0; i < COUNT_OF(by_width); i++)
		REQUIRE_OK(PAPI_add_named_event(set, by_width[i]));
	REQUIRE_OK(PAPI_start(set));
	do_daxpy();
	EXPECT_OK(PAPI_stop(set, counts));
	for (unsigned i = 0; i < COUNT_OF(by_width); i++)
		EXPECT_EQUAL(i == width ? 2 * N : 0, counts[i]);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static void do_past(void)
{
	past(n, false);
	do_nothing();
}

/* What is in a block and never runs, as on processors that could not. */
static void led_past(void)
{
	long long counts[ALL];

	for (unsigned i = 0; i < 3; i++) {
		count(do_past, N, -1, counts);
		EXPECT_EQUAL(2 * N - 1, counts[JUMPS]);
		EXPECT_EQUAL(0, counts[COMPUTING]);
	}
}

/* ---- what they compute ---- */

static void same_results(void)
{
	static unsigned char native[sizeof(x) + sizeof(y) + sizeof(floats)];
	long long counts[ALL];

	for (unsigned i = 0; i < COUNT_OF(kernels); i++) {
		double number;

		fill();
		n = N;
		kernels[i].work();
		number = result;
		memcpy(native, y, sizeof(y));
		memcpy(native + sizeof(y), floats, sizeof(floats));
		count(kernels[i].work, N, -1, counts);
		EXPECT(number == result);
		EXPECT(!memcmp(native, y, sizeof(y)) && !memcmp(native + sizeof(y), floats, sizeof(floats)));
	}
	/* And that is right. */
	fill();
	daxpy(y, x, N, 2);
	for (unsigned i = 0; i < N; i++)
		EXPECT(y[i] == 1000 + (double)i);
}

static const char *text;
static uint64_t text_length;

static void do_length(void)
{
	text_length = length(text);
}

/* Texts that end where memory does: their last load faults in part. */
static void first_faults(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long long counts[ALL];

	REQUIRE(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
	for (unsigned size = 0; size < 700; size += 23) {
		text = pages + page - size - 1;
		memset(pages, 'x', page);
		pages[page - 1] = '\0';
		count(do_length, 0, -1, counts);
		EXPECT_EQUAL(size, (long long)text_length);
	}
	EXPECT(munmap(pages, 2 * page) == 0);
}

/* Loads of those bytes alone, told from others by the simulators. */
static long long loads_of(void (*work)(void), const char *start, size_t size)
{
	PAPI_option_t options = { 0 };
	long long counted = 0;
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, names[READS]));
	options.addr.eventset = set;
	options.addr.start = (void *)(uintptr_t)start;
	options.addr.end = (void *)(uintptr_t)(start + size);
	REQUIRE_OK(PAPI_set_opt(PAPI_DATA_ADDRESS, &options));
	REQUIRE_OK(PAPI_start(set));
	work();
	EXPECT_OK(PAPI_stop(set, &counted));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	return counted;
}

static void do_gathers(void)
{
	gathers(x);
}

/* What they are told by takes more words than there may be at once; and registers that are not free have indexes. */
static void many_gathers(void)
{
	long long pieces = pieces_of(&kernels[2], N);

	fill();
	n = N;
	EXPECT_EQUAL(pieces, loads_of(do_gather, (const char *)indexes, sizeof(indexes)));
	EXPECT_EQUAL(pieces, loads_of(do_gather, (const char *)x, sizeof(x)));
	EXPECT_EQUAL(pieces_of(&kernels[1], N), loads_of(do_sum, (const char *)floats, sizeof(floats)));
	EXPECT_EQUAL(60, loads_of(do_gathers, (const char *)x, sizeof(x[0])));
	EXPECT_EQUAL(0, loads_of(do_gathers, (const char *)&x[1], sizeof(x) - sizeof(x[0])));
}

static char *lost_page;
static size_t lost_size;

/* The page is there while it is read, and has gone, or come back, when anybody looks what was. */
static void do_length_and_change(void)
{
	do_length();
	mprotect(lost_page, lost_size, PROT_READ | PROT_WRITE);
	do_length();
	mprotect(lost_page, lost_size, PROT_NONE);
}

/* To the simulators such loads end where nothing can be read. */
static void first_faults_modelled(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(pages != MAP_FAILED);
	memset(pages, 'x', 2 * page);
	pages[page - 1] = '\0';
	lost_page = pages + page;
	lost_size = page;
	REQUIRE(mprotect(lost_page, page, PROT_NONE) == 0);
	for (unsigned size = 0; size < 700; size += 23) {
		long long pieces = (long long)(size / vector_length()) + 1;
		bool ends_with_page = (size + 1) % vector_length() == 0;

		text = pages + page - size - 1;
		EXPECT_EQUAL(pieces, loads_of(do_length, pages, page));
		EXPECT_EQUAL(0, loads_of(do_length, lost_page, page));
		EXPECT_EQUAL(size, (long long)text_length);
		EXPECT_EQUAL(2 * pieces, loads_of(do_length_and_change, pages, page));
		EXPECT_EQUAL(ends_with_page ? 0 : 1, loads_of(do_length_and_change, lost_page, page));
	}
	EXPECT(munmap(pages, 2 * page) == 0);
}

/* ---- signals ---- */

static volatile unsigned handled, shown, wrongly_shown;

/* z31 is 31 more than a multiple of 64 in its first element, and 7 more in each. */
static void look_at(const struct sve_context *record)
{
	const uint64_t *z31 = (const uint64_t *)(const void *)((const char *)record +
		SVE_SIG_ZREG_OFFSET(record->vl / 16, 31));

	if (record->vl != vector_length() || record->head.size <= sizeof(*record))
		return;
	shown++;
	for (unsigned i = 1; i < record->vl / 8u; i++)
		wrongly_shown += z31[i] != z31[0] + 7 * i;
	wrongly_shown += z31[0] % 64 != 31;
}

static void find_record(const unsigned char *records)
{
	const struct _aarch64_ctx *head = (const struct _aarch64_ctx *)(const void *)records;

	while (head->magic) {
		if (head->magic == SVE_MAGIC)
			look_at((const struct sve_context *)(const void *)head);
		if (head->magic == EXTRA_MAGIC)
			find_record((const unsigned char *)(uintptr_t)((const struct extra_context *)(const void *)head)
					    ->datap);
		head = (const struct _aarch64_ctx *)(const void *)((const char *)head + head->size);
	}
}

/* Not in the first round, when all of them are about to be set. */
static bool is_known(const mcontext_t *program)
{
	return program->pc >= (uintptr_t)known_vectors_loop && program->pc < (uintptr_t)known_vectors_end &&
		program->regs[2] > 64;
}

/* Everything that handlers may change is another then, and a system call has been made. */
static void on_alarm(int number, siginfo_t *info, void *context)
{
	const mcontext_t *program = &((ucontext_t *)context)->uc_mcontext;

	(void)number;
	(void)info;
	handled++;
	if (is_known(program))
		find_record(program->__reserved);
	getppid();
	spoil();
}

static uint64_t wrong;

static void do_known(void)
{
	wrong += known_vectors(n);
}

static void do_daxpys(void)
{
	for (unsigned i = 0; i < 30; i++)
		do_daxpy();
}

/* What so many rounds take here, in microseconds. */
static long duration(uint64_t rounds)
{
	long long counts[ALL], start, end;

	count(do_known, rounds, TOTAL, counts);
	start = PAPI_get_real_usec();
	count(do_known, rounds, TOTAL, counts);
	end = PAPI_get_real_usec();
	return (long)(end - start);
}

/* So many that signals come in the loop often enough: most of the time would be that of starting to count. */
static uint64_t enough_rounds(void)
{
	uint64_t rounds = ROUNDS;

	while (duration(rounds) < 4000 && rounds < 1 << 20)
		rounds *= 2;
	return rounds;
}

static void start_timer(long microseconds)
{
	struct timeval time = { microseconds / 1000000, microseconds % 1000000 };
	struct itimerval interval = { time, time };

	REQUIRE(setitimer(ITIMER_REAL, &interval, NULL) == 0);
}

static int started_set = PAPI_NULL;
static volatile bool has_started;

static void start_to_count(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (has_started || !is_known(&((ucontext_t *)context)->uc_mcontext))
		return;
	EXPECT_OK(PAPI_start(started_set));
	has_started = true;
}

/* In a handler, where a loop that was not counted has been interrupted: it goes on with what it had. */
static void starts_in_a_handler(void)
{
	struct sigaction action = { .sa_sigaction = start_to_count, .sa_flags = SA_SIGINFO | SA_RESTART };
	long long counted = 0;

	REQUIRE_OK(PAPI_create_eventset(&started_set));
	REQUIRE_OK(PAPI_add_named_event(started_set, names[TOTAL]));
	REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
	n = ROUNDS;
	start_timer(2000);
	for (unsigned i = 0; i < 100000 && !has_started; i++)
		do_known();
	start_timer(0);
	REQUIRE(has_started);
	EXPECT_OK(PAPI_stop(started_set, &counted));
	EXPECT(counted > 0);
	EXPECT_EQUAL(0, (long long)wrong);
	EXPECT_OK(PAPI_cleanup_eventset(started_set));
	EXPECT_OK(PAPI_destroy_eventset(&started_set));
}

static void signals_keep_all(void)
{
	struct sigaction action = { .sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART };
	long long counts[ALL], quiet[ALL];
	uint64_t rounds = enough_rounds();
	long interval = duration(rounds) / 8 + 300;

	count(do_daxpys, N, DOUBLES, quiet);
	REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
	for (unsigned i = 0; i < 3000 && (handled < 300 || shown < 30); i++) {
		static const int events[] = { -1, TOTAL, MISPREDICTED };

		start_timer(interval);
		count(do_known, rounds, events[i % 3], counts);
		count(do_daxpys, N, DOUBLES, counts);
		start_timer(0);
		if (!EXPECT_EQUAL(quiet[0], counts[0]) || !EXPECT_EQUAL(0, (long long)wrong))
			return;
	}
	printf("%u signals, %u of them with the vectors\n", handled, shown);
	EXPECT(handled >= 300 && shown >= 30);
	EXPECT_EQUAL(0, wrongly_shown);
}

/* ---- what is not counted ---- */

static int new_set(const char *name, int *code)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_event_name_to_code(name, code));
	REQUIRE_OK(PAPI_add_event(set, *code));
	return set;
}

static void forget(int set)
{
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

/* Where accesses are modelled, those of another length cannot be: from there on natively, with all registers. */
static void goes_on_natively(void)
{
	int code, set = new_set("vpmu:::L1D_MISSES", &code), own = (int)vector_length();
	long long counted;
	uint64_t changed;

	REQUIRE_OK(PAPI_start(set));
	EXPECT_EQUAL(0, (long long)leaves(x));
	EXPECT_OK(PAPI_stop(set, &counted));
	if ((prctl(PR_SVE_SET_VL, own == 16 ? 32 : 16) & PR_SVE_VL_LEN_MASK) == own)
		return; /* there is no other */
	EXPECT(prctl(PR_SVE_SET_VL, own) == own);
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_OK(PAPI_start(set));
		EXPECT_EQUAL(0, (long long)leaves(x));
		prctl(PR_SVE_SET_VL, own == 16 ? 32 : 16);
		changed = leaves(x);
		EXPECT_ERROR(PAPI_ECNFLCT, "another length", PAPI_stop(set, &counted));
		EXPECT_EQUAL(0, (long long)changed);
		EXPECT(prctl(PR_SVE_SET_VL, own) == own);
	}
	REQUIRE_OK(PAPI_start(set));
	EXPECT_EQUAL(0, (long long)leaves(x));
	EXPECT_OK(PAPI_stop(set, &counted));
	forget(set);
}

static void matrices(void)
{
	int code, set;
	long long counted;

	if (!(getauxval(AT_HWCAP2) & HWCAP2_SME))
		return;
	set = new_set(names[TOTAL], &code);
	REQUIRE_OK(PAPI_start(set));
	EXPECT(streaming_length() > 0);
	EXPECT_ERROR(PAPI_ECNFLCT, "SME", PAPI_stop(set, &counted));
	forget(set);
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	handled++;
}

/* Always the same code. */
static __attribute__((noinline)) long long count_of(int set, void (*work)(void))
{
	long long counted;

	REQUIRE_OK(PAPI_start(set));
	work();
	REQUIRE_OK(PAPI_stop(set, &counted));
	return counted;
}

/* As many overflows as there are in what is counted without, the first times; threshold 7 has each next to a prefix. */
static void expect_overflows(void (*work)(void), uint64_t elements, int threshold)
{
	int code, set = new_set(names[TOTAL], &code);
	long long counts[3];

	handled = 0;
	n = elements;
	for (unsigned i = 0; i < 3; i++) {
		if (i == 2)
			REQUIRE_OK(PAPI_overflow(set, code, threshold, 0, on_overflow));
		counts[i] = count_of(set, work);
	}
	EXPECT_EQUAL(counts[1], counts[2]);
	EXPECT_EQUAL(counts[2] / threshold, handled);
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, on_overflow));
	forget(set);
}

static void overflows(void)
{
	double number;

	expect_overflows(do_known, 20, 50);
	EXPECT_EQUAL(0, (long long)wrong);
	fill();
	n = N;
	do_sum();
	number = result;
	result = -1;
	expect_overflows(do_sum, N, 7);
	EXPECT(number == result);
}

/* Of daxpy, at its fused additions. */
#define DAXPY_THRESHOLD (2 * N / 20)

static unsigned at_additions;
static long long counted_then[20];

static void on_operations(int set, void *address, long long vector, void *context)
{
	(void)vector;
	(void)context;
	if (handled < COUNT_OF(counted_then))
		EXPECT_OK(PAPI_read(set, &counted_then[handled]));
	handled++;
	at_additions += address == (const char *)daxpy + 20;
}

/* As soon as the active elements of an instruction have reached it. */
static void overflows_of_operations(void)
{
	const long long step = 2 * (long long)vector_length() / (long long)sizeof(double);
	int code, set = new_set("vpmu:::FP_OPERATIONS_DOUBLE", &code);

	n = N;
	handled = at_additions = 0;
	REQUIRE_OK(PAPI_overflow(set, code, DAXPY_THRESHOLD, 0, on_operations));
	EXPECT_EQUAL(2 * N, count_of(set, do_daxpy));
	EXPECT_EQUAL(20, handled);
	EXPECT_EQUAL(20, at_additions);
	for (long long i = 0; i < 20; i++) {
		long long reached = ((i + 1) * DAXPY_THRESHOLD + step - 1) / step * step;

		EXPECT_EQUAL(reached < 2 * N ? reached : 2 * N, counted_then[i]);
	}
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, on_operations));
	forget(set);
}

/* What does not ask where they access memory. */
static void models(void)
{
	long long counted[ALL];

	count(do_known, ROUNDS, MISPREDICTED, counted);
	EXPECT(counted[0] > 0);
	EXPECT_EQUAL(0, (long long)wrong);
}

static const struct test tests[] = {
	{ "starts in a handler", starts_in_a_handler },
	{ "counts of kernels", counts_of_kernels },
	{ "widths", widths },
	{ "led past", led_past },
	{ "same results", same_results },
	{ "first faults", first_faults },
	{ "first faults, modelled", first_faults_modelled },
	{ "many gathers", many_gathers },
	{ "signals keep all", signals_keep_all },
	{ "goes on natively", goes_on_natively },
	{ "matrices", matrices },
	{ "overflows", overflows },
	{ "overflows of operations", overflows_of_operations },
	{ "models", models },
};

static const struct test led_past_alone = { "led past", led_past };

int main(void)
{
	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	if (!(getauxval(AT_HWCAP) & HWCAP_SVE)) {
		printf("this processor has no vectors of any length (SVE)\n");
		return check_run(&led_past_alone, 1) == 1 ? 1 : 77;
	}
	printf("vectors of %llu bytes\n", (unsigned long long)vector_length());
	return check_run(tests, COUNT_OF(tests));
}
