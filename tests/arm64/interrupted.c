/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records that signals cut off: of programs that are drawn the simulators count the loads and stores of the arena, by
 * their addresses, while its pages are taken away all the time, and timers go off. What has run before a fault is in no
 * record that the block makes: none may be lost, and none told twice.
 *
 *	test_arm64_interrupted [programs [seed]]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"
#include "modelled.h"
#include "virtual.h"

#define LARGEST 64 /* access */

#define TIMERS   40 /* of a program, at most */
#define INTERVAL 200

static volatile unsigned faults, timers, of_program;

static void set_timer(int microseconds)
{
	const struct itimerval once = { { 0, 0 }, { 0, microseconds } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static void *page_of(uint64_t address)
{
	return (void *)(uintptr_t)(address & -(uint64_t)PAGE);
}

/* The page comes back, and the others go, on to the next fault; but not where the access may have begun in another. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr, start = (uint64_t)(uintptr_t)arena;

	(void)number;
	(void)context;
	if (address - start >= ARENA_SIZE)
		_exit(3);
	if (address % PAGE >= LARGEST)
		mprotect(arena, ARENA_SIZE, PROT_NONE);
	mprotect(page_of(address), PAGE, PROT_READ | PROT_WRITE);
	faults++;
}

/* The next one comes later and later: however slow the machine is, the program gets on. */
static void on_timer(int number)
{
	(void)number;
	timers++;
	if (++of_program < TIMERS)
		set_timer(INTERVAL * (int)of_program);
}

static void handle_signals(void)
{
	static char stack[1 << 16];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK },
			 timer = { .sa_handler = on_timer, .sa_flags = SA_RESTART | SA_ONSTACK };

	/* Neither comes within the other. */
	sigaddset(&fault.sa_mask, SIGALRM);
	REQUIRE(sigaltstack(&own, NULL) == 0 && sigaction(SIGSEGV, &fault, NULL) == 0 &&
		sigaction(SIGBUS, &fault, NULL) == 0 && sigaction(SIGALRM, &timer, NULL) == 0);
}

/* Loads, stores, and what makes it simulate code and branches as well. */
static int make_set(void)
{
	PAPI_option_t options = { 0 };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::LOADS"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::STORES"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::STALL_CYCLES"));
	options.addr.eventset = set;
	options.addr.start = (void *)arena;
	options.addr.end = (void *)(arena + ARENA_SIZE);
	REQUIRE_OK(PAPI_set_opt(PAPI_DATA_ADDRESS, &options));
	return set;
}

static bool check(const struct program *program, int set)
{
	struct reference_model *model = reference_make(&small_caches);
	long long counts[3] = { 0 };
	struct state state = initial_state(program, set, counts);
	bool same;

	model->counting = model->counts_accesses = true;
	model->data_start = (uint64_t)(uintptr_t)arena;
	model->data_end = model->data_start + ARENA_SIZE;
	REQUIRE(walk(program, model));
	fill_arena(program->seed);
	handle_signals();
	of_program = 0;
	set_timer(INTERVAL);
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_NONE) == 0);
	enter(&state, (const void *)(uintptr_t)code_address(program->page));
	set_timer(0);
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE) == 0);
	same = EXPECT_EQUAL((long long)model->counters[PAPI_VPMU_LOADS], counts[0]);
	same &= EXPECT_EQUAL((long long)model->counters[PAPI_VPMU_STORES], counts[1]);
	reference_end(model);
	return same;
}

int main(int count, char **arguments)
{
	unsigned programs = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 0) : 20;
	int set;

	setlinebuf(stdout);
	setenv("PAPI_VPMU", "always", 1);
	if (!virtual_begin())
		return 77;
	draw_from(count > 2 ? strtoull(arguments[2], NULL, 0) : 1);
	make_memory();
	set = make_set();
	for (unsigned i = 0; i < programs && i < MAX_PAGES; i++) {
		struct program program = make_program(i, RESTARTABLE);

		if (!check(&program, set)) {
			printf("program %u\n", i);
			break;
		}
	}
	printf("%u faults, %u timers\n", faults, timers);
	EXPECT(faults > programs);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	return check_failures() ? 1 : 0;
}
