/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as they are listed: the loops of both interfaces, names and codes, descriptions, masks and presets. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define MOST 4096

struct list {
	int codes[MOST];
	int n;
};

/* The loop of 7.0. */
static void list_from_first(struct list *list, int start)
{
	int code = start, status;

	list->n = 0;
	for (status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK && list->n < MOST;
		status = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
		list->codes[list->n++] = code;
	EXPECT_STATUS(PAPI_ENOEVNT, status);
}

/* The loop of 3.5: it begins at the bare mask, and asks about a code before it has been handed out. */
static void list_from_mask(struct list *list)
{
	int code = PAPI_NATIVE_MASK, status;

	list->n = 0;
	do {
		PAPI_event_info_t info;
		int own;

		if (!EXPECT_OK(PAPI_get_event_info(code, &info)))
			break;
		/* The bare mask stands for the first event, whatever code that has. */
		EXPECT_OK(PAPI_event_name_to_code(info.symbol, &own));
		list->codes[list->n++] = own;
		status = PAPI_enum_event(&code, PAPI_ENUM_ALL);
	} while (status == PAPI_OK && list->n < MOST);
	EXPECT_STATUS(PAPI_ENOEVNT, status);
}

static bool contains(const struct list *list, int code)
{
	for (int i = 0; i < list->n; i++)
		if (list->codes[i] == code)
			return true;
	return false;
}

static void expect_same(const struct list *a, const struct list *b)
{
	EXPECT_EQUAL(a->n, b->n);
	for (int i = 0; i < a->n; i++)
		EXPECT(contains(b, a->codes[i]));
}

static struct list natives;

/* Called first, while the library has seen no name. */
static void both_loops_before_any_name(void)
{
	static struct list by_mask;

	list_from_mask(&by_mask);
	list_from_first(&natives, PAPI_NATIVE_MASK);
	EXPECT(natives.n > 0);
	expect_same(&natives, &by_mask);
	for (int i = 0; i < natives.n; i++)
		for (int j = 0; j < i; j++)
			EXPECT(natives.codes[i] != natives.codes[j]);
}

static void both_loops_again(void)
{
	static struct list again;

	list_from_first(&again, PAPI_NATIVE_MASK);
	expect_same(&natives, &again);
	/* The start does not matter to PAPI_ENUM_FIRST. */
	list_from_first(&again, natives.codes[natives.n - 1]);
	expect_same(&natives, &again);
	list_from_mask(&again);
	expect_same(&natives, &again);
}

/* Names that were used before anything is listed have the first codes; the loops must find everything all the same. */
static void both_loops_after_names(void)
{
	static struct work_cell cell;
	static struct list by_mask, from_first;
	char name[WORK_NAME];
	int code;

	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_event_name_to_code("rusage:::minflt", &code));
	EXPECT_OK(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code));
	if (work_has_breakpoints()) {
		work_name(name, &cell, "/8:w");
		EXPECT_OK(PAPI_event_name_to_code(name, &code));
	} else {
		code = PAPI_NULL;
	}
	for (int round = 0; round < 3; round++) {
		list_from_first(&from_first, PAPI_NATIVE_MASK);
		EXPECT_EQUAL(natives.n, from_first.n);
		/* An address is nothing to list. */
		EXPECT(!contains(&from_first, code));
		list_from_mask(&by_mask);
		for (int i = 0; i < from_first.n; i++)
			EXPECT(contains(&by_mask, from_first.codes[i]));
	}
	natives = from_first;
}

static void by_component(void)
{
	static struct list all;

	all.n = 0;
	for (int cidx = 0; cidx < PAPI_num_components(); cidx++) {
		const PAPI_component_info_t *component = PAPI_get_component_info(cidx);
		int code = PAPI_NATIVE_MASK, status, n = 0;

		for (status = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx); status == PAPI_OK && all.n < MOST;
			status = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx)) {
			all.codes[all.n++] = code;
			n++;
			EXPECT_EQUAL(cidx, PAPI_get_event_component(code));
		}
		EXPECT_STATUS(component->disabled ? PAPI_ECMP_DISABLED : PAPI_ENOEVNT, status);
		EXPECT_EQUAL(component->disabled ? 0 : component->num_native_events, n);
	}
	expect_same(&natives, &all);
}

static void names_and_descriptions(void)
{
	for (int i = 0; i < natives.n; i++) {
		char name[PAPI_MAX_STR_LEN] = "", full[2 * PAPI_MAX_STR_LEN + 8];
		PAPI_event_info_t info;
		int code = 0;

		EXPECT_EQUAL(PAPI_NATIVE_MASK, natives.codes[i] & PAPI_UE_MASK);
		EXPECT_OK(PAPI_event_code_to_name(natives.codes[i], name));
		EXPECT_OK(PAPI_event_name_to_code(name, &code));
		EXPECT_EQUAL(natives.codes[i], code);
		EXPECT_OK(PAPI_get_event_info(code, &info));
		EXPECT_EQUAL(code, (int)info.event_code);
		EXPECT_TEXT(name, info.symbol);
		EXPECT_TEXT(name, info.name[0]);
		EXPECT_EQUAL(1, info.count);
		EXPECT_EQUAL(PAPI_get_event_component(code), info.component_index);
		EXPECT(strlen(info.long_descr) > 0);
		EXPECT(strlen(info.short_descr) > 0);
		/* Whoever lists an event can say what its count is worth. */
		EXPECT(strlen(info.note) > 0);
		/* The same with its component in front. */
		if (info.component_index == 0) {
			snprintf(full, sizeof(full), "%s:::%s", PAPI_get_component_info(0)->name, name);
			EXPECT_OK(PAPI_event_name_to_code(full, &code));
			EXPECT_EQUAL(natives.codes[i], code);
		}
	}
}

/* What is listed can be counted. */
static void every_one_counts(void)
{
	for (int i = 0; i < natives.n; i++) {
		int set = PAPI_NULL, codes[1], number = 1, status;
		long long value = -1;
		char name[PAPI_MAX_STR_LEN];

		EXPECT_OK(PAPI_query_event(natives.codes[i]));
		EXPECT_OK(PAPI_event_code_to_name(natives.codes[i], name));
		EXPECT_OK(PAPI_query_named_event(name));
		EXPECT_OK(PAPI_create_eventset(&set));
		status = PAPI_add_event(set, natives.codes[i]);
		/* What happens in the kernel may be root's to count, and a PMU need not have all that it could. */
		if (status == PAPI_EPERM && geteuid() != 0) {
			EXPECT(strstr(PAPI_error_detail(), "perf_event_paranoid") != NULL);
		} else if (status == PAPI_ENOEVNT && !strncmp(name, "perf::", 6)) {
			EXPECT(strstr(PAPI_error_detail(), "this kernel or CPU does not have the event") != NULL);
			EXPECT(!strstr(name, "FAULTS") && !strstr(name, "CLOCK"));
		} else if (EXPECT_EQUAL(1, PAPI_num_events(set))) {
			EXPECT_OK(PAPI_list_events(set, codes, &number));
			EXPECT_EQUAL(natives.codes[i], codes[0]);
			EXPECT_OK(PAPI_start(set));
			EXPECT_OK(PAPI_stop(set, &value));
			EXPECT(value >= 0);
		}
		work_discard(set);
	}
}

/* Whether a mask of the event has a name that begins so. */
static bool has_mask(int code, const char *begin)
{
	char name[PAPI_MAX_STR_LEN];

	while (PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS) == PAPI_OK)
		if (PAPI_event_code_to_name(code, name) == PAPI_OK && strncmp(name, begin, strlen(begin)) == 0)
			return true;
	return false;
}

/* Masks of an event are its name with more behind it; each is an event of its own. */
static void masks(void)
{
	int total = 0, code;

	for (int i = 0; i < natives.n; i++) {
		char event[PAPI_MAX_STR_LEN], name[PAPI_MAX_STR_LEN];
		int again, status, n = 0;

		code = natives.codes[i];

		EXPECT_OK(PAPI_event_code_to_name(code, event));
		while ((status = PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS)) == PAPI_OK && n++ < MOST) {
			PAPI_event_info_t info;

			EXPECT_OK(PAPI_event_code_to_name(code, name));
			EXPECT(strncmp(name, event, strlen(event)) == 0 && name[strlen(event)] == ':');
			EXPECT_OK(PAPI_event_name_to_code(name, &again));
			EXPECT_EQUAL(code, again);
			EXPECT_OK(PAPI_get_event_info(code, &info));
			EXPECT_TEXT(name, info.symbol);
		}
		EXPECT_STATUS(PAPI_ENOEVNT, status);
		total += n;
	}
	EXPECT(total > 0);
	EXPECT_OK(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code));
	EXPECT(has_mask(code, "perf::PAGE-FAULTS:u"));
	EXPECT(has_mask(code, "perf::PAGE-FAULTS:k"));
}

static void presets(void)
{
	static struct list list;
	int code;

	list_from_first(&list, PAPI_PRESET_MASK);
	/* Tables may add to those that every machine has. */
	EXPECT_BETWEEN(PAPI_END & PAPI_PRESET_AND_MASK, list.n, PAPI_MAX_PRESET_EVENTS);
	for (int i = 0; i < list.n; i++) {
		char name[PAPI_MAX_STR_LEN];
		PAPI_event_info_t info;

		EXPECT_EQUAL((int)PAPI_PRESET_MASK | i, list.codes[i]);
		EXPECT_OK(PAPI_event_code_to_name(list.codes[i], name));
		EXPECT(strncmp(name, "PAPI_", 5) == 0);
		EXPECT_OK(PAPI_event_name_to_code(name, &code));
		EXPECT_EQUAL(list.codes[i], code);
		EXPECT_OK(PAPI_get_event_info(list.codes[i], &info));
		EXPECT_TEXT(name, info.symbol);
		EXPECT_EQUAL(list.codes[i], (int)info.event_code);
		EXPECT(strlen(info.short_descr) > 0);
		EXPECT(strlen(info.long_descr) > 0);
		EXPECT(info.event_type != 0);
		EXPECT(PAPI_get_event_component(code) >= 0);
	}
	/* From anywhere among them, and from the 3.5 beginning. */
	code = PAPI_TOT_CYC;
	EXPECT_OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
	EXPECT_EQUAL((int)PAPI_PRESET_MASK, code);
	EXPECT_OK(PAPI_enum_event(&code, PAPI_ENUM_ALL));
	EXPECT_EQUAL((int)PAPI_PRESET_MASK | 1, code);
	EXPECT_OK(PAPI_event_name_to_code("PAPI_TOT_CYC", &code));
	EXPECT_EQUAL(PAPI_TOT_CYC, code);
}

/* Available is what can be queried and added; of the others the description says why not. */
static void available_presets(void)
{
	static struct list all;
	int code = PAPI_PRESET_MASK, status, n = 0;

	list_from_first(&all, PAPI_PRESET_MASK);
	for (int i = 0; i < all.n; i++) {
		PAPI_event_info_t info;
		int set = work_set(NULL, NULL, NULL);

		check_plant();
		status = PAPI_query_event(all.codes[i]);
		EXPECT_OK(PAPI_get_event_info(all.codes[i], &info));
		if (status == PAPI_OK) {
			EXPECT(info.count > 0 && strlen(info.name[0]) > 0);
			EXPECT_OK(PAPI_add_event(set, all.codes[i]));
			n++;
		} else {
			EXPECT_STATUS(PAPI_ENOEVNT, status);
			EXPECT_EQUAL(0, info.count);
			EXPECT(strlen(info.note) > 0);
			EXPECT_ERROR(PAPI_ENOEVNT, info.symbol, PAPI_add_event(set, all.codes[i]));
			EXPECT_ERROR(PAPI_ENOEVNT, info.symbol, PAPI_add_named_event(set, info.symbol));
			EXPECT_EQUAL(0, PAPI_num_events(set));
		}
		work_discard(set);
	}
	/* The enumeration of those available gives these and no others. */
	for (status = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL); status == PAPI_OK;
		status = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL)) {
		EXPECT_OK(PAPI_query_event(code));
		n--;
	}
	EXPECT_STATUS(PAPI_ENOEVNT, status);
	/* The first code of all is where the walk begins, and is not among those after it. */
	n -= PAPI_query_event(PAPI_PRESET_MASK) == PAPI_OK;
	EXPECT_EQUAL(0, n);
}

/* Each class has the presets whose type has its bit. */
static void classes_of_presets(void)
{
	static struct list all;

	list_from_first(&all, PAPI_PRESET_MASK);
	for (int modifier = PAPI_PRESET_ENUM_MSC; modifier <= PAPI_PRESET_ENUM_FP; modifier++) {
		int code = PAPI_PRESET_MASK, n = 0, expected = 0, status;
		PAPI_event_info_t info;

		for (int i = 1; i < all.n; i++) {
			EXPECT_OK(PAPI_get_event_info(all.codes[i], &info));
			expected += (info.event_type & 1u << modifier) != 0;
		}
		while ((status = PAPI_enum_event(&code, modifier)) == PAPI_OK) {
			EXPECT_OK(PAPI_get_event_info(code, &info));
			EXPECT(info.event_type & 1u << modifier);
			n++;
		}
		EXPECT_STATUS(PAPI_ENOEVNT, status);
		EXPECT_EQUAL(expected, n);
		EXPECT(n > 0);
	}
}

static void modifiers_without_meaning(void)
{
	int native = natives.codes[0], preset = PAPI_TOT_CYC, code;

	for (int modifier = -2; modifier < 40; modifier++) {
		if (modifier != PAPI_ENUM_EVENTS && modifier != PAPI_ENUM_FIRST && modifier != PAPI_PRESET_ENUM_AVAIL &&
			(modifier < PAPI_PRESET_ENUM_MSC || modifier > PAPI_PRESET_ENUM_FP)) {
			code = preset;
			EXPECT_ERROR(PAPI_EINVAL, "modifier", PAPI_enum_event(&code, modifier));
			EXPECT_EQUAL(preset, code);
		}
		if (modifier != PAPI_ENUM_EVENTS && modifier != PAPI_ENUM_FIRST && modifier != PAPI_NTV_ENUM_UMASKS) {
			code = native;
			EXPECT_ERROR(PAPI_EINVAL, "modifier", PAPI_enum_event(&code, modifier));
			EXPECT_EQUAL(native, code);
		}
	}
}

static void codes_of_nothing(void)
{
	static const int none[] = { 0, 1, 0x3fffffff, 12345 };
	char name[PAPI_MAX_STR_LEN];
	PAPI_event_info_t info;

	for (size_t i = 0; i < COUNT_OF(none); i++) {
		int code = none[i];

		EXPECT_ERROR(PAPI_EINVAL, "no event code", PAPI_enum_event(&code, PAPI_ENUM_EVENTS));
		EXPECT_ERROR(PAPI_EINVAL, "no event code", PAPI_query_event(code));
		EXPECT_ERROR(PAPI_EINVAL, "no event code", PAPI_get_event_info(code, &info));
		EXPECT_ERROR(PAPI_EINVAL, "no event code", PAPI_event_code_to_name(code, name));
		EXPECT_ERROR(PAPI_EINVAL, "no event code", PAPI_get_event_component(code));
	}
	for (int code = (int)PAPI_PRESET_MASK | PAPI_MAX_PRESET_EVENTS; code < PAPI_END + 1000; code += 99) {
		EXPECT_ERROR(PAPI_ENOTPRESET, "not the code of a preset", PAPI_query_event(code));
		EXPECT_ERROR(PAPI_ENOTPRESET, "not the code of a preset", PAPI_get_event_info(code, &info));
		EXPECT_ERROR(PAPI_ENOTPRESET, "not the code of a preset", PAPI_event_code_to_name(code, name));
	}
	EXPECT_ERROR(PAPI_ENOEVNT, "native event", PAPI_query_event(PAPI_NATIVE_MASK | 0x3ffffff));
	EXPECT_ERROR(PAPI_ENOEVNT, "native event", PAPI_get_event_info(PAPI_NATIVE_MASK | 0x3ffffff, &info));
	EXPECT_ERROR(PAPI_ENOEVNT, "native event", PAPI_event_code_to_name(PAPI_NATIVE_MASK | 0x3ffffff, name));
	EXPECT_ERROR(PAPI_ENOEVNT, "native event", PAPI_get_event_component(PAPI_NATIVE_MASK | 0x3ffffff));
	EXPECT_ERROR(PAPI_ENOEVNT, "user event", PAPI_query_event(PAPI_UE_MASK | 0x3ffffff));
	EXPECT_ERROR(PAPI_ENOEVNT, "user event", PAPI_event_code_to_name(PAPI_UE_MASK | 0x3ffffff, name));
}

static void components(void)
{
	int n = PAPI_num_components(), code = natives.codes[0], rusage = PAPI_get_component_index("rusage");

	EXPECT(n >= 2);
	for (int cidx = 0; cidx < n; cidx++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(cidx);

		REQUIRE(info != NULL);
		EXPECT_EQUAL(cidx, info->CmpIdx);
		EXPECT_EQUAL(cidx, PAPI_get_component_index(info->name));
		EXPECT_EQUAL(cidx, PAPI_get_component_index(info->short_name));
		EXPECT(strlen(info->description) > 0);
		EXPECT_EQUAL(info->disabled == PAPI_OK, info->initialized);
		EXPECT_EQUAL(info->disabled != PAPI_OK, strlen(info->disabled_reason) > 0);
		EXPECT(info->default_domain & info->available_domains);
		EXPECT(info->default_granularity & info->available_granularities);
	}
	EXPECT(PAPI_get_substrate_info() == PAPI_get_component_info(0));
	EXPECT_NULL("component index", PAPI_get_component_info(n));
	EXPECT_NULL("component index", PAPI_get_component_info(-1));
	EXPECT_ERROR(PAPI_ENOCMP, "nosuch", PAPI_get_component_index("nosuch"));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_num_cmp_hwctrs(n));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, n));
	EXPECT_ERROR(PAPI_ENOCMP, "component index", PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, -1));
	/* An event of one component is no place in the listing of another. */
	EXPECT_ERROR(PAPI_EINVAL, "not an event of component", PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, rusage));
	EXPECT_ERROR(PAPI_ENOINIT, "before PAPI_library_init", PAPI_disable_component(rusage));
	EXPECT_ERROR(PAPI_ENOINIT, "before PAPI_library_init", PAPI_disable_component_by_name("rusage"));
}

/* As perf(1) and the kernel's documents write them: listed or not, bare or not, in any case of letters. */
static void names_of_the_kernel(void)
{
	static const char *const software[] = { "alignment-faults", "context-switches", "cs", "cpu-clock",
		"cpu-migrations", "migrations", "emulation-faults", "major-faults", "minor-faults", "page-faults",
		"faults", "task-clock" };
	static const char *const hardware[] = { "branch-instructions", "branches", "branch-misses", "bus-cycles",
		"cache-misses", "cache-references", "cpu-cycles", "cycles", "instructions", "ref-cycles",
		"stalled-cycles-frontend", "idle-cycles-backend", "L1-dcache-loads", "LLC-load-misses",
		"dTLB-store-misses", "branch-load-misses", "node-loads" };
	char name[WORK_NAME];

	for (unsigned i = 0; i < COUNT_OF(software); i++) {
		PAPI_event_info_t info;
		int code;

		EXPECT_OK(PAPI_query_named_event(software[i]));
		snprintf(name, sizeof(name), "perf::%s", software[i]);
		for (char *letter = name + 6; *letter; letter++)
			*letter = (char)toupper(*letter);
		EXPECT_OK(PAPI_event_name_to_code(name, &code));
		EXPECT_OK(PAPI_get_event_info(code, &info));
		EXPECT(!strncmp(info.note, "exact", 5) && info.long_descr[0]);
	}
	/* Those of the processor are known, whether or not it can be counted here. */
	for (unsigned i = 0; i < COUNT_OF(hardware); i++) {
		snprintf(name, sizeof(name), "perf::%s", hardware[i]);
		check_plant();
		if (PAPI_query_named_event(hardware[i]) != PAPI_OK || PAPI_query_named_event(name) != PAPI_OK)
			EXPECT(!check_planted() && !strstr(PAPI_error_detail(), "no event is named"));
	}
}

static void the_kernels_are_listed(void)
{
	int code = PAPI_NATIVE_MASK, n = 0;
	char name[PAPI_HUGE_STR_LEN];

	for (int status = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0); status == PAPI_OK;
		status = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 0)) {
		EXPECT_OK(PAPI_event_code_to_name(code, name));
		n += !strcmp(name, "perf::ALIGNMENT-FAULTS") || !strcmp(name, "perf::PAGE-FAULTS");
	}
	EXPECT_EQUAL(2, n);
}

int main(void)
{
	static const struct test tests[] = {
		{ "both loops before any name", both_loops_before_any_name },
		{ "both loops again", both_loops_again },
		{ "both loops after names", both_loops_after_names },
		{ "by component", by_component },
		{ "names and descriptions", names_and_descriptions },
		{ "every one counts", every_one_counts },
		{ "masks", masks },
		{ "presets", presets },
		{ "available presets", available_presets },
		{ "classes of presets", classes_of_presets },
		{ "modifiers without meaning", modifiers_without_meaning },
		{ "codes of nothing", codes_of_nothing },
		{ "components", components },
		{ "names of the kernel", names_of_the_kernel },
		{ "the kernel's are listed", the_kernels_are_listed },
	};

	work_begin();
	/* work_begin() has asked for a name; the first test wants a library that has seen none. */
	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
