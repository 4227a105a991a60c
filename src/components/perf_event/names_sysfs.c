/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's own names: `cpu/instructions/`, `msr/tsc/`, `cpu_atom/event=0xc0,umask=0x01/uk`.
 *
 * Every PMU has a directory with its type, its named events ("event=0x3c,umask=0x00") and its format: which bits of
 * which config word a field occupies ("config:0-7,21"). So any PMU that the kernel knows can be used on the day it
 * ships. A PMU with a cpumask belongs to the package: its events are opened on the CPUs listed there.
 * Source: kernel documentation, ABI testing/sysfs-bus-event_source-devices-{events,format}; perf_event_open(2).
 */
#include "components/perf_event/names_sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/lists.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/reasons.h"
#include "linux/proc/cpus.h"

#define DEVICES  "/sys/bus/event_source/devices"
#define MAX_CPUS 1024

struct parse {
	const char *name; /* whole, for messages */
	char pmu[64];
	struct perf_event_attr attr;
	unsigned depth; /* of named events within named events */
};

static int term(struct parse *parse, char *text);

static int each_term(struct parse *parse, char *terms)
{
	char *one;

	while ((one = strsep(&terms, ","))) {
		int status;

		while (isspace((unsigned char)*one))
			one++;
		status = *one ? term(parse, one) : PAPI_OK;
		if (status != PAPI_OK)
			return status;
	}
	return PAPI_OK;
}

static bool read_text(
	char *buffer, size_t size, const char *pmu, const char *folder, const char *file, const char *suffix)
{
	char path[384];

	if ((size_t)snprintf(path, sizeof(path), DEVICES "/%s/%s%s%s%s", pmu, folder, *folder ? "/" : "", file,
		    suffix) >= sizeof(path))
		return false;
	return papi_linux_read_line(path, buffer, size) > 0;
}

/* Puts the low bits of value where a format like "config1:0-7,32-35" says, lowest first. */
static int scatter(struct parse *parse, const char *field, const char *format, unsigned long long value)
{
	const char *position = format;
	unsigned long long left = value, bits = 0;
	__u64 *word;

	if (!strncmp(position, "config:", 7))
		word = &parse->attr.config;
	else if (!strncmp(position, "config1:", 8))
		word = &parse->attr.config1;
	else if (!strncmp(position, "config2:", 8))
		word = &parse->attr.config2;
	else
		return papi_error(PAPI_ENOSUPP, "%.160s: field %s of PMU %s is in %s, which this library does not set",
			parse->name, field, parse->pmu, format);
	position = strchr(position, ':') + 1;
	while (*position) {
		char *end;
		unsigned long first = strtoul(position, &end, 10), last = first;

		if (end == position || first > 63)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long bit = first; bit <= last && bit < 64; bit++) {
			bits |= (left & 1) << bit;
			left >>= 1;
		}
		position = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			break;
	}
	if (left)
		return papi_error(PAPI_EINVAL, "%.160s: 0x%llx is too large for field %s of PMU %s (%s)", parse->name,
			value, field, parse->pmu, format);
	*word |= bits;
	return PAPI_OK;
}

static bool set_whole_word(struct parse *parse, const char *field, unsigned long long value)
{
	if (!strcmp(field, "config"))
		parse->attr.config = value;
	else if (!strcmp(field, "config1"))
		parse->attr.config1 = value;
	else if (!strcmp(field, "config2"))
		parse->attr.config2 = value;
	else
		return false;
	return true;
}

/* "field=value", "field" for field=1, or the name of an event of the PMU. */
static int term(struct parse *parse, char *text)
{
	char buffer[512], *equals = strchr(text, '='), *end;
	unsigned long long value = 1;

	if (strchr(text, '.') || strstr(text, ".."))
		return papi_error(PAPI_ENOEVNT, "%.160s: \"%.64s\" is no event or field of PMU %s", parse->name, text,
			parse->pmu);
	if (!equals && read_text(buffer, sizeof(buffer), parse->pmu, "events", text, "")) {
		int status;

		if (++parse->depth > 4)
			return papi_error(PAPI_EINVAL, "%.160s: events defined by each other", parse->name);
		status = each_term(parse, buffer);
		parse->depth--;
		return status;
	}
	if (equals) {
		*equals = '\0';
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
		if (end == equals + 1 || *end || errno || equals[1] == '-')
			return papi_error(PAPI_EINVAL, "%.160s: \"%.64s\" is no value for field %.64s", parse->name,
				equals + 1, text);
	}
	if (equals && set_whole_word(parse, text, value))
		return PAPI_OK;
	if (read_text(buffer, sizeof(buffer), parse->pmu, "format", text, ""))
		return scatter(parse, text, buffer, value);
	return papi_error(PAPI_ENOEVNT, "%.160s: PMU %s has no event or field \"%.64s\"; see " DEVICES "/%s",
		parse->name, parse->pmu, text, parse->pmu);
}

/* u, k, h after the last slash: the modes to count in, instead of the EventSet's domain. */
static int modifiers(struct parse *parse, const char *letters, bool *own_modes)
{
	*own_modes = *letters;
	if (*letters)
		parse->attr.exclude_user = parse->attr.exclude_kernel = parse->attr.exclude_hv = 1;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'u':
			parse->attr.exclude_user = 0;
			break;
		case 'k':
			parse->attr.exclude_kernel = 0;
			break;
		case 'h':
			parse->attr.exclude_hv = 0;
			break;
		default:
			return papi_error(PAPI_EINVAL,
				"%.160s: modifier \"%c\" after the last slash is not one of u, k, h", parse->name,
				*letters);
		}
	}
	return PAPI_OK;
}

struct cpus {
	int *list;
	unsigned n;
	bool full; /* and there are more */
};

static int collect(int cpu, void *data)
{
	struct cpus *cpus = data;

	cpus->full = cpus->n == MAX_CPUS;
	if (cpus->full)
		return -1;
	cpus->list[cpus->n++] = cpu;
	return 0;
}

/* 0: opened on threads; > 0: on these CPUs; -1: neither, with the reason in the detail. */
static int wide_cpus(const char *pmu, int **list)
{
	struct cpus cpus = { 0 };
	char path[384], text[16];

	*list = NULL;
	/* A PMU of cores lists its CPUs in "cpus", or is called "cpu". */
	if (!strcmp(pmu, "cpu") || read_text(text, sizeof(text), pmu, "", "cpus", ""))
		return 0;
	snprintf(path, sizeof(path), DEVICES "/%s/cpumask", pmu);
	if (!papi_linux_exists(path))
		return 0;
	cpus.list = calloc(MAX_CPUS, sizeof(*cpus.list));
	if (!cpus.list) {
		papi_error(PAPI_ENOMEM, "no memory for the CPUs of PMU %s", pmu);
		return -1;
	}
	if (papi_linux_read_list(path, collect, &cpus) < 0 || !cpus.n || cpus.full) {
		free(cpus.list);
		papi_error(PAPI_ESYS, "the CPUs on which PMU %s is to be opened cannot be read from %s", pmu, path);
		return -1;
	}
	*list = cpus.list;
	return (int)cpus.n;
}

static bool is_core(const char *pmu)
{
	char text[16];

	return !strcmp(pmu, "cpu") || read_text(text, sizeof(text), pmu, "", "cpus", "") || !strncmp(pmu, "armv", 4);
}

/* The name of the PMU that the kernel numbers so. */
static bool find_pmu(unsigned type, char *name, size_t size)
{
	DIR *directory = papi_linux_open_directory(DEVICES);
	struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		char path[384];
		long long number;

		snprintf(path, sizeof(path), DEVICES "/%s/type", entry->d_name);
		found = entry->d_name[0] != '.' && !papi_linux_read_int(path, &number) && number == type &&
			(size_t)snprintf(name, size, "%s", entry->d_name) < size;
	}
	if (directory)
		closedir(directory);
	return found;
}

int papi_perf_sysfs_cpus(unsigned type, int **cpus)
{
	char pmu[256];

	*cpus = NULL;
	if (find_pmu(type, pmu, sizeof(pmu)))
		return wide_cpus(pmu, cpus);
	papi_error(PAPI_ENOEVNT, "the kernel has no PMU of type %u", type);
	return -1;
}

bool papi_perf_sysfs_names(const struct perf_event_attr *attr)
{
	struct parse parse = { .name = parse.pmu };
	char path[384], terms[512];
	struct dirent *entry;
	bool named = false;
	DIR *directory;

	if (!find_pmu(attr->type, parse.pmu, sizeof(parse.pmu)))
		return false;
	snprintf(path, sizeof(path), DEVICES "/%s/events", parse.pmu);
	directory = papi_linux_open_directory(path);
	while (directory && !named && (entry = readdir(directory))) {
		parse.attr.config = 0;
		/* With a dot they are properties of an event. */
		named = !strchr(entry->d_name, '.') &&
			read_text(terms, sizeof(terms), parse.pmu, "events", entry->d_name, "") &&
			each_term(&parse, terms) == PAPI_OK && parse.attr.config == attr->config;
	}
	if (directory)
		closedir(directory);
	return named;
}

static int count(int cpu, void *data)
{
	(void)cpu;
	++*(int *)data;
	return 0;
}

/* Whether the PMU is that of some cores only, as on hybrid CPUs. */
static bool has_some_cores(const char *pmu)
{
	char path[256];
	int listed = 0, cpu;

	snprintf(path, sizeof(path), DEVICES "/%.128s/cpus", pmu);
	if (papi_linux_read_list(path, count, &listed) < 0 || !listed)
		return false;
	return listed < papi_linux_online_cpus(&cpu, 1);
}

void papi_perf_sysfs_spread(struct papi_perf_encoding *encoding)
{
	/* A machine with a PMU called "cpu" has one kind of cores. */
	DIR *directory = papi_linux_exists(DEVICES "/cpu") ? NULL : papi_linux_open_directory(DEVICES);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char path[384];
		long long type;

		snprintf(path, sizeof(path), DEVICES "/%.255s/type", entry->d_name);
		if (entry->d_name[0] == '.' || !has_some_cores(entry->d_name) || papi_linux_read_int(path, &type) ||
			encoding->n_core_pmus == sizeof(encoding->core_pmus) / sizeof(encoding->core_pmus[0]))
			continue;
		encoding->core_pmus[encoding->n_core_pmus++] = (unsigned)type;
	}
	if (directory)
		closedir(directory);
	encoding->some_cores = encoding->n_core_pmus;
}

static void set_unit(struct papi_perf_encoding *encoding, const char *pmu, const char *terms)
{
	char unit[32], number[48];

	if (!read_text(unit, sizeof(unit), pmu, "events", terms, ".unit"))
		return;
	if (read_text(number, sizeof(number), pmu, "events", terms, ".scale") && strtod(number, NULL) != 1)
		snprintf(encoding->unit, sizeof(encoding->unit), "%.6g %.16s", strtod(number, NULL), unit);
	else
		snprintf(encoding->unit, sizeof(encoding->unit), "%.31s", unit);
}

static int make(struct parse *parse, const char *terms, bool own_modes, struct papi_perf_encoding **resolved)
{
	struct papi_perf_encoding *encoding;
	int *cpus, n_cpus = wide_cpus(parse->pmu, &cpus);

	if (n_cpus < 0)
		return papi_error_code();
	encoding = papi_perf_encoding_make(PAPI_PERF_SYSFS, (unsigned)n_cpus);
	if (encoding) {
		encoding->attr = parse->attr;
		encoding->core = is_core(parse->pmu);
		encoding->some_cores = has_some_cores(parse->pmu);
		encoding->own_modes = own_modes;
		if (n_cpus)
			memcpy(encoding->cpus, cpus, (size_t)n_cpus * sizeof(*cpus));
		set_unit(encoding, parse->pmu, terms);
		snprintf(encoding->summary, sizeof(encoding->summary), "Event %.40s of the kernel's PMU %.40s", terms,
			parse->pmu);
		*resolved = encoding;
	}
	free(cpus);
	return encoding ? PAPI_OK : PAPI_ENOMEM;
}

int papi_perf_sysfs_resolve(const char *name, struct papi_perf_encoding **encoding)
{
	struct parse parse = { .name = name };
	const char *first = strchr(name, '/'), *last = strrchr(name, '/');
	char terms[PAPI_HUGE_STR_LEN], copy[PAPI_HUGE_STR_LEN], path[256];
	long long type;
	bool own_modes;
	int status;

	if (!first || strchr(name, ':'))
		return PAPI_ECMP;
	if (first == last || first == name || last - first < 2 || (size_t)(first - name) >= sizeof(parse.pmu))
		return papi_error(PAPI_ENOEVNT,
			"%.160s: the kernel's event names have the form pmu/event/ or pmu/field=value,.../", name);
	snprintf(parse.pmu, sizeof(parse.pmu), "%.*s", (int)(first - name), name);
	snprintf(terms, sizeof(terms), "%.*s", (int)(last - first - 1), first + 1);
	snprintf(path, sizeof(path), DEVICES "/%s/type", parse.pmu);
	if (strchr(terms, '/') || parse.pmu[0] == '.' || papi_linux_read_int(path, &type)) {
		/* Tables name the PMU of the cores this way: where there is none at all, that is the reason to tell. */
		if ((!strncmp(parse.pmu, "cpu", 3) || !strncmp(parse.pmu, "armv", 4)) && !papi_perf_core_pmu())
			return papi_error_prefix(papi_error_code(), "the kernel has no PMU \"%s\"", parse.pmu);
		return papi_error(PAPI_ENOEVNT, "%.160s: the kernel has no PMU \"%s\"; see " DEVICES, name, parse.pmu);
	}
	parse.attr.size = sizeof(parse.attr);
	parse.attr.type = (unsigned)type;
	snprintf(copy, sizeof(copy), "%s", terms);
	status = each_term(&parse, copy);
	if (status == PAPI_OK)
		status = modifiers(&parse, last + 1, &own_modes);
	return status == PAPI_OK ? make(&parse, terms, own_modes, encoding) : status;
}

/* The listing: "pmu/event/" of all PMUs, sorted, made when first asked for. */
static struct {
	char **names;
	unsigned n;
	bool made;
} list;

static void list_events_of(const char *pmu)
{
	char path[384];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), DEVICES "/%s/events", pmu);
	directory = papi_linux_open_directory(path);
	while (directory && (entry = readdir(directory))) {
		char name[PAPI_HUGE_STR_LEN], **larger;

		/* With a dot they are properties of an event: .unit, .scale, .snapshot. */
		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(name, sizeof(name), "%.255s/%.255s/", pmu, entry->d_name);
		larger = realloc(list.names, (list.n + 1) * sizeof(*larger));
		if (!larger)
			break;
		list.names = larger;
		list.names[list.n] = strdup(name);
		if (list.names[list.n])
			list.n++;
	}
	if (directory)
		closedir(directory);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int papi_perf_sysfs_event(unsigned position, char *name, size_t size)
{
	if (!list.made) {
		DIR *directory = papi_linux_open_directory(DEVICES);
		struct dirent *entry;

		while (directory && (entry = readdir(directory)))
			if (entry->d_name[0] != '.')
				list_events_of(entry->d_name);
		if (directory)
			closedir(directory);
		if (list.n)
			qsort(list.names, list.n, sizeof(*list.names), compare);
		list.made = true;
	}
	if (position >= list.n)
		return PAPI_ENOEVNT;
	snprintf(name, size, "%s", list.names[position]);
	return PAPI_OK;
}

void papi_perf_sysfs_shutdown(void)
{
	for (unsigned i = 0; i < list.n; i++)
		free(list.names[i]);
	free(list.names);
	list.names = NULL;
	list.n = 0;
	list.made = false;
}
