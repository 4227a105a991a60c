/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events that do not exist or make no sense: the code, and a sentence that says what is wrong with them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "work.h"

struct bad_name {
	const char *name;
	int code;
	const char *words;
};

/* Whoever asks is told the same. */
static void expect_refused(const struct bad_name *bad)
{
	int set = work_set(NULL, NULL, NULL), code = 0x1234, before = check_failures();

	EXPECT_ERROR(bad->code, bad->words, PAPI_event_name_to_code(bad->name, &code));
	EXPECT_EQUAL(0x1234, code);
	EXPECT_ERROR(bad->code, bad->words, PAPI_query_named_event(bad->name));
	EXPECT_ERROR(bad->code, bad->words, PAPI_add_named_event(set, bad->name));
	EXPECT_EQUAL(0, PAPI_num_events(set));
	EXPECT_ERROR(bad->code, bad->words, PAPI_remove_named_event(set, bad->name));
	if (check_failures() != before)
		fprintf(stderr, "\tthat was about the name \"%.80s\"\n", bad->name);
	work_discard(set);
}

static void expect_all_refused(const struct bad_name names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		expect_refused(&names[i]);
}

static void unknown_names(void)
{
	static const struct bad_name names[] = {
		{ "", PAPI_ENOEVNT, "empty" },
		{ " ", PAPI_ENOEVNT, " " },
		{ "NOTHING", PAPI_ENOEVNT, "NOTHING" },
		{ "PAPI_NOTHING", PAPI_ENOEVNT, "PAPI_NOTHING" },
		{ "PAPI_", PAPI_ENOEVNT, "PAPI_" },
		{ "PAPI_TOT_CYC ", PAPI_ENOEVNT, "PAPI_TOT_CYC " },
		{ "perf::NOTHING", PAPI_ENOEVNT, "perf::NOTHING" },
		{ "perf::", PAPI_ENOEVNT, "perf::" },
		{ "nosuch::PAGE-FAULTS", PAPI_ENOEVNT, "nosuch::PAGE-FAULTS" },
		{ ":", PAPI_ENOEVNT, ":" },
		{ "::", PAPI_ENOEVNT, "::" },
		{ "0", PAPI_ENOEVNT, "0" },
		{ "-1", PAPI_ENOEVNT, "-1" },
		{ "perf::PAGE-FAULTS perf::FAULTS", PAPI_ENOEVNT, "perf::PAGE-FAULTS perf::FAULTS" },
		{ "%s%n%s", PAPI_ENOEVNT, "%s%n%s" },
	};

	expect_all_refused(names, COUNT_OF(names));
}

/* A prefix that is no component's is a name that does not exist: PAPI_ENOEVNT, not PAPI_ECMP. */
static void component_prefixes(void)
{
	static const struct bad_name names[] = {
		{ "nosuch:::PAGE-FAULTS", PAPI_ENOEVNT, "no component is named \"nosuch\"" },
		{ ":::minflt", PAPI_ENOEVNT, "no component is named \"\"" },
		{ ":::", PAPI_ENOEVNT, "no component is named \"\"" },
		{ "rusag:::minflt", PAPI_ENOEVNT, "no component is named \"rusag\"" },
		{ "rusagee:::minflt", PAPI_ENOEVNT, "no component is named \"rusagee\"" },
		{ "RUSAGE:::minflt", PAPI_ENOEVNT, "no component is named \"RUSAGE\"" },
		{ "rusage:::", PAPI_ENOEVNT, "rusage" },
		{ "rusage:::nothing", PAPI_ENOEVNT, "nothing" },
		{ "rusage:::minflt ", PAPI_ENOEVNT, "minflt " },
		{ "rusage:::minflt:::x", PAPI_ENOEVNT, "minflt:::x" },
		{ "rusage::minflt", PAPI_ENOEVNT, "rusage::minflt" },
		{ "perf_event:::", PAPI_ENOEVNT, "" },
		{ "perf_event:::NOTHING", PAPI_ENOEVNT, "NOTHING" },
		{ "perf_event:::perf_event:::perf::FAULTS", PAPI_ENOEVNT, "perf_event:::perf::FAULTS" },
		{ "perf_event:::rusage:::minflt", PAPI_ENOEVNT, "rusage:::minflt" },
	};

	expect_all_refused(names, COUNT_OF(names));
}

static void breakpoints(void)
{
	static const struct bad_name names[] = {
		{ "mem:", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem:zz", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem:-1", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem: 0x1000", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem::w", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem:/8:w", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem:0x1ffffffffffffffff:w", PAPI_EINVAL, "expected mem:ADDRESS" },
		{ "mem:0x1000w", PAPI_EINVAL, "after the address" },
		{ "mem:0x1000 :w", PAPI_EINVAL, "after the address" },
		{ "mem:0x1000/", PAPI_EINVAL, "length in bytes" },
		{ "mem:0x1000/:w", PAPI_EINVAL, "length in bytes" },
		{ "mem:0x1000/0:w", PAPI_EINVAL, "length in bytes" },
		{ "mem:0x1000/x:w", PAPI_EINVAL, "length in bytes" },
		{ "mem:0x1000/3:w", PAPI_EINVAL, "1, 2, 4 or 8 bytes, not 3" },
		{ "mem:0x1000/16:w", PAPI_EINVAL, "1, 2, 4 or 8 bytes, not 16" },
		{ "mem:0x1000/-8:w", PAPI_EINVAL, "bytes" },
		{ "mem:0x1000/99999999999999999999:w", PAPI_EINVAL, "bytes" },
		{ "mem:0x1000/8:", PAPI_EINVAL, "accesses are" },
		{ "mem:0x1000/8:q", PAPI_EINVAL, "not \"q\"" },
		{ "mem:0x1000/8:wx", PAPI_EINVAL, "accesses are" },
		{ "mem:0x1000/8:W", PAPI_EINVAL, "not \"W\"" },
		{ "mem:0x1000/8:w ", PAPI_EINVAL, "not \" \"" },
		{ "mem:0x1000/8w", PAPI_EINVAL, "after the address" },
		{ "mem:0x1001/8:w", PAPI_EINVAL, "multiple of the length" },
		{ "mem:0x1002/4:w", PAPI_EINVAL, "multiple of the length" },
		{ "mem:0x1001/2:rw", PAPI_EINVAL, "multiple of the length" },
		{ "MEM:0x1000/8:w", PAPI_ENOEVNT, "MEM:0x1000/8:w" },
	};

	expect_all_refused(names, COUNT_OF(names));
}

static void events_of_the_kernel(void)
{
	static const struct bad_name names[] = {
		{ "/", PAPI_ENOEVNT, "pmu/event/" },
		{ "//", PAPI_ENOEVNT, "pmu/event/" },
		{ "msr/", PAPI_ENOEVNT, "pmu/event/" },
		{ "msr//", PAPI_ENOEVNT, "pmu/event/" },
		{ "/tsc/", PAPI_ENOEVNT, "pmu/event/" },
		{ "msr/tsc", PAPI_ENOEVNT, "pmu/event/" },
		{ "nosuch/tsc/", PAPI_ENOEVNT, "no PMU \"nosuch\"" },
		{ "../../../../proc/sys/", PAPI_ENOEVNT, "no PMU" },
		{ "./tsc/", PAPI_ENOEVNT, "no PMU" },
		{ "software/nothing/", PAPI_ENOEVNT, "nothing" },
		{ "software/../software/type/", PAPI_ENOEVNT, "software" },
		{ "software/config=zz/", PAPI_EINVAL, "zz" },
		{ "software/config=/", PAPI_EINVAL, "config" },
		{ "software/config=0,nothing=1/", PAPI_ENOEVNT, "nothing" },
		{ "software/config=0/z", PAPI_EINVAL, "modifier \"z\"" },
		{ "software/config=0x10000000000000000/", PAPI_EINVAL, "0x10000000000000000" },
		{ "software/config=-1/", PAPI_EINVAL, "-1" },
	};

	expect_all_refused(names, COUNT_OF(names));
}

static void raw_codes_and_tracepoints(void)
{
	static const struct bad_name names[] = {
		{ "r", PAPI_ENOEVNT, "\"r\"" },
		{ "rXYZ", PAPI_ENOEVNT, "rXYZ" },
		{ "r01c0z", PAPI_ENOEVNT, "r01c0z" },
		{ "r-1", PAPI_ENOEVNT, "r-1" },
		{ "r 1", PAPI_ENOEVNT, "r 1" },
		{ "r10000000000000000", PAPI_EINVAL, "64 bits" },
		{ "sched:", PAPI_ENOEVNT, "sched:" },
		{ ":sched_switch", PAPI_ENOEVNT, ":sched_switch" },
		{ "nosuchsystem:nosuchevent", PAPI_ENOEVNT, "nosuchsystem:nosuchevent" },
		{ "../events:sched_switch", PAPI_ENOEVNT, "sched_switch" },
		{ "sched:sched_switch/../../sched/sched_switch", PAPI_ENOEVNT, "sched" },
	};

	expect_all_refused(names, COUNT_OF(names));
}

/* The event is there, and what follows its name is not. */
static void masks_and_modifiers(void)
{
	static const struct bad_name names[] = {
		{ "perf::PAGE-FAULTS:nothing", PAPI_EATTR, "mask or modifier" },
		{ "perf::PAGE-FAULTS:u=x", PAPI_EATTR, "mask or modifier" },
		{ "perf::PAGE-FAULTS:u=2", PAPI_EATTR, "mask or modifier" },
		{ "perf::PAGE-FAULTS:u:nothing", PAPI_EATTR, "mask or modifier" },
	};

	expect_all_refused(names, COUNT_OF(names));
}

/* A name of a given length: begin, then filling, then end. The caller frees it. */
static char *long_name(const char *begin, char filling, const char *end, size_t length)
{
	char *name = malloc(length + 1);
	size_t begins = strlen(begin), ends = strlen(end);

	REQUIRE(name != NULL && length >= begins + ends);
	memset(name, filling, length);
	memcpy(name, begin, begins);
	memcpy(name + length - ends, end, ends + 1);
	return name;
}

/* Of every form, as long as a name may be: the reason is in the sentence, whatever there is of the name. */
static void long_names(void)
{
	static const struct {
		const char *begin;
		char filling;
		const char *end;
		int code;
		const char *words;
	} forms[] = {
		{ "", 'A', "", PAPI_ENOEVNT, "no event" },
		{ "", ':', "", PAPI_ENOEVNT, "component" },
		{ "PAPI_", '_', "", PAPI_ENOEVNT, "no event" },
		{ "perf::", 'A', "", PAPI_ENOEVNT, "no event" },
		{ "perf::PAGE-FAULTS:", 'u', "", PAPI_EATTR, "mask or modifier" },
		{ "", 'n', ":::minflt", PAPI_ENOEVNT, "no component" },
		{ "rusage:::", 'n', "", PAPI_ENOEVNT, "has no event" },
		{ "mem:0x", '0', "zz", PAPI_EINVAL, "expected" },
		{ "mem:0x", '0', "1000/3:w", PAPI_EINVAL, "1, 2, 4 or 8 bytes" },
		{ "mem:0x1000/", '9', ":w", PAPI_EINVAL, "bytes" },
		{ "mem:0x1000/8:", 'w', "q", PAPI_EINVAL, "accesses are" },
		{ "msr/", '/', "", PAPI_ENOEVNT, "" },
		{ "software/", 'x', "/", PAPI_ENOEVNT, "field" },
		{ "software/config=", '9', "/", PAPI_EINVAL, "value" },
		{ "", 'p', "/tsc/", PAPI_ENOEVNT, "pmu/event/" },
		{ "r", 'f', "", PAPI_EINVAL, "64 bits" },
		{ "", 's', ":sched_switch", PAPI_ENOEVNT, "no event" },
	};

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		static const size_t lengths[] = { 300, 600, 700, PAPI_HUGE_STR_LEN - 1 };

		for (size_t j = 0; j < COUNT_OF(lengths); j++) {
			char *name = long_name(forms[i].begin, forms[i].filling, forms[i].end, lengths[j]);

			expect_refused(&(struct bad_name){ name, forms[i].code, forms[i].words });
			free(name);
		}
	}
}

static void names_that_are_too_long(void)
{
	static const size_t lengths[] = { PAPI_HUGE_STR_LEN, PAPI_HUGE_STR_LEN + 1, 10240, 1 << 20 };
	static const char *const begins[] = { "", "perf::", "rusage:::", "mem:0x", "msr/", "r", "PAPI_" };

	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		for (size_t j = 0; j < COUNT_OF(begins); j++) {
			char *name = long_name(begins[j], '0', "", lengths[i]);

			expect_refused(&(struct bad_name){ name, PAPI_ENOEVNT, "names have at most" });
			free(name);
		}
	}
}

/* A name is shown to people, on terminals: what would change the terminal is not passed on. */
static void control_characters(void)
{
	static const char *const names[] = { "perf::\033[31mPAGE-FAULTS", "\n", "perf::PAGE-FAULTS\n", "\r", "\a\b",
		"mem:0x1000/8:\033", "mem:\001", "rusage:::\t\177", "\033c:::x", "msr/\033/",
		"perf::PAGE-FAULTS:\033[2J", "software/config=\001/", "r1\n" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		int code, status;

		check_plant();
		status = PAPI_event_name_to_code(names[i], &code);
		EXPECT(status == PAPI_ENOEVNT || status == PAPI_EINVAL || status == PAPI_EATTR);
		for (const char *letter = PAPI_error_detail(); *letter; letter++)
			if (!EXPECT(!iscntrl((unsigned char)*letter)))
				break;
	}
}

/* Every byte there is, at the beginning, in the middle and at the end of a name that would be good without it. */
static void every_byte(void)
{
	for (int byte = 1; byte < 256; byte++) {
		char name[64];
		int code;

		snprintf(name, sizeof(name), "%cperf::PAGE-FAULTS", byte);
		EXPECT(PAPI_event_name_to_code(name, &code) < 0);
		snprintf(name, sizeof(name), "perf::PAGE%cFAULTS", byte);
		EXPECT(byte == '-' || PAPI_event_name_to_code(name, &code) < 0);
		snprintf(name, sizeof(name), "rusage:::minflt%c", byte);
		EXPECT(PAPI_event_name_to_code(name, &code) < 0);
		snprintf(name, sizeof(name), "mem:0x1000%c8:w", byte);
		EXPECT(byte == '/' || isxdigit(byte) || PAPI_event_name_to_code(name, &code) < 0);
		snprintf(name, sizeof(name), "mem:0x1000/8:%c", byte);
		EXPECT(strchr("rwx", byte) || PAPI_event_name_to_code(name, &code) < 0);
	}
}

/* A failure is not remembered: the same name fails the same way again, and good names are good afterwards. */
static void good_names_afterwards(void)
{
	int code, again;

	EXPECT_ERROR(PAPI_ENOEVNT, "perf::NOTHING", PAPI_event_name_to_code("perf::NOTHING", &code));
	EXPECT_ERROR(PAPI_ENOEVNT, "perf::NOTHING", PAPI_event_name_to_code("perf::NOTHING", &code));
	EXPECT_OK(PAPI_event_name_to_code("perf::PAGE-FAULTS", &code));
	EXPECT_OK(PAPI_event_name_to_code("perf::PAGE-FAULTS", &again));
	EXPECT_EQUAL(code, again);
	EXPECT_OK(PAPI_query_named_event("rusage:::minflt"));
}

/* PAPI_event_code_to_name has room for 128 bytes; longer names are cut and said to be. */
static void a_name_longer_than_its_buffer(void)
{
	char *name = long_name("mem:0x", '0', "1000/8:w", 400), out[PAPI_MAX_STR_LEN + 16];
	PAPI_event_info_t info;
	int code;

	if (!work_has_breakpoints()) {
		check_skip("%s", PAPI_error_detail());
		free(name);
		return;
	}
	EXPECT_OK(PAPI_event_name_to_code(name, &code));
	memset(out, '#', sizeof(out));
	EXPECT_ERROR(PAPI_EBUF, "400 characters", PAPI_event_code_to_name(code, out));
	EXPECT_EQUAL(PAPI_MAX_STR_LEN - 1, (long long)strlen(out));
	EXPECT(strncmp(out, name, PAPI_MAX_STR_LEN - 1) == 0);
	EXPECT_EQUAL('#', out[PAPI_MAX_STR_LEN]);
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_TEXT(name, info.symbol);
	free(name);
}

int main(void)
{
	static const struct test tests[] = {
		{ "unknown names", unknown_names },
		{ "component prefixes", component_prefixes },
		{ "breakpoints", breakpoints },
		{ "events of the kernel", events_of_the_kernel },
		{ "raw codes and tracepoints", raw_codes_and_tracepoints },
		{ "masks and modifiers", masks_and_modifiers },
		{ "long names", long_names },
		{ "names that are too long", names_that_are_too_long },
		{ "control characters", control_characters },
		{ "every byte", every_byte },
		{ "good names afterwards", good_names_afterwards },
		{ "a name longer than its buffer", a_name_longer_than_its_buffer },
	};

	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
