/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks preset tables against libpfm4's lists of events, for CPUs that are not here.
 *
 *	encode_terms FILE...                        the names of all CPUs in the tables, one per line
 *	LIBPFM_FORCE_PMU=skl encode_terms FILE...   encodes every term of the tables of that CPU
 *
 * libpfm4 takes one forced PMU per process, hence one run per CPU. A term in the kernel's form, cpu/event=0xc0/, is
 * only checked for its shape here: the fields it may have are those of a machine's /sys. A CPU named by vendor, family
 * and model (GenuineIntel-6-97) is one that libpfm4 does not know, so all terms of its tables must have that form or be
 * the kernel's generic events (perf::CYCLES); so must those of the tables "any" and "generic".
 *
 * Exit status: 0 when every term encodes, 1 when one does not or a line is malformed, 2 when nothing could be checked.
 */
#include <ctype.h>
#include <linux/perf_event.h>
/* libpfm4 carries an older copy of the kernel's header, which would declare everything twice. */
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "events/presets.h"

#define MAX_FIELDS 64
#define MAX_CPUS   512

enum { NOT_DEFINED, PLAIN, DERIVED };

static struct {
	const char *cpu; /* the one to check; NULL to list */
	bool by_number;  /* GenuineIntel-6-97, any, generic: no PMU of libpfm4 */
	bool selected, in_cpu_lines;
	const char *file;
	unsigned line, failures;
	char *cpus[MAX_CPUS];
	unsigned n_cpus;
	int presets[PAPI_PRESETS]; /* the later definition of a preset replaces the earlier */
} check;

static void complain(const char *term, const char *what)
{
	printf("%s:%u: %s: %s\n", check.file, check.line, term, what);
	check.failures++;
}

/* Cuts one field off the line: quotes and the slashes of the kernel's form protect commas. */
static char *cut_field(char **rest)
{
	char *field = *rest, *end = field, quote = 0;

	for (; *end && (quote || *end != ','); end++) {
		if (quote ? *end == quote : *end == '"' || *end == '\'' || *end == '/')
			quote = quote ? 0 : *end;
	}
	*rest = *end ? end + 1 : NULL;
	*end = '\0';
	while (isspace((unsigned char)*field))
		field++;
	while (end > field && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return field;
}

static bool is_one_of(const char *word, const char *const list[])
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* "cpu/event=0xc0,umask=0x01/": fields with values, or flags without. */
static void check_kernel_term(const char *term)
{
	static const char *const fields[] = { "event", "umask", "cmask", "inv", "edge", "any", "pc", "in_tx",
		"in_tx_cp", "offcore_rsp", "ldlat", "frontend", NULL };
	const char *slash = strchr(term, '/'), *last = strrchr(term, '/');
	char copy[512], *rest = copy, *field;

	if (slash == term || last == slash || strspn(last + 1, "ukh") != strlen(last + 1)) {
		complain(term, "not of the form pmu/field=value,.../");
		return;
	}
	snprintf(copy, sizeof(copy), "%.*s", (int)(last - slash - 1), slash + 1);
	while ((field = strsep(&rest, ","))) {
		char *equals = strchr(field, '='), *end = NULL;

		if (equals) {
			*equals = '\0';
			strtoull(equals + 1, &end, 0);
		}
		if (!is_one_of(field, fields))
			complain(term, "has a field that no x86 core PMU has");
		else if (equals && (end == equals + 1 || *end))
			complain(term, "has a field whose value is no number");
	}
}

/* r01c0: the code itself, in hexadecimal. */
static bool is_raw(const char *term)
{
	return term[0] == 'r' && term[1] && strspn(term + 1, "0123456789abcdefABCDEF") == strlen(term + 1);
}

static void check_term(const char *term)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t argument = { .attr = &attr, .size = sizeof(argument) };
	int status;

	if (strchr(term, '/')) {
		check_kernel_term(term);
		return;
	}
	if (!strncmp(term, "PAPI_", 5) || is_raw(term))
		return;
	if (check.by_number && strncmp(term, "perf::", 6)) {
		complain(term, "neither in the kernel's form nor a raw code, though libpfm4 does not know this CPU");
		return;
	}
	status = pfm_get_os_event_encoding(term, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
	if (status != PFM_SUCCESS)
		complain(term, pfm_strerror(status));
}

/* Every term must be used, and no more than there are. */
static void check_formula(const char *formula, unsigned n_terms)
{
	unsigned long long used = 0;

	for (const char *n = formula; (n = strpbrk(n, "Nn")); n++) {
		unsigned long index = strtoul(n + 1, NULL, 10);

		if (index >= n_terms || index >= MAX_FIELDS)
			complain(formula, "names a term that is not there");
		else
			used |= 1ULL << index;
	}
	if (used != (1ULL << n_terms) - 1)
		complain(formula, "does not use every term");
}

static int *find_preset(const char *name)
{
	for (int i = 0; i < PAPI_PRESETS; i++)
		if (!strcmp(papi_presets[i].symbol, name))
			return &check.presets[i];
	return NULL;
}

static void check_preset(char *rest)
{
	static const char *const types[] = { "NOT_DERIVED", "DERIVED_ADD", "DERIVED_SUB", "DERIVED_CMPD", "DERIVED_PS",
		"DERIVED_ADD_PS", "DERIVED_POSTFIX", "DERIVED_INFIX", NULL };
	static const char *const texts[] = { "NOTE", "SDESC", "LDESC", NULL };
	const char *name = cut_field(&rest), *type = rest ? cut_field(&rest) : "", *formula = NULL;
	int *preset = find_preset(name);
	unsigned n_terms = 0, failures = check.failures;

	/* The tables for any CPU may define presets of their own. */
	if (!preset && strcmp(check.cpu, "any"))
		complain(name, "is not the name of a preset");
	if (!is_one_of(type, types))
		complain(name, "has an unknown derived type");
	if (rest && (!strcmp(type, "DERIVED_POSTFIX") || !strcmp(type, "DERIVED_INFIX")))
		formula = cut_field(&rest);
	while (rest && n_terms < MAX_FIELDS - 1) {
		const char *field = cut_field(&rest);

		if (is_one_of(field, texts)) {
			if (!rest || !*cut_field(&rest))
				complain(name, "has an empty text");
		} else if (*field) {
			check_term(field);
			n_terms++;
		}
	}
	if (formula)
		check_formula(formula, n_terms);
	else if (strcmp(type, "NOT_DERIVED") ? n_terms < 2 : n_terms != 1)
		complain(name, "has the wrong number of terms for its type");
	if (preset && check.failures == failures)
		*preset = strcmp(type, "NOT_DERIVED") ? DERIVED : PLAIN;
}

static void check_cpu(char *rest)
{
	const char *name = cut_field(&rest);

	if (!check.in_cpu_lines)
		check.selected = false;
	check.in_cpu_lines = true;
	if (check.cpu) {
		check.selected = check.selected || !strcasecmp(name, check.cpu);
		return;
	}
	for (unsigned i = 0; i < check.n_cpus; i++)
		if (!strcasecmp(check.cpus[i], name))
			return;
	if (check.n_cpus < MAX_CPUS)
		check.cpus[check.n_cpus++] = strdup(name);
	printf("%s\n", name);
}

static bool check_file(const char *path)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		return false;
	}
	check.file = path;
	check.line = 0;
	check.selected = check.in_cpu_lines = false;
	while (getline(&line, &size, file) >= 0) {
		char *rest = line, *word;

		check.line++;
		if (*line == '#' || line[strspn(line, " \t\r\n")] == '\0')
			continue;
		word = cut_field(&rest);
		if (!strcmp(word, "CPU") && rest) {
			check_cpu(rest);
			continue;
		}
		check.in_cpu_lines = false;
		if (strcmp(word, "PRESET") || !rest)
			complain(word, "expected CPU or PRESET");
		else if (check.selected)
			check_preset(rest);
	}
	free(line);
	fclose(file);
	return true;
}

/* How many presets are of the kind. */
static unsigned count(int kind)
{
	unsigned n = 0;

	for (int i = 0; i < PAPI_PRESETS; i++)
		n += check.presets[i] == kind;
	return n;
}

/* libpfm4 has the PMUs of the architecture it was built for. */
static bool pmu_is_known(const char *name)
{
	for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && info.is_present &&
			!strcasecmp(info.name, name))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	unsigned derived, plain;

	check.cpu = getenv("LIBPFM_FORCE_PMU");
	check.by_number = check.cpu &&
		(strchr(check.cpu, '-') || !strcmp(check.cpu, "any") || !strcmp(check.cpu, "generic"));
	if (check.by_number) {
		check.cpu = strdup(check.cpu);
		unsetenv("LIBPFM_FORCE_PMU");
	}
	if (check.cpu && (pfm_initialize() != PFM_SUCCESS || !(check.by_number || pmu_is_known(check.cpu)))) {
		printf("%-24s not checked: libpfm4 does not know this PMU on this architecture\n", check.cpu);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (!check_file(argv[i]))
			return 2;
	for (unsigned i = 0; i < check.n_cpus; i++)
		free(check.cpus[i]);
	if (!check.cpu)
		return check.failures ? 1 : 0;
	derived = count(DERIVED);
	plain = count(PLAIN);
	printf("%-24s %3u presets, %3u derived, %u failures\n", check.cpu, plain + derived, derived, check.failures);
	return check.failures ? 1 : 0;
}
