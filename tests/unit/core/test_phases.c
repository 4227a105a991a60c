/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core/feature.h: each function in the tables of phases is needed.
 *
 * For each there is a scenario below: something that a program can rely on. It must hold, and must not when just that
 * function has been taken out of its table. A function without a scenario fails the test, too.
 *
 * The EventSet of the scenarios is made by hand. Its one component counts and overflows when it is told to, so nothing
 * depends on a machine. Each scenario runs in a process of its own, since afterwards the library may be in disorder.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/feature.h"
#include "core/handles.h"
#include "core/multiplex.h"
#include "core/overflow.h"
#include "unit.h"

#define FAR       1900000000 /* ns: nothing here takes so long */
#define SOON      100000
#define LATER     30000000 /* after a start and a stop */
#define CODE      1
#define THRESHOLD 100

/* ---- A component that does what it is told ---- */

static long long counted, baseline;
static unsigned turns, overflowed, calls;

static int configure(void *control, const struct papi_options *options)
{
	(void)control;
	(void)options;
	return PAPI_OK;
}

static int read_values(void *control, long long values[], bool rebase)
{
	(void)control;
	values[0] = counted - baseline;
	if (rebase)
		baseline = counted;
	return PAPI_OK;
}

static int start(void *control)
{
	(void)control;
	baseline = counted;
	return PAPI_OK;
}

static int stop(void *control, long long values[])
{
	return read_values(control, values, true);
}

static void times(void *control, unsigned position, long long *enabled, long long *running, bool counting)
{
	(void)control;
	(void)position;
	(void)counting;
	*enabled = *running = 0;
}

static bool takes_turns(const void *control)
{
	(void)control;
	return true;
}

static void next_turn(void *control)
{
	(void)control;
	turns++;
}

static int rebase(void *control)
{
	(void)control;
	baseline = counted;
	return PAPI_OK;
}

static int arm(void *control, unsigned position, long long threshold, int cookie)
{
	(void)control;
	(void)position;
	(void)threshold;
	(void)cookie;
	return PAPI_OK;
}

static unsigned overflows(void *control, struct papi_overflow taken[], unsigned n)
{
	(void)control;
	if (!n || !overflowed)
		return overflowed;
	overflowed--;
	taken[0] = (struct papi_overflow){ .natives = 1, .happened = true };
	return 1;
}

static void let_go(void *control)
{
	(void)control;
}

static PAPI_component_info_t info;
static const struct papi_component_turns component_turns = { takes_turns, next_turn, rebase };
static const struct papi_component_overflow component_overflow = { .arm = arm, .fetch = overflows };
static const struct papi_component component = {
	.info = &info,
	.control_size = 1,
	.configure = configure,
	.start = start,
	.stop = stop,
	.read = read_values,
	.times = times,
	.close = let_go,
	.turns = &component_turns,
	.overflow = &component_overflow,
};

/* ---- Sets ---- */

static int handle;
static struct papi_eventset *set;
static struct papi_slot *slot;

static void count_call(int EventSet, void *address, long long vector, void *context)
{
	(void)EventSet;
	(void)address;
	(void)vector;
	(void)context;
	calls++;
}

/* One event that is one native. */
static bool make_set(void)
{
	static const struct papi_native native = { .code = CODE, .self = &native, .name = "counted" };

	set = papi_eventset_create();
	set->parts = calloc(1, sizeof(*set->parts));
	set->natives = calloc(1, sizeof(*set->natives));
	set->counts = calloc(1, sizeof(*set->counts));
	set->events = calloc(1, sizeof(*set->events));
	set->parts[0] = (struct papi_part){ &component, calloc(1, 1), 0, 1 };
	set->natives[0] = (struct papi_set_native){ &native, 1 };
	set->events[0].event = (struct papi_event){ .code = CODE, .n_natives = 1, .natives = &native.self };
	set->events[0].places = &set->events[0].place;
	set->n_parts = set->n_natives = set->n_events = 1;
	if (papi_handle_create(set, &handle) != PAPI_OK)
		return false;
	slot = papi_handle_slot(handle);
	return papi_eventset_configure(set, &set->options) == PAPI_OK;
}

static bool make_multiplexed(int turn_ns)
{
	struct papi_options options;

	if (!make_set())
		return false;
	options = set->options;
	options.multiplex = options.take_turns = true;
	options.turn_ns = turn_ns;
	return papi_eventset_configure(set, &options) == PAPI_OK;
}

static bool make_overflowing(int flags, int look_ns)
{
	papi_option_itimer_ns = look_ns;
	return make_set() && papi_overflow_arm(set, CODE, THRESHOLD, flags, count_call, NULL) == PAPI_OK;
}

static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Until the number is not 0 any more, or the thread has run for two seconds, where 0.1 ms are enough. */
static bool comes(const volatile unsigned *number)
{
	for (long long end = cpu_ns() + 2000000000; !*number && cpu_ns() < end;)
		;
	return *number;
}

/* Of a timer that went off after LATER, in CPU time, had it not been stopped. */
static bool no_signal_comes(int number)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, number);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	for (long long end = cpu_ns() + 4 * LATER; cpu_ns() < end;)
		;
	return sigpending(&signals) == 0 && !sigismember(&signals, number);
}

/* What the timer of a set that overflows in software does, at once; under valgrind, a little later. */
static void look(void)
{
	siginfo_t sent = { .si_code = SI_QUEUE };
	sigset_t pending;

	sent.si_value.sival_ptr = slot;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGPROF, &sent);
	do
		sched_yield();
	while (sigpending(&pending) == 0 && sigismember(&pending, SIGPROF));
}

/* ---- Multiplexing ---- */

static bool turns_come_by_themselves(void)
{
	return make_multiplexed(SOON) && PAPI_start(handle) == PAPI_OK && comes(&turns);
}

/* A turn comes due while somebody is inside; that call, or the next one, takes it. */
static bool takes_due_turn(int (*call)(void))
{
	struct papi_slot *inside;
	unsigned before = turns;

	papi_handle_enter(handle, &inside);
	papi_multiplex_expired(slot);
	papi_handle_leave(inside);
	return turns == before && call() == PAPI_OK && turns == before + 1;
}

static long long value;

static int read_set(void)
{
	return PAPI_read(handle, &value);
}

static int accumulate(void)
{
	return PAPI_accum(handle, &value);
}

static int reset(void)
{
	return PAPI_reset(handle);
}

static int ask_times(void)
{
	return PAPI_get_event_times(handle, NULL, NULL);
}

static bool due_turns_are_taken(void)
{
	return make_multiplexed(FAR) && PAPI_start(handle) == PAPI_OK && takes_due_turn(read_set) &&
		takes_due_turn(accumulate) && takes_due_turn(reset) && takes_due_turn(ask_times);
}

static bool turns_end_with_the_run(void)
{
	return make_multiplexed(LATER) && PAPI_start(handle) == PAPI_OK && PAPI_stop(handle, NULL) == PAPI_OK &&
		no_signal_comes(papi_multiplex_signal());
}

/* In a child that has made timers of its own until one has the number that the parent's had. */
static bool makes_timer(int number)
{
	struct sigevent nothing = { .sigev_notify = SIGEV_NONE };
	int made = -1;

	for (int i = 0; i < 64 && made != number; i++)
		if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &nothing, &made))
			return false;
	return made == number;
}

static bool timer_is_untouched(int number)
{
	struct itimerspec time;

	return !syscall(SYS_timer_gettime, number, &time) && !time.it_value.tv_sec && !time.it_value.tv_nsec;
}

/* A timer of the child is its own, whatever becomes of the set. */
static bool child_keeps_its_timer(const struct papi_timer *timer, void (*end)(void))
{
	int number = timer->number, status = -1;
	pid_t child = timer->made ? fork() : -1;

	if (!child) {
		bool made = makes_timer(number);

		end();
		_exit(made && timer_is_untouched(number) ? 0 : 1);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static void end_multiplexing(void)
{
	papi_multiplex_free(set);
}

static bool multiplexed_forks(void)
{
	return make_multiplexed(FAR) && PAPI_start(handle) == PAPI_OK && PAPI_stop(handle, NULL) == PAPI_OK &&
		child_keeps_its_timer(&set->multiplex->timer, end_multiplexing);
}

/* ---- Overflow ---- */

static bool each_run_counts_its_own(void)
{
	long long delivered;

	if (!make_overflowing(0, FAR) || PAPI_start(handle) != PAPI_OK)
		return false;
	overflowed = 1;
	if (!papi_overflow_pending(handle, NULL) || calls != 1 || PAPI_stop(handle, NULL) != PAPI_OK)
		return false;
	return PAPI_start(handle) == PAPI_OK && papi_overflow_counts(set, CODE, &delivered, NULL) == PAPI_OK &&
		delivered == 0;
}

static bool looks_come_by_themselves(void)
{
	if (!make_overflowing(PAPI_OVERFLOW_FORCE_SW, SOON) || PAPI_start(handle) != PAPI_OK)
		return false;
	counted += THRESHOLD;
	return comes(&calls);
}

/* Half a threshold before counts start from zero again, and half of one after that. */
static bool overflows_across(int (*call)(void))
{
	unsigned before = calls;

	counted += THRESHOLD / 2;
	look();
	if (calls != before || call() != PAPI_OK)
		return false;
	counted += THRESHOLD - THRESHOLD / 2;
	look();
	return calls == before + 1;
}

static bool progress_survives_reset(void)
{
	return make_overflowing(PAPI_OVERFLOW_FORCE_SW, FAR) && PAPI_start(handle) == PAPI_OK &&
		overflows_across(reset) && overflows_across(accumulate);
}

static bool looks_end_with_the_run(void)
{
	return make_overflowing(PAPI_OVERFLOW_FORCE_SW, LATER) && PAPI_start(handle) == PAPI_OK &&
		PAPI_stop(handle, NULL) == PAPI_OK && no_signal_comes(SIGPROF);
}

static bool unseen_overflows_are_lost(void)
{
	long long lost;

	if (!make_overflowing(PAPI_OVERFLOW_FORCE_SW, FAR) || PAPI_start(handle) != PAPI_OK)
		return false;
	counted += 3 * THRESHOLD;
	return PAPI_stop(handle, NULL) == PAPI_OK && papi_overflow_counts(set, CODE, NULL, &lost) == PAPI_OK &&
		lost == 3;
}

static bool stop_delivers_what_is_left(void)
{
	if (!make_overflowing(0, FAR) || PAPI_start(handle) != PAPI_OK)
		return false;
	overflowed = 2;
	/* Before it returns; under valgrind, soon after. */
	return PAPI_stop(handle, NULL) == PAPI_OK && comes(&calls) && calls == 2;
}

static void end_overflow(void)
{
	papi_overflow_later(handle, FAR);
	papi_overflow_forget(set);
}

static bool overflowing_forks(void)
{
	return make_overflowing(0, FAR) && PAPI_start(handle) == PAPI_OK && PAPI_stop(handle, NULL) == PAPI_OK &&
		child_keeps_its_timer(&set->sampling->timer, end_overflow);
}

/* ---- PAPI_write ---- */

static bool runs_start_from_zero(void)
{
	value = 1000;
	return make_set() && PAPI_write(handle, &value) == PAPI_OK && read_set() == PAPI_OK && value == 1000 &&
		PAPI_start(handle) == PAPI_OK && read_set() == PAPI_OK && value == 0;
}

/* ---- All of them ---- */

/* By the bits of features, and by phases. */
static bool (*const scenarios[PAPI_FEATURES][PAPI_PHASES])(void) = {
	{
		[PAPI_PHASE_STARTED] = turns_come_by_themselves,
		[PAPI_PHASE_READ] = due_turns_are_taken,
		[PAPI_PHASE_STOPPING] = turns_end_with_the_run,
		[PAPI_PHASE_FORKED] = multiplexed_forks,
	},
	{
		[PAPI_PHASE_PREPARE] = each_run_counts_its_own,
		[PAPI_PHASE_STARTED] = looks_come_by_themselves,
		[PAPI_PHASE_REBASED] = progress_survives_reset,
		[PAPI_PHASE_STOPPING] = looks_end_with_the_run,
		[PAPI_PHASE_STOPPED] = unseen_overflows_are_lost,
		[PAPI_PHASE_LEFT] = stop_delivers_what_is_left,
		[PAPI_PHASE_FORKED] = overflowing_forks,
	},
	{
		[PAPI_PHASE_PREPARE] = runs_start_from_zero,
	},
};

static struct papi_feature without;

static void take_out(unsigned feature, unsigned phase)
{
	without = *papi_features[feature];
	without.in[phase] = NULL;
	papi_features[feature] = &without;
}

/* In a process of its own. */
static bool holds(unsigned feature, unsigned phase, bool with)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (!with)
			take_out(feature, phase);
		if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
			_exit(2);
		_exit(scenarios[feature][phase]() ? 0 : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return !WEXITSTATUS(status);
}

static void no_phase_can_be_forgotten(void **state)
{
	(void)state;
	for (unsigned feature = 0; feature < PAPI_FEATURES; feature++)
		for (unsigned phase = 0; phase < PAPI_PHASES; phase++) {
			bool there = papi_features[feature]->in[phase], with, lacks;

			if (!there && !scenarios[feature][phase])
				continue;
			if (!there || !scenarios[feature][phase])
				fail_msg("feature %u, phase %u: a function without a scenario, or the reverse", feature,
					phase);
			with = holds(feature, phase, true);
			lacks = !holds(feature, phase, false);
			if (!with || !lacks)
				fail_msg("feature %u, phase %u: %s", feature, phase,
					with ? "nobody notices when it is gone" : "its scenario does not hold");
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(no_phase_can_be_forgotten) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
