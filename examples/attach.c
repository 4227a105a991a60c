/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting another process: PAPI_attach() binds an EventSet to it, and from then on start, read and stop speak of
 * that process. The child waits on a pipe, so that nothing it does is missed.
 */
#include <papi.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static _Alignas(4096) volatile char pages[256][4096];

/* Closing an end of a pipe is the signal that its reader waits for. */
static void wait_for_close(int descriptor)
{
	char byte;

	while (read(descriptor, &byte, 1) > 0)
		continue;
}

static void be_the_child(int go)
{
	wait_for_close(go);
	for (int i = 0; i < 256; i++)
		pages[i][0] = 1;
	_exit(0);
}

static int refused(const char *what, pid_t child)
{
	fprintf(stderr, "cannot %s process %d: %s\n", what, (int)child, PAPI_error_detail());
	return 1;
}

static int count(pid_t child, int go, long long *faults)
{
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK)
		return refused("prepare to count", child);
	/* A new set has no component yet, and only a component can attach: name it before the process. */
	if (PAPI_assign_eventset_component(set, 0) != PAPI_OK || PAPI_attach(set, (unsigned long)child) != PAPI_OK)
		return refused("attach to", child);
	if (PAPI_add_named_event(set, "perf::PAGE-FAULTS") != PAPI_OK || PAPI_start(set) != PAPI_OK)
		return refused("count", child);
	close(go);
	waitpid(child, NULL, 0);
	/* The process is gone, its counts are not. */
	if (PAPI_stop(set, faults) != PAPI_OK)
		return refused("read the counts of", child);
	return 0;
}

int main(void)
{
	long long faults = 0;
	int go[2];
	pid_t child;
	int status;

	if (pipe(go) != 0)
		return 1;
	child = fork();
	if (child == 0) {
		close(go[1]);
		be_the_child(go[0]);
	}
	close(go[0]);
	status = count(child, go[1], &faults);
	if (status == 0)
		printf("process %d: %lld page faults\n", (int)child, faults);
	return status;
}
