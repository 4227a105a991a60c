/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frames.c - where functions begin and end, from the unwind table of a file (.eh_frame), which stays when all names are
 * stripped.
 */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "symbols/module.h"

struct reader {
	const unsigned char *next, *end;
	uint64_t address; /* of next */
};

/* A pointer of that encoding; false for encodings that compilers do not make. */
static bool read_pointer(struct reader *reader, unsigned char encoding, uint64_t *value)
{
	static const unsigned char sizes[16] = {
		[DW_EH_PE_absptr] = 8,
		[DW_EH_PE_udata2] = 2,
		[DW_EH_PE_udata4] = 4,
		[DW_EH_PE_udata8] = 8,
		[DW_EH_PE_sdata2] = 2,
		[DW_EH_PE_sdata4] = 4,
		[DW_EH_PE_sdata8] = 8,
	};
	unsigned size = sizes[encoding & 0x0f];
	uint64_t read = 0;

	if (!size || (size_t)(reader->end - reader->next) < size)
		return false;
	memcpy(&read, reader->next, size);
	if ((encoding & DW_EH_PE_signed) && size < 8 && (read >> (8 * size - 1) & 1))
		read |= ~UINT64_C(0) << (8 * size);
	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		read += reader->address;
	else if ((encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	reader->next += size;
	reader->address += size;
	*value = read;
	return true;
}

/* How pointers of the entries that belong to a common entry are encoded; DW_EH_PE_omit if nobody knows. */
static unsigned char encoding_of(const Dwarf_CIE *cie)
{
	struct reader reader = { .next = cie->augmentation_data };
	uint64_t ignored;

	if (!cie->augmentation || *cie->augmentation != 'z')
		return cie->augmentation && !*cie->augmentation ? DW_EH_PE_absptr : DW_EH_PE_omit;
	if (!reader.next)
		return DW_EH_PE_omit;
	reader.end = reader.next + cie->augmentation_data_size;
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		if (*letter == 'S' || *letter == 'B')
			continue;
		if (reader.next >= reader.end)
			return DW_EH_PE_omit;
		if (*letter == 'R')
			return *reader.next;
		if (*letter == 'L')
			reader.next++;
		else if (*letter != 'P' || !read_pointer(&reader, *reader.next++ & 0x0f, &ignored))
			return DW_EH_PE_omit;
	}
	return DW_EH_PE_absptr;
}

static void add_entry(struct papi_symbols *symbols, const Dwarf_FDE *fde, unsigned char encoding, const Elf_Data *data,
	const GElf_Shdr *header)
{
	struct reader reader = { .next = fde->start, .end = fde->end };
	uint64_t low, length;

	if (encoding == DW_EH_PE_omit || !fde->start)
		return;
	reader.address = header->sh_addr + (uint64_t)(fde->start - (const unsigned char *)data->d_buf);
	if (read_pointer(&reader, encoding, &low) && read_pointer(&reader, encoding & 0x0f, &length) && length &&
		low + length > low)
		papi_symbols_table_add(&symbols->frames, low, length, 0, NULL, 0);
}

static void read_section(struct papi_symbols *symbols, Elf_Scn *section, const GElf_Shdr *header)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(symbols->elf, NULL);
	Elf_Data *data = elf_rawdata(section, NULL);
	Dwarf_Off offset = 0, next, known = ~(Dwarf_Off)0;
	unsigned char encoding = DW_EH_PE_omit;
	Dwarf_CFI_Entry entry, common;

	if (!data || !data->d_buf || !ident)
		return;
	while (dwarf_next_cfi(ident, data, true, offset, &next, &entry) == 0 && next > offset) {
		offset = next;
		if (dwarf_cfi_cie_p(&entry))
			continue;
		if (entry.fde.CIE_pointer != known) {
			Dwarf_Off behind;

			known = entry.fde.CIE_pointer;
			encoding = dwarf_next_cfi(ident, data, true, known, &behind, &common) == 0 &&
					dwarf_cfi_cie_p(&common)
				? encoding_of(&common.cie)
				: DW_EH_PE_omit;
		}
		add_entry(symbols, &entry.fde, encoding, data, header);
	}
}

void papi_symbols_frames_read(struct papi_symbols *symbols)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(symbols->elf, &names) != 0)
		return;
	while ((section = elf_nextscn(symbols->elf, section)) != NULL) {
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(symbols->elf, names, header.sh_name);
		if (name && strcmp(name, ".eh_frame") == 0)
			read_section(symbols, section, &header);
	}
	papi_symbols_table_sort(&symbols->frames);
}
