/* SPDX-License-Identifier: BSD-3-Clause */
/* L1D by itself, and where code looks whether it hits, beside TLBs and L1I as well: the same misses as of records. */
#include "machine.h"

#include <stdlib.h>

/* Some of all kinds of accesses: across lines and pages, of the stack and of the thread's own, prefetches. */
static void describe_all_kinds(struct machine *machine)
{
	struct papi_vpmu_description *block = describe(machine, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);

	add_access(block, PAPI_VPMU_READ, 1, 0, 8);
	add_access(block, PAPI_VPMU_WRITE, 1, 56, 16);
	add_access(block, PAPI_VPMU_READ, 1, 4090, 4);
	block = describe(machine, 512, 0x401100, PAPI_VPMU_ENDS_ANYHOW, 2);
	add_access(block, PAPI_VPMU_READ, 1, 8, 8);
	add_access(block, PAPI_VPMU_PREFETCH, 1, 640, 1);
	add_access(block, PAPI_VPMU_WRITE, 1, 128, 8)->form = PAPI_VPMU_FORM_THREAD_LOCAL;
}

static void run_some(struct machine *machine, unsigned parts, uint64_t seed)
{
	papi_vpmu_models_use(machine->models, parts);
	for (unsigned i = 0; i < 300; i++) {
		uint64_t far = next_random(&seed) % 4 ? 40000 : 4000000, value = 0x10000000 + next_random(&seed) % far;

		record(machine, next_random(&seed) % 3 ? 64 : 512,
			next_random(&seed) % 5 ? value : 0x7fff00000000 - far);
	}
	simulate(machine);
}

/* Whatever runs beside L1D, and for how long: what is in it goes on. */
static void compare_alone(const struct papi_vpmu_geometry *shape, bool possible)
{
	enum { WITH_PAGES = PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES };
	struct machine *pages = make_machine_of(shape), *now_and_then = make_machine_of(shape);
	unsigned alone = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct machine *machine = i ? pages : now_and_then;

		papi_vpmu_models_set_stack(machine->models, 0x7ffe00000000, 0x7fff00001000, 0x7fff00000a30);
		machine->models->thread_base = 0x2000;
		describe_all_kinds(machine);
	}
	for (uint64_t i = 0; i < 200; i++) {
		run_some(pages, WITH_PAGES, i);
		run_some(now_and_then, i * i % 7 < 4 ? WITH_PAGES : PAPI_VPMU_PART_DATA, i);
		alone += now_and_then->models->is_alone;
		assert_int_equal(
			count(pages, PAPI_VPMU_L1D_READ_MISSES), count(now_and_then, PAPI_VPMU_L1D_READ_MISSES));
		assert_int_equal(
			count(pages, PAPI_VPMU_L1D_WRITE_MISSES), count(now_and_then, PAPI_VPMU_L1D_WRITE_MISSES));
		assert_int_equal(
			count(pages, PAPI_VPMU_PREFETCH_MISSES), count(now_and_then, PAPI_VPMU_PREFETCH_MISSES));
		assert_int_equal(pages->models->frames.used, now_and_then->models->frames.used);
	}
	assert_true(count(pages, PAPI_VPMU_PREFETCH_MISSES) > 100);
	assert_true(count(pages, PAPI_VPMU_L1D_READ_MISSES) > 10000);
	assert_true(count(pages, PAPI_VPMU_L1D_WRITE_MISSES) > 10000);
	assert_int_equal(alone, possible ? 57 : 0);
	/* Pages that were not looked up have been in no TLB. */
	assert_true(count(now_and_then, PAPI_VPMU_DTLB_READ_MISSES) <= count(pages, PAPI_VPMU_DTLB_READ_MISSES));
	free_machine(pages);
	free_machine(now_and_then);
}

static void data_alone_misses_the_same(void **state)
{
	struct papi_vpmu_geometry other = geometry;

	(void)state;
	compare_alone(&geometry, true);
	other.l1d = (struct papi_vpmu_shape){ 2, 3, 5 };
	compare_alone(&other, true);
	/* Where a line's set depends on the number of its page, it has to be known. */
	other.l1d = (struct papi_vpmu_shape){ 128, 8, 6 };
	compare_alone(&other, false);
	other.l1d = (struct papi_vpmu_shape){ 1, 16, 6 };
	compare_alone(&other, false);
	other.l1d = (struct papi_vpmu_shape){ 48, 12, 6 };
	compare_alone(&other, false);
}

/* Addresses of a stack, near its ends, and of what is near it; where slots are the same; and where lines of the stack
 * and others come to be the same when that is moved. */
#define STACK_START 0x7fff0007c000u
#define STACK_END   0x7fff00084000u
#define STACK_POINT 0x7fff00082a30u

static uint64_t next_address(uint64_t *random)
{
	const uint64_t table = PAPI_VPMU_SLOTS << PAPI_VPMU_SLOT_SHIFT, moved = -STACK_POINT & 0xff0;
	uint64_t near = next_random(random) % 300;

	switch (next_random(random) % 7) {
	case 0:
		return 0x10000000 + next_random(random) % 70000;
	case 1:
		return 0x10000000 + next_random(random) % 20 * table + near;
	case 2:
		return STACK_POINT - near;
	case 3:
		return (next_random(random) % 2 ? STACK_START : STACK_END) + near - 150;
	case 5:
		return STACK_START / table * table + table + near - 150; /* the last slots, and the first */
	case 4:
		return STACK_END - 100 + (next_random(random) % 2 ? moved : 0) + near % 90;
	default:
		return 0x10000000 - (1 + next_random(random) % 3) * table - near;
	}
}

/* As translated code does (x86_64/translate/checks.c): returns whether the time has been used by the line alone. */
static bool fetch_checked(struct machine *machine, const struct papi_vpmu_description *block, unsigned i, bool is_used)
{
	unsigned lines = block->n_lines + block->n_other_lines;
	uint64_t line = papi_vpmu_line_of(block, i), page = line >> (PAPI_VPMU_PAGE_SHIFT - machine->models->l1i.shift);
	struct papi_vpmu_checks *checks = &machine->checks;
	struct papi_vpmu_code_slot *slot = &checks->code[line % PAPI_VPMU_CODE_LINES];

	if (i == block->n_lines && is_used)
		checks->now += PAPI_VPMU_TICK;
	if (slot->line != line) {
		papi_vpmu_checks_fetch(machine->models, machine->counters, line);
		return false;
	}
	slot->use = checks->now;
	if (i + 1 == block->n_lines || i + 1 == lines)
		checks->page_uses[page % PAPI_VPMU_CODE_PAGES] = checks->now;
	return true;
}

static void run_in_parts(struct machine *machine, const struct papi_vpmu_description *block, uint64_t address)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block);
	unsigned lines = machine->models->parts & PAPI_VPMU_PART_CODE ? block->n_lines + block->n_other_lines : 0;
	unsigned fetched = 0;
	bool is_used = false;

	for (; fetched < lines && fetched <= access->line; fetched++)
		is_used = fetch_checked(machine, block, fetched, is_used);
	papi_vpmu_checks_touch(machine->models, machine->counters, address, access->extent, access->is_write);
	for (is_used = false; fetched < lines; fetched++)
		is_used = fetch_checked(machine, block, fetched, is_used);
	machine->checks.now += is_used ? PAPI_VPMU_TICK : 0;
}

static void run_checked(struct machine *machine, unsigned offset, uint64_t address, bool whole)
{
	if (machine->models->is_checked && !whole) {
		run_in_parts(machine, (const void *)(machine->arena + offset), address);
		return;
	}
	record(machine, offset, address);
	if (!machine->models->is_checked) {
		simulate(machine);
		return;
	}
	papi_vpmu_checks_run(machine->models, machine->counters, machine->trace, machine->arena);
	machine->words = 0;
}

#define CHECKED_BLOCKS 180

/* Code in lines and pages that are near, in pages that have one place, in lines that have one slot, and across their
 * ends. */
static uint64_t code_of(unsigned block)
{
	unsigned number = block / 4;

	switch (block % 4) {
	case 0:
		return 0x401000 + number * 0x1230 - 8;
	case 1:
		return 0x400000 + number % 7 * (PAPI_VPMU_CODE_PAGES << PAPI_VPMU_PAGE_SHIFT) + number % 3 * 0x40;
	case 2:
		return 0x402000 + number % 9 * 0x100000 + number % 2 * 0x7c;
	default:
		return 0x403ff8 + number % 5 * 0x1000;
	}
}

/* A block for each extent and kind, in ten places. */
static void describe_checked(struct machine *machine)
{
	static const unsigned extents[] = { 0, 1, 3, 7, 7, 15, 31, 63, 100 };

	for (unsigned i = 0; i < CHECKED_BLOCKS; i++) {
		struct papi_vpmu_description *block = describe(
			machine, 64 + 128 * i, code_of(i), PAPI_VPMU_ENDS_ANYHOW, 2);

		add_access(block, i % 2, 1, 0, extents[i / 2 % 9] + 1)->line =
			(uint8_t)(i % 5 ? 0 : block->n_lines + block->n_other_lines - 1);
	}
}

/* Of what is near the last block, or of any. */
static unsigned next_block(uint64_t *random, unsigned last)
{
	uint64_t more = next_random(random) % (next_random(random) % 4 ? 3 : CHECKED_BLOCKS);

	return (unsigned)((last + more) % CHECKED_BLOCKS);
}

static void same_counts(const struct machine *records, const struct machine *checked, unsigned parts)
{
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++) {
		bool of_pages = i >= PAPI_VPMU_DTLB_READ_MISSES && i <= PAPI_VPMU_DTLB_WRITE_WALKS;

		if (!of_pages || parts & PAPI_VPMU_PART_PAGES)
			assert_int_equal(count(records, i), count(checked, i));
	}
	assert_true(count(records, PAPI_VPMU_L1D_READ_MISSES) > 5000);
	if (parts & PAPI_VPMU_PART_PAGES)
		assert_true(count(records, PAPI_VPMU_DTLB_WRITE_MISSES) > 1000);
	if (parts & PAPI_VPMU_PART_CODE)
		assert_true(
			count(records, PAPI_VPMU_L1I_MISSES) > 5000 && count(records, PAPI_VPMU_ITLB_MISSES) > 1000);
	assert_int_equal(records->models->frames.used, checked->models->frames.used);
}

static void compare_checks(const struct papi_vpmu_geometry *shape, unsigned parts)
{
	struct machine *records = make_machine_of(shape), *checked = make_machine_of(shape);
	uint64_t random = 7;
	unsigned block = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct machine *machine = i ? records : checked;

		papi_vpmu_models_set_stack(machine->models, STACK_START, STACK_END, STACK_POINT);
		papi_vpmu_models_use(machine->models, parts);
		describe_checked(machine);
	}
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t address = next_address(&random);

		block = next_block(&random, block);
		run_checked(records, 64 + 128 * block, address, false);
		run_checked(checked, 64 + 128 * block, address, i % 8 == 0);
		/* A few come before the first. */
		if (i % 1000 == 50)
			papi_vpmu_models_check(checked->models, i < 1000 || next_random(&random) % 4);
	}
	same_counts(records, checked, parts);
	free_machine(records);
	free_machine(checked);
}

static void checks_miss_the_same(void **state)
{
	static const unsigned parts[] = { PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES,
		PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_BRANCHES, PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_CODE,
		PAPI_VPMU_PARTS };

	(void)state;
	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct papi_vpmu_geometry other = geometry;

		other.l1i = (struct papi_vpmu_shape){ 32, 2, 6 };
		other.itlb = other.dtlb = (struct papi_vpmu_shape){ 1, 20, 12 };
		compare_checks(&other, parts[i]);
		other.l1i = (struct papi_vpmu_shape){ 64, 1, 7 };
		other.l1d = (struct papi_vpmu_shape){ 32, 3, 5 };
		other.itlb = other.dtlb = (struct papi_vpmu_shape){ 4, 3, 12 };
		compare_checks(&other, parts[i]);
		other.l1d = (struct papi_vpmu_shape){ 16, 5, 8 };
		other.itlb = (struct papi_vpmu_shape){ 1, 2, 12 };
		compare_checks(&other, parts[i]);
	}
	assert_true(papi_vpmu_checks_are_possible(&geometry.l1d));
	assert_false(papi_vpmu_checks_are_possible(&(struct papi_vpmu_shape){ 128, 8, 6 }));
	assert_false(papi_vpmu_checks_are_possible(&(struct papi_vpmu_shape){ 256, 4, 3 }));
	assert_false(papi_vpmu_checks_are_possible(&(struct papi_vpmu_shape){ 256, 16, 4 }));
	assert_true(papi_vpmu_checks_of_code_are_possible(&geometry.l1i));
	assert_false(papi_vpmu_checks_of_code_are_possible(&(struct papi_vpmu_shape){ 64, 8, 5 }));
	assert_false(papi_vpmu_checks_of_code_are_possible(&(struct papi_vpmu_shape){ 48, 8, 6 }));
	assert_false(papi_vpmu_checks_of_code_are_possible(&(struct papi_vpmu_shape){ 16, 8, 6 }));
	assert_false(papi_vpmu_checks_of_code_are_possible(&(struct papi_vpmu_shape){ 64, 20, 6 }));
	assert_false(papi_vpmu_checks_of_code_are_possible(&(struct papi_vpmu_shape){ 2048, 16, 6 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_alone_misses_the_same),
		cmocka_unit_test(checks_miss_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
