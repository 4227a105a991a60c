/* SPDX-License-Identifier: BSD-3-Clause */
/* modules.c - the files that a program consists of, and where they are in its memory. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "papi_probe.h"
#include "symbols/memory.h"

#define PAGE       4096u
#define REACH      (PAPI_PROBE_REACH - (1 << 20)) /* and a bit less */
#define FIRST_PAGE 0x10000u                       /* what is below is nobody's */
#define GROWTH     ((uint64_t)1 << 30)            /* that a heap is left */

/* ---- files ---- */

/* The address in the file of what is at an offset of it, and the extent of its code. */
static bool read_segments(struct probe_module *module, uint64_t offset, uint64_t *address)
{
	int file = open(module->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr header;
	bool found = false;

	if (file < 0 || pread(file, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
		header.e_phnum = 0;
	module->low = UINT64_MAX;
	module->high = 0;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (pread(file, &segment, sizeof(segment), (off_t)(header.e_phoff + i * sizeof(segment))) !=
				(ssize_t)sizeof(segment) ||
			segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (offset >= (segment.p_offset & ~(uint64_t)(PAGE - 1)) &&
			offset < segment.p_offset + segment.p_filesz) {
			*address = segment.p_vaddr + (offset - segment.p_offset);
			found = true;
		}
		if (segment.p_vaddr < module->low)
			module->low = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > module->high)
			module->high = segment.p_vaddr + segment.p_memsz;
	}
	if (file >= 0)
		close(file);
	return found;
}

/* file: where it is from here. */
static struct probe_module *add(struct probe_list *list, const char *path, const char *file)
{
	struct probe_module *module;
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < list->n_modules; i++)
		if (!strcmp(list->modules[i].path, path))
			return NULL;
	list->modules = papi_memory_extend(
		list->modules, list->n_modules, &list->modules_room, sizeof(list->modules[0]));
	module = &list->modules[list->n_modules++];
	*module = (struct probe_module){ .path = papi_memory_copy(path), .file = papi_memory_copy(file) };
	module->base = module->path + (slash ? slash + 1 - path : 0);
	return module;
}

/* ---- of a process ---- */

struct mapping {
	uint64_t low, high, offset;
	bool executable;
	char *path; /* "" where there is none */
};

struct mappings {
	struct mapping *items;
	size_t n, room;
};

static bool read_line(char *line, struct mapping *mapping)
{
	char *at = line, *path;

	mapping->low = strtoull(at, &at, 16);
	if (*at++ != '-')
		return false;
	mapping->high = strtoull(at, &at, 16);
	if (*at != ' ' || strlen(at) < 6)
		return false;
	mapping->executable = at[3] == 'x';
	mapping->offset = strtoull(at + 6, &at, 16);
	path = strpbrk(at, "/[");
	if (path)
		path[strcspn(path, "\n")] = '\0';
	mapping->path = papi_memory_copy(path);
	return true;
}

static bool read_mappings(pid_t pid, struct mappings *mappings)
{
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *file;

	*mappings = (struct mappings){ NULL, 0, 0 };
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (getline(&line, &room, file) > 0) {
		mappings->items = papi_memory_extend(
			mappings->items, mappings->n, &mappings->room, sizeof(mappings->items[0]));
		mappings->n += read_line(line, &mappings->items[mappings->n]);
	}
	free(line);
	fclose(file);
	return mappings->n > 0;
}

static void free_mappings(struct mappings *mappings)
{
	for (size_t i = 0; i < mappings->n; i++)
		free(mappings->items[i].path);
	free(mappings->items);
}

bool probe_modules_of_process(struct probe_list *list, pid_t pid)
{
	char link[64], program[4096];
	struct mappings mappings;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	length = readlink(link, program, sizeof(program) - 1);
	program[length > 0 ? length : 0] = '\0';
	if (!read_mappings(pid, &mappings))
		return false;
	for (size_t i = 0; i < mappings.n; i++) {
		const struct mapping *mapping = &mappings.items[i];
		struct probe_module *module;
		char file[PAPI_REMOTE_PATH];
		uint64_t address = 0;

		if (!mapping->executable || *mapping->path != '/' ||
			!strncmp(mapping->path, PAPI_REMOTE_BROUGHT, strlen(PAPI_REMOTE_BROUGHT)))
			continue;
		papi_remote_path(pid, mapping->path, file, sizeof(file));
		module = add(list, mapping->path, file);
		if (!module)
			continue;
		module->is_program = !strcmp(module->path, program);
		module->is_mapped = read_segments(module, mapping->offset, &address);
		module->bias = mapping->low - address;
		if (!module->is_mapped)
			snprintf(module->trouble, sizeof(module->trouble),
				"it is not the file that was loaded, or none of 64 bits");
	}
	free_mappings(&mappings);
	return true;
}

/*
 * Room in the gap between two mappings, at the end that is next to the module; 0: none. What may grow, the heap upwards
 * and the stack downwards, keeps its room.
 */
static uint64_t room_between(
	const struct mapping *below, const struct mapping *above, const struct probe_module *module, uint64_t size)
{
	const uint64_t first = module->low + module->bias, last = module->high + module->bias;
	const uint64_t low = below ? below->high : FIRST_PAGE, high = above->low;
	const bool heap = below && !strcmp(below->path, "[heap]");
	uint64_t at;

	if (!strcmp(above->path, "[stack]") || high < low || high - low < size + 2 * (uint64_t)PAGE)
		return 0;
	at = high <= first ? high - size - PAGE : low + PAGE;
	if (heap && at - low < GROWTH)
		return 0;
	if (high <= first ? last - at > REACH : at + size - first > REACH)
		return 0;
	return at;
}

/* Below the module if possible: what is behind a program may be its heap one day. */
uint64_t probe_modules_gap(pid_t pid, const struct probe_module *module, uint64_t size)
{
	const uint64_t first = module->low + module->bias;
	struct mappings mappings;
	uint64_t best = 0;

	size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (!read_mappings(pid, &mappings))
		return 0;
	for (size_t i = 0; i < mappings.n; i++) {
		const struct mapping *above = &mappings.items[i], *below = i ? above - 1 : NULL;
		uint64_t at = room_between(below, above, module, size);

		if (at && (!best || at < first || best > first))
			best = best && best < first && at > first ? best : at;
	}
	free_mappings(&mappings);
	return best;
}

/* ---- of a program that does not run ---- */

/* "	libm.so.6 => /lib/libm.so.6 (0x7f...)", as the dynamic linker prints what it would load. */
static void read_loaded(struct probe_list *list, FILE *file)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		char *path = strchr(line, '/'), *end = strrchr(line, '(');

		if (!path || !end || end <= path || end[-1] != ' ')
			continue;
		end[-1] = '\0';
		add(list, path, path);
	}
	free(line);
}

/* Its dynamic linker, which is run by itself: so nothing of the program is. */
static bool read_interpreter(const char *path, char *interpreter, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr header;
	bool found = false;

	if (file < 0 || pread(file, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
		header.e_phnum = 0;
	for (unsigned i = 0; !found && i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (pread(file, &segment, sizeof(segment), (off_t)(header.e_phoff + i * sizeof(segment))) !=
			(ssize_t)sizeof(segment))
			break;
		found = segment.p_type == PT_INTERP && segment.p_filesz > 1 && segment.p_filesz <= size &&
			pread(file, interpreter, segment.p_filesz, (off_t)segment.p_offset) ==
				(ssize_t)segment.p_filesz &&
			!interpreter[segment.p_filesz - 1];
	}
	if (file >= 0)
		close(file);
	return found;
}

static _Noreturn void execute(char *interpreter, char *path, int output)
{
	char list[] = "--list", *words[] = { interpreter, list, path, NULL };

	dup2(output, STDOUT_FILENO);
	execv(interpreter, words);
	_exit(127);
}

bool probe_modules_of_program(struct probe_list *list, const char *path)
{
	char *full = realpath(path, NULL), interpreter[256];
	struct probe_module *module = add(list, full ? full : path, full ? full : path);
	uint64_t address;
	int ends[2];
	pid_t pid;

	free(full);
	module->is_program = true;
	read_segments(module, 0, &address);
	if (!read_interpreter(path, interpreter, sizeof(interpreter)))
		return true;
	if (pipe(ends) != 0)
		return false;
	pid = fork();
	if (pid == 0)
		execute(interpreter, list->modules[0].path, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		FILE *file = fdopen(ends[0], "re");

		read_loaded(list, file);
		fclose(file);
		waitpid(pid, NULL, 0);
	}
	for (size_t i = 1; i < list->n_modules; i++)
		read_segments(&list->modules[i], 0, &address);
	return pid > 0;
}

/* ---- of one that has run ---- */

bool probe_modules_is(const struct probe_module *module, const char *path)
{
	struct stat one, other;

	return !strcmp(module->path, path) ||
		(stat(module->file, &one) == 0 && stat(path, &other) == 0 && one.st_dev == other.st_dev &&
			one.st_ino == other.st_ino);
}

void probe_modules_load(struct probe_list *list, pid_t pid, const char *path)
{
	char file[PAPI_REMOTE_PATH];
	struct probe_module *module;
	uint64_t address;

	for (size_t i = 0; i < list->n_modules; i++)
		if (probe_modules_is(&list->modules[i], path))
			return;
	if (pid)
		papi_remote_path(pid, path, file, sizeof(file));
	module = add(list, path, pid ? file : path);
	if (module)
		read_segments(module, 0, &address);
}
