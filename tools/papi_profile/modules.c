/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papi_profile/box.h"
#include "papi_profile/papi_profile.h"

/* More than any linker writes. */
#define MOST_HEADERS 256
#define MOST_NOTES   65536

static struct papi_profile_module **modules;
static size_t n_modules;
static bool keep_files;

/* ---- Files --------------------------------------------------------------------------------------------- */

static bool read_at(int file, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(file, to, size, (off_t)offset) == (ssize_t)size;
}

/* The notes of a segment, each a header, a name and its contents, all in fours. */
static void find_build_id(struct papi_profile_module *module, int file, uint64_t offset, uint64_t size)
{
	unsigned char *notes;

	if (module->build_id.size || !size || size > MOST_NOTES)
		return;
	notes = papi_profile_allocate(NULL, size, 1);
	if (read_at(file, notes, size, offset)) {
		for (uint64_t at = 0; size - at >= sizeof(Elf64_Nhdr);) {
			Elf64_Nhdr note;
			uint64_t name, contents;

			memcpy(&note, notes + at, sizeof(note));
			name = at + sizeof(note);
			contents = name + ((note.n_namesz + 3ull) & ~3ull);
			if (contents > size || note.n_descsz > size - contents)
				break;
			if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4)) {
				module->build_id.size = note.n_descsz < PAPI_PROFILE_BUILD_ID ? note.n_descsz
											      : PAPI_PROFILE_BUILD_ID;
				memcpy(module->build_id.bytes, notes + contents, module->build_id.size);
				break;
			}
			at = contents + ((note.n_descsz + 3ull) & ~3ull);
			if (at > size)
				break;
		}
	}
	free(notes);
}

static void add_segment(struct papi_profile_module *module, const Elf64_Phdr *header)
{
	struct papi_profile_segment *segment;

	module->segments = papi_profile_allocate(module->segments, module->n_segments + 1, sizeof(*module->segments));
	segment = &module->segments[module->n_segments++];
	segment->offset = header->p_offset;
	segment->size = header->p_filesz;
	segment->address = header->p_vaddr;
	segment->code = header->p_flags & PF_X;
}

/* One header of either class. */
static bool read_header(int file, bool wide, uint64_t table, unsigned position, Elf64_Phdr *header)
{
	Elf32_Phdr narrow;

	if (wide)
		return read_at(file, header, sizeof(*header), table + position * sizeof(*header));
	if (!read_at(file, &narrow, sizeof(narrow), table + position * sizeof(narrow)))
		return false;
	*header = (Elf64_Phdr){ .p_type = narrow.p_type,
		.p_flags = narrow.p_flags,
		.p_offset = narrow.p_offset,
		.p_vaddr = narrow.p_vaddr,
		.p_filesz = narrow.p_filesz };
	return true;
}

/* The segments, and the build-id where the kernel has not said it. */
static void read_elf(struct papi_profile_module *module, int file)
{
	bool asked = module->build_id.size;
	struct papi_profile_build_id said = module->build_id;
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} start;
	bool wide;
	uint64_t table;
	unsigned n;

	memset(&start, 0, sizeof(start));
	if (!read_at(file, &start, sizeof(start.narrow), 0) || memcmp(start.ident, ELFMAG, SELFMAG) != 0)
		return;
	wide = start.ident[EI_CLASS] == ELFCLASS64;
	if (wide && !read_at(file, &start, sizeof(start.wide), 0))
		return;
	table = wide ? start.wide.e_phoff : start.narrow.e_phoff;
	n = wide ? start.wide.e_phnum : start.narrow.e_phnum;
	module->build_id.size = 0;
	for (unsigned i = 0; i < n && i < MOST_HEADERS; i++) {
		Elf64_Phdr header;

		if (!read_header(file, wide, table, i, &header))
			break;
		if (header.p_type == PT_LOAD)
			add_segment(module, &header);
		else if (header.p_type == PT_NOTE)
			find_build_id(module, file, header.p_offset, header.p_filesz);
	}
	if (!asked)
		return;
	/* Another file has that name by now: its segments say nothing. */
	if (module->build_id.size != said.size || memcmp(module->build_id.bytes, said.bytes, said.size) != 0)
		module->n_segments = 0;
	module->build_id = said;
}

/* By the mapping itself, where that is permitted; in the file system that the process sees; in ours. */
static int open_mapped(const struct papi_profile_mapped *mapped)
{
	char path[4352];
	int file;

	if (papi_profile_box_is_open())
		return papi_profile_box_file(mapped->name);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)mapped->pid,
		(unsigned long long)mapped->start, (unsigned long long)mapped->end);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0 || *mapped->name != '/')
		return file;
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)mapped->pid, mapped->name);
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return file >= 0 ? file : open(mapped->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool papi_profile_module_address(const struct papi_profile_module *module, uint64_t offset, uint64_t *address)
{
	const struct papi_profile_segment *found = NULL;

	/* Segments may share a page of the file: that with code is meant. */
	for (unsigned i = 0; i < module->n_segments; i++) {
		const struct papi_profile_segment *segment = &module->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size && (!found || segment->code))
			found = segment;
	}
	if (found)
		*address = offset - found->offset + found->address;
	return found;
}

/* ---- Which there are ----------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static enum papi_profile_module_kind kind_of(const char *name)
{
	static const char *const no_files[] = { "//anon", "/memfd:", "/dev/zero", "/SYSV", "anon_inode:", "[" };

	if (!strcmp(name, "[vdso]"))
		return PAPI_PROFILE_MODULE_VDSO;
	if (!*name)
		return PAPI_PROFILE_MODULE_ANONYMOUS;
	for (size_t i = 0; i < sizeof(no_files) / sizeof(no_files[0]); i++)
		if (starts_with(name, no_files[i]))
			return PAPI_PROFILE_MODULE_ANONYMOUS;
	return PAPI_PROFILE_MODULE_FILE;
}

static struct papi_profile_module *make(enum papi_profile_module_kind kind, const char *path, int64_t process)
{
	struct papi_profile_module *module = papi_profile_allocate(NULL, 1, sizeof(*module));

	*module = (struct papi_profile_module){ .kind = kind, .process = process, .file = -1 };
	module->path = papi_profile_allocate(NULL, strlen(path) + 1, 1);
	memcpy(module->path, path, strlen(path) + 1);
	modules = papi_profile_allocate(modules, n_modules + 1, sizeof(*modules));
	modules[n_modules++] = module;
	return module;
}

static bool is_same(const struct papi_profile_build_id *one, const struct papi_profile_build_id *other)
{
	return one->size == other->size && !memcmp(one->bytes, other->bytes, one->size);
}

/* Of several with a build-id the one that has it; where none is known, the last of that name. */
static struct papi_profile_module *find(enum papi_profile_module_kind kind, const char *path, int64_t process,
	const struct papi_profile_build_id *build_id)
{
	for (size_t i = n_modules; i-- > 0;) {
		struct papi_profile_module *module = modules[i];

		if (module->kind == kind && module->process == process && !strcmp(module->path, path) &&
			(!build_id || is_same(&module->build_id, build_id)))
			return module;
	}
	return NULL;
}

static struct papi_profile_module *of_process(enum papi_profile_module_kind kind, const char *path, int64_t process)
{
	struct papi_profile_module *module = find(kind, path, process, NULL);

	return module ? module : make(kind, path, process);
}

struct papi_profile_module *papi_profile_module_kernel(void)
{
	return of_process(PAPI_PROFILE_MODULE_KERNEL, "[kernel]", 0);
}

struct papi_profile_module *papi_profile_module_unknown(int64_t process)
{
	return of_process(PAPI_PROFILE_MODULE_UNKNOWN, "[unknown]", process);
}

struct papi_profile_module *papi_profile_module_special(const char *name)
{
	return of_process(PAPI_PROFILE_MODULE_TRUNCATED, name, 0);
}

struct papi_profile_module *papi_profile_module_mapped(const struct papi_profile_mapped *mapped)
{
	enum papi_profile_module_kind kind = kind_of(mapped->name);
	struct papi_profile_module *module;
	int file;

	if (kind == PAPI_PROFILE_MODULE_VDSO)
		return of_process(kind, mapped->name, 0);
	if (kind != PAPI_PROFILE_MODULE_FILE)
		return of_process(kind, "[anonymous]", mapped->process);
	module = find(kind, mapped->name, 0, mapped->build_id);
	if (module)
		return module;
	module = make(kind, mapped->name, 0);
	if (mapped->build_id)
		module->build_id = *mapped->build_id;
	file = open_mapped(mapped);
	if (file >= 0) {
		read_elf(module, file);
		if (keep_files && module->n_segments)
			module->file = file;
		else
			close(file);
	}
	return module;
}

void papi_profile_modules_keep_files(void)
{
	keep_files = true;
}

struct papi_unwind_table *papi_profile_module_unwind(struct papi_profile_module *module)
{
	if (module->unwind_asked)
		return module->unwind;
	module->unwind_asked = true;
	if (module->kind == PAPI_PROFILE_MODULE_VDSO)
		module->unwind = papi_unwind_open_vdso();
	else if (module->file >= 0)
		module->unwind = papi_unwind_open_file(module->file);
	return module->unwind;
}

const char *papi_profile_module_kind(const struct papi_profile_module *module, pid_t pid)
{
	char path[64];

	switch (module->kind) {
	case PAPI_PROFILE_MODULE_FILE:
		return module->n_segments ? "file" : "unknown";
	case PAPI_PROFILE_MODULE_VDSO:
		return "vdso";
	case PAPI_PROFILE_MODULE_KERNEL:
		return "kernel";
	case PAPI_PROFILE_MODULE_ANONYMOUS:
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
		return access(path, F_OK) == 0 ? "jit" : "anonymous";
	case PAPI_PROFILE_MODULE_TRUNCATED:
		return "truncated";
	default:
		return "unknown";
	}
}

const char *papi_profile_module_build_id(
	const struct papi_profile_module *module, char text[2 * PAPI_PROFILE_BUILD_ID + 1])
{
	for (unsigned i = 0; i < module->build_id.size; i++)
		snprintf(text + 2 * i, 3, "%02x", module->build_id.bytes[i]);
	return module->build_id.size ? text : NULL;
}

void papi_profile_modules_free(void)
{
	for (size_t i = 0; i < n_modules; i++) {
		papi_unwind_close(modules[i]->unwind);
		if (modules[i]->file >= 0)
			close(modules[i]->file);
		free(modules[i]->segments);
		free(modules[i]->path);
		free(modules[i]);
	}
	free(modules);
	modules = NULL;
	n_modules = 0;
}
