/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program as translation sees it: where its bytes are read, how far they reach, and which of them are the
 * library's. The runtime's view is the process itself (view.c); a test's is an array of bytes.
 *
 * The functions are called with the view itself, so that it may be the first member of something larger. None of them
 * may call libc: translation happens between two instructions of the program.
 */
#ifndef PAPI_VPMU_TRANSLATOR_VIEW_H
#define PAPI_VPMU_TRANSLATOR_VIEW_H

#include <stdbool.h>
#include <stdint.h>

struct papi_vpmu_remembered;

struct papi_vpmu_view {
	intptr_t to_bytes; /* from an address of the program to the place where its bytes are read */
	/* On x86-64: what has been decoded already (x86_64/translate/remembered.h); NULL: nothing is kept. */
	struct papi_vpmu_remembered *remembered;
	/* The end of the executable memory around an address; 0 where it is not executable. */
	uint64_t (*executable_until)(const struct papi_vpmu_view *view, uint64_t address);
	/* Whether code there can change without anybody telling. */
	bool (*may_change)(const struct papi_vpmu_view *view, uint64_t address);
	/* Whether code there is the library's, which is not counted. */
	bool (*is_library)(const struct papi_vpmu_view *view, uint64_t address);
	/* Whether a function of the library has to run natively even where the library's code is translated. */
	bool (*is_engine)(const struct papi_vpmu_view *view, uint64_t address);
	/* The eight bytes of data at an address. False where they cannot be read. */
	bool (*load)(const struct papi_vpmu_view *view, uint64_t address, uint64_t *value);
	/* Whether breakpoints in the code are a debugger's, not the program's own. */
	bool (*owns_breakpoints)(const struct papi_vpmu_view *view);
	/* Whether a jump from site to target leads to where another function begins. NULL: never. */
	bool (*begins_another)(const struct papi_vpmu_view *view, uint64_t site, uint64_t target);
	/* Whether what looks like a linker's stub is a function. NULL: never. */
	bool (*is_no_stub)(const struct papi_vpmu_view *view, uint64_t pc);
};

static inline const uint8_t *papi_vpmu_view_bytes(const struct papi_vpmu_view *view, uint64_t address)
{
	return (const uint8_t *)(uintptr_t)(address + (uint64_t)view->to_bytes);
}

/* The process itself. Its functions want the lock of the cache. */
extern const struct papi_vpmu_view papi_vpmu_process __attribute__((visibility("hidden")));

#endif
