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
	PAPI_PROFILE_MODULE_UNKNOWN
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

/* What the store says of a module: the kind in words, and the build-id as hexadecimal digits, or NULL for none. */
const char *papi_profile_module_kind(const struct papi_profile_module *module, pid_t pid);
const char *papi_profile_module_build_id(
	const struct papi_profile_module *module, char text[2 * PAPI_PROFILE_BUILD_ID + 1]);

/*
 * The address that the module's file gives to what is at this offset of the file. False: the file cannot be read or is
 * not ELF; then a module's addresses are those of the run.
 */
bool papi_profile_module_address(const struct papi_profile_module *module, uint64_t offset, uint64_t *address);

void papi_profile_modules_free(void);

#endif
