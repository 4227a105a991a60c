/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The marks of a block as they are kept: one behind the other, each by what it changes of the one before. They are
 * read where something interrupts a block, from its first on, and there are many: ten bytes of a mark become two or
 * three.
 */
#ifndef PAPI_VPMU_TRANSLATOR_MARKS_H
#define PAPI_VPMU_TRANSLATOR_MARKS_H

#include <stddef.h>

#include "components/vpmu/translator/block.h"

#define PAPI_VPMU_PACKED_MARK_MAX 11 /* bytes */

/* Packs n marks, in the order of their code, which take so many bytes; that many are returned. */
size_t papi_vpmu_marks_pack(const struct papi_vpmu_mark *marks, unsigned n, uint8_t *packed);

/* The last mark of a block that begins at or before an offset from the entry; the first one for what is before that. It
 * has one at least. Safe in signal handlers. */
struct papi_vpmu_mark papi_vpmu_block_mark(const struct papi_vpmu_block *block, int64_t offset);

#endif
