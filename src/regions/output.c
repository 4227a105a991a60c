/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where results are written, so that no earlier result is lost and many processes need not wait for each other.
 *
 *	DIRECTORY/papi_hl_output-RUN/rank_N.json     a directory for each run (run.c), a file for each process
 *	DIRECTORY/papi_hl_output -> papi_hl_output-RUN     the newest
 *
 * Every step is one that the kernel makes for one process only, on network file systems too: the directory of the run
 * is made or is there; the file is written under a name of its own and given its name when it is whole, if nobody has
 * that name; the link is replaced as a whole. A file that is there already belongs to an earlier program of the same
 * job: then the run goes on in papi_hl_output-RUN-2. A directory papi_hl_output, as other implementations make it, is
 * put aside.
 *
 * The text is made in memory and written with write(2): a disk that is full is found out before the file has its name.
 */
#include "regions/regions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"

#define LINK     "papi_hl_output"
#define ATTEMPTS 1000

/* Where this process has written before: PAPI_hl_stop() was called more than once. */
static char placed_run[80];
static char placed_name[48];
static unsigned placed_child; /* papi_region_run.child then */

static int failed(const char *what, const char *name)
{
	int error = errno;

	papi_error(PAPI_ESYS, "cannot %s %s%s%s: %s; PAPI_OUTPUT_DIRECTORY names another place", what,
		papi_region_run.directory, *name ? "/" : "", name, strerror(error));
	papi_region_warn("the regions of this process are not written: %s", papi_error_sentence());
	return PAPI_ESYS;
}

static int open_directory(void)
{
	const char *path = papi_region_run.directory;
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (directory < 0 && errno == ENOENT && mkdir(path, 0777) == 0)
		directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return directory;
}

/* The whole text in a file of that name, or no file. */
static bool write_file(int run, const char *name, const char *text, size_t size)
{
	int file, error;
	bool written;

	/* Left by a process that had our number and was killed while it wrote. */
	unlinkat(run, name, 0);
	file = openat(run, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (file < 0)
		return false;
	written = papi_write_all(file, text, size);
	error = errno;
	/* On network file systems this is where a full disk shows. */
	if (close(file) != 0 && written) {
		written = false;
		error = errno;
	}
	if (!written)
		unlinkat(run, name, 0);
	errno = error;
	return written;
}

/* Gives the file its name, if that is free: EEXIST. */
static bool name_file(int run, const char *temporary, const char *name)
{
	if (renameat2(run, temporary, run, name, RENAME_NOREPLACE) == 0)
		return true;
	if (errno == EEXIST)
		return false;
	/* A file system that cannot do that: a second name that is new, then without the first. */
	if (linkat(run, temporary, run, name, 0) != 0)
		return false;
	unlinkat(run, temporary, 0);
	return true;
}

/* In the directory of a run. 1: somebody has the name; 0: done; -1: errno. */
static int place(int run, const char *text, size_t size)
{
	long number = papi_region_run_number();
	char temporary[160];

	snprintf(temporary, sizeof(temporary), ".rank_%ld.%s.%d", number, papi_region_run.host, (int)getpid());
	if (!write_file(run, temporary, text, size))
		return -1;
	if (placed_name[0] && renameat(run, temporary, run, placed_name) == 0)
		return 0;
	for (int i = 0; i < (papi_region_run.child ? ATTEMPTS : 1); i++) {
		snprintf(placed_name, sizeof(placed_name), "rank_%ld.json", number + i);
		if (name_file(run, temporary, placed_name))
			return 0;
		if (errno != EEXIST)
			break;
	}
	placed_name[0] = '\0';
	{
		int error = errno;

		unlinkat(run, temporary, 0);
		errno = error;
	}
	return errno == EEXIST ? 1 : -1;
}

/* The directory of the run, made if it is not there; what is in it is nobody else's. */
static int place_in(int directory, const char *name, const char *text, size_t size)
{
	int run, result, error;

	if (mkdirat(directory, name, 0777) != 0 && errno != EEXIST)
		return failed("make", name);
	run = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (run < 0)
		return failed("open", name);
	result = place(run, text, size);
	error = errno;
	close(run);
	if (result < 0) {
		/* Goes only if it is empty. */
		unlinkat(directory, name, AT_REMOVEDIR);
		errno = error;
		return failed("write a file in", name);
	}
	return result;
}

/* A directory of that name, or what another process has put in its place meanwhile. */
static bool put_aside(int directory, const struct stat *facts)
{
	char name[80], when[32];
	struct tm local;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&facts->st_mtime, &local));
	for (int i = 1; i < ATTEMPTS; i++) {
		struct stat moved;

		snprintf(name, sizeof(name), i > 1 ? LINK "-%s-%d" : LINK "-%s", when, i);
		if (renameat2(directory, LINK, directory, name, RENAME_NOREPLACE) != 0) {
			if (errno == EEXIST)
				continue;
			return errno == ENOENT;
		}
		/* The link of somebody who was faster is only a link. */
		if (fstatat(directory, name, &moved, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(moved.st_mode))
			unlinkat(directory, name, 0);
		return true;
	}
	return false;
}

/* Points papi_hl_output to the run. Nothing that is not a result is replaced. */
static bool point_to(int directory, const char *run)
{
	char old[128], temporary[128];

	snprintf(temporary, sizeof(temporary), "." LINK ".%s.%d", papi_region_run.host, (int)getpid());
	for (int i = 0; i < ATTEMPTS; i++) {
		ssize_t length = readlinkat(directory, LINK, old, sizeof(old) - 1);
		struct stat facts;

		if (length >= 0) {
			old[length] = '\0';
			if (strcmp(old, run) == 0)
				return true;
			if (strncmp(old, LINK "-", strlen(LINK) + 1) != 0 || strchr(old, '/'))
				return false;
		} else if (fstatat(directory, LINK, &facts, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(facts.st_mode)) {
			if (!S_ISDIR(facts.st_mode) || !put_aside(directory, &facts))
				return false;
		}
		unlinkat(directory, temporary, 0);
		if (symlinkat(run, directory, temporary) != 0)
			return false;
		if (renameat(directory, temporary, directory, LINK) == 0)
			return true;
		unlinkat(directory, temporary, 0);
		if (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST)
			return false;
	}
	return false;
}

static int write_text(const char *text, size_t size)
{
	int directory = open_directory(), status = 1;

	if (directory < 0)
		return failed("open", "");
	if (placed_child != papi_region_run.child)
		placed_run[0] = placed_name[0] = '\0';
	placed_child = papi_region_run.child;
	if (!placed_run[0])
		snprintf(placed_run, sizeof(placed_run), "%s", papi_region_run.name);
	for (int i = 2; status > 0 && i < ATTEMPTS; i++) {
		status = place_in(directory, placed_run, text, size);
		if (status > 0)
			snprintf(placed_run, sizeof(placed_run), "%s-%d", papi_region_run.name, i);
	}
	if (status == PAPI_OK && !point_to(directory, placed_run))
		papi_region_warn("%s/%s is something else, so it stays; the regions of this process are in %s/%s",
			papi_region_run.directory, LINK, papi_region_run.directory, placed_run);
	if (status == PAPI_OK && papi_region_run.verbose)
		papi_region_warn("regions written to %s/%s/%s", papi_region_run.directory, placed_run, placed_name);
	close(directory);
	if (status > 0) {
		errno = EEXIST;
		status = failed("write a file in", papi_region_run.name);
	}
	return status;
}

static int write_result(const struct papi_region_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool complete;
	int status;

	if (stream)
		papi_region_json(stream, result);
	complete = stream && !ferror(stream);
	complete = stream && fclose(stream) == 0 && complete;
	status = complete ? write_text(text, size)
			  : papi_error(PAPI_ENOMEM, "no memory for the text of the regions' results");
	if (!complete)
		papi_region_warn("the regions of this process are not written: no memory");
	free(text);
	return status;
}

int papi_region_publish(void)
{
	struct papi_region_result result;
	int status = PAPI_OK;

	if (!papi_region_result_take(&result)) {
		papi_region_warn("the regions of this process are not written: no memory");
		return PAPI_ENOMEM;
	}
	if (result.n && result.changed) {
		status = write_result(&result);
		if (papi_region_run.report)
			papi_region_report(stdout, &result);
	}
	papi_region_result_free(&result, status == PAPI_OK);
	return status;
}
