/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.c - opening modules, and which source of names comes first. See symbols.h. */
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/memory.h"
#include "symbols/module.h"

const char *papi_symbols_keep(struct papi_symbols *symbols, char *text)
{
	symbols->texts = papi_memory_extend(
		symbols->texts, symbols->n_texts, &symbols->texts_room, sizeof(symbols->texts[0]));
	return symbols->texts[symbols->n_texts++] = text;
}

const char *papi_symbols_readable(struct papi_symbols *symbols, const char *linkage)
{
	static const char stub[] = "@plt";
	size_t length = strlen(linkage), suffix = sizeof(stub) - 1;
	char *name, *stem;

	if (length <= suffix || strcmp(linkage + length - suffix, stub) != 0) {
		name = papi_symbols_demangle(linkage);
		return name ? papi_symbols_keep(symbols, name) : linkage;
	}
	stem = papi_memory_copy(linkage);
	stem[length - suffix] = '\0';
	name = papi_symbols_demangle(stem);
	free(stem);
	if (!name)
		return linkage;
	stem = papi_memory_print("%s%s", name, stub);
	free(name);
	return papi_symbols_keep(symbols, stem);
}

const struct papi_symbols_range *papi_symbols_named(const struct papi_symbols *symbols, uint64_t address)
{
	const struct papi_symbols_range *range = papi_symbols_table_find(&symbols->names, address);
	const struct papi_symbols_range *frame = range && !range->sized
		? papi_symbols_table_find(&symbols->frames, address)
		: NULL;

	/* A symbol without a size ends where the next function begins, though that has no name. */
	return frame && frame->low > range->low ? NULL : range;
}

static struct papi_symbols *open_descriptor(
	const char *path, int descriptor, const char *build_id, const char *debug_path, char *reason, size_t size)
{
	struct papi_symbols *symbols = papi_memory_zero(1, sizeof(*symbols));
	const char *slash = strrchr(path, '/');

	symbols->path = papi_memory_copy(path);
	symbols->base = symbols->path + (slash ? slash + 1 - path : 0);
	symbols->debug_path = debug_path ? papi_memory_copy(debug_path) : NULL;
	if (papi_symbols_elf_open(symbols, descriptor, build_id, reason, size))
		return symbols;
	papi_symbols_close(symbols);
	return NULL;
}

struct papi_symbols *papi_symbols_open_file(
	const char *path, const char *build_id, const char *debug_path, char *reason, size_t size)
{
	/* Pipes and devices of that name are not waited for. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (descriptor < 0) {
		snprintf(reason, size, "%s", strerror(errno));
		return NULL;
	}
	if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(descriptor);
		snprintf(reason, size, "it is no plain file");
		return NULL;
	}
	return open_descriptor(path, descriptor, build_id, debug_path, reason, size);
}

/* The end of the last section or program header of an image in memory. */
static size_t size_of_image(const unsigned char *image)
{
	const ElfW(Ehdr) *header = (const void *)image;
	const ElfW(Phdr) *programs = (const void *)(image + header->e_phoff);
	size_t end = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (int i = 0; i < header->e_phnum; i++)
		if (programs[i].p_offset + programs[i].p_filesz > end)
			end = programs[i].p_offset + programs[i].p_filesz;
	return end;
}

struct papi_symbols *papi_symbols_open_vdso(const char *build_id, char *reason, size_t size)
{
	uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	const unsigned char *image = (const unsigned char *)address;
	int descriptor = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (descriptor < 0 || write(descriptor, image, size_of_image(image)) != (ssize_t)size_of_image(image)) {
		if (descriptor >= 0)
			close(descriptor);
		snprintf(reason, size, "this process has none");
		return NULL;
	}
	return open_descriptor("[vdso]", descriptor, build_id, NULL, reason, size);
}

struct papi_symbols *papi_symbols_open_kernel(char *reason, size_t size)
{
	struct papi_symbols *symbols = papi_memory_zero(1, sizeof(*symbols));

	if (papi_symbols_list_kernel(&symbols->names, reason, size))
		return symbols;
	papi_symbols_close(symbols);
	return NULL;
}

struct papi_symbols *papi_symbols_open_jit(long pid, char *reason, size_t size)
{
	struct papi_symbols *symbols = papi_memory_zero(1, sizeof(*symbols));

	if (papi_symbols_list_jit(&symbols->names, pid, reason, size))
		return symbols;
	papi_symbols_close(symbols);
	return NULL;
}

static size_t place_of_range(struct papi_symbols *symbols, const struct papi_symbols_range *range, uint64_t address,
	struct papi_symbols_place places[])
{
	places[0] = (struct papi_symbols_place){
		.function = { .low = range->low, .high = range->high, .linkage = range->name },
	};
	if (range->name)
		places[0].function.name = papi_symbols_readable(symbols, range->name);
	else
		places[0].function.name = places[0].function.linkage = papi_symbols_keep(
			symbols, papi_memory_print("%s+0x%" PRIx64, symbols->base, range->low));
	/* Code that was written for an assembler may have lines all the same. */
	if (symbols->dwarf && !papi_symbols_dwarf_line(symbols, address, &places[0].file, &places[0].line)) {
		places[0].file = NULL;
		places[0].line = 0;
	}
	return 1;
}

size_t papi_symbols_find(
	struct papi_symbols *symbols, uint64_t address, struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH])
{
	const struct papi_symbols_range *range = papi_symbols_table_find(&symbols->stubs, address);
	size_t n = 0;

	if (!range)
		n = symbols->dwarf ? papi_symbols_dwarf_find(symbols, address, places) : 0;
	if (n)
		return n;
	if (!range)
		range = papi_symbols_named(symbols, address);
	if (!range)
		range = papi_symbols_table_find(&symbols->frames, address);
	return range ? place_of_range(symbols, range, address, places) : 0;
}

bool papi_symbols_range(struct papi_symbols *symbols, uint64_t address, uint64_t *low, uint64_t *high)
{
	const struct papi_symbols_range *range = papi_symbols_table_find(&symbols->stubs, address);

	if (!range && symbols->dwarf && papi_symbols_dwarf_range(symbols, address, low, high))
		return true;
	if (!range)
		range = papi_symbols_named(symbols, address);
	if (!range)
		range = papi_symbols_table_find(&symbols->frames, address);
	if (!range)
		return false;
	*low = range->low;
	*high = range->high;
	return true;
}

void papi_symbols_close(struct papi_symbols *symbols)
{
	if (!symbols)
		return;
	papi_symbols_elf_close(symbols);
	papi_symbols_table_free(&symbols->names);
	papi_symbols_table_free(&symbols->stubs);
	papi_symbols_table_free(&symbols->frames);
	for (size_t i = 0; i < symbols->n_texts; i++)
		free(symbols->texts[i]);
	free(symbols->texts);
	free(symbols->debug_path);
	free(symbols->path);
	free(symbols);
}
