/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keep.c - peaks in a file of their own, for a machine is measured once: below XDG_CACHE_HOME, or else ~/.cache. Its
 * name has a hash of the processor's model and the number of CPUs, and so another machine has another file.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "papi_roofline/papi_roofline.h"
#include "whole_file.h"

#define HEAD "papi_roofline 1"

static uint64_t hash_of(const struct papi_roofline *roofline)
{
	uint64_t hash = 0xcbf29ce484222325u ^ roofline->cpus;

	for (const char *at = roofline->cpu; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
	return hash;
}

/* False: there is no place for it. With make, its folders are made. */
static bool path_of(const struct papi_roofline *roofline, char *path, size_t size, bool make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int used;

	if (cache && *cache == '/')
		used = snprintf(path, size, "%s", cache);
	else if (home && *home == '/')
		used = snprintf(path, size, "%s/.cache", home);
	else
		return false;
	if (used < 0 || (size_t)used + 64 > size)
		return false;
	if (make)
		mkdir(path, 0700);
	snprintf(path + used, size - (size_t)used, "/papi");
	if (make)
		mkdir(path, 0700);
	snprintf(path + used, size - (size_t)used, "/papi/roofline-%016llx.txt", (unsigned long long)hash_of(roofline));
	return true;
}

/* "memory 1024 fma 1.5e9 0.1 3e9 0.2 L1": the name comes last, for it has blanks. */
static bool read_peak(char *line, struct papi_roofline_peak *peak)
{
	double *const numbers[] = { &peak->bytes, &peak->one.best, &peak->one.spread, &peak->all.best,
		&peak->all.spread };
	char *rest = line + 2, *tab = strchr(line, '\t');

	memset(peak, 0, sizeof(*peak));
	if ((*line != 'm' && *line != 'f') || line[1] != ' ' || !tab)
		return false;
	peak->is_memory = *line == 'm';
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char *end;

		*numbers[i] = strtod(rest, &end);
		if (end == rest || !(*numbers[i] >= 0) || *numbers[i] > 1e18)
			return false;
		rest = end;
	}
	if (rest != tab || peak->one.spread > 1 || peak->all.spread > 1 || peak->one.best == 0 || peak->all.best == 0)
		return false;
	rest = strchr(tab + 1, '\t');
	if (!rest)
		return false;
	snprintf(peak->kernel, sizeof(peak->kernel), "%.*s", (int)(rest - tab - 1), tab + 1);
	snprintf(peak->name, sizeof(peak->name), "%s", rest + 1);
	return *peak->name != '\0';
}

/* Whatever is not as it is written here is not used. */
static bool read_all(FILE *file, struct papi_roofline *roofline)
{
	char *line = NULL;
	size_t room = 0, lines = 0;
	bool good = true;

	for (; good && getline(&line, &room, file) > 0; lines++) {
		line[strcspn(line, "\n")] = '\0';
		if (lines == 0)
			good = strcmp(line, HEAD) == 0;
		else if (lines == 1)
			good = strcmp(line, roofline->cpu) == 0;
		else if (lines == 2)
			roofline->when = strtoll(line, NULL, 10);
		else
			good = roofline->n < PAPI_ROOFLINE_PEAKS && read_peak(line, &roofline->peaks[roofline->n++]);
	}
	free(line);
	return good && papi_roofline_highest(roofline, true) && papi_roofline_highest(roofline, false);
}

bool papi_roofline_load(struct papi_roofline *roofline)
{
	char path[4096];
	FILE *file = path_of(roofline, path, sizeof(path), false) ? fopen(path, "re") : NULL;
	bool good;

	if (!file)
		return false;
	good = read_all(file, roofline);
	fclose(file);
	if (!good)
		roofline->n = 0;
	return good;
}

static void write_all(FILE *out, const struct papi_roofline *roofline)
{
	fprintf(out, HEAD "\n%s\n%lld\n", roofline->cpu, roofline->when);
	for (unsigned i = 0; i < roofline->n; i++) {
		const struct papi_roofline_peak *peak = &roofline->peaks[i];

		fprintf(out, "%c %.0f %.9g %.6f %.9g %.6f\t%s\t%s\n", peak->is_memory ? 'm' : 'f', peak->bytes,
			peak->one.best, peak->one.spread, peak->all.best, peak->all.spread, peak->kernel, peak->name);
	}
}

void papi_roofline_keep(const struct papi_roofline *roofline)
{
	char path[4096] = "", reason[1024], *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	bool kept = false;

	snprintf(reason, sizeof(reason), "neither XDG_CACHE_HOME nor HOME names a directory");
	if (out) {
		write_all(out, roofline);
		kept = fclose(out) == 0 && path_of(roofline, path, sizeof(path), true) &&
			papi_whole_file_write(path, text, length, reason, sizeof(reason));
	}
	if (!kept)
		fprintf(stderr, "papi_roofline: not kept for the next time%s%s: %s\n", *path ? ": " : "", path, reason);
	free(text);
}
