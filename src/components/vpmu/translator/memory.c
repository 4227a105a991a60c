/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/memory.h"

#include <sys/mman.h>

#include "components/vpmu/translator/processor.h"

void *papi_vpmu_memory_map(size_t size)
{
	long address = papi_vpmu_raw(
		SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return papi_vpmu_failed(address) ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Since Linux 5.14; not in the headers of every libc. */
#define POPULATE_READ  22
#define POPULATE_WRITE 23
#define PAGE           ((uintptr_t)4096)

void papi_vpmu_memory_prepare(void *memory, size_t size, bool write)
{
	uintptr_t start = (uintptr_t)memory & ~(PAGE - 1), end = ((uintptr_t)memory + size + PAGE - 1) & ~(PAGE - 1);

	papi_vpmu_raw(SYS_madvise, (long)start, (long)(end - start), write ? POPULATE_WRITE : POPULATE_READ, 0, 0, 0);
}

void papi_vpmu_memory_join(void *memory, size_t size)
{
	papi_vpmu_raw(SYS_madvise, (long)memory, (long)size, MADV_HUGEPAGE, 0, 0, 0);
}

void papi_vpmu_memory_unmap(const void *memory, size_t size)
{
	if (memory)
		papi_vpmu_raw(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
}

void *papi_vpmu_change_memory(void *memory, size_t old, size_t new)
{
	long address;

	if (!old)
		return new ? papi_vpmu_memory_map(new) : NULL;
	if (!new) {
		papi_vpmu_memory_unmap(memory, old);
		return NULL;
	}
	address = papi_vpmu_raw(SYS_mremap, (long)memory, (long)old, (long)new, MREMAP_MAYMOVE, 0, 0);
	return papi_vpmu_failed(address) ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}
