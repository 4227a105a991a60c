/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/component.h"
#include "base/error.h"
#include "base/files.h"
#include "events/builtin.h"
#include "events/definition_file.h"
#include "events/parser.h"
#include "events/presets.h"
#include "linux/machine/cpu_names.h"

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
/* Events of lines that were not valid, and the user's that are for other machines. */
static struct lost *lost, *elsewhere;
static bool settled[PAPI_PRESETS]; /* defined by papi_tables_load_one(): no table comes after that one */
static bool any_settled;
/* Why the file that replaces the built-in tables, and that of user events, could not be read; NULL: they could. */
static char *unread, *unread_user_events;

/* What reading one text needs to know and finds out. */
struct reading {
	struct machine *machine;
	enum papi_definition_kind kind;
	bool replace;
	bool built_in;
	bool again;         /* the text is read a second time: its problems have been told */
	bool defined;       /* something, if only in vain */
	bool skipped;       /* sections for other machines */
	bool tells_skipped; /* who asks for one of their events is told: the file is the user's */
	int status;         /* of the first bad line */
	char *sentence;     /* and why */
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
	for (int i = 0; i < papi_component_count && (papi_linux_is_live() || secure_getenv("LIBPFM_FORCE_PMU")); i++)
		for (unsigned j = 0;
			papi_components[i]->pmu_name && papi_components[i]->pmu_name(j, name, sizeof(name)) == PAPI_OK;
			j++)
			add_name(machine, name);
	/* A PMU forced upon libpfm4 stands for another CPU than this. */
	if (!secure_getenv("LIBPFM_FORCE_PMU"))
		papi_cpu_names(add_name, machine);
}

static void free_machine(struct machine *machine)
{
	for (unsigned i = 0; i < machine->n; i++)
		free(machine->names[i]);
	free(machine->names);
}

/* The PMU "perf" is the kernel's own events: every machine has it, as papi_component_avail shows. */
static bool is_everywhere(const char *cpu)
{
	return !strcasecmp(cpu, "any") || !strcasecmp(cpu, "perf");
}

static bool matches(void *data, const char *cpu)
{
	struct reading *reading = data;
	struct machine *machine = reading->machine;

	if (is_everywhere(cpu))
		return !reading->again;
	for (unsigned i = 0; i < machine->n; i++)
		if (!strcasecmp(cpu, machine->names[i]))
			return machine->matched = true;
	reading->skipped = true;
	return false;
}

/* "perf, amd64_fam19h_zen4, AuthenticAMD-25-11": what CPU lines can say to mean this machine. To be freed. */
static char *names_of(const struct machine *machine)
{
	char *names = NULL;
	size_t size;
	FILE *stream = open_memstream(&names, &size);

	if (!stream)
		return NULL;
	fputs("perf", stream);
	for (unsigned i = 0; i < machine->n; i++)
		fprintf(stream, ", %s", machine->names[i]);
	return fclose(stream) ? NULL : names;
}

static bool is_settled(const char *symbol)
{
	for (int i = 0; any_settled && i < PAPI_PRESETS; i++)
		if (settled[i] && !strcmp(papi_presets[i].symbol, symbol))
			return true;
	return false;
}

static int define(void *data, const struct papi_definition_source *source)
{
	struct reading *reading = data;
	struct papi_definition_source known = *source;
	int code;

	if (reading->built_in && is_settled(source->symbol))
		return PAPI_OK;
	reading->defined = true;
	known.built_in = reading->built_in;
	return papi_definition_make(&known, reading->kind, reading->replace, &code);
}

/* With the reason in the detail. */
static void remember(struct lost **list, const char *symbol)
{
	size_t size = strlen(symbol) + 1;
	struct lost *one = malloc(sizeof(*one) + size);

	if (!one)
		return;
	memcpy(one->symbol, symbol, size);
	one->reason = strdup(papi_error_sentence());
	one->next = *list;
	*list = one;
}

static void forget(struct lost **list)
{
	while (*list) {
		struct lost *next = (*list)->next;

		free((*list)->reason);
		free(*list);
		*list = next;
	}
}

static const struct lost *find(const struct lost *list, const char *symbol)
{
	while (list && strcasecmp(list->symbol, symbol))
		list = list->next;
	return list;
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
		remember(&lost, symbol);
	if (papi_debug_level() != PAPI_QUIET)
		papi_error_report(papi_error_code());
}

static void skipped(void *data, const char *symbol)
{
	(void)data;
	remember(&elsewhere, symbol);
}

/* What a machine is called, behind a sentence in the detail that says what it is not called. */
static int not_this_machine(const struct machine *machine, const char *sentence)
{
	char *names = names_of(machine);
	int status = papi_error(
		PAPI_ENOEVNT, "%s; the names of this machine are %s", sentence, names ? names : "not known");

	free(names);
	return status;
}

static int lost_elsewhere(const struct lost *one)
{
	struct machine machine = { 0 };
	int status;

	find_machine(&machine);
	status = not_this_machine(&machine, one->reason ? one->reason : "it is defined for another CPU");
	free_machine(&machine);
	return status;
}

int papi_tables_lost(const char *symbol)
{
	const struct lost *one = find(lost, symbol);

	if (one)
		return papi_error(PAPI_ENOEVNT, "%s", one->reason ? one->reason : "its definition is not valid");
	one = find(elsewhere, symbol);
	if (one)
		return lost_elsewhere(one);
	if (unread && !strncasecmp(symbol, "PAPI_", 5))
		return papi_error(PAPI_ENOEVNT, "%s", unread);
	if (unread_user_events)
		return papi_error(PAPI_ENOEVNT, "no event is named \"%.128s\", and %s", symbol, unread_user_events);
	return PAPI_OK;
}

static int parse(struct reading *reading, const char *file, const char *text, size_t length,
	void (*parser)(const struct papi_parser *, const char *, const char *, size_t))
{
	const struct papi_parser operations = { .matches = matches,
		.define = define,
		.problem = problem,
		.data = reading,
		.sections_only = reading->again,
		.skipped = reading->tells_skipped && !reading->again ? skipped : NULL };

	parser(&operations, file, text, length);
	if (reading->status != PAPI_OK && !reading->again) {
		papi_error(reading->status, "%s", reading->sentence ? reading->sentence : "a line is not valid");
		free(reading->sentence);
		reading->sentence = NULL;
	}
	return reading->status;
}

/* A file with nothing for this machine is valid, and hardly what its owner meant. */
static void tell_if_nothing(const struct reading *reading, const char *file)
{
	char sentence[PAPI_HUGE_STR_LEN];

	if (reading->defined || !reading->skipped || reading->status != PAPI_OK)
		return;
	snprintf(sentence, sizeof(sentence),
		"%.400s: no section of this file is for this machine, so that it defines nothing", file);
	not_this_machine(reading->machine, sentence);
	if (papi_debug_level() != PAPI_QUIET)
		papi_error_report(PAPI_ENOEVNT);
}

/* What nobody has described gets the table named "generic". */
static int parse_tables(struct reading *reading, const char *file, const char *text, size_t length)
{
	struct machine generic = { 0 }, *own = reading->machine;
	int status;

	reading->machine->matched = false;
	status = parse(reading, file, text, length, papi_parse_events);
	if (!reading->machine->matched) {
		add_name(&generic, "generic");
		reading->machine = &generic;
		reading->again = true;
		papi_error_keep();
		parse(reading, file, text, length, papi_parse_events);
		papi_error_restore();
		reading->machine = own;
		free_machine(&generic);
	}
	tell_if_nothing(reading, file);
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
	struct reading reading = {
		.machine = machine, .kind = PAPI_DEFINE_USER_EVENT, .replace = true, .tells_skipped = true
	};
	size_t length;
	char *text = papi_definition_file_read(path, &length);
	int status;

	if (!text)
		return PAPI_ESYS;
	status = parse_tables(&reading, path, text, length);
	free(text);
	return status;
}

static void read_preset_tables(struct machine *machine, const char *file, const char *text, size_t length)
{
	struct reading reading = {
		.machine = machine, .kind = PAPI_DEFINE_PRESET, .replace = true, .built_in = text == papi_builtin_tables
	};

	parse_tables(&reading, file, text, length);
}

/* A file that cannot be read loses all its events: that is told where problems are told, and to whoever asks for
 * one. */
static char *file_problem(const char *variable)
{
	struct reading reading = { .status = PAPI_ESYS };

	papi_error_prefix(PAPI_ESYS, "%s", variable);
	problem(&reading, NULL);
	return strdup(papi_error_sentence());
}

/* Whether the last table is that of a component that stands in, and what comes before it cannot matter. */
static bool last_table_decides(const char *table)
{
	int component = preset_file() || secure_getenv("PAPI_USER_EVENTS_FILE") || !papi_linux_is_live()
		? -1
		: papi_component_stand_in();
	char name[PAPI_MAX_STR_LEN];
	size_t length;

	if (component < 0 || papi_components[component]->pmu_name(0, name, sizeof(name)) != PAPI_OK)
		return false;
	length = strlen(name);
	return !strncmp(table, "CPU,", 4) && !strncmp(table + 4, name, length) && table[4 + length] == '\n';
}

/* The line of a table that defines the preset; NULL: none. */
static const char *line_of(const char *table, const char *symbol)
{
	static const char command[] = "\nPRESET,";
	size_t length = strlen(symbol);

	for (const char *line = table; (line = strstr(line, command));) {
		line += strlen(command);
		if (!strncmp(line, symbol, length) && line[length] == ',')
			return line - strlen(command) + 1;
	}
	return NULL;
}

void papi_tables_load_one(const char *symbol)
{
	struct reading reading = { .kind = PAPI_DEFINE_PRESET };
	const char *table = papi_builtin_tables + papi_builtin_last, *line;

	if (loaded || is_settled(symbol) || !last_table_decides(table))
		return;
	line = line_of(table, symbol);
	for (int i = 0; line && i < PAPI_PRESETS; i++) {
		if (strcmp(papi_presets[i].symbol, symbol) != 0)
			continue;
		settled[i] = parse(&reading, "built-in tables", line, strcspn(line, "\n"), papi_parse_events) ==
			PAPI_OK;
		any_settled = any_settled || settled[i];
	}
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
		text = papi_definition_file_read(file, &length);
		if (text)
			read_preset_tables(&machine, file, text, length);
		else
			unread = file_problem(file == papi_builtin_file ? "the file of presets of this library"
									: "PAPI_CSV_EVENT_FILE");
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
	text = papi_definition_file_read(path, &length);
	if (!text)
		return PAPI_ESYS;
	status = parse(&reading, path, text, length, papi_parse_decoded);
	free(text);
	return status;
}

void papi_tables_clear(void)
{
	forget(&lost);
	forget(&elsewhere);
	free(unread);
	free(unread_user_events);
	unread = unread_user_events = NULL;
	loaded = any_settled = false;
	memset(settled, 0, sizeof(settled));
}
