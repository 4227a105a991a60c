/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes of sites (papi_sites.h), for those who look at them: the library in its own process, papi_probe in another one.
 * No state: any thread, signal handlers too.
 */
#ifndef PAPI_REGIONS_SITES_H
#define PAPI_REGIONS_SITES_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "papi_sites.h"

/* The first byte of a site: of test $imm32, %eax, and of jmp rel32. */
enum { PAPI_REGION_SITE_ASLEEP = 0xa9, PAPI_REGION_SITE_LOOKED_AT = 0xe9 };

struct papi_region_site {
	bool begins;      /* a region; otherwise it ends one */
	int64_t distance; /* from the beginning of the notes */
};

/* Notes of this alignment; what is aligned otherwise is of another kind. */
#define PAPI_REGION_NOTE_ALIGNMENT 4

/* With what fills it up. */
static inline size_t papi_region_note_size(size_t size)
{
	const size_t unit = PAPI_REGION_NOTE_ALIGNMENT;

	return (size + unit - 1) / unit * unit;
}

/*
 * The next site among the notes of a segment; *at is 0 for the first one. False: there is none, or what follows is no
 * note.
 */
static inline bool papi_region_site_next(
	const unsigned char *notes, size_t size, size_t *at, struct papi_region_site *site)
{
	static const char owner[] = "PAPI";
	Elf64_Nhdr note;
	int32_t distance;

	while (size - *at >= sizeof(note)) {
		size_t name = *at + sizeof(note), content, left;

		memcpy(&note, notes + *at, sizeof(note));
		left = size - name;
		if (papi_region_note_size(note.n_namesz) > left)
			return false;
		content = name + papi_region_note_size(note.n_namesz);
		left = size - content;
		if (papi_region_note_size(note.n_descsz) > left)
			return false;
		*at = content + papi_region_note_size(note.n_descsz);
		if (note.n_namesz != sizeof(owner) || memcmp(notes + name, owner, sizeof(owner)) != 0 ||
			note.n_descsz != sizeof(distance) ||
			(note.n_type != PAPI_SITE_BEGIN && note.n_type != PAPI_SITE_END))
			continue;
		memcpy(&distance, notes + content, sizeof(distance));
		*site = (struct papi_region_site){ note.n_type == PAPI_SITE_BEGIN, (int64_t)content + distance };
		return true;
	}
	return false;
}

#endif
