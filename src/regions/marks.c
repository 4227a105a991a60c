/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c - tells a sampler which region a thread is in (marks.h). What fails leaves the thread without marks. */
#include "regions/marks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/time/clock.h"
#include "regions/regions.h"

#define ATTEMPTS 100

static _Thread_local struct papi_region_marks *own __attribute__((tls_model("initial-exec")));
static _Thread_local bool failed __attribute__((tls_model("initial-exec")));

/* A number of threads one after the other may have been the same. */
static int make_file(const char *directory, pid_t tid)
{
	struct rlimit limit = { 0, 0 };
	char path[4096];
	int file = -1;

	/* Past the limit of the size of files, there would be a signal. */
	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < sizeof(struct papi_region_marks))
		return -1;

	for (unsigned i = 0; i < ATTEMPTS && file < 0; i++) {
		int length = snprintf(path, sizeof(path), "%s/%d-%u" PAPI_REGION_MARKS_SUFFIX, directory, (int)tid, i);

		if (length < 0 || (size_t)length >= sizeof(path))
			return -1;
		file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	/* Its room is made now: memory that finds none later ends the program. */
	if (file >= 0 && posix_fallocate(file, 0, sizeof(struct papi_region_marks)) != 0) {
		unlink(path);
		close(file);
		return -1;
	}
	return file;
}

static struct papi_region_marks *make(const char *directory)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	int file = make_file(directory, tid);
	struct papi_region_marks *marks;

	if (file < 0)
		return NULL;
	marks = mmap(NULL, sizeof(*marks), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (marks == MAP_FAILED)
		return NULL;
	madvise(marks, sizeof(*marks), MADV_DONTFORK);
	marks->version = PAPI_REGION_MARKS_VERSION;
	marks->pid = getpid();
	marks->tid = tid;
	marks->magic = PAPI_REGION_MARKS_MAGIC;
	return marks;
}

static uint64_t number_of(struct papi_region_marks *marks, const char *name)
{
	unsigned i = 0;

	while (i < PAPI_REGION_MARKS_NAMES - 1 && marks->names[i][0] &&
		strncmp(marks->names[i], name, PAPI_REGION_MARKS_NAME - 1) != 0)
		i++;
	if (i == PAPI_REGION_MARKS_NAMES - 1)
		name = "[other regions]";
	if (!marks->names[i][0])
		memccpy(marks->names[i], name, '\0', PAPI_REGION_MARKS_NAME - 1);
	return i + 1;
}

static void put(struct papi_region_marks *marks, const char *name)
{
	uint64_t written = atomic_load_explicit(&marks->written, memory_order_relaxed);

	marks->ring[written % PAPI_REGION_MARKS_RING] = (struct papi_region_mark){ (uint64_t)papi_clock_real_ns(),
		name ? number_of(marks, name) : 0 };
	atomic_store_explicit(&marks->written, written + 1, memory_order_release);
}

void papi_region_mark(const char *name)
{
	const char *directory;

	if (__builtin_expect(!own && !failed, 0)) {
		directory = secure_getenv(PAPI_REGION_MARKS);
		own = directory ? make(directory) : NULL;
		failed = !own;
	}
	if (own)
		put(own, name);
}

void papi_region_marks_end(void)
{
	if (!own)
		return;
	put(own, NULL);
	munmap(own, sizeof(*own));
	own = NULL;
}

void papi_region_marks_forked(void)
{
	own = NULL;
	failed = false;
}
