/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulators by themselves, with a trace and descriptions of its records that a test writes. Everything asserts. */
#ifndef TESTS_VPMU_MACHINE_H
#define TESTS_VPMU_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "components/vpmu/models/models.h"
#include "random.h"

/* What machines have that are not told otherwise. */
extern const struct papi_vpmu_geometry geometry;

struct machine {
	struct papi_vpmu_models *models;
	uint64_t counters[PAPI_VPMU_COUNTERS];
	_Alignas(64) unsigned char arena[24576];
	uint64_t trace[4096];
	uint32_t branches[4096], told[4096 * PAPI_VPMU_BRANCHES_OF_RECORD];
	struct papi_vpmu_checks checks;
	unsigned words, n_branches;
};

/* A page of code that nobody counts; all others have places. */
#define UNCOUNTED 0x7000

/* What the kernel does for the engine, by means of libc. */
void *change_memory(void *memory, size_t old, size_t new);

struct machine *make_machine_of(const struct papi_vpmu_geometry *shape);
struct machine *make_machine(void);
void free_machine(struct machine *machine);

/* A block of 16 bytes at pc, at an offset of the arena, and one more access of it. */
struct papi_vpmu_description *describe(
	struct machine *machine, unsigned offset, uint64_t pc, enum papi_vpmu_ending end, unsigned words);
struct papi_vpmu_access *add_access(struct papi_vpmu_description *block, enum papi_vpmu_access_kind kind, unsigned word,
	int64_t displacement, unsigned size);
/* Of a block that has all its accesses; record() does so, too. */
void finish(struct papi_vpmu_description *block);

/* A record of the block that is described there, with a value if it has one; a conditional branch; and both are run. */
void record(struct machine *machine, uint64_t description, uint64_t value);
void branch(struct machine *machine, uint64_t pc, bool taken);
void simulate(struct machine *machine);
uint64_t count(const struct machine *machine, enum papi_vpmu_counter counter);

#endif
