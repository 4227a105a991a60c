/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi_profile/papi_profile.h"
#include "process.h"

struct papi_profile_process {
	pid_t pid;
	int64_t id;
	size_t threads;                        /* that are not known to have ended */
	char name[64];                         /* of its first thread, and of those that it starts */
	struct papi_profile_mapping *mappings; /* ascending, without overlaps */
	size_t n_mappings, room;
};

static struct papi_profile_key key_of(uint64_t first, uint64_t second)
{
	return (struct papi_profile_key){ { first, second, 0, 0 } };
}

/* ---- Processes and threads ----------------------------------------------------------------------------- */

static struct papi_profile_process *find_process(const struct papi_profile_places *places, pid_t pid)
{
	struct papi_profile_entry *entry = papi_profile_table_find(&places->processes, key_of((uint64_t)pid, 0));

	return entry ? (struct papi_profile_process *)(intptr_t)entry->value[0] : NULL;
}

static struct papi_profile_process *make_process(
	struct papi_profile_places *places, pid_t pid, int64_t parent, const char *name)
{
	struct papi_profile_process *process = papi_profile_allocate(NULL, 1, sizeof(*process));
	bool made;

	*process = (struct papi_profile_process){ .pid = pid, .id = ++places->last_process };
	snprintf(process->name, sizeof(process->name), "%s", name);
	papi_profile_table_take(&places->processes, key_of((uint64_t)pid, 0), &made)->value[0] = (intptr_t)process;
	papi_profile_store_process(places->store, process->id, pid, parent, name);
	return process;
}

/* Of a process that no record has told of, as records were lost, neither name nor mappings are known. */
static struct papi_profile_process *take_process(struct papi_profile_places *places, pid_t pid)
{
	struct papi_profile_process *process = find_process(places, pid);

	return process ? process : make_process(places, pid, 0, "");
}

static int64_t take_thread(struct papi_profile_places *places, struct papi_profile_process *process, pid_t tid)
{
	bool made;
	struct papi_profile_entry *entry = papi_profile_table_take(
		&places->threads, key_of((uint64_t)process->pid, (uint64_t)tid), &made);

	if (made) {
		entry->value[0] = ++places->last_thread;
		process->threads++;
		papi_profile_store_thread(places->store, entry->value[0], process->id, tid, process->name);
	}
	return entry->value[0];
}

int64_t papi_profile_places_process(struct papi_profile_places *places, pid_t pid)
{
	return take_process(places, pid)->id;
}

int64_t papi_profile_places_thread(struct papi_profile_places *places, pid_t pid, pid_t tid)
{
	return take_thread(places, take_process(places, pid), tid);
}

static void forget_process(struct papi_profile_places *places, struct papi_profile_process *process)
{
	struct papi_profile_entry *entry = papi_profile_table_find(
		&places->processes, key_of((uint64_t)process->pid, 0));

	if (entry)
		papi_profile_table_remove(&places->processes, entry);
	free(process->mappings);
	free(process);
}

void papi_profile_places_ended(struct papi_profile_places *places, pid_t pid, pid_t tid)
{
	struct papi_profile_entry *entry = papi_profile_table_find(
		&places->threads, key_of((uint64_t)pid, (uint64_t)tid));
	struct papi_profile_process *process = find_process(places, pid);

	if (!entry)
		return;
	papi_profile_table_remove(&places->threads, entry);
	if (process && --process->threads == 0)
		forget_process(places, process);
}

void papi_profile_places_forked(struct papi_profile_places *places, pid_t pid, pid_t parent, pid_t tid)
{
	struct papi_profile_process *from = find_process(places, parent), *process = find_process(places, pid);

	if (pid != parent) {
		/* Another one had the number, and its end was lost. */
		papi_profile_places_ended(places, pid, tid);
		process = find_process(places, pid);
		if (process)
			forget_process(places, process);
		process = make_process(places, pid, from ? from->id : 0, from ? from->name : "");
		if (from && from->n_mappings) {
			process->mappings = papi_profile_allocate(NULL, from->n_mappings, sizeof(*process->mappings));
			memcpy(process->mappings, from->mappings, from->n_mappings * sizeof(*from->mappings));
			process->n_mappings = process->room = from->n_mappings;
		}
	}
	take_thread(places, process ? process : take_process(places, pid), tid);
}

/* The command line as a JSON array, for the caller to free; NULL where nobody can tell any more. */
static char *command_of(pid_t pid)
{
	char **words, *text = NULL;
	pid_t group;
	size_t size;
	FILE *out;

	if (strchr("XZ", papi_process_state(pid, &group)))
		return NULL;
	words = papi_process_command(pid);
	out = words ? open_memstream(&text, &size) : NULL;
	if (out) {
		for (size_t i = 0; words[i]; i++) {
			fputs(i ? ", " : "[", out);
			papi_escape_json(out, words[i]);
		}
		fputc(']', out);
		fclose(out);
	}
	free(words);
	return text;
}

void papi_profile_places_named(
	struct papi_profile_places *places, pid_t pid, pid_t tid, const char *name, bool executed)
{
	struct papi_profile_process *process = take_process(places, pid);
	char *command = NULL;

	if (executed) {
		process->n_mappings = 0;
		command = command_of(pid);
	}
	if (executed || pid == tid) {
		snprintf(process->name, sizeof(process->name), "%s", name);
		papi_profile_store_process_name(places->store, process->id, name, command);
	}
	papi_profile_store_thread_name(places->store, take_thread(places, process, tid), name);
	free(command);
}

/* ---- Mappings ------------------------------------------------------------------------------------------ */

/* The first mapping that ends behind an address. */
static size_t first_behind(const struct papi_profile_process *process, uint64_t address)
{
	size_t low = 0, high = process->n_mappings;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->mappings[middle].end > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Puts one mapping at a place, in which `gone` others were. */
static void splice(struct papi_profile_process *process, size_t place, size_t gone,
	const struct papi_profile_mapping *put, size_t n_put)
{
	size_t rest = process->n_mappings - place - gone, number = process->n_mappings - gone + n_put;

	if (number > process->room) {
		process->room = 2 * number;
		process->mappings = papi_profile_allocate(process->mappings, process->room, sizeof(*process->mappings));
	}
	memmove(process->mappings + place + n_put, process->mappings + place + gone, rest * sizeof(*process->mappings));
	memcpy(process->mappings + place, put, n_put * sizeof(*put));
	process->n_mappings = number;
}

/* What it covers is gone; of a mapping that it cuts, the ends stay. */
static void put_mapping(struct papi_profile_process *process, const struct papi_profile_mapping *mapping)
{
	struct papi_profile_mapping put[3];
	size_t first = first_behind(process, mapping->start), last = first, n = 0;

	while (last < process->n_mappings && process->mappings[last].start < mapping->end)
		last++;
	if (last > first && process->mappings[first].start < mapping->start) {
		put[n] = process->mappings[first];
		put[n++].end = mapping->start;
	}
	put[n++] = *mapping;
	if (last > first && process->mappings[last - 1].end > mapping->end) {
		put[n] = process->mappings[last - 1];
		put[n].offset += mapping->end - put[n].start;
		put[n++].start = mapping->end;
	}
	splice(process, first, last - first, put, n);
}

void papi_profile_places_mapped(struct papi_profile_places *places, pid_t pid, uint64_t start, uint64_t size,
	uint64_t offset, const char *name, const struct papi_profile_build_id *build_id)
{
	struct papi_profile_process *process = take_process(places, pid);
	struct papi_profile_mapped mapped = { .name = name,
		.build_id = build_id,
		.pid = pid,
		.process = process->id,
		.start = start,
		.end = start + size };
	struct papi_profile_mapping mapping = { .start = start, .end = start + size, .offset = offset };

	if (mapping.end <= start)
		return;
	mapping.module = papi_profile_module_mapped(&mapped);
	put_mapping(process, &mapping);
}

/* A line of /proc/PID/maps: the range, the permissions, the offset, device, inode and name. */
static void present_mapping(struct papi_profile_places *places, pid_t pid, char *line)
{
	unsigned long long start, end, offset;
	char permissions[5];
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes it */
	if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %n", &start, &end, permissions, &offset, &name) < 4 || !name ||
		!strchr(permissions, 'x'))
		return;
	papi_profile_places_mapped(places, pid, start, end - start, offset, line + name, NULL);
}

static void read_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	file = fopen(path, "re");
	*name = '\0';
	if (file && fgets(name, (int)size, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

void papi_profile_places_present(struct papi_profile_places *places, pid_t pid)
{
	struct papi_process_threads threads;
	struct papi_profile_process *process;
	char path[64], name[64], *line = NULL, *command = command_of(pid);
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	read_name(pid, pid, name, sizeof(name));
	process = make_process(places, pid, 0, name);
	papi_profile_store_process_name(places->store, process->id, name, command);
	free(command);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0)
		present_mapping(places, pid, line);
	if (file)
		fclose(file);
	free(line);
	if (papi_process_threads(&threads, pid) != 0)
		return;
	for (size_t i = 0; i < threads.number; i++) {
		read_name(pid, threads.ids[i], name, sizeof(name));
		papi_profile_store_thread_name(places->store, take_thread(places, process, threads.ids[i]), name);
	}
	free(threads.ids);
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

static int64_t number_of(
	struct papi_profile_places *places, struct papi_profile_module *module, uint64_t offset, pid_t pid)
{
	char build_id[2 * PAPI_PROFILE_BUILD_ID + 1];
	struct papi_profile_entry *entry;
	bool made;

	if (!module->id) {
		module->id = ++places->last_module;
		papi_profile_store_module(places->store, module->id, module->path,
			papi_profile_module_build_id(module, build_id), papi_profile_module_kind(module, pid),
			module->process);
	}
	entry = papi_profile_table_take(&places->addresses, key_of((uint64_t)module->id, offset), &made);
	if (made) {
		entry->value[0] = ++places->last_address;
		papi_profile_store_address(places->store, entry->value[0], module->id, offset);
	}
	return entry->value[0];
}

/* Where an address is in the module that has it. */
static uint64_t offset_in(const struct papi_profile_mapping *mapping, uint64_t address)
{
	uint64_t offset = address;

	if (mapping->module->kind == PAPI_PROFILE_MODULE_VDSO)
		offset = address - mapping->start;
	else if (mapping->module->kind == PAPI_PROFILE_MODULE_FILE)
		papi_profile_module_address(mapping->module, address - mapping->start + mapping->offset, &offset);
	return offset;
}

int64_t papi_profile_places_address_in(
	struct papi_profile_places *places, pid_t pid, const struct papi_profile_mapping *mapping, uint64_t address)
{
	return number_of(places, mapping->module, offset_in(mapping, address), pid);
}

static const struct papi_profile_mapping *find_mapping(const struct papi_profile_process *process, uint64_t address)
{
	size_t place = first_behind(process, address);
	const struct papi_profile_mapping *mapping = place < process->n_mappings ? &process->mappings[place] : NULL;

	return mapping && mapping->start <= address ? mapping : NULL;
}

struct papi_profile_module *papi_profile_places_module(
	struct papi_profile_places *places, pid_t pid, uint64_t address, uint64_t *offset)
{
	const struct papi_profile_mapping *mapping = find_mapping(take_process(places, pid), address);

	if (!mapping)
		return NULL;
	*offset = offset_in(mapping, address);
	return mapping->module;
}

int64_t papi_profile_places_address(
	struct papi_profile_places *places, pid_t pid, uint64_t address, bool kernel, bool strict)
{
	struct papi_profile_process *process;
	const struct papi_profile_mapping *mapping;

	if (kernel)
		return number_of(places, papi_profile_module_kernel(), address, pid);
	process = take_process(places, pid);
	mapping = find_mapping(process, address);
	if (mapping)
		return papi_profile_places_address_in(places, pid, mapping, address);
	return strict ? 0 : number_of(places, papi_profile_module_unknown(process->id), address, pid);
}

int64_t papi_profile_places_special(struct papi_profile_places *places, const char *name)
{
	return number_of(places, papi_profile_module_special(name), 0, 0);
}

int64_t papi_profile_places_truncated(struct papi_profile_places *places)
{
	return papi_profile_places_special(places, "[truncated]");
}

void papi_profile_places_free(struct papi_profile_places *places)
{
	struct papi_profile_entry *entry = NULL;

	while ((entry = papi_profile_table_next(&places->processes, NULL)))
		forget_process(places, (struct papi_profile_process *)(intptr_t)entry->value[0]);
	papi_profile_table_free(&places->processes);
	papi_profile_table_free(&places->threads);
	papi_profile_table_free(&places->addresses);
	papi_profile_modules_free();
}
