/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/marks.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "papi_profile/papi_profile.h"
#include "papi_profile/raw.h"
#include "regions/marks.h"

#define LOST      UINT64_MAX /* a mark behind which others are missing */
#define NOT_KNOWN "[region not known]"

/* A file of a thread. */
struct papi_profile_marked {
	char name[64];
	const struct papi_region_marks *file;
	pid_t tid;
	uint64_t begun, over;                         /* when it made its first mark, and executed another program */
	uint64_t taken;                               /* marks of the file */
	struct papi_region_mark *marks;               /* that matter still, or will */
	size_t n, room, at;                           /* at: the last one whose time has come, less 1 */
	int64_t regions[PAPI_REGION_MARKS_NAMES + 1]; /* in the store; 0: not looked for */
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1000000000u * (uint64_t)time.tv_sec + (uint64_t)time.tv_nsec;
}

void papi_profile_marks_begin(struct papi_profile_marks *marks, const char *file)
{
	*marks = (struct papi_profile_marks){ .directory = "" };
	if (!papi_profile_raw_make(file, marks->directory, sizeof(marks->directory)) ||
		setenv(PAPI_REGION_MARKS, marks->directory, 1) != 0)
		marks->directory[0] = '\0';
}

/* ---- files ---- */

static void open_file(struct papi_profile_marks *marks, int directory, const char *name)
{
	int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct papi_region_marks *memory = MAP_FAILED;
	struct papi_profile_marked *thread;
	struct stat status;

	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size == (off_t)sizeof(*memory))
		memory = mmap(NULL, sizeof(*memory), PROT_READ, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	if (memory == MAP_FAILED)
		return;
	/* It is being made, and will be looked at again. */
	if (memory->magic != PAPI_REGION_MARKS_MAGIC || memory->version != PAPI_REGION_MARKS_VERSION ||
		!atomic_load(&memory->written)) {
		munmap(memory, sizeof(*memory));
		return;
	}
	marks->threads = papi_profile_allocate(marks->threads, marks->n_threads + 1, sizeof(*marks->threads));
	thread = &marks->threads[marks->n_threads++];
	*thread = (struct papi_profile_marked){ .file = memory, .tid = memory->tid, .over = UINT64_MAX };
	memcpy(thread->name, name, strnlen(name, sizeof(thread->name) - 1));
}

static bool is_open(const struct papi_profile_marks *marks, const char *name)
{
	for (size_t i = 0; i < marks->n_threads; i++)
		if (strcmp(marks->threads[i].name, name) == 0)
			return true;
	return false;
}

static void find_files(struct papi_profile_marks *marks)
{
	DIR *files = opendir(marks->directory);
	const struct dirent *file;

	while (files && (file = readdir(files)))
		if (strstr(file->d_name, PAPI_REGION_MARKS_SUFFIX) &&
			strlen(file->d_name) < sizeof(marks->threads->name) && !is_open(marks, file->d_name))
			open_file(marks, dirfd(files), file->d_name);
	if (files)
		closedir(files);
}

/* ---- marks ---- */

static void append(struct papi_profile_marked *thread, struct papi_region_mark mark)
{
	if (thread->n == thread->room) {
		/* Marks that are over make room, if they are many. */
		size_t old = thread->at > thread->room / 2 ? thread->at - 1 : 0;

		memmove(thread->marks, thread->marks + old, (thread->n - old) * sizeof(*thread->marks));
		thread->n -= old;
		thread->at -= old;
	}
	if (thread->n == thread->room) {
		thread->room = thread->room ? 2 * thread->room : 256;
		thread->marks = papi_profile_allocate(thread->marks, thread->room, sizeof(*thread->marks));
	}
	if (!thread->begun)
		thread->begun = mark.time;
	thread->marks[thread->n++] = mark;
}

static void take(struct papi_profile_marked *thread)
{
	const struct papi_region_marks *file = thread->file;
	static struct papi_region_mark copy[PAPI_REGION_MARKS_RING];
	uint64_t written = atomic_load_explicit(&file->written, memory_order_acquire), after, first = thread->taken;

	if (written == first)
		return;
	if (written - first > PAPI_REGION_MARKS_RING)
		first = written - PAPI_REGION_MARKS_RING;
	for (uint64_t i = first; i < written; i++)
		copy[i - first] = file->ring[i % PAPI_REGION_MARKS_RING];
	/* The one that is being written may have been among them, too. */
	after = atomic_load_explicit(&file->written, memory_order_acquire) + 1;
	for (uint64_t i = first; i < written; i++) {
		if (after - i > PAPI_REGION_MARKS_RING)
			continue;
		if (i != thread->taken)
			append(thread,
				(struct papi_region_mark){ thread->n ? thread->marks[thread->n - 1].time : 0, LOST });
		append(thread, copy[i - first]);
		thread->taken = i + 1;
	}
}

void papi_profile_marks_look(struct papi_profile_marks *marks)
{
	if (!marks->directory[0])
		return;
	marks->looked = now();
	find_files(marks);
	for (size_t i = 0; i < marks->n_threads; i++)
		take(&marks->threads[i]);
}

/* ---- samples ---- */

static int64_t region_of(struct papi_profile_marked *thread, struct papi_profile_counts *counts, uint64_t number)
{
	char name[PAPI_REGION_MARKS_NAME];

	if (number == 0)
		return 0;
	if (number > PAPI_REGION_MARKS_NAMES)
		return papi_profile_counts_region(counts, NOT_KNOWN);
	if (!thread->regions[number]) {
		memcpy(name, thread->file->names[number - 1], sizeof(name));
		name[sizeof(name) - 1] = '\0';
		thread->regions[number] = papi_profile_counts_region(counts, name);
	}
	return thread->regions[number];
}

int64_t papi_profile_marks_region(
	struct papi_profile_marks *marks, struct papi_profile_counts *counts, pid_t tid, uint64_t time)
{
	struct papi_profile_marked *found = NULL;

	if (!marks->directory[0])
		return 0;
	if (time >= marks->looked)
		papi_profile_marks_look(marks);
	for (size_t i = 0; i < marks->n_threads; i++) {
		struct papi_profile_marked *thread = &marks->threads[i];

		if (thread->tid == tid && thread->begun && thread->begun <= time && time < thread->over &&
			(!found || thread->begun > found->begun))
			found = thread;
	}
	if (!found)
		return 0;
	while (found->at < found->n && found->marks[found->at].time <= time)
		found->at++;
	return found->at ? region_of(found, counts, found->marks[found->at - 1].region) : 0;
}

void papi_profile_marks_executed(struct papi_profile_marks *marks, pid_t tid, uint64_t time)
{
	if (!marks->directory[0])
		return;
	if (time >= marks->looked)
		papi_profile_marks_look(marks);
	for (size_t i = 0; i < marks->n_threads; i++)
		if (marks->threads[i].tid == tid && marks->threads[i].begun < time && time < marks->threads[i].over)
			marks->threads[i].over = time;
}

void papi_profile_marks_end(struct papi_profile_marks *marks)
{
	for (size_t i = 0; i < marks->n_threads; i++) {
		munmap((void *)(uintptr_t)marks->threads[i].file, sizeof(*marks->threads[i].file));
		free(marks->threads[i].marks);
	}
	free(marks->threads);
	if (marks->directory[0])
		papi_profile_raw_drop(marks->directory);
	*marks = (struct papi_profile_marks){ .directory = "" };
}
