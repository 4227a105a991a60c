/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries for a process that cannot see their files, as it has another root directory: in a container, or after
 * chroot(). Each is copied into a file without a name that the process makes (memfd_create) and loads by its
 * descriptor, after the libraries that it needs: what is loaded already is found by its SONAME. Those of glibc alone
 * are the process's own, whatever version that is.
 *
 * A library is brought once. Its file stays mapped, and the name of that in /proc/PID/maps tells that it is there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/carry.h"

#define CLOSE_ON_EXEC 1u    /* MFD_CLOEXEC */
#define EXECUTABLE    0x10u /* MFD_EXEC, which Linux 6.3 began to ask for */

/* ---- what it sees ---- */

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static bool shares_files(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return is_same_file(path, "/proc/self/ns/mnt");
}

/* Paths of maps begin at the root of its name space for files, in which it may have changed its own. */
void papi_remote_path(pid_t pid, const char *path, char *here, size_t size)
{
	char link[64], root[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/root", (int)pid);
	length = readlink(link, root, sizeof(root) - 1);
	root[length > 0 ? length : 0] = '\0';
	if (length <= 0 || (is_same_file(link, "/") && shares_files(pid))) {
		snprintf(here, size, "%s", path);
		return;
	}
	if (length > 1 && starts_with(path, root) && path[length] == '/')
		path += length;
	snprintf(here, size, "%s%s", link, path);
}

static bool sees(const struct papi_remote *remote, const char *library)
{
	char path[PAPI_REMOTE_PATH];

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)remote->pid, library);
	return is_same_file(path, library);
}

/* How many mappings of libraries that were brought it has; and whether one is of that name, brought or its own. */
static unsigned count_brought(const struct papi_remote *remote, const char *name, bool *there)
{
	char path[64], *line = NULL;
	size_t room = 0, length = strlen(name);
	unsigned n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)remote->pid);
	file = fopen(path, "re");
	*there = false;
	while (file && getline(&line, &room, file) > 0) {
		const char *whole = strchr(line, '/');
		bool brought = whole && starts_with(whole, PAPI_REMOTE_BROUGHT);
		const char *base = brought ? whole + strlen(PAPI_REMOTE_BROUGHT) : whole ? base_of(whole) : "";

		n += brought;
		*there = *there || (starts_with(base, name) && strchr(". \n", base[length]));
	}
	free(line);
	if (file)
		fclose(file);
	return n;
}

/* ---- what a library needs ---- */

static bool is_of_glibc(const char *name)
{
	static const char *const starts[] = { "libc.so", "ld-linux", "libm.so", "libdl.so", "libpthread.so",
		"librt.so" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (starts_with(name, starts[i]))
			return true;
	return false;
}

/* NULL: it has none. */
static const ElfW(Dyn) * dynamic_of(const struct link_map *map, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry;
	return NULL;
}

/* As the dynamic linker has found them for this program, which has the same: what others need comes before them. */
static bool list_needed(struct papi_remote_cargo *cargo, const char *name)
{
	void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	const ElfW(Dyn) * strings;
	struct link_map *map;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		return false;
	for (unsigned i = 0; i < cargo->n; i++)
		if (!strcmp(cargo->paths[i], map->l_name))
			return true;
	strings = dynamic_of(map, DT_STRTAB);
	for (const ElfW(Dyn) *entry = map->l_ld; strings && entry->d_tag != DT_NULL; entry++) {
		const char *needed = (const char *)strings->d_un.d_ptr + entry->d_un.d_val;

		if (entry->d_tag == DT_NEEDED && !is_of_glibc(needed) && !list_needed(cargo, needed))
			return false;
	}
	if (cargo->n == PAPI_REMOTE_CARGO)
		return false;
	cargo->paths[cargo->n++] = map->l_name;
	return true;
}

/* ---- bringing ---- */

static bool __attribute__((format(printf, 2, 3))) add_name(struct papi_remote_cargo *cargo, const char *format, ...)
{
	size_t left = sizeof(cargo->names) - cargo->names_length - 1; /* an empty name is the end */
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(cargo->names + cargo->names_length, left, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= left)
		return false;
	cargo->names_length += (size_t)length + 1;
	return true;
}

static int64_t make_file(struct papi_remote_thread *thread, uint64_t name)
{
	uint64_t arguments[6] = { name, CLOSE_ON_EXEC | EXECUTABLE };
	int64_t file = -1;

	if (papi_remote_system_call(thread, SYS_memfd_create, arguments, &file) && file == -EINVAL) {
		arguments[1] = CLOSE_ON_EXEC;
		papi_remote_system_call(thread, SYS_memfd_create, arguments, &file);
	}
	return file;
}

static bool copy(const struct papi_remote *remote, const char *path, int there)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to, error;
	struct stat status;
	ssize_t got = 1;
	off_t at = 0;

	to = (int)syscall(SYS_pidfd_getfd, remote->process, there, 0);
	if (from < 0 || to < 0 || fstat(from, &status) != 0)
		got = -1;
	while (got > 0 && at < status.st_size)
		got = sendfile(to, from, &at, (size_t)(status.st_size - at));
	error = errno;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	errno = error;
	return got > 0;
}

/* The dynamic linker takes what it has loaded by a name before for the same, and numbers come again: each file's path
 * has more slashes than all before. */
static bool name_file(struct papi_remote_cargo *cargo, unsigned brought, int64_t file)
{
	static const char slashes[] = "////////////////////////////////////////////////////////////////";
	unsigned n = brought + cargo->n_files + 1;

	cargo->files[cargo->n_files++] = (int32_t)file;
	return n < sizeof(slashes) && add_name(cargo, "/proc/self/fd%.*s%d", (int)n, slashes, (int)file);
}

static bool bring_one(
	struct papi_remote_cargo *cargo, struct papi_remote *remote, struct papi_remote_thread *thread, uint64_t room)
{
	const char *path = cargo->paths[cargo->n_brought], *name = base_of(path);
	char called[256];
	unsigned brought;
	int64_t file;
	bool there;

	brought = count_brought(remote, name, &there);
	if (there) /* the last one is that which is wanted */
		return ++cargo->n_brought < cargo->n || add_name(cargo, "%s", name);
	snprintf(called, sizeof(called), PAPI_REMOTE_MARK "%s", name);
	if (!papi_remote_write(remote, room, called, strlen(called) + 1))
		return papi_remote_fail(remote, "its memory cannot be written: %s", strerror(errno));
	file = make_file(thread, room);
	if (file < 0)
		return papi_remote_fail(remote, "it may have no files in memory (memfd_create): %s",
			file > -4096 ? strerror((int)-file) : "it did not answer");
	cargo->n_brought++;
	return (name_file(cargo, brought, file) && copy(remote, path, (int)file)) ||
		papi_remote_fail(remote, "%s cannot be brought into it: %s", path, strerror(errno));
}

static bool has_proc(const struct papi_remote *remote)
{
	struct statfs status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root/proc", (int)remote->pid);
	return statfs(path, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

bool papi_remote_cargo_list(struct papi_remote_cargo *cargo, struct papi_remote *remote, const char *library)
{
	memset(cargo, 0, sizeof(*cargo));
	memset(cargo->files, 0xff, sizeof(cargo->files));
	if (sees(remote, library))
		return add_name(cargo, "%s", library) ||
			papi_remote_fail(remote, "the name of the agent's file is too long");
	if (!has_proc(remote))
		return papi_remote_fail(remote,
			"it does not see %s, as in a container, and has no /proc in its root directory, by which that "
			"is brought: mount one there, or run %s in there",
			library, program_invocation_short_name);
	return list_needed(cargo, library) ||
		papi_remote_fail(remote,
			"it does not see %s, as in a container, and what that needs cannot be found here: %s", library,
			cargo->n == PAPI_REMOTE_CARGO ? "it is too much" : dlerror());
}

bool papi_remote_cargo_bring(
	struct papi_remote_cargo *cargo, struct papi_remote *remote, struct papi_remote_thread *thread, uint64_t room)
{
	while (cargo->n_brought < cargo->n)
		if (!bring_one(cargo, remote, thread, room))
			return false;
	return true;
}

void papi_remote_cargo_drop(const struct papi_remote_cargo *cargo, struct papi_remote_thread *thread)
{
	for (unsigned i = 0; i < cargo->n_files; i++) {
		const uint64_t arguments[6] = { (uint64_t)cargo->files[i] };
		int64_t answer;

		papi_remote_system_call(thread, SYS_close, arguments, &answer);
	}
}
