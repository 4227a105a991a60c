/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/jumps.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"

#define PAGE      4096u
#define FILE_SIZE 65536u /* as much as the kernel maps at once when a page is first read */

/* Entered places, from which on there will be more. */
#define MANY 24

static int new_file(void)
{
	struct rlimit limit = { .rlim_cur = 0 };

	/* Past the limit of the size of files, there would be a signal. */
	if (papi_vpmu_raw(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) || limit.rlim_cur < FILE_SIZE)
		return -1;
	return (int)papi_vpmu_raw(SYS_memfd_create, (long)"papi_vpmu_jumps", MFD_CLOEXEC, 0, 0, 0, 0);
}

static void fill(uint64_t *jumps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		jumps[i] = (uint64_t)(uintptr_t)papi_vpmu_jump_miss;
}

/* The first page of the table as often as the file has pages. */
static bool write_file(int file, uint64_t *jumps)
{
	struct iovec pages[FILE_SIZE / PAGE];
	const long n = FILE_SIZE / PAGE;

	fill(jumps, PAGE / sizeof(*jumps));
	for (long i = 0; i < n; i++)
		pages[i] = (struct iovec){ jumps, PAGE };
	return papi_vpmu_raw(SYS_writev, file, (long)pages, n, 0, 0, 0) == FILE_SIZE;
}

void papi_vpmu_jumps_map(struct papi_vpmu_thread *thread)
{
	char *start = (char *)thread->jumps;
	int file = new_file();

	thread->jumps_are_mapped = file >= 0 && write_file(file, thread->jumps);
	for (size_t at = 0; thread->jumps_are_mapped && at < sizeof(thread->jumps); at += FILE_SIZE)
		if (papi_vpmu_raw(SYS_mmap, (long)(start + at), FILE_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) != (long)(start + at))
			thread->jumps_are_mapped = false;
	if (file >= 0)
		papi_vpmu_raw(SYS_close, file, 0, 0, 0, 0, 0);
	if (!thread->jumps_are_mapped)
		fill(thread->jumps, PAPI_VPMU_JUMPS);
}

void papi_vpmu_jumps_forget(struct papi_vpmu_thread *thread)
{
	thread->n_jumps = thread->n_noted = 0;
	/* Memory that the program has locked cannot be thrown away. */
	if (thread->jumps_are_mapped &&
		!papi_vpmu_raw(SYS_madvise, (long)thread->jumps, sizeof(thread->jumps), MADV_DONTNEED, 0, 0, 0))
		return;
	fill(thread->jumps, PAPI_VPMU_JUMPS);
}

void papi_vpmu_jumps_change(struct papi_vpmu_thread *thread)
{
	if (thread->n_noted > PAPI_VPMU_NOTED) {
		papi_vpmu_jumps_forget(thread);
		return;
	}
	for (unsigned i = 0; i < thread->n_noted; i++)
		thread->jumps[thread->noted[i]] = (uint64_t)(uintptr_t)papi_vpmu_jump_miss;
	thread->n_noted = 0;
}

void papi_vpmu_jumps_enter(struct papi_vpmu_thread *thread, unsigned place, uint64_t word)
{
	if (++thread->n_jumps == MANY && thread->jumps_are_mapped) {
		papi_vpmu_jumps_forget(thread);
		thread->n_jumps = MANY;
		papi_vpmu_memory_prepare(thread->jumps, sizeof(thread->jumps), true);
	}
	if (thread->n_noted < PAPI_VPMU_NOTED)
		thread->noted[thread->n_noted] = (uint16_t)place;
	thread->n_noted++;
	thread->jumps[place] = word;
}
