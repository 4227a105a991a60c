/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The histograms of a set as a file of JSON, with all that is needed to tell later which functions their addresses are
 * in; doc/profiles.md describes it, and papi_profile import reads it.
 *
 * The text is made in memory, and the file gets its name when it is whole: what was there before stays until then.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "core/overflow.h"
#include "core/profil.h"
#include "events/events.h"
#include "linux/machine/hardware.h"

/* Of what the file has; a reader of another number does not understand it. */
#define FORMAT   1
#define ATTEMPTS 100 /* names that are tried for the new file */

static void put_text(FILE *out, const char *name, const char *value)
{
	fprintf(out, " \"%s\": ", name);
	papi_json_string(out, value);
	fputs(",\n", out);
}

/* ---- The program --------------------------------------------------------------------------------------- */

static void put_command(FILE *out)
{
	size_t length = 0;
	char *words = papi_linux_read_whole("/proc/self/cmdline", &length);

	fputs(" \"command\": [", out);
	for (size_t at = 0; words && at < length; at += strlen(words + at) + 1) {
		fputs(at ? ", " : "", out);
		papi_json_string(out, words + at);
	}
	fputs("],\n", out);
	free(words);
}

static void put_run(FILE *out)
{
	const PAPI_hw_info_t *hardware = papi_hardware_get();
	char *directory = getcwd(NULL, 0), written[32];
	struct utsname kernel;
	time_t seconds = time(NULL);
	struct tm utc;

	strftime(written, sizeof(written), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
	fprintf(out, " \"papi_profil\": %d,\n \"papi_version\": \"%d.%d.%d.%d\",\n", FORMAT,
		PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
		PAPI_VERSION_INCREMENT(PAPI_VERSION));
	put_command(out);
	put_text(out, "directory", directory);
	put_text(out, "written", written);
	put_text(out, "machine", hardware ? hardware->model_string : "");
	put_text(out, "kernel", uname(&kernel) == 0 ? kernel.release : "");
	fprintf(out, " \"process_id\": %d,\n", (int)getpid());
	free(directory);
}

/* An object of the dynamic linker that has something in [start, end). */
struct object {
	uint64_t start, end;
	const unsigned char *build_id; /* NULL: none is known */
	size_t size;
};

/* The notes of a segment, each a header, a name and its contents, all in fours. */
static void find_build_id(struct object *object, const char *notes, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)notes;
		size_t name = (note->n_namesz + (size_t)3) & ~(size_t)3,
		       contents = (note->n_descsz + (size_t)3) & ~(size_t)3, whole = sizeof(*note) + name + contents;

		if (whole > size)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(note + 1, "GNU", 4)) {
			object->build_id = (const unsigned char *)(note + 1) + name;
			object->size = note->n_descsz;
			return;
		}
		notes += whole;
		size -= whole;
	}
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object *object = data;
	bool is_it = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		uint64_t at = info->dlpi_addr + header->p_vaddr;

		is_it |= header->p_type == PT_LOAD && at < object->end && at + header->p_memsz > object->start;
	}
	for (unsigned i = 0; is_it && !object->build_id && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			find_build_id(object, (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
				info->dlpi_phdr[i].p_memsz);
	return is_it;
}

/* Of what is mapped there. */
static void put_build_id(FILE *out, uint64_t start, uint64_t end)
{
	struct object object = { .start = start, .end = end };

	dl_iterate_phdr(look_at, &object);
	if (!object.build_id)
		return;
	fputs(", \"build_id\": \"", out);
	for (size_t i = 0; i < object.size; i++)
		fprintf(out, "%02x", object.build_id[i]);
	putc('"', out);
}

static const char *behind_word(const char *text)
{
	text += strspn(text, " ");
	return text + strcspn(text, " ");
}

/* A line of the kernel's list of mappings, "START-END rwxp OFFSET DEVICE INODE PATH"; those of code are written. */
static bool put_mapping(FILE *out, const char *line, bool first)
{
	char *at;
	uint64_t start = strtoull(line, &at, 16), end = *at == '-' ? strtoull(at + 1, &at, 16) : 0, offset;
	const char *path;

	if (end <= start || strlen(at) < sizeof(" rwxp 0") - 1 || at[3] != 'x')
		return false;
	offset = strtoull(at + sizeof(" rwxp"), &at, 16);
	path = behind_word(behind_word(at));
	path += strspn(path, " ");
	fprintf(out, "%s\n  {\"start\": \"0x%" PRIx64 "\", \"end\": \"0x%" PRIx64 "\", \"offset\": \"0x%" PRIx64 "\"",
		first ? "" : ",", start, end, offset);
	put_build_id(out, start, end);
	fputs(", \"path\": ", out);
	papi_json_string(out, path);
	putc('}', out);
	return true;
}

static void put_mappings(FILE *out)
{
	char *lines = papi_linux_read_whole("/proc/self/maps", NULL), *rest = lines, *line;
	bool any = false;

	fputs(" \"mappings\": [", out);
	while (rest && (line = strsep(&rest, "\n")))
		any |= put_mapping(out, line, !any);
	fputs("\n ],\n", out);
	free(lines);
}

/* ---- Histograms ---------------------------------------------------------------------------------------- */

static uint64_t bucket_at(const PAPI_sprofil_t *region, unsigned bytes, size_t i)
{
	switch (bytes) {
	case 2:
		return __atomic_load_n((const uint16_t *)region->pr_base + i, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)region->pr_base + i, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)region->pr_base + i, __ATOMIC_RELAXED);
	}
}

static void put_region(FILE *out, const PAPI_sprofil_t *region, unsigned bytes)
{
	size_t n = region->pr_scale == PAPI_PROFIL_SCALE_WHOLE ? 1 : region->pr_size / bytes;
	bool any = false;

	fprintf(out, "\n    {\"offset\": \"0x%" PRIxPTR "\", \"scale\": %u, \"counts\": [", (uintptr_t)region->pr_off,
		region->pr_scale);
	for (size_t i = 0; i < n; i++) {
		uint64_t count = bucket_at(region, bytes, i);

		if (count)
			fprintf(out, "%s[%zu, \"%" PRIu64 "\"]", any ? ", " : "", i, count);
		any |= count != 0;
	}
	fputs("]}", out);
}

static void put_histogram(FILE *out, const struct papi_sampler *sampler)
{
	const struct papi_profil *profil = sampler->profil;

	fputs("\n  {\"event\": ", out);
	papi_json_string(out, papi_event_name(sampler->code));
	fprintf(out,
		", \"threshold\": %lld, \"bucket_bytes\": %u, \"flags\": %d, \"delivered\": %lld, \"lost\": %lld,"
		"\n   \"regions\": [",
		sampler->threshold, profil->bucket, profil->flags, sampler->delivered, sampler->lost);
	for (unsigned i = 0; i < profil->n; i++) {
		fputs(i ? "," : "", out);
		put_region(out, &profil->regions[i], profil->bucket);
	}
	fputs("\n   ]}", out);
}

static void put_histograms(FILE *out, const struct papi_sampling *sampling)
{
	bool any = false;

	fputs(" \"histograms\": [", out);
	for (unsigned i = 0; i < sampling->n; i++) {
		if (!sampling->samplers[i].profil)
			continue;
		fputs(any ? "," : "", out);
		put_histogram(out, &sampling->samplers[i]);
		any = true;
	}
	fputs("\n ]\n}\n", out);
}

/* NULL when memory has ended. */
static char *make_text(const struct papi_eventset *set, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	bool failed;

	if (!out)
		return NULL;
	fputs("{\n", out);
	put_run(out);
	put_mappings(out);
	put_histograms(out, set->sampling);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return text;
	free(text);
	return NULL;
}

/* ---- The file ------------------------------------------------------------------------------------------ */

static int failed(const char *what, const char *path)
{
	return papi_error(PAPI_ESYS, "cannot %s %s: %s", what, path, strerror(errno));
}

/* A file beside it that nobody has; -1 with errno. */
static int open_beside(const char *path, char *other, size_t size)
{
	int file;

	for (int i = 0; i < ATTEMPTS; i++) {
		snprintf(other, size, "%s.%d-%d", path, (int)getpid(), i);
		file = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (file >= 0 || errno != EEXIST)
			return file;
	}
	return -1;
}

static int write_beside(const char *path, char *other, size_t room, const char *text, size_t size)
{
	int file = open_beside(path, other, room), status = PAPI_OK;

	if (file < 0)
		return failed("make", path);
	if (!papi_write_all(file, text, size))
		status = failed("write", path);
	if (close(file) != 0 && status == PAPI_OK)
		status = failed("write", path);
	if (status == PAPI_OK && rename(other, path) != 0)
		status = failed("make", path);
	if (status != PAPI_OK)
		unlink(other);
	return status;
}

static int write_file(const char *path, const char *text, size_t size)
{
	size_t room = strlen(path) + 32;
	char *other = malloc(room);
	int status;

	if (!other)
		return papi_error(PAPI_ENOMEM, "no memory to write histograms");
	status = write_beside(path, other, room, text, size);
	free(other);
	return status;
}

int papi_profil_write(const struct papi_eventset *set, const char *path)
{
	size_t size = 0;
	char *text;
	int status;

	if (!papi_overflow_uses(set, true))
		return papi_error(PAPI_EINVAL,
			"no event of the EventSet has a histogram: PAPI_profil() gives it one, and as long as that is "
			"not turned off it can be written");
	if (!*path)
		return papi_error(PAPI_EINVAL, "the file to write histograms to has no name");
	text = make_text(set, &size);
	if (!text)
		return papi_error(PAPI_ENOMEM, "no memory to write histograms");
	status = write_file(path, text, size);
	free(text);
	return status;
}
