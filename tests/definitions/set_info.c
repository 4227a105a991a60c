/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_set_event_info: presets from a structure. Page PAPI_set_event_info of the reference. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "files.h"

/* The least that defines an event: a symbol, a type and one native. */
static PAPI_event_info_t least(const char *symbol, const char *native)
{
	PAPI_event_info_t info = { .event_code = (unsigned)PAPI_PRESET_MASK, .derived = "NOT_DERIVED" };

	snprintf(info.symbol, sizeof(info.symbol), "%s", symbol);
	snprintf(info.name[0], sizeof(info.name[0]), "%s", native);
	return info;
}

static void a_new_event(void)
{
	PAPI_event_info_t info = least("MINE", FAULTS);
	char name[PAPI_MAX_STR_LEN];
	int code = 0, again = PAPI_END;

	files_library("", NULL);
	strcpy(info.short_descr, "short");
	strcpy(info.long_descr, "long");
	strcpy(info.note, "note");
	EXPECT_OK(PAPI_set_event_info(&info, &code, 0));
	EXPECT_EQUAL(PAPI_END, code);
	EXPECT_OK(PAPI_query_event(code));
	EXPECT_EQUAL(code, files_code("MINE"));
	EXPECT_OK(PAPI_event_code_to_name(code, name));
	EXPECT_TEXT("MINE", name);
	EXPECT_TEXT("short", files_info("MINE")->short_descr);
	EXPECT_TEXT("long", files_info("MINE")->long_descr);
	EXPECT_TEXT("note", files_info("MINE")->note);
	EXPECT_EQUAL(1, files_info("MINE")->count);
	/* It belongs to none of the classes that the interface has. */
	EXPECT_EQUAL(PAPI_PRESET_BIT_MSC, files_info("MINE")->event_type);
	again = PAPI_END - 1;
	EXPECT_OK(PAPI_enum_event(&again, PAPI_PRESET_ENUM_MSC));
	EXPECT_EQUAL(code, again);
	again = PAPI_END - 1;
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_enum_event(&again, PAPI_PRESET_ENUM_CACH));
	/* The last one of the listing. */
	again = code;
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_enum_event(&again, PAPI_ENUM_EVENTS));
	again = PAPI_END - 1;
	EXPECT_OK(PAPI_enum_event(&again, PAPI_ENUM_EVENTS));
	EXPECT_EQUAL(code, again);
	files_library_end();
}

/* The example of the page: an event that is there, with another name. The code that it had is not used. */
static void a_copy(void)
{
	PAPI_event_info_t info;
	int code = 0;

	files_library("PRESET,PAPI_TOT_INS,DERIVED_INFIX,N0*2+N1," FAULTS "," MINOR_FAULTS ",NOTE,first\n", NULL);
	info = *files_info("PAPI_TOT_INS");
	strcpy(info.symbol, "MY_TOT_INS");
	strcpy(info.note, "second");
	EXPECT_OK(PAPI_set_event_info(&info, &code, 0));
	EXPECT_EQUAL(PAPI_END, code);
	EXPECT_TEXT("first", files_info("PAPI_TOT_INS")->note);
	EXPECT_TEXT("second", files_info("MY_TOT_INS")->note);
	EXPECT_TEXT("N0*2+N1", files_info("MY_TOT_INS")->postfix);
	EXPECT_TEXT(MINOR_FAULTS, files_info("MY_TOT_INS")->name[1]);
	files_library_end();
}

static void replacing(void)
{
	PAPI_event_info_t info = least("PAPI_L1_DCM", FAULTS);
	int code = 0, set = PAPI_NULL;

	files_library("", "EVENT,ALIAS,NOT_DERIVED,PAPI_L1_DCM\n");
	/* The interface has the name, but nothing is behind it yet. */
	EXPECT_OK(PAPI_set_event_info(&info, &code, 0));
	EXPECT_EQUAL(PAPI_L1_DCM, code);
	EXPECT_OK(PAPI_query_named_event("ALIAS"));
	strcpy(info.name[0], "rusage:::minflt");
	code = 4711;
	EXPECT_ERROR(PAPI_EPERM, "PAPI_L1_DCM is defined already; it is replaced only if that is asked for",
		PAPI_set_event_info(&info, &code, 0));
	EXPECT_TEXT(FAULTS, files_info("PAPI_L1_DCM")->name[0]);
	EXPECT_OK(PAPI_set_event_info(&info, &code, 1));
	EXPECT_EQUAL(PAPI_L1_DCM, code);
	EXPECT_TEXT("rusage:::minflt", files_info("PAPI_L1_DCM")->name[0]);
	/* Who is made of it follows. */
	EXPECT_EQUAL(PAPI_get_component_index("rusage"), PAPI_get_event_component(files_code("ALIAS")));

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_event(set, PAPI_L1_DCM));
	EXPECT_ERROR(PAPI_EISRUN, "PAPI_L1_DCM is in an EventSet", PAPI_set_event_info(&info, &code, 1));
	EXPECT_ERROR(PAPI_EISRUN, "PAPI_L1_DCM is in an EventSet", PAPI_set_event_info(&info, &code, 0));
	REQUIRE_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_set_event_info(&info, &code, 1));
	REQUIRE_OK(PAPI_destroy_eventset(&set));
	files_library_end();
}

/* An event that is bad is refused whole: what was there before stays. */
static void expect_refused(int status, const char *words, const PAPI_event_info_t *info)
{
	PAPI_event_info_t copy = *info;
	int code = 4711;

	EXPECT_ERROR(status, words, PAPI_set_event_info(&copy, &code, 1));
	EXPECT(memcmp(&copy, info, sizeof(copy)) == 0);
	EXPECT_TEXT("rusage:::majflt", files_info("STANDS")->name[0]);
}

static void errors(void)
{
	PAPI_event_info_t good = least("STANDS", FAULTS), info;
	int code;

	EXPECT_ERROR(PAPI_ENOINIT, "PAPI_library_init", PAPI_set_event_info(&good, &code, 0));
	files_library("PRESET,STANDS,NOT_DERIVED,rusage:::majflt\n", NULL);
	EXPECT_ERROR(PAPI_EINVAL, "info is a null pointer", PAPI_set_event_info(NULL, &code, 0));
	EXPECT_ERROR(PAPI_EINVAL, "EventCode is a null pointer", PAPI_set_event_info(&good, NULL, 0));

	info = good;
	info.event_code = 0;
	expect_refused(PAPI_ENOEVNT, "PAPI_PRESET_MASK", &info);
	info.event_code = (unsigned)PAPI_NATIVE_MASK;
	expect_refused(PAPI_ENOEVNT, "PAPI_PRESET_MASK", &info);
	info.event_code = (unsigned)PAPI_UE_MASK;
	expect_refused(PAPI_ENOEVNT, "PAPI_PRESET_MASK", &info);

	info = good;
	*info.symbol = '\0';
	expect_refused(PAPI_EINVAL, "an event needs a name", &info);
	info = good;
	strcpy(info.derived, "DERIVED_MUL");
	expect_refused(PAPI_EINVAL, "derived is \"DERIVED_MUL\", which is no type", &info);
	*info.derived = '\0';
	expect_refused(PAPI_EINVAL, "derived is \"\"", &info);
	info = good;
	*info.name[0] = '\0';
	expect_refused(PAPI_EINVAL, "NOT_DERIVED takes 1 event, not 0", &info);
	info = good;
	strcpy(info.name[1], FAULTS);
	expect_refused(PAPI_EINVAL, "NOT_DERIVED takes 1 event, not 2", &info);
	info = good;
	strcpy(info.derived, "DERIVED_POSTFIX");
	expect_refused(PAPI_EINVAL, "STANDS: ", &info);
	strcpy(info.postfix, "N0|N1|+|");
	expect_refused(PAPI_EINVAL, "STANDS: formula \"N0|N1|+|\", position 4: term N1, but there are 1 terms", &info);
	files_library_end();
}

/* Arrays that are full to the last byte have no end. */
static void endless_texts(void)
{
	static const struct {
		size_t offset, size;
	} fields[] = {
#define FIELD(name) { offsetof(PAPI_event_info_t, name), sizeof(((PAPI_event_info_t *)NULL)->name) }
		FIELD(symbol),
		FIELD(derived),
		FIELD(postfix),
		FIELD(short_descr),
		FIELD(long_descr),
		FIELD(note),
		FIELD(name[0]),
		FIELD(name[PAPI_MAX_INFO_TERMS - 1]),
#undef FIELD
	};
	PAPI_event_info_t good = least("STANDS", FAULTS), info;

	strcpy(good.derived, "DERIVED_ADD");
	for (int i = 1; i < PAPI_MAX_INFO_TERMS; i++)
		strcpy(good.name[i], FAULTS);
	files_library("PRESET,STANDS,NOT_DERIVED,rusage:::majflt\n", NULL);
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		info = good;
		memset((char *)&info + fields[i].offset, 'N', fields[i].size);
		expect_refused(PAPI_EINVAL, "does not end", &info);
	}
	/* One byte less, and it is valid; twelve terms are as many as there is room for. */
	info = good;
	memset(info.symbol, 'S', sizeof(info.symbol) - 1);
	EXPECT_OK(PAPI_set_event_info(&info, &(int){ 0 }, 0));
	EXPECT_EQUAL(PAPI_MAX_INFO_TERMS, files_info(info.symbol)->count);
	files_library_end();
}

/* The table is full with 128 events; those there are can be replaced all the same. */
static void full_table(void)
{
	PAPI_event_info_t info;
	int code = 0, n = 0, status;

	files_library("", NULL);
	do {
		char symbol[32];

		snprintf(symbol, sizeof(symbol), "FULL_%d", n);
		info = least(symbol, "rusage:::minflt");
		status = PAPI_set_event_info(&info, &code, 0);
		if (status == PAPI_OK)
			EXPECT_EQUAL(PAPI_END + n, code);
		n += status == PAPI_OK;
	} while (status == PAPI_OK && n < 200);
	EXPECT_EQUAL(128 - (PAPI_END & PAPI_PRESET_AND_MASK), n);
	EXPECT_STATUS(PAPI_ENOTPRESET, status);
	EXPECT(strstr(PAPI_error_detail(), "the table of presets is full with 128 events") != NULL);
	EXPECT_EQUAL(n, PAPI_get_component_info(PAPI_get_component_index("rusage"))->num_preset_events);
	info = least("FULL_0", "rusage:::majflt");
	EXPECT_OK(PAPI_set_event_info(&info, &code, 1));
	EXPECT_EQUAL(PAPI_END, code);
	info = least("PAPI_L1_DCM", "rusage:::majflt");
	EXPECT_OK(PAPI_set_event_info(&info, &code, 0));
	EXPECT_EQUAL(n + 1, PAPI_get_component_info(PAPI_get_component_index("rusage"))->num_preset_events);
	files_library_end();
}

/* Names that are taken by events of another kind. */
static void names_of_others(void)
{
	PAPI_event_info_t info = least(FAULTS, "rusage:::minflt");
	int code = 0;

	files_library("", "EVENT,USERS,NOT_DERIVED," FAULTS "\n");
	files_code(FAULTS);
	EXPECT_ERROR(PAPI_EINVAL, FAULTS " is the name of a native event", PAPI_set_event_info(&info, &code, 1));
	/* A user event is replaced where it is: its name keeps its code. */
	info = least("USERS", "rusage:::minflt");
	EXPECT_ERROR(PAPI_EPERM, "USERS is defined already", PAPI_set_event_info(&info, &code, 0));
	EXPECT_OK(PAPI_set_event_info(&info, &code, 1));
	EXPECT_EQUAL(PAPI_UE_MASK, code);
	EXPECT_TEXT("rusage:::minflt", files_info("USERS")->name[0]);
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "a new event", a_new_event },
		{ "a copy", a_copy },
		{ "replacing", replacing },
		{ "errors", errors },
		{ "endless texts", endless_texts },
		{ "full table", full_table },
		{ "names of others", names_of_others },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
