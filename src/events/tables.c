/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/component.h"
#include "core/error.h"
#include "events/builtin.h"
#include "events/parser.h"
#include "linux/cpu_names.h"
#include "linux/files.h"

/* The names of this machine that a CPU line may have. */
struct machine {
	char **names;
	unsigned n;
	bool matched; /* a line other than "any" was for this machine */
};

struct lost {
	struct lost *next;
	char *reason;
	char symbol[];
};

static bool loaded;
static struct lost *lost;
/* Why the file that replaces the built-in tables, and that of user events, could not be read; NULL: they could. */
static char *unread, *unread_user_events;

/* What reading one text needs to know and finds out. */
struct reading {
	struct machine *machine;
	enum papi_definition_kind kind;
	bool replace;
	bool again;  /* the text is read a second time: its problems have been told */
	int status;  /* of the first bad line */
	char *sentence; /* and why */
};

static void add_name(void *data, const char *name)
{
	struct machine *machine = data;
	char **larger = realloc(machine->names, (machine->n + 1) * sizeof(*larger));

	if (!larger)
		return;
	machine->names = larger;
	machine->names[machine->n] = strdup(name);
	if (machine->names[machine->n])
		machine->n++;
}

static void find_machine(struct machine *machine)
{
	char name[PAPI_MAX_STR_LEN];

	/* A recorded machine (PAPI_ROOT) is described by its files; libpfm4 would see the one this runs on. */
	for (int i = 0; i < papi_component_count && (papi_linux_is_live() || getenv("LIBPFM_FORCE_PMU")); i++)
		for (unsigned j = 0; papi_components[i]->pmu_name &&
				     papi_components[i]->pmu_name(j, name, sizeof(name)) == PAPI_OK; j++)
			add_name(machine, name);
	/* A PMU forced upon libpfm4 stands for another CPU than this. */
	if (!getenv("LIBPFM_FORCE_PMU"))
		papi_cpu_names(add_name, machine);
}

static void free_machine(struct machine *machine)
{
	for (unsigned i = 0; i < machine->n; i++)
		free(machine->names[i]);
	free(machine->names);
}

static bool matches(void *data, const char *cpu)
{
	struct machine *machine = ((struct reading *)data)->machine;

	if (!strcasecmp(cpu, "any"))
		return !((struct reading *)data)->again;
	for (unsigned i = 0; i < machine->n; i++)
		if (!strcasecmp(cpu, machine->names[i]))
			return machine->matched = true;
	return false;
}

static int define(void *data, const struct papi_definition_source *source)
{
	struct reading *reading = data;
	int code;

	return papi_definition_make(source, reading->kind, reading->replace, &code);
}

static void remember(const char *symbol)
{
	size_t size = strlen(symbol) + 1;
	struct lost *one = malloc(sizeof(*one) + size);

	if (!one)
		return;
	memcpy(one->symbol, symbol, size);
	one->reason = strdup(papi_error_sentence());
	one->next = lost;
	lost = one;
}

static void problem(void *data, const char *symbol)
{
	struct reading *reading = data;

	if (reading->again)
		return;
	if (reading->status == PAPI_OK) {
		reading->status = papi_error_code();
		reading->sentence = strdup(papi_error_sentence());
	}
	if (symbol)
		remember(symbol);
	if (papi_debug_level() != PAPI_QUIET)
		papi_error_report(papi_error_code());
}

int papi_tables_lost(const char *symbol)
{
	for (const struct lost *one = lost; one; one = one->next)
		if (!strcasecmp(one->symbol, symbol))
			return papi_error(PAPI_ENOEVNT, "%s", one->reason ? one->reason : "its definition is not valid");
	if (unread && !strncasecmp(symbol, "PAPI_", 5))
		return papi_error(PAPI_ENOEVNT, "%s", unread);
	if (unread_user_events)
		return papi_error(PAPI_ENOEVNT, "no event is named \"%.128s\", and %s", symbol, unread_user_events);
	return PAPI_OK;
}

/* A whole file, as it is: this path is the user's and not one of the kernel's. */
static char *read_file(const char *path, size_t *length)
{
	struct stat status;
	char *text = NULL;
	size_t size = 0, got = 0;
	ssize_t n = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status)) {
		papi_error(PAPI_ESYS, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	/* The size is a hint only: a pipe has none. */
	while (n > 0) {
		if (got == size) {
			char *larger = realloc(text, size = size ? size * 2 : (size_t)status.st_size + 4096);

			if (!larger) {
				errno = ENOMEM;
				n = -1;
				break;
			}
			text = larger;
		}
		n = read(fd, text + got, size - got);
		got += n > 0 ? (size_t)n : 0;
	}
	if (n < 0) {
		papi_error(PAPI_ESYS, "%s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	}
	close(fd);
	*length = got;
	return text;
}

static int parse(struct reading *reading, const char *file, const char *text, size_t length,
		 void (*parser)(const struct papi_parser *, const char *, const char *, size_t))
{
	const struct papi_parser operations = { .matches = matches, .define = define, .problem = problem,
						.data = reading, .sections_only = reading->again };

	parser(&operations, file, text, length);
	if (reading->status != PAPI_OK && !reading->again) {
		papi_error(reading->status, "%s", reading->sentence ? reading->sentence : "a line is not valid");
		free(reading->sentence);
		reading->sentence = NULL;
	}
	return reading->status;
}

/* What nobody has described gets the table named "generic". */
static int parse_tables(struct reading *reading, const char *file, const char *text, size_t length)
{
	struct machine generic = { 0 }, *own = reading->machine;
	int status;

	reading->machine->matched = false;
	status = parse(reading, file, text, length, papi_parse_events);
	if (reading->machine->matched)
		return status;
	add_name(&generic, "generic");
	reading->machine = &generic;
	reading->again = true;
	papi_error_keep();
	parse(reading, file, text, length, papi_parse_events);
	papi_error_restore();
	reading->machine = own;
	free_machine(&generic);
	return status;
}

static const char *preset_file(void)
{
	const char *path = secure_getenv("PAPI_CSV_EVENT_FILE");

	if (!path)
		path = secure_getenv("PAPI_PERFMON_EVENT_FILE");
	return path ? path : papi_builtin_file;
}

static int read_user_events(struct machine *machine, const char *path)
{
	struct reading reading = { .machine = machine, .kind = PAPI_DEFINE_USER_EVENT };
	size_t length;
	char *text = read_file(path, &length);
	int status;

	if (!text)
		return PAPI_ESYS;
	status = parse_tables(&reading, path, text, length);
	free(text);
	return status;
}

static void read_preset_tables(struct machine *machine, const char *file, const char *text, size_t length)
{
	struct reading reading = { .machine = machine, .kind = PAPI_DEFINE_PRESET, .replace = true };

	parse_tables(&reading, file, text, length);
}

/* A file that cannot be read loses all its events: that is told where problems are told, and to whoever asks for one. */
static char *file_problem(const char *variable)
{
	struct reading reading = { .status = PAPI_ESYS };

	papi_error_prefix(PAPI_ESYS, "%s", variable);
	problem(&reading, NULL);
	return strdup(papi_error_sentence());
}

bool papi_tables_have_user_events(void)
{
	if (!secure_getenv("PAPI_USER_EVENTS_FILE"))
		return false;
	papi_tables_load();
	return true;
}

void papi_tables_load(void)
{
	const char *file = preset_file(), *user_file = secure_getenv("PAPI_USER_EVENTS_FILE");
	struct machine machine = { 0 };
	char *text = NULL;
	size_t length;

	if (loaded)
		return;
	loaded = true;
	papi_error_keep();
	find_machine(&machine);
	if (file) {
		text = read_file(file, &length);
		if (text)
			read_preset_tables(&machine, file, text, length);
		else
			unread = file_problem(file == papi_builtin_file ? "the file of presets of this library" :
									  "PAPI_CSV_EVENT_FILE");
		free(text);
	} else {
		read_preset_tables(&machine, "built-in tables", papi_builtin_tables, papi_builtin_length());
	}
	if (user_file && read_user_events(&machine, user_file) == PAPI_ESYS)
		unread_user_events = file_problem("PAPI_USER_EVENTS_FILE");
	free_machine(&machine);
	papi_error_restore();
}

int papi_tables_read_user_events(const char *path)
{
	struct machine machine = { 0 };
	int status;

	papi_tables_load();
	find_machine(&machine);
	status = read_user_events(&machine, path);
	free_machine(&machine);
	return status;
}

int papi_tables_read_presets(const char *path, bool replace)
{
	struct reading reading = { .kind = PAPI_DEFINE_PRESET, .replace = replace };
	size_t length;
	char *text;
	int status;

	papi_tables_load();
	text = read_file(path, &length);
	if (!text)
		return PAPI_ESYS;
	status = parse(&reading, path, text, length, papi_parse_decoded);
	free(text);
	return status;
}

void papi_tables_clear(void)
{
	while (lost) {
		struct lost *next = lost->next;

		free(lost->reason);
		free(lost);
		lost = next;
	}
	free(unread);
	free(unread_user_events);
	unread = unread_user_events = NULL;
	loaded = false;
}
