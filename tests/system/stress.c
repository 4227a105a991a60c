/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything at once: threads make random calls on EventSets that they share, each interrupted every millisecond of
 * its own by a handler that uses sets of its own thread and of the others, while events overflow at every period.
 * Beside that each thread has sets of its own, whose totals are known: they must be right, or refused with a reason.
 *
 *	test_system_stress [seconds [threads [seed]]]        ten minutes: test_system_stress 600
 *
 * Where the virtual PMU works, its events are among them, exact and modelled.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sanitizers.h"
#include "check.h"
#include "random.h"
#include "work.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define MOST_THREADS 64
/* How long a thread may take for one round, under any sanitizer and load, before it counts as hanging. */
#define HANGING_S 300

enum own { WATCHED, ADDED, CLOCK, OWN };

struct thread {
	pthread_t id;
	struct dice dice;
	struct work_cell cell;
	int sets[OWN]; /* PAPI_NULL where they cannot be had here */
	int codes[OWN];
	timer_t timer;
	unsigned long rounds;
	unsigned long checked[OWN];
};

static struct thread threads[MOST_THREADS];
static unsigned n_threads = 8;
static double seconds = 10;
static struct timespec began;
static pthread_barrier_t all_have_sets;
static atomic_ulong interrupted, overflowed;
static _Thread_local volatile int counted = PAPI_NULL; /* of the thread's own sets, the one that is checked */
static _Thread_local volatile long calls;              /* of the handler for that one: another's may come late */

static bool over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return check_failures() ||
		(double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec) > seconds;
}

/* ---- What interrupts ----------------------------------------------------------------------------------- */

/* Reads and the like, of any set: a shared one, or one that belongs to a thread. What may open counters is not for
 * here. */
static void use_any_set(unsigned long chance)
{
	bool shared = chance & 1;
	const struct thread *other = &threads[chance / 64 % n_threads];
	int set = shared ? atomic_load(random_place_number((unsigned)(chance / 2))) : other->sets[chance / 2 % OWN];
	long long values[RANDOM_ROOM], time;
	int codes[4], number = 4, state;

	/* The totals of those that belong to a thread are known: they are only read. */
	switch (chance / 1024 % (shared ? 6 : 4)) {
	case 0:
		PAPI_read_ts(set, values, &time);
		break;
	case 1:
		PAPI_state(set, &state);
		PAPI_list_events(set, codes, &number);
		break;
	case 2:
		PAPI_get_real_nsec();
		PAPI_get_virt_nsec();
		break;
	case 3:
		PAPI_read(set, values);
		break;
	case 4:
		PAPI_reset(set);
		break;
	default:
		memset(values, 0, sizeof(values));
		PAPI_accum(set, values);
		break;
	}
}

/* Of the processor's time since the last handler has ended: the thread must get on, however slow and busy the
 * machine. */
static void wind(timer_t timer)
{
	struct itimerspec once = { .it_value = { .tv_nsec = 1000000 } };

	timer_settime(timer, 0, &once, NULL);
}

static void on_timer(int number, siginfo_t *info, void *context)
{
	unsigned long n = atomic_fetch_add(&interrupted, 1);

	(void)number;
	(void)context;
	use_any_set((n * 0x9e3779b97f4a7c15u) >> 20);
	wind(((struct thread *)info->si_value.sival_ptr)->timer);
}

static void begin_timer(struct thread *thread)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	event.sigev_value.sival_ptr = thread;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	REQUIRE(timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &thread->timer) == 0);
	wind(thread->timer);
}

static void own_handler(int set, void *address, long long vector, void *context)
{
	(void)address;
	(void)vector;
	(void)context;
	if (set == counted)
		calls++;
	if (atomic_fetch_add(&overflowed, 1) % 16 == 0)
		use_any_set((unsigned long)calls * 0x9e3779b97f4a7c15u >> 20);
}

/* ---- Totals that are known ----------------------------------------------------------------------------- */

/* A set of the thread's own, in user mode whatever others have made the default; PAPI_NULL where it cannot be had. */
static int own_set(const char *first, const char *second, int *code)
{
	PAPI_option_t option;
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	if (PAPI_add_named_event(set, first) != PAPI_OK || (second && PAPI_add_named_event(set, second) != PAPI_OK)) {
		work_discard(set);
		return PAPI_NULL;
	}
	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = PAPI_DOM_USER;
	REQUIRE_OK(PAPI_set_opt(PAPI_DOMAIN, &option));
	REQUIRE_OK(PAPI_event_name_to_code(first, code));
	return set;
}

static void begin_own_sets(struct thread *thread)
{
	char name[WORK_NAME];

	work_name(name, &thread->cell, "/8:w");
	thread->sets[WATCHED] = own_set(name, NULL, &thread->codes[WATCHED]);
	thread->sets[ADDED] = own_set("vpmu:::FP_OPERATIONS", "vpmu:::L1D_MISSES", &thread->codes[ADDED]);
	thread->sets[CLOCK] = own_set("perf::TASK-CLOCK", NULL, &thread->codes[CLOCK]);
}

/* Each round is one addition. */
WORK_PLAIN static void add_up(unsigned rounds)
{
#ifdef __x86_64__
	__asm__ volatile("	xorpd	%%xmm0, %%xmm0\n"
			 "1:	addsd	%%xmm0, %%xmm0\n"
			 "	dec	%0\n"
			 "	jnz	1b"
			 : "+r"(rounds)
			 :
			 : "xmm0", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("	movi	d0, 0\n"
			 "1:	fadd	d0, d0, d0\n"
			 "	subs	%w0, %w0, 1\n"
			 "	b.ne	1b"
			 : "+r"(rounds)
			 :
			 : "v0", "cc");
#else
	for (volatile unsigned n = 0; n < rounds; n++)
		;
#endif
}

/* Whether it has been done; if not, it is refused with a reason: another set has the registers, or other ranges. */
static bool done_or_refused(struct thread *thread, const char *doing, int status)
{
	thread->dice.doing = doing;
	if (status == PAPI_OK)
		return true;
	if (!EXPECT(status == PAPI_ECNFLCT || status == PAPI_ECMP || status == PAPI_ESYS || status == PAPI_ECLOST))
		fprintf(stderr, "\t%s: %s, %s\n", doing, check_symbol(status), PAPI_error_detail());
	return false;
}

/*
 * ThreadSanitizer keeps signals until the thread calls one of the functions that it knows, which may be after the stop.
 * And one that comes just when it begins to hand out those that it has kept leaves the thread with all signals blocked.
 */
#define LONGEST_DELAY_MS (THREAD_SANITIZER ? 5000 : 0)

static void let_signals_in(void)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	usleep(1000);
}

/* What was delivered is what the handler has seen, and with what was lost it is all there was. */
static void check_overflows(struct thread *thread, enum own which, long long count, int threshold)
{
	long long delivered = -1, lost = -1;

	EXPECT_OK(PAPI_get_overflow_counts(thread->sets[which], thread->codes[which], &delivered, &lost));
	for (int ms = 0; ms < LONGEST_DELAY_MS && delivered + lost < count / threshold; ms++) {
		let_signals_in();
		EXPECT_OK(PAPI_get_overflow_counts(thread->sets[which], thread->codes[which], &delivered, &lost));
	}
	EXPECT_EQUAL(calls, delivered);
	if (count >= 0)
		EXPECT_EQUAL(count / threshold, delivered + lost);
}

static int some_threshold(struct thread *thread)
{
	static const int thresholds[] = { 1, 2, 3, 7, 10, 100, 1000 };

	return thresholds[random_below(&thread->dice, COUNT_OF(thresholds))];
}

static bool start(struct thread *thread, enum own which, int threshold, const char *doing)
{
	int set = thread->sets[which];

	counted = set;
	calls = 0;
	return done_or_refused(
		       thread, "PAPI_overflow", PAPI_overflow(set, thread->codes[which], threshold, 0, own_handler)) &&
		done_or_refused(thread, doing, PAPI_start(set));
}

/* On arm64 a signal that comes with a store makes that begin, and count, again. */
static void expect_stores(unsigned n, long long count)
{
#ifdef __aarch64__
	EXPECT(count >= n);
#else
	EXPECT_EQUAL(n, count);
#endif
}

static void check_watched(struct thread *thread)
{
	unsigned n = random_below(&thread->dice, 500) + 1;
	int set = thread->sets[WATCHED], threshold = some_threshold(thread);
	long long count;

	if (!start(thread, WATCHED, threshold, "start of a watched variable"))
		return;
	work_store(&thread->cell, n / 2);
	if (done_or_refused(thread, "read of a watched variable", PAPI_read(set, &count)))
		expect_stores(n / 2, count);
	work_store(&thread->cell, n - n / 2);
	if (!done_or_refused(thread, "stop of a watched variable", PAPI_stop(set, &count)))
		return;
	expect_stores(n, count);
	check_overflows(thread, WATCHED, count, threshold);
	thread->checked[WATCHED]++;
}

static void check_added(struct thread *thread)
{
	unsigned n = random_below(&thread->dice, 2000) + 1;
	int set = thread->sets[ADDED], threshold = some_threshold(thread);
	bool overflows = random_chance(&thread->dice, 2);
	long long counts[2];

	if (!start(thread, ADDED, overflows ? threshold : 0, "start of additions"))
		return;
	add_up(n);
	if (done_or_refused(thread, "read of additions", PAPI_read(set, counts)))
		EXPECT_EQUAL(n, counts[0]);
	add_up(n);
	if (!done_or_refused(thread, "stop of additions", PAPI_stop(set, counts)))
		return;
	EXPECT_EQUAL(2 * n, counts[0]);
	EXPECT(counts[1] >= 0);
	if (overflows)
		check_overflows(thread, ADDED, counts[0], threshold);
	thread->checked[ADDED]++;
}

static void check_clock(struct thread *thread)
{
	static const int periods[] = { 10000, 20000, 50000, 100000, 250000, 1000000 };
	int set = thread->sets[CLOCK];
	long long count;

	if (!start(thread, CLOCK, periods[random_below(&thread->dice, COUNT_OF(periods))], "start of a clock"))
		return;
	add_up(100000);
	if (!done_or_refused(thread, "stop of a clock", PAPI_stop(set, &count)))
		return;
	EXPECT(count > 0);
	check_overflows(thread, CLOCK, -1, 1);
	thread->checked[CLOCK]++;
}

static void *be_stressed(void *argument)
{
	struct thread *thread = argument;

	begin_own_sets(thread);
	/* Before there are calls that could disturb that, and handlers that look for them. */
	pthread_barrier_wait(&all_have_sets);
	begin_timer(thread);
	while (!over()) {
		for (unsigned i = 0; i < 30; i++)
			random_call(&thread->dice);
		if (thread->sets[WATCHED] != PAPI_NULL)
			check_watched(thread);
		if (thread->sets[ADDED] != PAPI_NULL)
			check_added(thread);
		if (thread->sets[CLOCK] != PAPI_NULL && random_chance(&thread->dice, 20))
			check_clock(thread);
		__atomic_add_fetch(&thread->rounds, 1, __ATOMIC_RELAXED);
	}
	thread->dice.doing = "the end";
	timer_delete(thread->timer);
	return NULL;
}

/* ---- The test ------------------------------------------------------------------------------------------ */

/* Says what threads were doing when one of them does not come to an end. */
static void join_or_tell(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += (time_t)seconds + HANGING_S;
	for (unsigned i = 0; i < n_threads; i++) {
		if (pthread_timedjoin_np(threads[i].id, NULL, &end) == 0)
			continue;
		for (unsigned j = 0; j < n_threads; j++)
			fprintf(stderr, "thread %u: %s after %lu rounds\n", j, threads[j].dice.doing,
				threads[j].rounds);
		fprintf(stderr, "thread %u hangs\n", i);
		_exit(1);
	}
}

static void stress(void)
{
	static const char *const what[OWN] = { "watched variables", "additions", "clocks" };
	struct sigaction action = { .sa_sigaction = on_timer, .sa_flags = SA_RESTART | SA_SIGINFO };
	unsigned long rounds = 0;

	sigemptyset(&action.sa_mask);
	REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
	REQUIRE(pthread_barrier_init(&all_have_sets, NULL, n_threads) == 0);
	clock_gettime(CLOCK_MONOTONIC, &began);
	for (unsigned i = 0; i < n_threads; i++)
		REQUIRE(pthread_create(&threads[i].id, NULL, be_stressed, &threads[i]) == 0);
	join_or_tell();
	for (unsigned i = 0; i < n_threads; i++)
		rounds += threads[i].rounds;
	printf("%lu rounds, %lu interruptions, %lu overflows of own sets; totals that were right:", rounds,
		atomic_load(&interrupted), atomic_load(&overflowed));
	for (unsigned which = 0; which < OWN; which++) {
		unsigned long checked = 0;
		bool possible = false;

		for (unsigned i = 0; i < n_threads; i++) {
			checked += threads[i].checked[which];
			possible = possible || threads[i].sets[which] != PAPI_NULL;
		}
		printf(" %lu %s%s", checked, what[which], which + 1 < OWN ? "," : "\n");
		/* Refusals are the exception. */
		if (possible && which != CLOCK)
			EXPECT(checked > rounds / 4);
	}
	EXPECT(rounds > 0);
}

/* Handles that are interesting numbers are nobody's. */
static void take_small_handles(void)
{
	for (int i = 0; i < 200; i++)
		PAPI_create_eventset(&(int){ PAPI_NULL });
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { { "everything at once", stress } };
	unsigned long long seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (unsigned long long)time(NULL);

	if (argc > 1)
		seconds = strtod(argv[1], NULL);
	if (argc > 2)
		n_threads = (unsigned)strtoul(argv[2], NULL, 0);
	REQUIRE(n_threads >= 1 && n_threads <= MOST_THREADS);
	printf("%g seconds, %u threads, seed %llu\n", seconds, n_threads, seed);
	fflush(stdout);
	work_begin();
	/* Of the sets whose totals are known, those that are watched are the ones that need no modelling. */
	work_need_breakpoints();
	random_begin();
	take_small_handles();
	for (unsigned i = 0; i < n_threads; i++)
		random_dice(&threads[i].dice, seed, i, false);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
