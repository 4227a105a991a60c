/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/process/executable.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/error.h"
#include "base/files.h"

typedef ElfW(Phdr) program_header_t;

/* One answer of papi_libraries_get(), with the linker's counts of loads and unloads that it is right for. */
struct library_list {
	PAPI_shlib_info_t info;
	unsigned long long loads, unloads;
	PAPI_address_map_t maps[];
};

static _Atomic(PAPI_exe_info_t *) executable;
static _Atomic(struct library_list *) current_list;
/* The list before, which somebody may still be reading. */
static _Atomic(struct library_list *) previous_list;

static vptr_t to_pointer(uintptr_t address)
{
	return (vptr_t)address; // NOLINT(performance-no-int-to-ptr): program headers hold numbers
}

static void set_path(char *target, size_t size, const char *path)
{
	size_t length = strnlen(path, size - 1);

	memcpy(target, path, length);
	target[length] = '\0';
}

static bool is_vdso(const struct dl_phdr_info *object)
{
	unsigned long start = getauxval(AT_SYSINFO_EHDR);

	/* It begins with the ELF header, and its first segment holds that. */
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const program_header_t *header = &object->dlpi_phdr[i];

		if (header->p_type == PT_LOAD)
			return start != 0 && object->dlpi_addr + header->p_vaddr == start;
	}
	return false;
}

static void add_segment(PAPI_address_map_t *map, uintptr_t start, const program_header_t *header)
{
	uintptr_t file_end = start + header->p_filesz;
	uintptr_t end = start + header->p_memsz;

	if (header->p_flags & PF_X) {
		if (!map->text_start)
			map->text_start = to_pointer(start);
		map->text_end = to_pointer(end);
	} else if (header->p_flags & PF_W) {
		if (!map->data_start)
			map->data_start = to_pointer(start);
		map->data_end = map->bss_start = to_pointer(file_end);
		map->bss_end = to_pointer(end);
	}
}

/* Segments are in the order of their addresses: the ELF specification says so. */
static void describe(PAPI_address_map_t *map, const struct dl_phdr_info *object)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const program_header_t *header = &object->dlpi_phdr[i];

		if (header->p_type == PT_LOAD)
			add_segment(map, object->dlpi_addr + header->p_vaddr, header);
	}
	set_path(map->name, sizeof(map->name), is_vdso(object) ? "[vdso]" : object->dlpi_name);
}

/* The linker names the program first, and its name is empty. */
static int describe_program(struct dl_phdr_info *object, size_t size, void *map)
{
	(void)size;
	describe(map, object);
	return 1;
}

/* The path that the program was started by; the kernel appends this when the file has been removed since. */
static void find_path(char *path, size_t size)
{
	static const char deleted[] = " (deleted)";
	ssize_t length = papi_linux_read_link("/proc/self/exe", path, size);
	const char *given;
	char *absolute;

	if (length > 0) {
		ssize_t end = length - (ssize_t)strlen(deleted);

		if (end > 0 && strcmp(path + end, deleted) == 0)
			path[end] = '\0';
		return;
	}
	/* Without /proc there is what execve(2) was given, right as long as nobody changed the directory. */
	given = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr): the kernel's interface
	if (!given)
		given = "";
	absolute = realpath(given, NULL);
	set_path(path, size, absolute ? absolute : given);
	free(absolute);
}

const PAPI_exe_info_t *papi_executable_get(void)
{
	PAPI_exe_info_t *known = atomic_load_explicit(&executable, memory_order_acquire);
	PAPI_exe_info_t *mine;
	const char *slash;

	if (known)
		return known;
	mine = calloc(1, sizeof(*mine));
	if (!mine) {
		papi_error(PAPI_ENOMEM, "no memory for the description of the executable (%zu bytes)", sizeof(*mine));
		return NULL;
	}
	dl_iterate_phdr(describe_program, &mine->address_info);
	find_path(mine->fullname, sizeof(mine->fullname));
	slash = strrchr(mine->fullname, '/');
	set_path(mine->address_info.name, sizeof(mine->address_info.name), slash ? slash + 1 : mine->fullname);
	/* Of threads that come at once, the first one's answer stays. */
	if (atomic_compare_exchange_strong(&executable, &known, mine))
		return mine;
	free(mine);
	return known;
}

/* How many objects there are, and the counts that tell whether a list is outdated. */
struct census {
	int objects;
	unsigned long long loads, unloads;
};

static int count_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct census *census = data;

	(void)size;
	census->objects++;
	census->loads = object->dlpi_adds;
	census->unloads = object->dlpi_subs;
	return 0;
}

struct filler {
	struct library_list *list;
	int seen;
	int room;
};

static int add_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct filler *filler = data;

	(void)size;
	/* The first object is the program. */
	if (filler->seen++ == 0)
		return 0;
	/* More than were counted: another thread has just loaded one. The next call will see that. */
	if (filler->list->info.count == filler->room)
		return 1;
	describe(&filler->list->maps[filler->list->info.count++], object);
	return 0;
}

static struct library_list *make_list(const struct census *census)
{
	int room = census->objects > 0 ? census->objects - 1 : 0;
	size_t size = sizeof(struct library_list) + (size_t)room * sizeof(PAPI_address_map_t);
	struct filler filler = { .list = calloc(1, size), .room = room };

	if (!filler.list) {
		papi_error(PAPI_ENOMEM, "no memory for the list of %d libraries (%zu bytes)", room, size);
		return NULL;
	}
	filler.list->info.map = filler.list->maps;
	filler.list->loads = census->loads;
	filler.list->unloads = census->unloads;
	dl_iterate_phdr(add_object, &filler);
	return filler.list;
}

const PAPI_shlib_info_t *papi_libraries_get(void)
{
	struct library_list *known = atomic_load_explicit(&current_list, memory_order_acquire);
	struct library_list *mine;
	struct census census = { 0, 0, 0 };

	dl_iterate_phdr(count_object, &census);
	if (known && known->loads == census.loads && known->unloads == census.unloads)
		return &known->info;
	mine = make_list(&census);
	if (!mine)
		return NULL;
	if (!atomic_compare_exchange_strong(&current_list, &known, mine)) {
		/* Another thread has replaced the list since; its answer is as new. */
		free(mine);
		return &known->info;
	}
	free(atomic_exchange(&previous_list, known));
	return &mine->info;
}

void papi_executable_release(void)
{
	free(atomic_exchange(&executable, NULL));
	free(atomic_exchange(&current_list, NULL));
	free(atomic_exchange(&previous_list, NULL));
}
