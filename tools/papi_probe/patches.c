/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * patches.c - trampolines, and jumps to them at the entries of functions: in and out.
 *
 *	function                    trampoline (move.c of src/probes/)
 *	jump --------------------->  to the runtime: counts, and sees to the return
 *	(rest of the window)         the window's instructions
 *	behind it <----------------- jump
 *
 * A module's trampolines are in one area of memory, no further away than a jump reaches, behind a list of what is
 * patched. They stay there: a thread may be in one of them. All is written through /proc/PID/mem, so code is never
 * writable in the program.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papi_probe.h"
#include "symbols/memory.h"

#define ALIGNED 64u
#define MOST    (1u << 20) /* patches of an area, if what is read there makes sense */

static bool is_of(const struct probe_function *function, size_t module)
{
	return function->module == module && !*function->refusal;
}

static void refuse(struct probe_function *function, const char *reason)
{
	snprintf(function->refusal, sizeof(function->refusal), "%s", reason);
}

static uint64_t window_of(const struct probe_session *session, const struct probe_function *function)
{
	return function->window.low + session->list.modules[function->module].bias;
}

/* ---- what is there ---- */

/* The lists that the runtime keeps, of what this tool has put there and what others have left. */
static bool read_area(const struct probe_session *session, uint64_t number, struct papi_probe_area *area,
	struct papi_probe_patches *head)
{
	return number < session->orders.n_areas && number < PAPI_PROBE_AREAS &&
		papi_remote_read(
			&session->remote, session->orders.areas + number * sizeof(*area), area, sizeof(*area)) &&
		papi_remote_read(&session->remote, area->address, head, sizeof(*head)) && head->n < MOST;
}

/* NULL: they cannot be read. */
static struct papi_probe_patch *read_patches(
	const struct probe_session *session, const struct papi_probe_area *area, uint64_t n)
{
	struct papi_probe_patch *patches = papi_memory_zero(n + 1, sizeof(*patches));

	if (papi_remote_read(
		    &session->remote, area->address + sizeof(struct papi_probe_patches), patches, n * sizeof(*patches)))
		return patches;
	free(patches);
	return NULL;
}

static uint64_t place_of(const struct papi_probe_area *area, uint64_t patch)
{
	return area->address + sizeof(struct papi_probe_patches) + patch * sizeof(struct papi_probe_patch);
}

static bool write_number(const struct probe_session *session, uint64_t patch, size_t offset, uint32_t number)
{
	return papi_remote_write(&session->remote, patch + offset, &number, sizeof(number));
}

static int compare_windows(const void *left, const void *right)
{
	const struct probe_function *a = *(struct probe_function *const *)left,
				    *b = *(struct probe_function *const *)right;

	return a->runs_at < b->runs_at ? -1 : a->runs_at > b->runs_at;
}

static struct probe_function *find_window(struct probe_function **sorted, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle]->runs_at < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && sorted[low]->runs_at == address ? sorted[low] : NULL;
}

/* Trampolines of the same places, as visits before have made them. */
static void use_again(struct probe_session *session, struct probe_function **sorted, size_t n)
{
	struct papi_probe_patches head;
	struct papi_probe_area area;

	for (uint64_t i = 0; read_area(session, i, &area, &head); i++) {
		const int64_t tool = getpid();
		struct papi_probe_patch *patches = read_patches(session, &area, head.n);

		for (uint64_t k = 0; patches && k < head.n; k++) {
			struct probe_function *function = find_window(sorted, n, patches[k].address);

			if (!function || memcmp(function->before, patches[k].bytes, PAPI_PROBE_JUMP) != 0 ||
				!write_number(session, place_of(&area, k), offsetof(struct papi_probe_patch, number),
					function->number))
				continue;
			function->trampoline = area.address + patches[k].trampoline;
			function->patch = place_of(&area, k);
		}
		free(patches);
		papi_remote_write(&session->remote, area.address + offsetof(struct papi_probe_patches, tool), &tool,
			sizeof(tool));
	}
}

/* ---- trampolines ---- */

/* Nobody has changed the file's code in memory. */
static bool is_as_in_file(const struct probe_session *session, struct probe_function *function)
{
	const size_t size = function->window.length > PAPI_PROBE_JUMP ? function->window.length : PAPI_PROBE_JUMP;
	unsigned char now[PAPI_PROBE_MOVED];

	if (!papi_remote_read(&session->remote, function->runs_at, now, size) ||
		memcmp(now, function->bytes, size) != 0)
		return false;
	memcpy(function->before, now, PAPI_PROBE_JUMP);
	return true;
}

/* Puts a module's trampolines into a copy of its area, and returns how many there are. */
static uint64_t fill(struct probe_session *session, size_t module, unsigned char *copy, uint64_t area, uint64_t room)
{
	struct papi_probe_patches *head = (void *)copy;
	uint64_t at = (sizeof(*head) + room * sizeof(head->patches[0]) + ALIGNED - 1) & ~(uint64_t)(ALIGNED - 1);

	head->enter = session->orders.enter;
	head->tool = getpid();
	for (size_t i = 0; i < session->list.n_functions; i++) {
		struct probe_function *function = &session->list.functions[i];
		const struct papi_probe_trampoline trampoline = {
			.address = area + at,
			.from = function->runs_at,
			.enter = session->orders.enter,
			.patches = area,
			.patch = area + sizeof(*head) + head->n * sizeof(head->patches[0]),
		};
		unsigned enter;
		size_t size;

		if (!is_of(function, module) || function->patch)
			continue;
		size = papi_probe_trampoline(&function->window, function->bytes, &trampoline, copy + at, &enter);
		if (!size) {
			refuse(function, "what its first instructions refer to is too far from the trampoline");
			continue;
		}
		function->trampoline = area + at + enter;
		function->patch = trampoline.patch;
		head->patches[head->n] = (struct papi_probe_patch){
			.address = function->runs_at,
			.trampoline = (uint32_t)at + enter,
			.number = function->number,
			.saved = papi_symbols_return_place(
				session->list.modules[module].symbols, function->low, function->high),
		};
		memcpy(head->patches[head->n++].bytes, function->before, sizeof(function->before));
		at = (at + size + 15) & ~(uint64_t)15;
	}
	return head->n;
}

static void refuse_all(struct probe_session *session, size_t module, const char *reason)
{
	for (size_t i = 0; i < session->list.n_functions; i++)
		if (is_of(&session->list.functions[i], module) && !session->list.functions[i].patch)
			refuse(&session->list.functions[i], reason);
}

static bool prepare_module(struct probe_session *session, size_t index, uint64_t n)
{
	const struct probe_module *module = &session->list.modules[index];
	uint64_t size = sizeof(struct papi_probe_patches) +
		n * (sizeof(struct papi_probe_patch) + PAPI_PROBE_TRAMPOLINE + 16) + ALIGNED;
	unsigned char *copy;
	uint64_t area = 0;
	int64_t answer = -1;
	bool done = true;

	/* Somebody else may take the place in the meantime. */
	for (unsigned tries = 0; answer < 0 && tries < 3; tries++) {
		area = module->is_mapped ? probe_modules_gap(session->pid, module, size) : 0;
		if (!area)
			break;
		if (!probe_box_ask(session, PAPI_PROBE_MAP, 0, area, size, &answer))
			return false;
	}
	if (!area || answer < 0) {
		refuse_all(session, index, "there is no room for trampolines near it");
		return true;
	}
	copy = papi_memory_zero(size, 1);
	if (fill(session, index, copy, area, n))
		done = papi_remote_write(&session->remote, area, copy, size);
	free(copy);
	return done || probe_fail(session, "the memory of the program cannot be written");
}

static void look_at_memory(struct probe_session *session)
{
	struct probe_list *list = &session->list;
	struct probe_function **sorted = papi_memory_zero(list->n_functions + 1, sizeof(*sorted));
	size_t n = 0;

	for (size_t i = 0; i < list->n_functions; i++) {
		struct probe_function *function = &list->functions[i];

		if (*function->refusal)
			continue;
		function->runs_at = window_of(session, function);
		if (is_as_in_file(session, function))
			sorted[n++] = function;
		else
			refuse(function, "its code in memory is not that of the file");
	}
	qsort(sorted, n, sizeof(*sorted), compare_windows);
	use_again(session, sorted, n);
	free(sorted);
}

bool probe_patches_prepare(struct probe_session *session)
{
	look_at_memory(session);
	for (size_t i = 0; i < session->list.n_modules; i++) {
		uint64_t n = 0;

		for (size_t k = 0; k < session->list.n_functions; k++)
			n += is_of(&session->list.functions[k], i) && !session->list.functions[k].patch;
		if (n && !prepare_module(session, i, n))
			return false;
	}
	return true;
}

/* ---- jumps ---- */

bool probe_patches_are_at(const struct probe_session *session, uint64_t pc)
{
	for (size_t i = 0; i < session->list.n_functions; i++) {
		const struct probe_function *function = &session->list.functions[i];
		const uint64_t low = function->runs_at;

		if (!*function->refusal && pc > low &&
			(pc < low + function->window.length || pc < low + PAPI_PROBE_JUMP))
			return true;
	}
	return false;
}

void probe_patches_put(struct probe_session *session)
{
	for (size_t i = 0; i < session->list.n_functions; i++) {
		struct probe_function *function = &session->list.functions[i];
		unsigned char jump[PAPI_PROBE_JUMP];

		if (*function->refusal)
			continue;
		function->probed = papi_probe_jump(function->runs_at, function->trampoline, jump) &&
			write_number(session, function->patch, offsetof(struct papi_probe_patch, is_in), 1) &&
			papi_remote_write(&session->remote, function->runs_at, jump, sizeof(jump));
		if (!function->probed)
			refuse(function, "a jump could not be written there");
	}
}

void probe_patches_take(struct probe_session *session)
{
	struct papi_probe_patches head;
	struct papi_probe_area area;

	for (uint64_t i = 0; read_area(session, i, &area, &head); i++) {
		struct papi_probe_patch *patches = read_patches(session, &area, head.n);

		for (uint64_t k = 0; patches && k < head.n; k++)
			if (patches[k].is_in &&
				papi_remote_write(
					&session->remote, patches[k].address, patches[k].bytes, PAPI_PROBE_JUMP))
				write_number(session, place_of(&area, k), offsetof(struct papi_probe_patch, is_in), 0);
		free(patches);
	}
}

static bool is_papi_probe(int64_t pid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file && !fgets(name, sizeof(name), file))
		name[0] = '\0';
	if (file)
		fclose(file);
	return !strcmp(name, "papi_probe\n");
}

bool probe_patches_are_left(struct probe_session *session, bool *left)
{
	struct papi_probe_patches head;
	struct papi_probe_area area;

	*left = false;
	for (uint64_t i = 0; read_area(session, i, &area, &head); i++) {
		struct papi_probe_patch *patches = read_patches(session, &area, head.n);
		bool is_in = false;

		for (uint64_t k = 0; patches && k < head.n; k++)
			is_in = is_in || patches[k].is_in;
		free(patches);
		if (is_in && head.tool != getpid() && is_papi_probe(head.tool))
			return probe_fail(
				session, "papi_probe %d probes it already: one at a time can", (int)head.tool);
		*left = *left || is_in;
	}
	return true;
}
