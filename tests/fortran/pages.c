/* SPDX-License-Identifier: BSD-3-Clause */
/* For the Fortran tests: work that makes exactly as many page faults as it is told to. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* For all ways in which a compiler may spell the name. */
void touch_pages_(const int *number);
void touch_pages(const int *number) __attribute__((alias("touch_pages_")));
void touch_pages__(const int *number) __attribute__((alias("touch_pages_")));

void touch_pages_(const int *number)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)*number * page;
	volatile char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		abort();
	/* One fault must not bring in two pages. A kernel without huge pages refuses, and has none. */
	madvise((void *)pages, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page)
		pages[i] = 1;
	munmap((void *)pages, size);
}
