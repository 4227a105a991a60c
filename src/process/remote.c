/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/registers.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STARTING 1000 /* ms that a program has for its loader to map libc */
#define TELL_MS  2000 /* that the user waits without a word */

bool papi_remote_fail(struct papi_remote *remote, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(remote->reason, sizeof(remote->reason), format, arguments);
	va_end(arguments);
	return false;
}

long long papi_remote_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1000LL * now.tv_sec + now.tv_nsec / 1000000;
}

void papi_remote_tell(const struct papi_remote *remote, struct papi_remote_wait *wait, const char *format, ...)
{
	char text[PAPI_REMOTE_REASON];
	va_list arguments;

	if (!wait->begun)
		wait->begun = papi_remote_now_ms();
	if (wait->told || !remote->say || papi_remote_now_ms() - wait->begun < TELL_MS)
		return;
	wait->told = true;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	remote->say("process %d: %s", (int)remote->pid, text);
}

/* ---- memory ---- */

bool papi_remote_read(const struct papi_remote *remote, uint64_t address, void *to, size_t size)
{
	return pread(remote->memory, to, size, (off_t)address) == (ssize_t)size;
}

bool papi_remote_write(const struct papi_remote *remote, uint64_t address, const void *from, size_t size)
{
	return pwrite(remote->memory, from, size, (off_t)address) == (ssize_t)size;
}

/* ---- what is refused ---- */

static void path_of(const struct papi_remote *remote, const char *name, char *path, size_t size)
{
	snprintf(path, size, "/proc/%d/%s", (int)remote->pid, name);
}

/* A number of /proc/PID/status; -1: there is none. */
static long status_of(const struct papi_remote *remote, const char *key, int base)
{
	char path[64], line[256];
	long value = -1;
	FILE *file;

	path_of(remote, "status", path, sizeof(path));
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			value = (long)strtoul(line + strlen(key) + 1, NULL, base);
	if (file)
		fclose(file);
	return value;
}

static bool refuse_permission(struct papi_remote *remote, int error)
{
	const char *tool = program_invocation_short_name;
	char text[16] = "";
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");

	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		text[strcspn(text, "\n")] = '\0';
		fclose(file);
	}
	if (error == ESRCH || error == ENOENT)
		return papi_remote_fail(remote, "it has ended");
	return papi_remote_fail(remote,
		"it may not be traced (%s): it is another user's, has other privileges than %s, or protects "
		"itself (prctl, PR_SET_DUMPABLE)%s%s%s; run %s as its user, or with CAP_SYS_PTRACE, as root",
		strerror(error), tool, *text ? ", or kernel.yama.ptrace_scope is " : "", text,
		*text ? " (0 lets users trace their own processes)" : "", tool);
}

static bool check_program(struct papi_remote *remote)
{
	unsigned char start[20] = { 0 };
	char path[64];
	int file;
	ssize_t got;

	path_of(remote, "exe", path, sizeof(path));
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return refuse_permission(remote, errno);
	got = read(file, start, sizeof(start));
	close(file);
	if (got != sizeof(start) || start[EI_CLASS] != ELFCLASS64 ||
		(start[18] | start[19] << 8) != papi_remote_machine)
		return papi_remote_fail(remote, "it is no %s program of 64 bits, for which the agent is made",
			papi_remote_machine_name);
	return true;
}

/* What follows the name in /proc/PID/task/TID/stat: from field 3 on. False: there is no such thread. */
static bool read_stat(const struct papi_remote *remote, pid_t thread, char *rest, size_t size)
{
	char path[64], text[512] = "";
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)remote->pid, (int)thread);
	file = fopen(path, "re");
	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	snprintf(rest, size, "%s", end && end[1] == ' ' ? end + 2 : "");
	return true;
}

char papi_remote_state(const struct papi_remote *remote, pid_t thread)
{
	char rest[512];

	return read_stat(remote, thread, rest, sizeof(rest)) ? rest[0] : '\0';
}

long long papi_remote_ran(const struct papi_remote *remote, pid_t thread)
{
	char rest[512], *at = rest;
	unsigned long ticks;

	if (!read_stat(remote, thread, rest, sizeof(rest)))
		return 0;
	for (unsigned field = 3; at && field < 14; field++) { /* utime and stime are 14 and 15 */
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return 0;
	ticks = strtoul(at, &at, 10);
	ticks += strtoul(at, NULL, 10);
	return (long long)ticks * 1000 / sysconf(_SC_CLK_TCK);
}

bool papi_remote_has_ended(const struct papi_remote *remote, pid_t thread)
{
	char state = papi_remote_state(remote, thread);

	return !state || state == 'Z' || state == 'X';
}

static bool is_stopped(const struct papi_remote *remote)
{
	char state = papi_remote_state(remote, remote->pid);

	return state == 'T' || state == 't';
}

/* The files that it has mapped tell: a static program has no libc among them, and one that begins or ends has none. */
struct mapped {
	bool files, libc, loader;
};

static struct mapped mapped_by(const struct papi_remote *remote)
{
	char path[64], *line = NULL;
	struct mapped mapped = { 0 };
	size_t room = 0;
	FILE *file;

	path_of(remote, "maps", path, sizeof(path));
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0) {
		mapped.files = mapped.files || strchr(line, '/');
		mapped.libc = mapped.libc || strstr(line, "/libc.so") || strstr(line, "/libc-2.");
		mapped.loader = mapped.loader || strstr(line, "/ld-linux") || strstr(line, "/ld-2.");
	}
	free(line);
	if (file)
		fclose(file);
	return mapped;
}

/* A program that has only just begun has its loader, which will map libc in a moment. */
static bool check_libc(struct papi_remote *remote)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct mapped mapped = mapped_by(remote);

	for (unsigned i = 0; i < STARTING && !mapped.libc && (mapped.loader || !mapped.files); i++) {
		if (!check_program(remote))
			return false;
		nanosleep(&moment, NULL);
		mapped = mapped_by(remote);
	}
	return mapped.libc ||
		papi_remote_fail(remote,
			"it has no libc.so of glibc: it is linked statically, or with another libc; no agent can be "
			"loaded into it");
}

static bool check(struct papi_remote *remote)
{
	long tracer = status_of(remote, "TracerPid", 10), ignored = status_of(remote, "SigIgn", 16);

	if (!check_program(remote))
		return false;
	if (tracer > 0)
		return papi_remote_fail(remote,
			"process %ld traces it already (a debugger, or another tool as this one): one at a time can",
			tracer);
	if (status_of(remote, "Seccomp", 10) > 0)
		return papi_remote_fail(remote,
			"it has a filter of system calls (seccomp), which the calls of an agent could violate; let "
			"%s start it instead",
			program_invocation_short_name);
	if (ignored != -1 && ignored >> (SIGTRAP - 1) & 1)
		return papi_remote_fail(remote,
			"it ignores SIGTRAP, which it could not after a visit: that takes a trap in one of its "
			"threads");
	if (is_stopped(remote))
		return papi_remote_fail(remote, "it is stopped: continue it first (kill -CONT %d)", (int)remote->pid);
	return check_libc(remote);
}

bool papi_remote_open(struct papi_remote *remote, pid_t pid)
{
	char path[64];

	memset(remote, 0, sizeof(*remote));
	remote->pid = pid;
	remote->memory = remote->process = -1;
	if (!check(remote))
		return false;
	path_of(remote, "mem", path, sizeof(path));
	remote->memory = open(path, O_RDWR | O_CLOEXEC);
	if (remote->memory < 0)
		return refuse_permission(remote, errno);
	remote->process = (int)syscall(SYS_pidfd_open, pid, 0);
	if (remote->process >= 0 && papi_remote_moment_open(remote))
		return true;
	if (remote->process < 0)
		papi_remote_fail(remote, "pidfd_open: %s (Linux 5.6 and later have what is needed)", strerror(errno));
	papi_remote_close(remote);
	return false;
}

void papi_remote_close(struct papi_remote *remote)
{
	papi_remote_disarm(remote);
	papi_remote_moment_close(remote->moment);
	if (remote->memory >= 0)
		close(remote->memory);
	if (remote->process >= 0)
		close(remote->process);
	remote->moment = NULL;
	remote->memory = remote->process = -1;
}

size_t papi_remote_threads(const struct papi_remote *remote, pid_t threads[], size_t most)
{
	const struct dirent *entry;
	char path[64];
	size_t n = 0;
	DIR *directory;

	path_of(remote, "task", path, sizeof(path));
	directory = opendir(path);
	while (directory && n < most && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			threads[n++] = (pid_t)strtol(entry->d_name, NULL, 10);
	if (directory)
		closedir(directory);
	return n;
}
