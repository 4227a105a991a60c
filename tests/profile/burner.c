/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program whose profile is known: burner MODE [ARGUMENT...] prints the CPU time that it has used, in ns, and that of
 * the children it waited for.
 *
 *	split			burn_long does three times the work of burn_short
 *	threads			so in two threads: burn_long in one that is called "long", burn_short in main
 *	fork			burn_long in a child, burn_short here
 *	exec			burn_short, then executes itself as "short long"
 *	long			burn_long alone
 *	pages N			touch writes to N new pages
 *	library A B		work() of A, which is unloaded, then work() of B
 *	wait			starts its thread, says ready, waits for a line, then as threads
 *	anonymous [map]		copies code to new memory and burns there; map: says so as compilers at run time do
 *	forever			says ready, and burns until it is ended
 *	path			outer calls middle calls inner, which burns
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE    4096
#define SECONDS 0.3

static volatile unsigned long sink;

/* Not for the compiler to look through. */
#define APART __attribute__((noinline))

/* Each step waits for the one before, so that its time does not depend on where the code lies. */
#define WORK(count)                                                    \
	do {                                                           \
		unsigned long number = sink;                           \
		for (unsigned long i = 0; i < (count)*100000ul; i++) { \
			number = number * 6364136223846793005ul + i;   \
			__asm__ volatile("" : "+r"(number));           \
		}                                                      \
		sink = number;                                         \
	} while (0)

APART void burn_short(void);
APART void burn_long(void);
APART void inner(double seconds);
APART void middle(double seconds);
APART void outer(double seconds);
APART void touch(char *pages, size_t number);

void burn_short(void)
{
	WORK(1);
}

void burn_long(void)
{
	WORK(3);
}

static double used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void burn(void (*one)(void), void (*other)(void), double seconds)
{
	double end = used() + seconds;

	while (used() < end) {
		one();
		if (other)
			other();
	}
}

/* Something happens behind each call, so that it is one. */
void inner(double seconds)
{
	burn(burn_short, NULL, seconds);
	sink++;
}

void middle(double seconds)
{
	inner(seconds);
	sink++;
}

void outer(double seconds)
{
	middle(seconds);
	sink++;
}

void touch(char *pages, size_t number)
{
	for (size_t i = 0; i < number; i++)
		pages[i * PAGE] = 1;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	pthread_setname_np(pthread_self(), "long");
	burn(burn_long, NULL, 3 * SECONDS / 4);
	return unused;
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void threads(bool waits)
{
	pthread_t other;
	char line[16];

	if (waits)
		pthread_mutex_lock(&gate);
	if (pthread_create(&other, NULL, thread, NULL) != 0)
		exit(1);
	if (waits) {
		ready();
		if (!fgets(line, sizeof(line), stdin))
			exit(1);
		pthread_mutex_unlock(&gate);
	}
	burn(burn_short, NULL, SECONDS / 4);
	pthread_join(other, NULL);
}

static void forked(void)
{
	pid_t child = fork();

	if (child == 0) {
		burn(burn_long, NULL, 3 * SECONDS / 4);
		_exit(0);
	}
	burn(burn_short, NULL, SECONDS / 4);
	waitpid(child, NULL, 0);
}

static void pages(size_t number)
{
	char *memory = mmap(NULL, number * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise(memory, number * PAGE, MADV_NOHUGEPAGE);
	touch(memory, number);
}

static void library(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);
	void (*work)(void);
	void *symbol = handle ? dlsym(handle, "work") : NULL;

	if (!symbol)
		exit(1);
	memcpy(&work, &symbol, sizeof(work));
	burn(work, NULL, SECONDS / 2);
	dlclose(handle);
}

/* Stays in itself, so that a copy of it works anywhere. */
APART static void spin(void)
{
	for (volatile unsigned long i = 0; i < 200000; i++)
		;
}

static void anonymous(bool map)
{
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	void (*copy)(void);
	FILE *file;

	if (memory == MAP_FAILED)
		exit(77);
	memcpy(memory, (const void *)(uintptr_t)spin, 256);
	__builtin___clear_cache(memory, (char *)memory + 256);
	memcpy(&copy, &memory, sizeof(copy));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = map ? fopen(path, "w") : NULL;
	if (file) {
		fprintf(file, "%llx 100 spinning\n", (unsigned long long)(uintptr_t)memory);
		fclose(file);
	}
	burn(copy, NULL, SECONDS);
}

static long long nanoseconds(struct timeval time)
{
	return 1000000000LL * time.tv_sec + 1000LL * time.tv_usec;
}

/* User and system time. */
static void tell(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("%lld %lld\n", nanoseconds(self.ru_utime) + nanoseconds(children.ru_utime),
		nanoseconds(self.ru_stime) + nanoseconds(children.ru_stime));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "split")) {
		burn(burn_long, burn_short, SECONDS);
	} else if (!strcmp(mode, "threads")) {
		threads(false);
	} else if (!strcmp(mode, "fork")) {
		forked();
	} else if (!strcmp(mode, "exec")) {
		burn(burn_short, NULL, SECONDS / 4);
		execl("/proc/self/exe", "short long", "long", (char *)NULL);
		return 1;
	} else if (!strcmp(mode, "long")) {
		burn(burn_long, NULL, 3 * SECONDS / 4);
	} else if (!strcmp(mode, "pages") && argc > 2) {
		pages((size_t)atol(argv[2]));
	} else if (!strcmp(mode, "library") && argc > 3) {
		library(argv[2]);
		library(argv[3]);
	} else if (!strcmp(mode, "wait")) {
		threads(true);
	} else if (!strcmp(mode, "forever")) {
		ready();
		burn(burn_long, burn_short, 60);
	} else if (!strcmp(mode, "anonymous")) {
		anonymous(argc > 2);
	} else if (!strcmp(mode, "path")) {
		outer(SECONDS);
	} else {
		return 2;
	}
	tell();
	return 0;
}
