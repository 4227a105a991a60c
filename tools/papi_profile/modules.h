/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Modules: the files that code comes from, and code that comes from none. Each is told once, with the number that it
 * has in the store, and lives as long as papi_profile. One thread.
 */
#ifndef PAPI_PROFILE_MODULES_H
#define PAPI_PROFILE_MODULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbols/unwind.h"

#define PAPI_PROFILE_BUILD_ID 20 /* bytes; longer ones are cut, as the kernel does */

struct papi_profile_build_id {
	unsigned size; /* 0: none is known */
	unsigned char bytes[PAPI_PROFILE_BUILD_ID];
};

enum papi_profile_module_kind {
	PAPI_PROFILE_MODULE_FILE,
	PAPI_PROFILE_MODULE_VDSO,
	PAPI_PROFILE_MODULE_KERNEL,
	PAPI_PROFILE_MODULE_ANONYMOUS, /* of a process; "jit" where it says what is in it */
	PAPI_PROFILE_MODULE_UNKNOWN,
	PAPI_PROFILE_MODULE_TRUNCATED /* no code: what stands for callers that nobody has seen */
};

struct papi_profile_module {
	enum papi_profile_module_kind kind;
	char *path;
	struct papi_profile_build_id build_id;
	int64_t process; /* number in the store, 0: none */
	int64_t id;      /* in the store; 0: nothing in it was sampled yet */
	struct papi_profile_segment {
		uint64_t offset, size, address;
		bool code;
	} * segments;
	unsigned n_segments;
	int file;                         /* kept open for its unwind table; -1: it is not */
	struct papi_unwind_table *unwind; /* NULL: there is none, or nobody has asked */
	bool unwind_asked;
};

/*
 * Something that is mapped, under a name of /proc/PID/maps or of the kernel's record. build_id: as the kernel says it,
 * or NULL. pid, start and end: whose mapping, to find its file by.
 */
struct papi_profile_mapped {
	const char *name;
	const struct papi_profile_build_id *build_id;
	pid_t pid;
	int64_t process;
	uint64_t start, end;
};

struct papi_profile_module *papi_profile_module_mapped(const struct papi_profile_mapped *mapped);
struct papi_profile_module *papi_profile_module_kernel(void);
struct papi_profile_module *papi_profile_module_unknown(int64_t process);
struct papi_profile_module *papi_profile_module_special(const char *name);

/* What the store says of a module: the kind in words, and the build-id as hexadecimal digits, or NULL for none. */
const char *papi_profile_module_kind(const struct papi_profile_module *module, pid_t pid);
const char *papi_profile_module_build_id(
	const struct papi_profile_module *module, char text[2 * PAPI_PROFILE_BUILD_ID + 1]);

/*
 * The address that the module's file gives to what is at this offset of the file. False: the file cannot be read or is
 * not ELF; then a module's addresses are those of the run.
 */
bool papi_profile_module_address(const struct papi_profile_module *module, uint64_t offset, uint64_t *address);

/* From now on files stay open, so that papi_profile_module_unwind() can read them when they have other names. */
void papi_profile_modules_keep_files(void);

/* The unwind table of a module; NULL if it has none. */
struct papi_unwind_table *papi_profile_module_unwind(struct papi_profile_module *module);

void papi_profile_modules_free(void);

#endif
