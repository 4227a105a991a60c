/* SPDX-License-Identifier: BSD-3-Clause */
/* What every utility does the same way. See common.h. */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "escape.h"
#include "options.h"
#include "papi.h"
#include "terminal.h"
#include "text.h"

/* The reader has seen all it wanted, so the work is done: no message, and no failure under `set -o pipefail`. */
static void reader_left(int signal_number)
{
	(void)signal_number;
	_exit(EXIT_SUCCESS);
}

void papi_tool_begin(void)
{
	struct sigaction action = { .sa_handler = reader_left };

	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);

	/*
	 * A closed stream's number would be given to the next file opened, a counter, and be written to. Fill the gap
	 * with a file opened the wrong way round, so that using the stream still fails.
	 */
	for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
		if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
			if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
				break;
}

/* The variable has one of these values, or none; values end with NULL. */
static void check_variable(const char *name, const char *const values[], const char *all)
{
	const char *value = getenv(name);
	char shown[64];

	if (value == NULL || *value == '\0')
		return;
	for (; *values; values++)
		if (strcasecmp(value, *values) == 0)
			return;
	snprintf(shown, sizeof(shown), "%.32s", value);
	papi_escape_terminal(shown);
	fprintf(stderr, "%s: %s is \"%s\", and should be %s\n", program_invocation_short_name, name, shown, all);
	exit(PAPI_TOOL_USAGE);
}

void papi_tool_check_environment(void)
{
	check_variable("PAPI_VPMU", (const char *const[]){ "off", "auto", "always", NULL }, "off, auto or always");
	check_variable("PAPI_VPMU_MODEL", (const char *const[]){ "full", "sampled", "recorded", "checking", NULL },
		"full or sampled");
}

static int complain_of_definition(int code)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, PAPI_error_detail());
	return code;
}

/*
 * The mistakes in files of definitions that the user names. The library tells them to programs that ask for the
 * events; nobody asks for those that are missing from a list. With PAPI_VERBOSE the library prints them itself.
 */
static void check_definitions(void)
{
	static const char *const variables[] = { "PAPI_CSV_EVENT_FILE", "PAPI_PERFMON_EVENT_FILE",
		"PAPI_USER_EVENTS_FILE" };
	PAPI_option_t option = { .debug = { .level = PAPI_VERB_ECONT, .handler = complain_of_definition } }, before;
	int code = PAPI_PRESET_MASK;
	bool named = false;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		named = named || getenv(variables[i]) != NULL;
	if (!named || PAPI_get_opt(PAPI_DEBUG, &before) != PAPI_OK || before.debug.level != PAPI_QUIET)
		return;
	/* Tables are read when a preset is first needed. */
	if (PAPI_set_opt(PAPI_DEBUG, &option) == PAPI_OK)
		PAPI_enum_event(&code, PAPI_ENUM_FIRST);
	PAPI_set_opt(PAPI_DEBUG, &before);
}

void papi_tool_init(void)
{
	papi_tool_check_environment();

	int version = PAPI_library_init(PAPI_VER_CURRENT);
	if (version == PAPI_VER_CURRENT) {
		check_definitions();
		return;
	}

	if (version > 0)
		fprintf(stderr, "%s: made for version 0x%08x of the library, but the one found is 0x%08x\n",
			program_invocation_short_name, (unsigned int)PAPI_VER_CURRENT, (unsigned int)version);
	else
		papi_tool_complain("the library does not start", version);
	exit(EXIT_FAILURE);
}

int papi_tool_finish(int status)
{
	bool failed = ferror(stdout) != 0;

	/* The reason for an earlier failure is lost; writing once more, to output that is broken anyway, tells it
	 * again. */
	int reason = failed && write(STDOUT_FILENO, "\n", 1) == -1 ? errno : 0;

	/* Closing, not flushing alone: some file systems report a full disk only then. */
	if (fclose(stdout) != 0) {
		failed = true;
		reason = errno;
	}
	if (!failed || reason == EPIPE)
		return status;

	fprintf(stderr, "%s: the output is not complete: %s\n", program_invocation_short_name,
		reason != 0 ? strerror(reason) : "standard output could not be written");
	return EXIT_FAILURE;
}

void papi_tool_version(char *version, size_t size)
{
	int number = PAPI_get_opt(PAPI_LIB_VERSION, NULL);

	/* A library that has not been initialized may refuse to answer; it is then the one this tool was built with. */
	if (number <= 0)
		number = PAPI_VERSION;
	snprintf(version, size, "%d.%d.%d.%d", PAPI_VERSION_MAJOR(number), PAPI_VERSION_MINOR(number),
		PAPI_VERSION_REVISION(number), PAPI_VERSION_INCREMENT(number));
}

void papi_tool_reason(int code, char *reason, size_t size)
{
	const char *name = PAPI_strerror(code);
	const char *detail = PAPI_error_detail();

	snprintf(reason, size, "%s%s%s", name != NULL ? name : "unknown error", *detail != '\0' ? ": " : "", detail);
}

void papi_tool_complain(const char *what, int code)
{
	char reason[PAPI_HUGE_STR_LEN];

	papi_tool_reason(code, reason, sizeof(reason));
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, reason);
}

static void print_processor(const PAPI_hw_info_t *hardware)
{
	printf("Vendor string and code   : %s (%d, 0x%x)\n", hardware->vendor_string, hardware->vendor,
		(unsigned int)hardware->vendor);
	printf("Model string and code    : %s (%d, 0x%x)\n", hardware->model_string, hardware->model,
		(unsigned int)hardware->model);
	printf("CPU revision             : %f\n", (double)hardware->revision);
	if (hardware->cpuid_family > 0)
		printf("CPUID                    : Family/Model/Stepping %d/%d/%d, 0x%02x/0x%02x/0x%02x\n",
			hardware->cpuid_family, hardware->cpuid_model, hardware->cpuid_stepping,
			(unsigned int)hardware->cpuid_family, (unsigned int)hardware->cpuid_model,
			(unsigned int)hardware->cpuid_stepping);
	printf("CPU Max MHz              : %d\n", hardware->cpu_max_mhz);
	printf("CPU Min MHz              : %d\n", hardware->cpu_min_mhz);
}

static void print_topology(const PAPI_hw_info_t *hardware)
{
	printf("Total cores              : %d\n", hardware->totalcpus);
	if (hardware->threads > 0)
		printf("SMT threads per core     : %d\n", hardware->threads);
	if (hardware->cores > 0)
		printf("Cores per socket         : %d\n", hardware->cores);
	if (hardware->sockets > 0)
		printf("Sockets                  : %d\n", hardware->sockets);
	printf("Cores per NUMA region    : %d\n", hardware->ncpu);
	printf("NUMA regions             : %d\n", hardware->nnodes);
	printf("Running in a VM          : %s\n", hardware->virtualized ? "yes" : "no");
	if (hardware->virtualized)
		printf("VM Vendor                : %s\n", hardware->virtual_vendor_string);
}

/* Where the processor's counters are out of reach, or PAPI_VPMU says so, presets are counted by translation. */
static bool counts_virtually(void)
{
	PAPI_event_info_t event;

	return PAPI_get_event_info(PAPI_TOT_INS, &event) == PAPI_OK && event.count > 0 &&
		strncmp(event.name[0], "vpmu::", 6) == 0;
}

/* A title as "Available events and hardware information." without its second half, and what is left of the machine. */
static void print_short_header(const char *title, const PAPI_hw_info_t *hardware)
{
	const char *end = strstr(title, " and hardware");
	char line[PAPI_HUGE_STR_LEN] = "";

	if (end == NULL)
		end = strstr(title, " plus hardware");
	printf("%.*s\n", end != NULL ? (int)(end - title) : (int)strcspn(title, "."), title);
	if (hardware != NULL)
		snprintf(line, sizeof(line), "%s, %d CPU%s", hardware->model_string, hardware->totalcpus,
			hardware->totalcpus == 1 ? "" : "s");
	snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s; -v says more",
		counts_virtually() ? ", counted virtually, by translation of the program" : "");
	papi_text_wrap(stdout, "", 0, line);
}

void papi_tool_header(const char *title, bool verbose)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	const PAPI_component_info_t *component = PAPI_get_component_info(0);
	struct utsname system;
	char version[32];

	if (papi_terminal_is_output() && !verbose) {
		print_short_header(title, hardware);
		return;
	}
	papi_tool_version(version, sizeof(version));
	printf("%s\n", title);
	papi_text_rule(stdout, '-');
	printf("PAPI version             : %s\n", version);
	if (uname(&system) == 0)
		printf("Operating system         : %s %s\n", system.sysname, system.release);
	if (hardware != NULL) {
		print_processor(hardware);
		print_topology(hardware);
	}
	printf("Number Hardware Counters : %d\n", PAPI_get_opt(PAPI_MAX_HWCTRS, NULL));
	printf("Max Multiplex Counters   : %d\n", PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL));
	printf("Fast counter read (rdpmc): %s\n", component != NULL && component->fast_counter_read ? "yes" : "no");
	if (counts_virtually())
		printf("Counting                 : virtual, by translation of the program (vpmu)\n");
	papi_text_rule(stdout, '-');
}
