/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived events on real counts: N pages that are touched for the first time are N page faults, all of them minor ones,
 * and none is major, so that every formula has one right value. The documents' own examples are among them, with
 * natives that every machine has in place of theirs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "work.h"

#define PAGES 100

/* All values of one region that touches PAGES pages. */
static void count(const char *const names[], long long values[], size_t n)
{
	static char *pages;
	int set = PAPI_NULL;

	if (!pages)
		pages = work_pages(PAGES);
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < n; i++)
		REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	/* Once for nothing: what start and stop need is there afterwards. */
	for (int round = 0; round < 2; round++) {
		work_unmap(pages, PAGES);
		pages = work_pages(PAGES);
		REQUIRE_OK(PAPI_start(set));
		work_touch(pages, PAGES);
		REQUIRE_OK(PAPI_stop(set, values));
	}
	work_discard(set);
}

static long long value_of(const char *name)
{
	long long value = 0;

	count(&name, &value, 1);
	return value;
}

/* "EVENT,X," is put before the definition. */
struct value {
	const char *definition;
	long long expected;
};

static void expect_values(const struct value list[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[600];
		int before = check_failures();

		snprintf(text, sizeof(text), "EVENT,X,%s\n", list[i].definition);
		files_library("", text);
		EXPECT_EQUAL(list[i].expected, value_of("X"));
		files_library_end();
		if (check_failures() > before)
			fprintf(stderr, "^ defined as %s\n", list[i].definition);
	}
}

static void types(void)
{
	static const struct value list[] = {
		{ "NOT_DERIVED," FAULTS, PAGES },
		{ "NOT_DERIVED," MAJOR_FAULTS, 0 },
		{ "DERIVED_ADD," FAULTS "," MAJOR_FAULTS, PAGES },
		{ "DERIVED_ADD," FAULTS "," MINOR_FAULTS, 2 * PAGES },
		{ "DERIVED_ADD," FAULTS "," MINOR_FAULTS "," FAULTS "," FAULTS, 4 * PAGES },
		{ "DERIVED_SUB," FAULTS "," MAJOR_FAULTS, PAGES },
		{ "DERIVED_SUB," FAULTS "," MINOR_FAULTS, 0 },
		{ "DERIVED_SUB," MAJOR_FAULTS "," FAULTS, -PAGES },
		{ "DERIVED_SUB," FAULTS "," MINOR_FAULTS "," MINOR_FAULTS "," FAULTS, -2 * PAGES },
		{ "DERIVED_CMPD," FAULTS "," MAJOR_FAULTS, PAGES },
		{ "DERIVED_CMPD," MAJOR_FAULTS "," FAULTS "," FAULTS, 0 },
		{ "DERIVED_CMPD," FAULTS, PAGES },
	};

	expect_values(list, COUNT_OF(list));
}

static void postfix(void)
{
#define TWO "," FAULTS "," MINOR_FAULTS
	static const struct value list[] = {
		{ "DERIVED_POSTFIX,N0|N1|3|*|+|" TWO, 4 * PAGES },
		{ "DERIVED_POSTFIX,N0|N1|3|*|+" TWO, 4 * PAGES },
		{ "DERIVED_POSTFIX,|N0|N1|3|*|+" TWO, 4 * PAGES },
		{ "DERIVED_POSTFIX, | N0 | N1 | 3 | * | + |" TWO, 4 * PAGES },
		{ "DERIVED_POSTFIX,N0|2|N1|*|-|" TWO, -PAGES },
		{ "DERIVED_POSTFIX,N1|2|N0|-|-|" TWO, 2 * PAGES - 2 },
		{ "DERIVED_POSTFIX,N0|7|/|" TWO, PAGES / 7 },
		{ "DERIVED_POSTFIX,0|N0|7|/|-|" TWO, -(PAGES / 7) },
		{ "DERIVED_POSTFIX,N1" TWO, PAGES },
		{ "DERIVED_POSTFIX,7" TWO, 7 },
		/* With one native the formula counts just as much. */
		{ "DERIVED_POSTFIX,7," FAULTS, 7 },
		{ "DERIVED_POSTFIX,N0|N0|*|," FAULTS, PAGES * PAGES },
		/* The second document's example, 1 + 4 + 8. */
		{ "DERIVED_POSTFIX,N0|N1|4|*|N2|8|*|+|+|," FAULTS "," MINOR_FAULTS "," FAULTS, 13 * PAGES },
		/* A table in the wild has as many terms as this. */
		{ "DERIVED_POSTFIX,N0|N1|+|N2|+|N3|+|N4|+|N5|+|N6|+|N7|+|N8|+|N9|+|N10|+|N11|+|N12|+"
		  "|N13|+|N14|+|N15|+|N16|+|N17|-|" TWO TWO TWO TWO TWO TWO TWO TWO TWO,
			16 * PAGES },
	};

	expect_values(list, COUNT_OF(list));
}

static void infix(void)
{
	static const struct value list[] = {
		{ "DERIVED_INFIX,N0+(N1*3)" TWO, 4 * PAGES },
		{ "DERIVED_INFIX,N0+N1*3" TWO, 4 * PAGES },
		{ "DERIVED_INFIX,(N0+N1)*3" TWO, 6 * PAGES },
		{ "DERIVED_INFIX,\"( N0 + N1 ) * 3\"" TWO, 6 * PAGES },
		{ "DERIVED_INFIX,N0-N1-3" TWO, -3 },
		{ "DERIVED_INFIX,N0-(N1-3)" TWO, 3 },
		{ "DERIVED_INFIX,N0/10/5" TWO, PAGES / 50 },
		{ "DERIVED_INFIX,N0/(10/5)" TWO, PAGES / 2 },
		{ "DERIVED_INFIX,N0*2/4*8" TWO, PAGES * 4 },
		{ "DERIVED_INFIX,-N0" TWO, -PAGES },
		{ "DERIVED_INFIX,3*-N0" TWO, -3 * PAGES },
		{ "DERIVED_INFIX,-(N0+N1)/3" TWO, -(2 * PAGES / 3) },
		{ "DERIVED_INFIX,--N0" TWO, PAGES },
		{ "DERIVED_INFIX,N0*0.5+.25" TWO, PAGES / 2 },
		{ "DERIVED_INFIX,N0*1e3" TWO, PAGES * 1000 },
		{ "DERIVED_INFIX,N0-(N1+(N0*5))" TWO, -5 * PAGES },
		/* 64 bits are exact, and beyond them there is an end. */
		{ "DERIVED_INFIX,9223372036854775807-N0" TWO, INT64_MAX - PAGES },
		{ "DERIVED_INFIX,N0-9223372036854775807" TWO, PAGES - INT64_MAX },
		{ "DERIVED_INFIX,9223372036854775807*N0" TWO, INT64_MAX },
		{ "DERIVED_INFIX,-9223372036854775807*N0" TWO, INT64_MIN },
		{ "DERIVED_INFIX,7," FAULTS, 7 },
	};

	expect_values(list, COUNT_OF(list));
}

/* A ratio over nothing is nothing, for the event as a whole, and the detail says so. */
static void division_by_zero(void)
{
	static const struct value list[] = {
		{ "DERIVED_INFIX,N0/N1," FAULTS "," MAJOR_FAULTS, 0 },
		{ "DERIVED_INFIX,N0+N0/N1," FAULTS "," MAJOR_FAULTS, 0 },
		{ "DERIVED_INFIX,N0/(N0-N1)," FAULTS "," MINOR_FAULTS, 0 },
		{ "DERIVED_POSTFIX,N0|N1|/|," MAJOR_FAULTS "," MAJOR_FAULTS, 0 },
		{ "DERIVED_INFIX,N0/0," FAULTS, 0 },
	};

	expect_values(list, COUNT_OF(list));
	files_library("", "EVENT,X,DERIVED_INFIX,N0/N1," FAULTS "," MAJOR_FAULTS "\n");
	EXPECT_EQUAL(0, value_of("X"));
	EXPECT(strstr(PAPI_error_detail(), "divides by a count of zero") != NULL);
	files_library_end();
}

/* Per second by the clock of the CPU; PAPI_TOT_CYC is minor faults here, which makes the rate that of the clock. */
static void per_second(void)
{
	const char *const names[] = { "RATE", "TWICE", "HERTZ", "PAPI_TOT_CYC" };
	long long values[COUNT_OF(names)], hertz;

	files_library("PRESET,PAPI_TOT_CYC,NOT_DERIVED," MINOR_FAULTS "\n"
		      "PRESET,RATE,DERIVED_PS,PAPI_TOT_CYC," FAULTS "\n"
		      "PRESET,TWICE,DERIVED_ADD_PS,PAPI_TOT_CYC," FAULTS ",rusage:::minflt\n",
		"EVENT,HERTZ,DERIVED_INFIX,#*N0/N1" TWO "\n");
	hertz = (long long)PAPI_get_hardware_info()->cpu_max_mhz * 1000000;
	if (hertz > 0) {
		count(names, values, COUNT_OF(names));
		EXPECT_EQUAL(hertz, values[0]);
		EXPECT_EQUAL(2 * hertz, values[1]);
		EXPECT_EQUAL(hertz, values[2]);
		EXPECT_EQUAL(PAGES, values[3]);
	} else {
		EXPECT_ERROR(PAPI_ENOEVNT, "clock rate", PAPI_query_named_event("RATE"));
	}
	files_library_end();
	/* In no time. */
	files_library(
		"PRESET,PAPI_TOT_CYC,NOT_DERIVED," MAJOR_FAULTS "\n", "EVENT,X,DERIVED_PS,PAPI_TOT_CYC," FAULTS "\n");
	if (hertz > 0)
		EXPECT_EQUAL(0, value_of("X"));
	files_library_end();
}

/* PAPI_SP_OPS by a postfix formula, the same by an infix formula, and the alias, in one EventSet. */
static void the_documents_example(void)
{
	const char *const names[] = { "PAPI_TOT_CYC", "PAPI_REF_CYC", "PAPI_SP_OPS", "USER_SP_OPS", "ALIAS_SP_OPS" };
	const long long expected[] = { PAGES, 0, 4 * PAGES, 4 * PAGES, 4 * PAGES };
	const char *example = "# Two names for one table\n"
			      "CPU nhm\nCPU nhm-ex\nCPU any\n"
			      "# What either of them has\n"
			      "PRESET,PAPI_TOT_CYC,NOT_DERIVED," MINOR_FAULTS "\n"
			      "PRESET,PAPI_REF_CYC,NOT_DERIVED," MAJOR_FAULTS "\n"
			      "PRESET,PAPI_SP_OPS,DERIVED_POSTFIX,N0|N1|3|*|+|," FAULTS "," MINOR_FAULTS
			      ",NOTE,'in postfix'\n"
			      "EVENT,USER_SP_OPS,DERIVED_INFIX,N0+(N1*3)," FAULTS "," MINOR_FAULTS
			      ",NOTE,'in infix, the same'\n"
			      "EVENT,ALIAS_SP_OPS,NOT_DERIVED,PAPI_SP_OPS,LDESC,'PAPI_SP_OPS by another name'\n"
			      "# And another CPU\nCPU snb\n";
	long long values[COUNT_OF(names)];

	for (int user_events = 0; user_events < 2; user_events++) {
		files_library(user_events ? "" : example, user_events ? example : NULL);
		count(names, values, COUNT_OF(names));
		for (size_t i = 0; i < COUNT_OF(names); i++)
			EXPECT_EQUAL(expected[i], values[i]);
		EXPECT_TEXT("in postfix", files_info("PAPI_SP_OPS")->note);
		EXPECT_TEXT("in infix, the same", files_info("USER_SP_OPS")->note);
		EXPECT_TEXT("PAPI_SP_OPS by another name", files_info("ALIAS_SP_OPS")->long_descr);
		EXPECT_EQUAL(PAPI_SP_OPS, files_code("PAPI_SP_OPS"));
		EXPECT_EQUAL(user_events, (files_code("ALIAS_SP_OPS") & PAPI_UE_MASK) == PAPI_UE_MASK);
		files_library_end();
	}
}

/* Formulas of formulas, and events of two components in one. */
static void nested_and_mixed(void)
{
	const char *const names[] = { "OUTER", "MIXED", FAULTS, "MIDDLE", "rusage:::minflt", "OUTER" };
	long long values[6];

	files_library("PRESET,PAPI_L1_DCM,DERIVED_SUB,rusage:::minflt," MAJOR_FAULTS "\n",
		"EVENT,OUTER,DERIVED_INFIX,N1-N0*2,MIXED,MIDDLE\n"
		"EVENT,MIDDLE,DERIVED_ADD,PAPI_L1_DCM,PAPI_L1_DCM," FAULTS "\n"
		"EVENT,MIXED,DERIVED_INFIX,N0/3+N1,rusage:::minflt," MINOR_FAULTS "\n");
	count(names, values, 5);
	/* One formula in the end, whose parts are not rounded. */
	EXPECT_EQUAL((9 * PAGES - 8 * PAGES) / 3, values[0]);
	EXPECT_EQUAL(PAGES * 4 / 3, values[1]);
	EXPECT_EQUAL(PAGES, values[2]);
	EXPECT_EQUAL(3 * PAGES, values[3]);
	EXPECT_EQUAL(PAGES, values[4]);
	files_library_end();
}

/* However often a native is used in an event, and in the events of a set, the kernel counts it once. */
static void one_native_is_counted_once(void)
{
	int set = PAPI_NULL, before;

	files_library("",
		"EVENT,X,DERIVED_INFIX,N0+N1*N2-N3," FAULTS "," FAULTS "," FAULTS "," MINOR_FAULTS "\n"
		"EVENT,Y,DERIVED_ADD,X," FAULTS "\n");
	REQUIRE_OK(PAPI_create_eventset(&set));
	before = work_descriptors();
	REQUIRE_OK(PAPI_add_named_event(set, "X"));
	EXPECT_EQUAL(before + 2, work_descriptors());
	REQUIRE_OK(PAPI_add_named_event(set, "Y"));
	REQUIRE_OK(PAPI_add_named_event(set, FAULTS));
	EXPECT_EQUAL(before + 2, work_descriptors());
	work_discard(set);
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "types", types },
		{ "postfix", postfix },
		{ "infix", infix },
		{ "division by zero", division_by_zero },
		{ "per second", per_second },
		{ "the documents' example", the_documents_example },
		{ "nested and mixed", nested_and_mixed },
		{ "one native is counted once", one_native_is_counted_once },
	};
	int status;

	if (!work_exact_faults()) {
		puts("skipped: a sanitizer has page faults of its own");
		return 77;
	}
	files_begin();
	work_begin();
	PAPI_shutdown();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return work_end(status);
}
