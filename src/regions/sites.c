/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sites of PAPI_HL_BEGIN and PAPI_HL_END: looked at from the beginning, where the environment asks for regions.
 *
 * Each site is found by a note in a file that is mapped (papi_sites.h). One byte is changed, the first of an
 * instruction, so a thread that runs there meanwhile executes the one or the other. It is written by way of
 * /proc/self/mem: no page is writable and executable at any time.
 */
#include "regions/sites.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regions/marks.h"
#include "regions/regions.h"

#if defined(__x86_64__)

/* Another instruction than belongs there is left alone. memory: a descriptor, or -errno. */
static void look_at(unsigned char *site, int memory)
{
	static const unsigned char jump = PAPI_REGION_SITE_LOOKED_AT;
	static bool told;

	if (*site != PAPI_REGION_SITE_ASLEEP || told ||
		(memory >= 0 && pwrite(memory, &jump, 1, (off_t)(uintptr_t)site) == 1))
		return;
	told = true;
	papi_region_warn("regions of PAPI_HL_BEGIN are not looked at: code cannot be changed by /proc/self/mem: %s",
		strerror(memory < 0 ? -memory : errno));
}

/* A segment that a header tells of need not be in memory. */
static bool is_loaded(const struct dl_phdr_info *file, const ElfW(Phdr) * part)
{
	for (int i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &file->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && (header->p_flags & PF_R) && part->p_vaddr >= header->p_vaddr &&
			part->p_vaddr - header->p_vaddr <= header->p_filesz &&
			part->p_memsz <= header->p_filesz - (part->p_vaddr - header->p_vaddr))
			return true;
	}
	return false;
}

static int look_at_file(struct dl_phdr_info *file, size_t size, void *memory)
{
	(void)size;
	for (int i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &file->dlpi_phdr[i];
		/* Code is changed by way of its file in /proc alone. */
		unsigned char *notes = (unsigned char *)(uintptr_t)(file->dlpi_addr + header->p_vaddr);
		struct papi_region_site site;
		size_t at = 0;

		if (header->p_type != PT_NOTE || header->p_align > PAPI_REGION_NOTE_ALIGNMENT ||
			!is_loaded(file, header))
			continue;
		while (papi_region_site_next(notes, header->p_memsz, &at, &site))
			look_at(notes + site.distance, *(int *)memory);
	}
	return 0;
}

static bool is_set(const char *value)
{
	return value && *value;
}

/* As run.c reads it. */
static bool is_on(const char *value)
{
	return is_set(value) && strcmp(value, "0") != 0;
}

static bool is_asked_for(void)
{
	const char *sites = secure_getenv("PAPI_HL_SITES");

	if (is_set(sites))
		return is_on(sites);
	return is_set(secure_getenv("PAPI_EVENTS")) || is_set(secure_getenv("PAPI_METRICS")) ||
		is_on(secure_getenv("PAPI_REPORT")) || is_set(secure_getenv(PAPI_REGION_MARKS));
}

/* Before anything of the program runs. */
__attribute__((constructor)) static void look(void)
{
	int memory;

	if (!is_asked_for())
		return;
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (memory < 0)
		memory = -errno;
	dl_iterate_phdr(look_at_file, &memory);
	if (memory >= 0)
		close(memory);
}

#endif
