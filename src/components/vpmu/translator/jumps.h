/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of a thread's indirect branches (thread.h, indirect.c). Empty, each of its places leads to the dispatcher.
 *
 * It has 128 pages, of which most threads use a few. Touching a page for the first time takes longer than translating a
 * block, so an empty table is a small file, mapped one time after the other: pages become the thread's own as they are
 * written, and are the file's again when they are thrown away.
 */
#ifndef PAPI_VPMU_TRANSLATOR_JUMPS_H
#define PAPI_VPMU_TRANSLATOR_JUMPS_H

#include "components/vpmu/translator/thread.h"

/* The word is entered at that place. Where there are many, the table gets all of its pages at once, and is empty
 * before: to make the file's pages the thread's own one by one costs more than to enter a few places anew. */
void papi_vpmu_jumps_enter(struct papi_vpmu_thread *thread, unsigned place, uint64_t word);
/* Makes an empty one, in a block of memory that is new. What fails costs time only. */
void papi_vpmu_jumps_map(struct papi_vpmu_thread *thread);
/* Empties the table of a thread that is in no translated code, or does not come to any before it has ended. */
void papi_vpmu_jumps_forget(struct papi_vpmu_thread *thread);
/* The same for a thread that may soon be back: a few places are emptied one by one, and the pages stay. */
void papi_vpmu_jumps_change(struct papi_vpmu_thread *thread);

#endif
