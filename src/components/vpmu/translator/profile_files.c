/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/profile_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/thread.h"

#define PAGE        4096u
#define LOG_LEAST   ((uint64_t)256 << 10)
#define LOG_MOST    ((uint64_t)1 << 31)
#define PATH_LENGTH 576

static struct {
	char path[PATH_LENGTH]; /* without what it ends with */
	size_t length;
	unsigned char *log;
	uint64_t size, next; /* of the log: mapped, and where the entry ends that is open */
	uint64_t counts_size;
	bool failed;
} files;

/* ---- names ---- */

static bool put(char c)
{
	if (files.length + sizeof(PAPI_VPMU_LOG_COUNTS) >= PATH_LENGTH)
		return false;
	files.path[files.length++] = c;
	files.path[files.length] = '\0';
	return true;
}

static bool put_text(const char *text)
{
	while (*text && put(*text))
		text++;
	return !*text;
}

static bool put_number(uint64_t number)
{
	char digits[24];
	unsigned n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n && put(digits[n - 1]))
		n--;
	return !n;
}

static long open_with(const char *suffix, int flags)
{
	size_t length = files.length;
	long file = put_text(suffix) ? papi_vpmu_raw(SYS_openat, AT_FDCWD, (long)files.path, flags, 0600, 0, 0)
				     : -ENAMETOOLONG;

	files.length = length;
	files.path[length] = '\0';
	return file;
}

static void close_file(long file)
{
	papi_vpmu_raw(SYS_close, file, 0, 0, 0, 0, 0);
}

/* ---- room ---- */

static const char *reason_of(long error)
{
	switch (-error) {
	case ENOSPC:
	case EDQUOT:
		return "there is no more room on the disk for its profile, which ends there";
	case EFBIG:
		return "the limit of the size of files (ulimit -f) is too small for its profile, which ends there";
	case ENOMEM:
		return "there is no more memory for its profile, which ends there";
	default:
		return "the files of its profile are out of its reach (another root directory or user, or too many "
		       "files are open): the profile ends there";
	}
}

/* Once; what comes is not in the profile. */
static void fail(long error)
{
	if (!files.failed && papi_vpmu_agent)
		papi_vpmu_agent->lose(reason_of(error));
	files.failed = true;
}

/* A file system that makes no room by itself is written to. */
static long fill(long file, uint64_t from, uint64_t to)
{
	static const char zeros[PAGE];

	for (; from < to; from += PAGE) {
		long done = papi_vpmu_raw(SYS_pwrite64, file, (long)zeros, PAGE, (long)from, 0, 0);

		if (done != PAGE)
			return done < 0 ? done : -ENOSPC;
	}
	return 0;
}

/* Past the limit of the size of files there would be a signal. 0, or an error. */
static long make_room(long file, uint64_t from, uint64_t to)
{
	struct rlimit limit = { .rlim_cur = 0 };
	long result;

	if (papi_vpmu_raw(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) || limit.rlim_cur < to)
		return -EFBIG;
	do
		result = papi_vpmu_raw(SYS_fallocate, file, 0, (long)from, (long)(to - from), 0, 0);
	while (result == -EINTR);
	return result == -EOPNOTSUPP || result == -ENOSYS ? fill(file, from, to) : result;
}

/* ---- the log ---- */

static long map_log(long file, uint64_t size)
{
	long address;

	if (!files.log)
		address = papi_vpmu_raw(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	else
		address = papi_vpmu_raw(
			SYS_mremap, (long)files.log, (long)files.size, (long)size, MREMAP_MAYMOVE, 0, 0);
	if (papi_vpmu_failed(address))
		return address;
	files.log = (unsigned char *)(uintptr_t)address;
	files.size = size;
	return 0;
}

static bool grow_log(uint64_t least)
{
	uint64_t size = files.size ? 2 * files.size : LOG_LEAST;
	long file, error = -EFBIG;

	while (size < least)
		size *= 2;
	if (files.failed || size > LOG_MOST)
		return fail(error), false;
	file = open_with(PAPI_VPMU_LOG_SUFFIX, O_RDWR | O_CLOEXEC);
	error = file < 0 ? file : make_room(file, files.size, size);
	if (!error)
		error = map_log(file, size);
	if (file >= 0)
		close_file(file);
	if (error)
		fail(error);
	return !error;
}

struct papi_vpmu_log_head *papi_vpmu_log_head(void)
{
	return (struct papi_vpmu_log_head *)(void *)files.log;
}

void *papi_vpmu_log_at(uint32_t offset)
{
	return files.log + offset;
}

uint32_t papi_vpmu_log_offset(const void *entry)
{
	return (uint32_t)((const unsigned char *)entry - files.log);
}

void *papi_vpmu_log_open(enum papi_vpmu_log_type type, uint64_t size)
{
	uint64_t used = papi_vpmu_log_head()->used;
	struct papi_vpmu_log_entry *entry;

	size = (size + 7) & ~(uint64_t)7;
	if (used + size > files.size && !grow_log(used + size))
		return NULL;
	entry = papi_vpmu_log_at((uint32_t)used);
	*entry = (struct papi_vpmu_log_entry){ (uint32_t)type, (uint32_t)size };
	files.next = used + size;
	return entry;
}

void papi_vpmu_log_close(void)
{
	__atomic_store_n(&papi_vpmu_log_head()->used, files.next, __ATOMIC_RELEASE);
}

/* ---- counts ---- */

static long map_counts(long file, void *const *places, unsigned n, uint64_t offset, uint64_t size)
{
	for (unsigned i = 0; i < n; i++) {
		long address = papi_vpmu_raw(SYS_mmap, (long)places[i], (long)size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_FIXED, file, (long)(offset + i * size));

		if (papi_vpmu_failed(address))
			return address;
	}
	return 0;
}

uint64_t papi_vpmu_counts_map(void *const *places, unsigned n, uint64_t size)
{
	uint64_t offset = files.counts_size;
	long file, error;

	if (files.failed)
		return 0;
	file = open_with(PAPI_VPMU_LOG_COUNTS, O_RDWR | O_CLOEXEC);
	error = file < 0 ? file : make_room(file, offset, offset + n * size);
	if (!error)
		error = map_counts(file, places, n, offset, size);
	if (file >= 0)
		close_file(file);
	if (error) {
		fail(error);
		return 0;
	}
	files.counts_size += n * size;
	return offset;
}

/* ---- the beginning ---- */

/* The first part of the process's name that nobody has used. 0, or an error. */
static long make_files(const char *directory, long process)
{
	long file = -EEXIST;

	for (unsigned i = 1; file == -EEXIST; i++) {
		files.length = 0;
		if (!put_text(directory) || !put('/') || !put_number((uint64_t)process) || !put('-') || !put_number(i))
			return -ENAMETOOLONG;
		file = open_with(PAPI_VPMU_LOG_SUFFIX, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
	}
	if (file < 0)
		return file;
	close_file(file);
	file = open_with(PAPI_VPMU_LOG_COUNTS, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC);
	if (file < 0)
		return file;
	close_file(file);
	return 0;
}

static void read_name(char *name, long size)
{
	static const char path[] = "/proc/self/comm";
	long file = papi_vpmu_raw(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0), got;

	if (file < 0)
		return;
	got = papi_vpmu_raw(SYS_read, file, (long)name, size - 1, 0, 0, 0);
	close_file(file);
	for (long i = 0; i < size; i++)
		if (i >= got || name[i] == '\n')
			name[i] = '\0';
}

const char *papi_vpmu_files_begin(const char *directory, uint64_t profile, uint64_t modelled)
{
	long process = papi_vpmu_raw(SYS_getpid, 0, 0, 0, 0, 0, 0), error = make_files(directory, process);
	struct papi_vpmu_log_head *head;
	struct timespec now;

	if (error)
		return reason_of(error);
	/* The first page of the counts stays free: no extent is at offset 0. */
	files.counts_size = PAGE;
	if (!grow_log(sizeof(*head)))
		return "no room could be made for its profile on the disk";
	head = papi_vpmu_log_head();
	head->version = PAPI_VPMU_LOG_VERSION;
	head->pid = (int32_t)process;
	head->parent = (int32_t)papi_vpmu_raw(SYS_getppid, 0, 0, 0, 0, 0, 0);
	head->profile = profile;
	head->modelled = modelled;
	if (!papi_vpmu_raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0))
		head->started = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	read_name(head->name, sizeof(head->name));
	head->magic = PAPI_VPMU_LOG_MAGIC;
	files.next = sizeof(*head);
	papi_vpmu_log_close();
	return NULL;
}

void papi_vpmu_files_forked(void)
{
	if (files.log)
		papi_vpmu_raw(SYS_munmap, (long)files.log, (long)files.size, 0, 0, 0, 0);
	memset(&files, 0, sizeof(files));
}
