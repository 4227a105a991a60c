/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_modules.c - which files the program consists of, with their build-ids, and which its command line names.
 *
 * Modules are the file that the kernel loads (of a script, its interpreter) and the libraries that the dynamic linker
 * loads with it: the linker itself is asked, for it alone knows. What a program loads later on its own is not known
 * before it does. Inputs are words of the command that name a regular file, a script, and standard input when it is
 * one; a hash tells whether two are the same.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "escape.h"
#include "papi_run.h"

#define MAX_INTERPRETERS 4             /* of a script whose interpreter is a script: as many as the kernel follows */
#define LARGEST_HASHED   (256LL << 20) /* a file of more bytes is known by its size alone */
#define ID_MAX           64            /* bytes of a build-id */

struct module {
	char *path;
	char id[2 * ID_MAX + 1]; /* "": it has none */
};

struct input {
	char *path; /* NULL: standard input */
	long long bytes;
	uint64_t hash;
	bool hashed;
};

struct run_modules {
	struct module *modules;
	size_t n_modules;
	struct input *inputs;
	size_t n_inputs;
};

/* A file in memory, to be read. */
struct view {
	const unsigned char *bytes;
	size_t size;
};

static bool view_file(struct view *view, int file, size_t size)
{
	void *memory = file >= 0 && size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;

	*view = (struct view){ memory, size };
	return memory != MAP_FAILED;
}

static bool view_path(struct view *view, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	bool good = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		view_file(view, file, (size_t)status.st_size);

	if (file >= 0)
		close(file);
	return good;
}

static void view_close(struct view *view)
{
	munmap((void *)(uintptr_t)view->bytes, view->size);
}

/* Copies a part; false where the file ends before. */
static bool take(const struct view *view, uint64_t at, void *to, size_t size)
{
	if (at > view->size || view->size - at < size)
		return false;
	memcpy(to, view->bytes + at, size);
	return true;
}

static bool is_elf(const struct view *view, Elf64_Ehdr *header)
{
	return take(view, 0, header, sizeof(*header)) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
		header->e_ident[EI_CLASS] == ELFCLASS64;
}

static bool find_segment(const struct view *view, uint32_t type, unsigned *from, Elf64_Phdr *segment)
{
	Elf64_Ehdr header;

	if (!is_elf(view, &header))
		return false;
	for (; *from < header.e_phnum; (*from)++)
		if (take(view, header.e_phoff + *from * sizeof(*segment), segment, sizeof(*segment)) &&
			segment->p_type == type)
			return true;
	return false;
}

static uint64_t padded(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

static bool read_id_of_notes(const struct view *view, const Elf64_Phdr *segment, char *id)
{
	uint64_t at = segment->p_offset, end = at + segment->p_filesz;
	Elf64_Nhdr note;

	for (; at < end && take(view, at, &note, sizeof(note)); at += padded(note.n_namesz) + padded(note.n_descsz)) {
		unsigned char bytes[ID_MAX];
		char name[4];

		at += sizeof(note);
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(name) || note.n_descsz > ID_MAX ||
			!take(view, at, name, sizeof(name)) || memcmp(name, "GNU", sizeof(name)) != 0 ||
			!take(view, at + sizeof(name), bytes, note.n_descsz))
			continue;
		for (unsigned i = 0; i < note.n_descsz; i++)
			snprintf(id + 2 * i, 3, "%02x", bytes[i]);
		return true;
	}
	return false;
}

static void read_id(const struct view *view, char *id)
{
	Elf64_Phdr segment;

	*id = '\0';
	for (unsigned i = 0; find_segment(view, PT_NOTE, &i, &segment); i++)
		if (read_id_of_notes(view, &segment, id))
			return;
}

static void add_module(struct run_modules *modules, const char *path)
{
	struct module *module;
	struct view view;

	modules->modules = papi_run_allocate(modules->modules, modules->n_modules + 1, sizeof(*module));
	module = &modules->modules[modules->n_modules++];
	module->path = papi_run_format("%s", path);
	module->id[0] = '\0';
	if (!view_path(&view, path))
		return;
	read_id(&view, module->id);
	view_close(&view);
}

/* What "LINKER --list PROGRAM" says: lines like "	libc.so.6 => /lib/libc.so.6 (0x7f00)", some without an arrow. */
static void read_list(struct run_modules *modules, FILE *list)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, list) > 0) {
		char *path = strstr(line, "=> "), *end = strstr(line, " (0x");

		path = path ? path + 3 : line + strspn(line, " \t");
		if (*path != '/' || !end || end < path)
			continue;
		*end = '\0';
		add_module(modules, path);
	}
	free(line);
}

/* Asks the dynamic linker which libraries it loads. Without an answer they are not known. */
static void ask_linker(struct run_modules *modules, char *linker, char *path)
{
	static char option[] = "--list";
	char *const command[] = { linker, option, path, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	FILE *list;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	list = fdopen(ends[0], "r");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (list && posix_spawn(&pid, linker, &actions, NULL, command, environ) == 0) {
		close(ends[1]);
		ends[1] = -1;
		read_list(modules, list);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	if (ends[1] >= 0)
		close(ends[1]);
	if (list)
		fclose(list);
	else
		close(ends[0]);
	posix_spawn_file_actions_destroy(&actions);
}

/* The interpreter of a script, for the caller to free; NULL: it is none. */
static char *interpreter_of(const struct view *view)
{
	const char *text = (const char *)view->bytes;
	size_t size = view->size < 1024 ? view->size : 1024, start = 2, end;

	if (size < 3 || memcmp(text, "#!", 2) != 0)
		return NULL;
	while (start < size && (text[start] == ' ' || text[start] == '\t'))
		start++;
	for (end = start; end < size && !memchr(" \t\r\n", text[end], 5); end++)
		continue;
	return papi_run_format("%.*s", (int)(end - start), text + start);
}

static void find_modules(struct run_modules *modules, const char *path)
{
	char *image = papi_run_format("%s", path), *linker = NULL, *next;
	struct view view;

	for (int i = 0; i < MAX_INTERPRETERS && view_path(&view, image); i++) {
		unsigned number = 0;
		Elf64_Phdr segment;

		next = interpreter_of(&view);
		if (!next && find_segment(&view, PT_INTERP, &number, &segment) && segment.p_filesz < 4096 &&
			segment.p_offset < view.size && segment.p_filesz <= view.size - segment.p_offset)
			linker = papi_run_format(
				"%.*s", (int)segment.p_filesz, (const char *)view.bytes + segment.p_offset);
		view_close(&view);
		if (!next)
			break;
		free(image);
		image = next;
	}
	add_module(modules, image);
	if (linker)
		ask_linker(modules, linker, image);
	free(linker);
	free(image);
}

/* FNV-1a: enough to tell two versions of a file apart, and no more. */
static uint64_t hash_of(const struct view *view)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < view->size; i++)
		hash = (hash ^ view->bytes[i]) * 0x100000001b3u;
	return hash;
}

/* path NULL: standard input. */
static void add_input(struct run_modules *modules, const char *path)
{
	int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
	struct stat status;
	struct input *input;
	struct view view;

	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
		modules->inputs = papi_run_allocate(modules->inputs, modules->n_inputs + 1, sizeof(*input));
		input = &modules->inputs[modules->n_inputs++];
		*input = (struct input){ .path = path ? papi_run_format("%s", path) : NULL, .bytes = status.st_size };
		if (input->bytes <= LARGEST_HASHED && view_file(&view, file, (size_t)status.st_size)) {
			input->hash = hash_of(&view);
			input->hashed = true;
			view_close(&view);
		}
	}
	if (path && file >= 0)
		close(file);
}

static void find_inputs(struct run_modules *modules, const char *path, char *const command[])
{
	struct view view;

	if (view_path(&view, path)) {
		Elf64_Ehdr header;
		bool text = !is_elf(&view, &header);

		view_close(&view);
		if (text)
			add_input(modules, path);
	}
	for (size_t i = 1; command[i]; i++)
		add_input(modules, command[i]);
	add_input(modules, NULL);
}

struct run_modules *papi_run_modules_find(const char *path, char *const command[])
{
	struct run_modules *modules = papi_run_allocate(NULL, 1, sizeof(*modules));

	memset(modules, 0, sizeof(*modules));
	find_modules(modules, path);
	find_inputs(modules, path, command);
	return modules;
}

void papi_run_modules_json(FILE *out, const struct run_modules *modules)
{
	fputs("  \"modules\": [", out);
	for (size_t i = 0; i < modules->n_modules; i++) {
		const struct module *module = &modules->modules[i];

		fprintf(out, "%s\n    {\"path\": ", i ? "," : "");
		papi_escape_json(out, module->path);
		fprintf(out, module->id[0] ? ", \"build_id\": \"%s\"}" : ", \"build_id\": null}", module->id);
	}
	fputs("\n  ],\n  \"inputs\": [", out);
	for (size_t i = 0; i < modules->n_inputs; i++) {
		const struct input *input = &modules->inputs[i];

		fprintf(out, "%s\n    {\"path\": ", i ? "," : "");
		if (input->path)
			papi_escape_json(out, input->path);
		else
			fputs("null", out);
		fprintf(out,
			input->hashed ? ", \"bytes\": %lld, \"hash\": \"%016llx\"}"
				      : ", \"bytes\": %lld, \"hash\": null}",
			input->bytes, (unsigned long long)input->hash);
	}
	fputs(modules->n_inputs ? "\n  ],\n" : "],\n", out);
}

void papi_run_modules_free(struct run_modules *modules)
{
	if (!modules)
		return;
	for (size_t i = 0; i < modules->n_modules; i++)
		free(modules->modules[i].path);
	for (size_t i = 0; i < modules->n_inputs; i++)
		free(modules->inputs[i].path);
	free(modules->modules);
	free(modules->inputs);
	free(modules);
}
