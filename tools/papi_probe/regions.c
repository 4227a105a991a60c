/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c - sites of PAPI_HL_BEGIN and PAPI_HL_END in a process that runs, which it looks at from then on.
 *
 * No thread is stopped: a site changes by its first byte (papi_sites.h). Ends come before beginnings, so that no region
 * begins whose end is not looked at; an end without a beginning is an error that programs do not see.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papi_probe.h"
#include "process/registers.h"
#include "regions/sites.h"

enum { MOST_NOTES = 1 << 26 /* bytes */ };

struct sites {
	unsigned long found, changed, refused;
};

/* Sites of a segment of notes, which is at that address of the file. */
static void look_at_notes(const struct papi_remote *remote, const unsigned char *notes, size_t size, uint64_t address,
	bool begins, struct sites *sites)
{
	static const unsigned char jump = PAPI_REGION_SITE_LOOKED_AT;
	struct papi_region_site site;

	for (size_t at = 0; papi_region_site_next(notes, size, &at, &site);) {
		uint64_t place = address + (uint64_t)site.distance;
		unsigned char byte;

		if (site.begins != begins || !papi_remote_read(remote, place, &byte, 1) ||
			(byte != PAPI_REGION_SITE_ASLEEP && byte != jump))
			continue;
		sites->found++;
		if (byte == jump)
			continue;
		if (papi_remote_write(remote, place, &jump, 1))
			sites->changed++;
		else
			sites->refused++;
	}
}

static void look_at_module(
	const struct papi_remote *remote, const struct probe_module *module, bool begins, struct sites *sites)
{
	int file = open(module->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	if (file < 0 || pread(file, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		header.e_phnum = 0;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		unsigned char *notes;

		if (pread(file, &segment, sizeof(segment), (off_t)(header.e_phoff + i * sizeof(segment))) !=
				(ssize_t)sizeof(segment) ||
			segment.p_type != PT_NOTE || segment.p_align > PAPI_REGION_NOTE_ALIGNMENT ||
			segment.p_filesz > MOST_NOTES)
			continue;
		notes = malloc(segment.p_filesz + 1);
		if (notes && pread(file, notes, segment.p_filesz, (off_t)segment.p_offset) == (ssize_t)segment.p_filesz)
			look_at_notes(remote, notes, segment.p_filesz, segment.p_vaddr + module->bias, begins, sites);
		free(notes);
	}
	if (file >= 0)
		close(file);
}

static int tell(const struct probe_options *options, const struct sites *sites)
{
	if (sites->refused) {
		probe_message("code of process %d cannot be changed", (int)options->pid);
		return PAPI_PROGRAM_FAILURE;
	}
	if (!sites->found) {
		probe_message("process %d has no regions of PAPI_HL_BEGIN", (int)options->pid);
		return PAPI_PROGRAM_FAILURE;
	}
	fprintf(options->file,
		"papi_probe: process %d looks at %lu sites of regions from now on, and did at %lu before; it writes "
		"what they count when it ends\n",
		(int)options->pid, sites->changed, sites->found - sites->changed);
	return EXIT_SUCCESS;
}

int probe_regions_look(const struct probe_options *options)
{
	struct probe_list list = { .modules = NULL };
	struct papi_remote remote;
	struct sites sites = { 0, 0, 0 };

	if (papi_remote_machine != EM_X86_64) {
		probe_message("on this processor regions of PAPI_HL_BEGIN are calls: "
			      "programs count them from their beginning");
		return PAPI_PROGRAM_FAILURE;
	}
	if (!papi_remote_open(&remote, options->pid)) {
		probe_message("%s", remote.reason);
		return PAPI_PROGRAM_FAILURE;
	}
	if (!probe_modules_of_process(&list, options->pid)) {
		probe_message("the program cannot be looked at: %s", strerror(errno));
		papi_remote_close(&remote);
		return PAPI_PROGRAM_FAILURE;
	}
	for (unsigned begins = 0; begins < 2; begins++)
		for (size_t i = 0; i < list.n_modules; i++)
			if (list.modules[i].is_mapped)
				look_at_module(&remote, &list.modules[i], begins, &sites);
	probe_list_free(&list);
	papi_remote_close(&remote);
	return tell(options, &sites);
}
