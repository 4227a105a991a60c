/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library once more, in which each trace goes through the plain model (reference_model.h) as well: programs that
 * papi_run counts with it end, and say why, where the simulators have counted anything else. The linker puts these
 * functions in the place of the simulators' (--wrap).
 *
 * They run between two instructions of the program: with general registers only, and without libc. CHECKED_RECORDS
 * names a file of eight bytes to which the number of records is added that have been compared.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "components/vpmu/models/gather.h"
#include "components/vpmu/models/in_order.h"
#include "components/vpmu/translator/processor.h"
#include "reference_model.h"

#define THREADS 64

void *checked_calloc(size_t n, size_t size);
void *checked_memmove(void *to, const void *from, size_t size);
void checked_free(void *memory);
_Noreturn void checked_abort(void);

void __real_papi_vpmu_simulate(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *start,
	const uint64_t *end, const unsigned char *arena);
void __wrap_papi_vpmu_simulate(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *start,
	const uint64_t *end, const unsigned char *arena);
void __real_papi_vpmu_simulate_arrival(struct papi_vpmu_models *models, uint64_t counters[], uint64_t pc);
void __wrap_papi_vpmu_simulate_arrival(struct papi_vpmu_models *models, uint64_t counters[], uint64_t pc);

/* ---- what the plain model takes from libc ---- */

void *checked_calloc(size_t n, size_t size)
{
	long address = papi_vpmu_raw(SYS_mmap, 0, (long)(n * size), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (papi_vpmu_failed(address))
		checked_abort();
	return (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

void *checked_memmove(void *to, const void *from, size_t size)
{
	unsigned char *bytes = to;
	const unsigned char *source = from;

	while (size-- > 0)
		bytes[size] = source[size]; /* upwards, as it is only asked for */
	return to;
}

/* Models live as long as the process. */
void checked_free(void *memory)
{
	(void)memory;
}

static void say(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	papi_vpmu_raw(SYS_write, STDERR_FILENO, (long)text, (long)length, 0, 0, 0);
}

_Noreturn void checked_abort(void)
{
	say("checked: the plain model has no memory\n");
	papi_vpmu_raw(SYS_exit_group, 99, 0, 0, 0, 0, 0);
	__builtin_trap();
}

/* ---- the number of records ---- */

static _Atomic uint64_t *records;

__attribute__((constructor)) static void find_records(void)
{
	const char *path = getenv("CHECKED_RECORDS");
	int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *memory;

	if (descriptor < 0)
		return;
	memory = mmap(NULL, sizeof(*records), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	close(descriptor);
	if (memory != MAP_FAILED)
		records = memory;
}

/* ---- the plain model of each thread ---- */

static struct checked {
	_Atomic(struct papi_vpmu_models *) models;
	struct reference_model *plain;
	const struct papi_vpmu_description *last; /* whose conditional branch the next block tells */
} threads[THREADS];

static struct checked *checked_of(struct papi_vpmu_models *models)
{
	for (unsigned i = 0; i < THREADS; i++) {
		struct papi_vpmu_models *expected = NULL;

		if (atomic_load(&threads[i].models) == models)
			return &threads[i];
		if (!atomic_compare_exchange_strong(&threads[i].models, &expected, models))
			continue;
		threads[i].plain = reference_make(papi_vpmu_geometry_current(NULL, 0));
		return &threads[i];
	}
	say("checked: more threads than there are plain models\n");
	papi_vpmu_raw(SYS_exit_group, 99, 0, 0, 0, 0, 0);
	__builtin_trap();
}

/* ---- from records to what a program does ---- */

static void branch(struct reference_model *plain, uint32_t branch, bool taken)
{
	plain->counting = !(branch & PAPI_VPMU_BRANCH_UNCOUNTED);
	reference_conditional(plain, (uint16_t)branch, taken);
}

/* The conditional branches of a block but for one whose outcome the next tells. */
static void pass(struct reference_model *plain, const struct papi_vpmu_description *block)
{
	const uint32_t *branches = papi_vpmu_described_branches(block);

	for (unsigned i = 0; i + (block->behind != 0) < block->branches; i++)
		branch(plain, branches[i], branches[i] & PAPI_VPMU_BRANCH_TAKEN);
}

static void arrive(struct checked *checked, uint64_t pc)
{
	const struct papi_vpmu_description *from = checked->last;

	if (from && from->behind)
		branch(checked->plain, papi_vpmu_described_branches(from)[from->branches - 1], pc != from->behind);
	checked->last = NULL;
}

/* The target is that of a return or an indirect branch. */
static void go_to(struct reference_model *plain, const struct papi_vpmu_models *models,
	const struct papi_vpmu_description *from, uint64_t target)
{
	uint64_t place;

	if (from->end == PAPI_VPMU_ENDS_CALL)
		reference_call(plain, from->next);
	if (from->end == PAPI_VPMU_ENDS_RETURN)
		reference_return(plain, target);
	if (from->end != PAPI_VPMU_ENDS_INDIRECT_CALL && from->end != PAPI_VPMU_ENDS_INDIRECT_JUMP)
		return;
	place = models->place_code(target);
	if (!place)
		return;
	reference_indirect(plain, from->branch, target, place);
	if (from->end == PAPI_VPMU_ENDS_INDIRECT_CALL && target != from->next)
		reference_call(plain, from->next);
}

/* Element by element. */
static void touch_string(struct reference_model *plain, const struct papi_vpmu_access *access, const uint64_t *record)
{
	uint64_t address = record[access->word], end = record[access->word + 1], size = access->extent + 1u;

	for (; address != end; address += end > address ? size : -size)
		reference_access(plain, &address, 1, (unsigned)size, access->kind);
}

static void touch_gather(struct reference_model *plain, const struct papi_vpmu_models *models,
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	const uint64_t *values = record + access->word;
	uint64_t addresses[16];
	unsigned n = 0;

	for (unsigned lane = 0; lane < papi_vpmu_gather_lanes(access->extent); lane++)
		if (papi_vpmu_gather_touches(access->extent, values, lane))
			addresses[n++] = papi_vpmu_gather_address(models, access, values, lane);
	reference_access(plain, addresses, n, access->extent & PAPI_VPMU_GATHER_WIDE ? 8 : 4, access->kind);
}

static void touch_active(struct reference_model *plain, const struct papi_vpmu_models *models,
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	const struct papi_vpmu_active *active = &access->active;
	unsigned sizes[256], n = 0, next = 0;
	struct papi_vpmu_piece piece = { .size = 0 };
	uint64_t addresses[256];

	if (access->kind == PAPI_VPMU_PREFETCH) {
		for (unsigned i = 0; i <= active->last; i++)
			if (papi_vpmu_is_active(active, record + access->word, i))
				reference_prefetch(plain, papi_vpmu_active_address(active, record + access->word, i),
					active->size);
		return;
	}
	for (; papi_vpmu_active_next(models, access, record, &next, &piece); n++) {
		addresses[n] = piece.address;
		sizes[n] = piece.size;
	}
	reference_access_of(plain, addresses, sizes, n, access->kind);
}

static void touch(struct reference_model *plain, const struct papi_vpmu_models *models,
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	uint64_t address;

	if (access->form == PAPI_VPMU_FORM_STRING) {
		touch_string(plain, access, record);
		return;
	}
	if (access->form == PAPI_VPMU_FORM_GATHER) {
		touch_gather(plain, models, access, record);
		return;
	}
	if (access->form == PAPI_VPMU_FORM_ACTIVE) {
		touch_active(plain, models, access, record);
		return;
	}
	address = papi_vpmu_address_of(access, record) +
		(access->form == PAPI_VPMU_FORM_THREAD_LOCAL ? models->thread_base : 0);
	if (access->kind == PAPI_VPMU_PREFETCH)
		reference_prefetch(plain, address, access->extent + 1u);
	else
		reference_access(plain, &address, 1, access->extent + 1u, access->kind);
}

static void run(struct checked *checked, const struct papi_vpmu_models *models,
	const struct papi_vpmu_description *block, const uint64_t *record)
{
	const struct papi_vpmu_access *accesses = papi_vpmu_described_accesses(block);
	struct reference_model *plain = checked->plain;
	unsigned fetched = 0, lines = block->n_lines + block->n_other_lines, line_size = 1u << models->l1i.shift;

	arrive(checked, block->pc);
	pass(plain, block);
	plain->counting = block->counted;
	for (unsigned i = 0; i < block->accesses; i++) {
		if (accesses[i].spanned)
			continue; /* what it spans comes behind it */
		for (; fetched <= accesses[i].line; fetched++)
			reference_fetch(plain, papi_vpmu_line_of(block, fetched) * line_size, line_size);
		touch(plain, models, &accesses[i], record);
	}
	for (; fetched < lines; fetched++)
		reference_fetch(plain, papi_vpmu_line_of(block, fetched) * line_size, line_size);
	go_to(plain, models, block, record[block->words - 1]);
	checked->last = block;
}

/* ---- and the comparison ---- */

static void take(struct reference_model *plain, const struct papi_vpmu_models *models)
{
	plain->stack_start = models->stack_start;
	plain->stack_end = models->stack_start + models->stack_size;
	plain->stack_shift = models->stack_shift;
	plain->data_start = models->data_start;
	plain->data_end = models->data_end;
	plain->counts_accesses = models->counts_accesses;
}

static void compare(struct checked *checked, const uint64_t before[], const uint64_t counters[])
{
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++) {
		char text[] = "checked: counter 00 differs from the plain model's\n";

		if (counters[i] - before[i] == checked->plain->counters[i])
			continue;
		text[17] = (char)('0' + i / 10);
		text[18] = (char)('0' + i % 10);
		say(text);
		papi_vpmu_raw(SYS_exit_group, 99, 0, 0, 0, 0, 0);
	}
}

static void begin(
	struct checked *checked, struct papi_vpmu_models *models, uint64_t before[], const uint64_t counters[])
{
	if (models->parts != PAPI_VPMU_PARTS || models->sampled || models->shared) {
		say("checked: only full models that run all parts can be compared\n");
		papi_vpmu_raw(SYS_exit_group, 99, 0, 0, 0, 0, 0);
	}
	take(checked->plain, models);
	for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++) {
		before[i] = counters[i];
		checked->plain->counters[i] = 0;
	}
}

void __wrap_papi_vpmu_simulate(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *start,
	const uint64_t *end, const unsigned char *arena)
{
	struct checked *checked = checked_of(models);
	uint64_t before[PAPI_VPMU_COUNTERS], n = 0;

	begin(checked, models, before, counters);
	__real_papi_vpmu_simulate(models, counters, start, end, arena);
	for (const uint64_t *record = start; record < end; n++) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);

		run(checked, models, block, record);
		record += block->words;
	}
	compare(checked, before, counters);
	if (records)
		atomic_fetch_add(records, n);
}

void __wrap_papi_vpmu_simulate_arrival(struct papi_vpmu_models *models, uint64_t counters[], uint64_t pc)
{
	struct checked *checked = checked_of(models);
	uint64_t before[PAPI_VPMU_COUNTERS];

	begin(checked, models, before, counters);
	__real_papi_vpmu_simulate_arrival(models, counters, pc);
	arrive(checked, pc);
	compare(checked, before, counters);
}
