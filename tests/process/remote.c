/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that is entered (src/process/remote.h), on any processor: its threads sleep in many ways and compute, are
 * stopped all the time, make system calls for us, get registers, and go on. None may sleep shorter or be told so, none
 * may see another number.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "loaded.h"
#include "process/remote.h"
#include "processor.h"

#define SLEEP_MS 500
#define LIMIT_S  100

enum kind {
	/* These sleep for their time. */
	NANOSLEEP,
	UNTIL,
	SEMAPHORE,
	POLL,
	SELECT,
	FUTEX,
	TIMED, /* so many */
	/* These wait for what is given to them. */
	EPOLL = TIMED,
	SIGNAL,
	READ,
	/* These wait for a signal with a handler. */
	PAUSE,
	SUSPEND,
	INTERRUPTED,
	/* These compute. */
	VECTORS,
	NUMBERS,
	MEMORY,
	KINDS
};

/* Between the program and the test. */
static struct shared {
	_Atomic int ids[KINDS];
	_Atomic int ended[KINDS]; /* 1: as it should, 2: not */
	_Atomic long turns[2];
	_Atomic int over;
	_Atomic uint64_t loaded;
	int event, pipe[2];
} * shared;

/* ---- the program ---- */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct timespec in_a_moment(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += SLEEP_MS * 1000000L;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void on_signal(int number)
{
	(void)number;
}

static bool sleeps(enum kind kind)
{
	struct timespec moment = { .tv_nsec = SLEEP_MS * 1000000L };
	struct timeval short_moment = { .tv_usec = SLEEP_MS * 1000L };
	int word = 0;
	sem_t semaphore;

	switch (kind) {
	case NANOSLEEP:
		return nanosleep(&moment, NULL) == 0;
	case UNTIL:
		moment = in_a_moment(CLOCK_MONOTONIC);
		return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) == 0;
	case SEMAPHORE:
		sem_init(&semaphore, 0, 0);
		moment = in_a_moment(CLOCK_REALTIME);
		return sem_timedwait(&semaphore, &moment) < 0 && errno == ETIMEDOUT;
	case POLL:
		return poll(NULL, 0, SLEEP_MS) == 0;
	case SELECT:
		return select(0, NULL, NULL, NULL, &short_moment) == 0;
	default:
		return syscall(SYS_futex, &word, 0, 0, &moment) < 0 && errno == ETIMEDOUT;
	}
}

static bool waits_for_event(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int file = epoll_create1(0);

	return epoll_ctl(file, EPOLL_CTL_ADD, shared->event, &event) == 0 && epoll_wait(file, &event, 1, -1) == 1;
}

static bool waits(enum kind kind)
{
	struct timespec long_time = { .tv_sec = 10L * LIMIT_S };
	sigset_t set;
	char byte;

	sigemptyset(&set);
	switch (kind) {
	case EPOLL:
		return waits_for_event();
	case SIGNAL:
		sigaddset(&set, SIGUSR2);
		return sigwaitinfo(&set, NULL) == SIGUSR2;
	case READ:
		return read(shared->pipe[0], &byte, 1) == 1;
	case PAUSE:
		return pause() < 0 && errno == EINTR;
	case SUSPEND:
		return sigsuspend(&set) < 0 && errno == EINTR;
	default:
		return nanosleep(&long_time, NULL) < 0 && errno == EINTR;
	}
}

static double numbers(void)
{
	double a[16], sum = 0;

	for (unsigned i = 0; i < COUNT_OF(a); i++)
		a[i] = 1 + i;
	for (unsigned turn = 0; turn < 100; turn++)
		for (unsigned i = 0; i < COUNT_OF(a); i++)
			a[i] = a[i] * 1.01 + sqrt(a[(i + 1) % COUNT_OF(a)]);
	for (unsigned i = 0; i < COUNT_OF(a); i++)
		sum += a[i];
	return sum;
}

static bool computes(void)
{
	const double expected = numbers();

	while (!shared->over) {
		if (numbers() != expected) /* to the last bit */
			return false;
		shared->turns[0]++;
	}
	return true;
}

static bool allocates(void)
{
	unsigned char *blocks[64] = { NULL };
	bool good = true;

	for (unsigned i = 0; !shared->over; i++) {
		unsigned char **block = &blocks[i * 7 % COUNT_OF(blocks)];

		good = good && (!*block || **block == (unsigned char)(block - blocks));
		free(*block);
		*block = malloc(1 + i % 5000);
		if (*block)
			**block = (unsigned char)(block - blocks);
		shared->turns[1]++;
	}
	return good;
}

static void *thread(void *argument)
{
	const enum kind kind = (enum kind)(uintptr_t)argument;
	const double begun = now();
	bool good;

	shared->ids[kind] = (int)syscall(SYS_gettid);
	if (kind == VECTORS)
		good = vectors_hold(&shared->over);
	else if (kind == NUMBERS)
		good = computes();
	else if (kind == MEMORY)
		good = allocates();
	else if (kind < TIMED)
		good = sleeps(kind) && now() - begun >= 0.99e-3 * SLEEP_MS;
	else
		good = waits(kind);
	shared->ended[kind] = good ? 1 : 2;
	return NULL;
}

static void program(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t threads[KINDS];
	sigset_t set;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (uintptr_t i = 0; i < KINDS; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)i)) /* NOLINT(performance-no-int-to-ptr) */
			_exit(2);
	for (unsigned i = 0; i < KINDS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* ---- what is done to it ---- */

static struct papi_remote remote;
static unsigned long calls, moves, misses;

/* What a kernel keeps of a thread that uses scalable vectors is more than can be moved. */
static bool can_be_moved(const struct papi_remote_thread *stopped, pid_t id, struct papi_agent_moved *moved)
{
	if (papi_remote_get(stopped, moved))
		return EXPECT(id != shared->ids[VECTORS] || !vectors_are_scalable());
	if (id == shared->ids[VECTORS])
		EXPECT(vectors_are_scalable() && strstr(remote.reason, "scalable vectors"));
	return false;
}

static void be_tried(struct papi_remote_thread *stopped, pid_t id, unsigned how)
{
	const uint64_t none[6] = { 0 };
	struct papi_agent_moved moved;
	int64_t result = -1;

	if (how % 3 == 1 && !papi_remote_is_in_sequence(stopped)) {
		EXPECT(papi_remote_system_call(stopped, SYS_gettid, none, &result));
		EXPECT_EQUAL(id, result);
		calls++;
	}
	if (how % 3 == 2 && can_be_moved(stopped, id, &moved)) {
		EXPECT(papi_remote_go_with(stopped, &moved));
		moves++;
		return;
	}
	EXPECT(papi_remote_go(stopped));
}

static void try_all(unsigned how)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		pid_t id = shared->ids[kind];
		struct papi_remote_thread *stopped = shared->ended[kind] ? NULL : papi_remote_stop(&remote, id);

		if (stopped)
			be_tried(stopped, id, how + kind);
		else
			misses++;
	}
}

static bool have_ended(unsigned from, unsigned to)
{
	while (from < to && shared->ended[from])
		from++;
	return from == to;
}

static void wait_until_ended(unsigned from, unsigned to)
{
	const struct timespec moment = { .tv_nsec = 5000000 };
	const double until = now() + LIMIT_S;

	while (!have_ended(from, to) && now() < until)
		nanosleep(&moment, NULL);
	for (unsigned kind = from; kind < to; kind++)
		if (!EXPECT_EQUAL(1, shared->ended[kind]))
			fprintf(stderr, "\tthat was kind %u\n", kind);
}

/* Of a sleep that began anew each time there would be no end. */
static void test_sleeps(void)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	const double until = now() + LIMIT_S;

	for (unsigned how = 0; (how < 6 || !have_ended(0, TIMED)) && now() < until; how++) {
		try_all(how);
		nanosleep(&moment, NULL);
	}
	wait_until_ended(0, TIMED);
	for (unsigned kind = TIMED; kind < KINDS; kind++)
		if (!EXPECT_EQUAL(0, shared->ended[kind]))
			fprintf(stderr, "\tthat was kind %u\n", kind);
	EXPECT(calls > KINDS && moves > KINDS);
}

/* It is not to be begun anew, also not the first time. */
static void test_rest(void)
{
	const pid_t id = shared->ids[INTERRUPTED];
	struct papi_remote_thread *stopped;
	struct papi_agent_moved moved;

	while (papi_remote_state(&remote, id) != 'S')
		usleep(1000);
	stopped = papi_remote_stop(&remote, id);
	if (!EXPECT(stopped != NULL))
		return;
	EXPECT(papi_remote_get(stopped, &moved));
	EXPECT_EQUAL(SYS_restart_syscall, (long long)moved.registers[call_number]);
	EXPECT(papi_remote_go_with(stopped, &moved));
}

/* One that comes while a thread makes a call for us ends its own call, as it would have. */
static void test_signals(void)
{
	const uint64_t none[6] = { 0 };
	int64_t result = -1;

	for (unsigned kind = PAUSE; kind <= INTERRUPTED; kind++) {
		pid_t id = shared->ids[kind];
		struct papi_remote_thread *stopped = papi_remote_stop(&remote, id);

		if (!EXPECT(stopped != NULL))
			continue;
		EXPECT(papi_remote_system_call(stopped, SYS_gettid, none, &result));
		EXPECT_EQUAL(0, syscall(SYS_tgkill, remote.pid, id, SIGUSR1));
		EXPECT(papi_remote_go(stopped));
	}
	wait_until_ended(PAUSE, INTERRUPTED + 1);
}

static void test_gifts(void)
{
	const uint64_t one = 1;

	EXPECT_EQUAL(sizeof(one), write(shared->event, &one, sizeof(one)));
	EXPECT_EQUAL(1, write(shared->pipe[1], "", 1));
	EXPECT_EQUAL(0, syscall(SYS_tgkill, remote.pid, shared->ids[SIGNAL], SIGUSR2));
	wait_until_ended(EPOLL, PAUSE);
}

static bool load(uint64_t number)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	const struct loaded what = { .number = number, .result = (uint64_t)(uintptr_t)&shared->loaded };
	const double until = now() + LIMIT_S;
	char here[4096] = "";
	uint64_t address;

	EXPECT(readlink("/proc/self/exe", here, sizeof(here) - sizeof(LOADED_NAME)) > 0);
	strcpy(strrchr(here, '/') + 1, LOADED_NAME);
	if (EXPECT(papi_remote_load(&remote, here, "loaded", &what, sizeof(what), &address))) {
		while (shared->loaded != number * number && papi_remote_loaded(&remote, address) && now() < until)
			nanosleep(&moment, NULL);
		if (EXPECT(number * number == shared->loaded))
			return true;
	}
	fprintf(stderr, "\t%s\n", remote.reason);
	return false;
}

/* By now all threads that are left compute, one of them with malloc()'s locks. */
static void test_load(void)
{
	for (uint64_t number = 1; number <= 5 && load(number); number++)
		continue;
}

/* The program has it, too, at the same place. */
static int create_slowly(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
	int result = pthread_create(thread, attributes, function, argument);
	const double until = now() + SLEEP_MS / 1000.0;

	while (now() < until)
		continue;
	return result;
}

/* The thread that is made has done all it does, and given its memory back, long before its maker returns. */
static void test_load_slowly(void)
{
	uint64_t *create = &remote.functions[PAPI_REMOTE_PTHREAD_CREATE], of_libc = *create;

	*create = (uint64_t)(uintptr_t)create_slowly;
	load(6);
	*create = of_libc;
}

static void test_load_refused(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	const struct loaded what = { .number = 1 };
	const double until = now() + LIMIT_S;
	uint64_t address;
	bool loaded;

	if (!EXPECT(papi_remote_load(&remote, "/proc/self/exe", "no such function", &what, sizeof(what), &address)))
		return;
	while ((loaded = papi_remote_loaded(&remote, address)) && now() < until)
		nanosleep(&moment, NULL);
	EXPECT(!loaded && strstr(remote.reason, "did not load the agent"));
}

static void test_end(void)
{
	long turns[2] = { shared->turns[0], shared->turns[1] };
	const double until = now() + LIMIT_S;
	int status = -1;

	while ((shared->turns[0] == turns[0] || shared->turns[1] == turns[1]) && now() < until)
		sched_yield();
	EXPECT(shared->turns[0] > turns[0] && shared->turns[1] > turns[1]);
	shared->over = 1;
	wait_until_ended(VECTORS, KINDS);
	EXPECT_EQUAL(remote.pid, waitpid(remote.pid, &status, 0));
	EXPECT_EQUAL(0, status);
}

int main(void)
{
	static const struct test tests[] = {
		{ "the rest of a sleep", test_rest },
		{ "no sleep is shortened or begins anew", test_sleeps },
		{ "a signal ends a system call", test_signals },
		{ "others go on waiting", test_gifts },
		{ "a library is loaded", test_load },
		{ "by a call that takes long", test_load_slowly },
		{ "one that is none is not", test_load_refused },
		{ "the program ends well", test_end },
	};
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(shared != MAP_FAILED);
	shared->event = eventfd(0, 0);
	REQUIRE(shared->event >= 0 && pipe(shared->pipe) == 0);
	pid = fork();
	if (pid == 0)
		program();
	for (unsigned kind = 0; kind < KINDS; kind++)
		while (!shared->ids[kind])
			usleep(1000);
	if (!papi_remote_open(&remote, pid)) {
		printf("no process can be entered here: %s\n", remote.reason);
		kill(pid, SIGKILL);
		return 77;
	}
	return check_run(tests, COUNT_OF(tests));
}
