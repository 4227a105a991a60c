/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * busy HOW NUMBER - four threads that do what is hard to interrupt, NUMBER times, and a line in the end that depends on
 * nothing else; threads that block all signals still do then:
 *
 *	malloc   allocate and free all the time
 *	sleep    sleep in many ways; none may return before its time, nor with an error
 *	signals  compute, while signals come as fast as they are sent
 *	threads  make threads, which make threads
 *	spawn    make children by vfork(), posix_spawn() and fork(), which do a bit of work
 *	traps    send themselves SIGTRAP, which they catch, or block and wait for, and allocate
 *	execute  allocate, until the program executes itself, NUMBER times in all
 */
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define PIECES  256

static unsigned long number;
static pthread_t threads[THREADS];

static unsigned long next(unsigned long seed)
{
	return seed * 6364136223846793005ul + 1442695040888963407ul;
}

static unsigned long allocate(unsigned long seed)
{
	unsigned char *pieces[PIECES] = { NULL };
	unsigned long sum = 0;

	for (unsigned long i = 0; i < number; i++) {
		unsigned place = seed >> 33 & (PIECES - 1);

		seed = next(seed);
		sum += pieces[place] ? pieces[place][0] : 1;
		free(pieces[place]);
		pieces[place] = malloc(16 + (seed >> 40 & 4095));
		if (!pieces[place])
			exit(EXIT_FAILURE);
		memset(pieces[place], (int)(seed >> 56), 16);
	}
	for (unsigned i = 0; i < PIECES; i++)
		free(pieces[i]);
	return sum;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* What the kernel does not offer is 0 or -1. On arm64 nothing is: there a thread that is stopped when it is about to
 * sleep, or sleeps in a socket, is told EINTR (doc/running.md). */
struct sleeper {
	int epoll, socket, ring;
	aio_context_t context;
};

#ifdef __x86_64__
/* The time limit of its calls is longer than asked for, as it ends with a tick. The other end stays open. */
static int make_socket(void)
{
	const struct timeval limit = { .tv_usec = 80000 };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
		setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		return -1;
	return pair[0];
}

static int make_ring(void)
{
	struct io_uring_params parameters = { .flags = 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &parameters);

#ifdef IORING_ENTER_EXT_ARG
	if (ring >= 0 && parameters.features & IORING_FEAT_EXT_ARG)
		return ring;
#endif
	if (ring >= 0)
		close(ring);
	return -1;
}

static void make_more(struct sleeper *sleeper)
{
	sleeper->socket = make_socket();
	sleeper->ring = make_ring();
	if (syscall(SYS_io_setup, 1, &sleeper->context))
		sleeper->context = 0;
}
#else
static void make_more(struct sleeper *sleeper)
{
	(void)sleeper;
}
#endif

/* 0: for as long as it should. */
static int sleep_on_ring(int ring, struct timespec *time)
{
#ifdef IORING_ENTER_EXT_ARG
	struct io_uring_getevents_arg limit = { .ts = (uintptr_t)time };
	const unsigned how = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
	long done = syscall(SYS_io_uring_enter, ring, 0, 1, how, &limit, sizeof(limit));

	return done < 0 && errno == ETIME ? 0 : -1;
#else
	(void)ring;
	return nanosleep(time, NULL);
#endif
}

static int sleep_in(const struct sleeper *sleeper, unsigned long way)
{
	struct timespec time = { .tv_nsec = 50000000 };
	struct timeval coarse = { .tv_usec = 50000 };
	struct epoll_event event;
	struct io_event done;
	char byte;

	switch (way) {
	case 1:
		return poll(NULL, 0, 50);
	case 2:
		return epoll_wait(sleeper->epoll, &event, 1, 50);
	case 3:
		return select(0, NULL, NULL, NULL, &coarse);
	case 4:
		if (sleeper->context)
			return (int)syscall(SYS_io_getevents, sleeper->context, 1L, 1L, &done, &time);
		break;
	case 5:
		if (sleeper->ring >= 0)
			return sleep_on_ring(sleeper->ring, &time);
		break;
	case 6:
		if (sleeper->socket >= 0)
			return recv(sleeper->socket, &byte, 1, 0) < 0 && errno == EAGAIN ? 0 : -1;
		break;
	default:
		break;
	}
	return nanosleep(&time, NULL);
}

/* How many sleeps returned early, or with an error. Each thread has two ways. */
static unsigned long rest(unsigned long which)
{
	struct sleeper sleeper = { .epoll = epoll_create1(EPOLL_CLOEXEC), .socket = -1, .ring = -1 };
	const double length = 0.05;
	unsigned long bad = 0;

	make_more(&sleeper);
	for (unsigned long i = 0; i < number; i++) {
		double begun = now();

		bad += sleep_in(&sleeper, which + i % 2 * THREADS) != 0;
		bad += now() - begun < length - 0.001;
	}
	return bad;
}

static volatile sig_atomic_t caught;

static void catch (int signal)
{
	caught = signal;
}

static unsigned long compute(unsigned long seed)
{
	for (unsigned long i = 0; i < number; i++) {
		seed = next(seed);
		if (i % 1000 == 0)
			pthread_kill(threads[seed >> 62], SIGUSR1);
	}
	return seed;
}

static void *leaf(void *seed)
{
	return (void *)next((unsigned long)seed);
}

static unsigned long spawn(unsigned long seed)
{
	for (unsigned long i = 0; i < number; i++) {
		pthread_t thread;
		void *result;

		if (pthread_create(&thread, NULL, leaf, (void *)seed) || pthread_join(thread, &result))
			exit(EXIT_FAILURE);
		seed = (unsigned long)result;
	}
	return seed;
}

/* ---- children ---- */

/* For functions that it calls, a child that shares the memory is the thread that has made it. */
static void be_child(unsigned long i)
{
	unsigned long seed = i;

	for (unsigned k = 0; k < 100; k++)
		seed = next(seed);
	if (i % 8 == 0)
		execl("/proc/self/exe", "busy", (char *)NULL);
	_exit(seed ? 3 : 4);
}

static int status_of(pid_t child)
{
	int status = 0;

	if (child < 0 || waitpid(child, &status, 0) != child)
		exit(EXIT_FAILURE);
	return status;
}

static pid_t make_child(unsigned long how, unsigned long i)
{
	static char name[] = "busy", *const words[] = { name, NULL }, *const none[] = { NULL };
	pid_t child = -1;

	if (how % 4 == 0)
		return posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, none) ? -1 : child;
	child = how % 4 == 1 ? fork() : vfork();
	if (!child)
		be_child(i);
	return child;
}

static unsigned long make_children(unsigned long which)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < number; i++)
		sum += (unsigned long)status_of(make_child(i + which, i)) + next(i) % 7;
	return sum;
}

/* ---- traps ---- */

static __thread unsigned long trapped;

static void trap(int signal)
{
	(void)signal;
	trapped++;
}

/* Half of the threads block all that they can. */
static bool blocks(unsigned long which)
{
	return which % 2;
}

static unsigned long take_traps(unsigned long which)
{
	const struct timespec never = { .tv_sec = 100 };
	unsigned long sum = 0;
	sigset_t all, traps;

	sigfillset(&all);
	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	if (blocks(which))
		pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (unsigned long i = 0; i < number; i++) {
		char *piece = malloc(16 + i % 2000);

		if (!piece)
			exit(EXIT_FAILURE);
		piece[0] = (char)i;
		sum += (unsigned char)piece[0];
		free(piece);
		if (i % 64)
			continue;
		pthread_kill(pthread_self(), SIGTRAP);
		sum += blocks(which) && sigtimedwait(&traps, NULL, &never) == SIGTRAP;
	}
	pthread_sigmask(SIG_SETMASK, NULL, &traps);
	return sum + trapped + 1000000 * (unsigned long)sigismember(&traps, SIGTRAP);
}

/* ---- another program ---- */

static unsigned long execute(unsigned long which)
{
	const struct timespec moment = { .tv_nsec = 50 * 1000 * 1000L };
	char left[32];

	for (size_t i = 1; number && which; i++) {
		char *volatile piece = malloc(i % 2000);

		free(piece);
	}
	if (!number)
		return which;
	snprintf(left, sizeof(left), "%lu", number - 1);
	nanosleep(&moment, NULL);
	execl("/proc/self/exe", "busy", "execute", left, (char *)NULL);
	exit(EXIT_FAILURE);
}

static unsigned long (*function)(unsigned long);
static pthread_barrier_t all;

static void *run(void *which)
{
	pthread_barrier_wait(&all);
	which = (void *)function((unsigned long)which);
	/* Threads are sent signals until all are done. */
	pthread_barrier_wait(&all);
	return which;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } };
	struct sigaction action = { .sa_handler = catch, .sa_flags = SA_RESTART };
	const char *how = argc == 3 ? argv[1] : "";
	unsigned long sum = 0;

	number = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	function = !strcmp(how, "malloc") ? allocate
		: !strcmp(how, "sleep")   ? rest
		: !strcmp(how, "signals") ? compute
		: !strcmp(how, "threads") ? spawn
		: !strcmp(how, "spawn")   ? make_children
		: !strcmp(how, "traps")   ? take_traps
		: !strcmp(how, "execute") ? execute
					  : NULL;
	if (!function)
		return EXIT_FAILURE;
	pthread_barrier_init(&all, NULL, THREADS);
	signal(SIGTRAP, trap);
	if (function == compute) {
		sigaction(SIGUSR1, &action, NULL);
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	for (unsigned long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return EXIT_FAILURE;
	for (unsigned i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum = next(sum) + (unsigned long)result;
	}
	printf("%lu\n", sum);
	return EXIT_SUCCESS;
}
