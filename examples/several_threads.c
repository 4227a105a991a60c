/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each thread counts itself: an EventSet belongs to the thread that starts it, and threads do not disturb each
 * other. Thread n touches n times 64 new pages, and counts just those.
 */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS        4
#define PAGES_PER_STEP 64

struct job {
	pthread_t thread;
	int number;
	long long faults;
	const char *failed; /* the function that refused, or NULL */
	char reason[256];
};

/* PAPI_error_detail() speaks of the calling thread's last error, so its words are kept here for the main thread. */
static void *fail(struct job *job, const char *function)
{
	job->failed = function;
	snprintf(job->reason, sizeof(job->reason), "%s", PAPI_error_detail());
	return NULL;
}

static void touch_new_pages(size_t count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	for (size_t i = 0; i < count; i++)
		memory[i * page] = 1;
	munmap((void *)memory, count * page);
}

static void *work(void *argument)
{
	struct job *job = argument;
	int set = PAPI_NULL;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return fail(job, "PAPI_create_eventset");
	if (PAPI_add_named_event(set, "perf::PAGE-FAULTS") != PAPI_OK)
		return fail(job, "PAPI_add_named_event");
	if (PAPI_start(set) != PAPI_OK)
		return fail(job, "PAPI_start");
	touch_new_pages((size_t)job->number * PAGES_PER_STEP);
	if (PAPI_stop(set, &job->faults) != PAPI_OK)
		return fail(job, "PAPI_stop");

	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return NULL;
}

int main(void)
{
	struct job jobs[THREADS] = { 0 };
	int status = 0;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_thread_init(pthread_self) != PAPI_OK) {
		fprintf(stderr, "cannot use PAPI: %s\n", PAPI_error_detail());
		return 1;
	}
	for (int i = 0; i < THREADS; i++) {
		jobs[i].number = i + 1;
		if (pthread_create(&jobs[i].thread, NULL, work, &jobs[i]) != 0)
			abort();
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		if (jobs[i].failed) {
			fprintf(stderr, "thread %d: %s: %s\n", jobs[i].number, jobs[i].failed, jobs[i].reason);
			status = 1;
		} else {
			printf("thread %d: %lld page faults\n", jobs[i].number, jobs[i].faults);
		}
	}
	PAPI_shutdown();
	return status;
}
