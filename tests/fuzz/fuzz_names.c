/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of events through the public interface, on a made-up machine: natives of libpfm4, the kernel's form, raw codes,
 * breakpoints, tracepoints, presets, user events, and what is none of these.
 *
 * Whatever a name is, it has a code and everything about that code can be asked, or it is refused with a reason. A name
 * that can be queried is counted too, which sends what was made of it to the model kernel.
 */
#include <string.h>

#include "fuzz.h"
#include "kernel.h"
#include "machine.h"
#include "papi.h"

#define CPU   "/sys/bus/event_source/devices/cpu/"
#define THING "/sys/bus/event_source/devices/thing/"
/* So many names, and the library starts afresh: it keeps every name that it has ever found. */
#define NAMES_A_LIFE 2000

static void write_machine(void)
{
	static const char *const files[][2] = {
		{ CPU "type", "4\n" },
		{ CPU "format/event", "config:0-7,32-35\n" },
		{ CPU "format/umask", "config:8-15\n" },
		{ CPU "format/edge", "config:18\n" },
		{ CPU "format/cmask", "config:24-31\n" },
		{ CPU "format/ldlat", "config1:0-15\n" },
		{ CPU "events/instructions", "event=0xc0,umask=0x1\n" },
		{ CPU "events/loop", "loop,event=1\n" },
		{ CPU "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ THING "type", "77\n" },
		{ THING "cpumask", "0,2\n" },
		{ THING "format/odd", "config2:1,3,5-6,63\n" },
		{ THING "format/strange", "config9:0-7\n" },
		{ THING "format/broken", "config:7-0,x\n" },
		{ THING "events/energy", "odd=0x3,config1=0x7\n" },
		{ THING "events/energy.unit", "Joules\n" },
		{ THING "events/energy.scale", "2.3e-10\n" },
		{ "/sys/kernel/tracing/events/sched/sched_switch/id", "314\n" },
		{ "/proc/sys/kernel/perf_event_paranoid", "-1\n" },
	};

	fake_machine_begin();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		fake_machine_write(files[i][0], files[i][1]);
	fake_machine_write("/events.txt",
		"EVENT,MINE,DERIVED_ADD,perf::PAGE-FAULTS,rusage:::minflt\nEVENT,BAD,DERIVED\n"
		"PRESET,PAPI_L1_DCM,NOT_DERIVED,cpu/instructions/\nEVENT,ROUND,NOT_DERIVED,ROUND\n");
}

static void begin(void)
{
	fake_reset();
	fake_pmu_set((struct fake_pmu){ .type = 77, .wide = true, .no_modes = true });
	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

static void finish(void)
{
	PAPI_shutdown();
	CHECK(!fake.n_open && !fake.n_mapped && !fake.misuses && !fake.without_cloexec);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char path[4096];

	(void)argc;
	(void)argv;
	write_machine();
	snprintf(path, sizeof(path), "%s/events.txt", getenv("PAPI_ROOT"));
	setenv("PAPI_USER_EVENTS_FILE", path, 1);
	/* On x86 libpfm4 then has the events of a processor with many of them; elsewhere it has those of the kernel. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	begin();
	atexit(fake_machine_end);
	return 0;
}

static void expect_reason(int status)
{
	CHECK(status < 0 && status > -PAPI_NUM_ERRORS && status != PAPI_EBUG);
	CHECK(*PAPI_error_detail());
}

static void count(int code)
{
	long long value;
	int set = PAPI_NULL, status;

	CHECK(PAPI_create_eventset(&set) == PAPI_OK);
	status = PAPI_add_event(set, code);
	if (status == PAPI_OK) {
		status = PAPI_start(set);
		if (status == PAPI_OK) {
			fake_count(1);
			CHECK(PAPI_read(set, &value) == PAPI_OK);
			CHECK(PAPI_stop(set, &value) == PAPI_OK);
		}
		CHECK(PAPI_remove_event(set, code) == PAPI_OK);
	}
	if (status != PAPI_OK)
		expect_reason(status);
	CHECK(PAPI_destroy_eventset(&set) == PAPI_OK);
}

static void look_at(const char *name, int code)
{
	static PAPI_event_info_t info;
	char short_name[PAPI_MAX_STR_LEN];
	int again, status = PAPI_query_event(code), mask = code;

	CHECK(code & PAPI_UE_MASK);
	CHECK(PAPI_event_name_to_code(name, &again) == PAPI_OK && again == code);
	if (status == PAPI_OK)
		count(code);
	else
		expect_reason(status);
	CHECK(PAPI_get_event_info(code, &info) == PAPI_OK);
	CHECK((int)info.event_code == code && *info.symbol && info.count <= PAPI_MAX_INFO_TERMS);
	CHECK(PAPI_event_name_to_code(info.symbol, &again) == PAPI_OK && again == code);
	status = PAPI_event_code_to_name(code, short_name);
	CHECK(status == PAPI_OK ? !strcmp(short_name, info.symbol) : status == PAPI_EBUF);
	status = PAPI_get_event_component(code);
	CHECK(status >= 0 || info.count != 1 || (code & PAPI_UE_MASK) == PAPI_NATIVE_MASK);
	if ((code & PAPI_UE_MASK) == PAPI_NATIVE_MASK)
		for (int i = 0; i < 3 && PAPI_enum_event(&mask, PAPI_NTV_ENUM_UMASKS) == PAPI_OK; i++)
			CHECK(PAPI_get_event_info(mask, &info) == PAPI_OK && *info.symbol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static unsigned n;
	char *name = strndup((const char *)data, size);
	int code = 0, status;

	CHECK(name);
	status = PAPI_event_name_to_code(name, &code);
	if (status == PAPI_OK)
		look_at(name, code);
	else
		expect_reason(status);
	free(name);
	if (++n % NAMES_A_LIFE == 0) {
		finish();
		begin();
	}
	return 0;
}
