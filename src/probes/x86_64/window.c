/* SPDX-License-Identifier: BSD-3-Clause */
/* window.c - which instructions a jump can take the place of. See window.h. */
#include <string.h>

#include "probes/targets.h"
#include "probes/x86_64/decode.h"

static const unsigned char end_branch[4] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* ---- branches of a module ---- */

void papi_probe_targets_add(struct papi_probe_targets *targets, const unsigned char *bytes, uint64_t low, uint64_t high)
{
	struct papi_probe_instruction found;

	for (uint64_t at = low; at < high; at += found.length) {
		if (!papi_probe_decode(bytes + (at - low), high - at, at, &found)) {
			found.length = 1;
			continue;
		}
		if (found.has_target)
			papi_probe_targets_mark(targets, found.target);
	}
}

/* ---- the function ---- */

/* All of it is code, and none of its branches comes back to where it begins: a jump there could not be told from a
 * call. NULL: so it is. */
static const char *look_at_whole(const struct papi_probe_code *code)
{
	struct papi_probe_instruction found;

	for (uint64_t at = code->low; at < code->high; at += found.length) {
		if (!papi_probe_decode(code->bytes + (at - code->low), code->high - at, at, &found))
			return "it holds what is no instruction";
		if (found.has_target && found.target == code->low && found.kind != PAPI_PROBE_CALL)
			return "it jumps back to its own beginning";
	}
	return NULL;
}

bool papi_probe_window_comes_back(const struct papi_probe_code *code)
{
	return look_at_whole(code) != NULL;
}

static bool ends_flow(const struct papi_probe_instruction *found)
{
	return found->kind == PAPI_PROBE_JMP || found->kind == PAPI_PROBE_JMP_INDIRECT ||
		found->kind == PAPI_PROBE_RETURN;
}

/* Behind the end of the flow: nobody runs what fills the place up to the next function. */
static bool is_filled(const struct papi_probe_code *code, uint64_t at, uint64_t end)
{
	struct papi_probe_instruction found;

	for (; at < end; at += found.length)
		if (at >= code->limit ||
			!papi_probe_decode(code->bytes + (at - code->low), code->limit - at, at, &found) ||
			!found.is_filling)
			return false;
	return true;
}

/* Why an instruction may not be where it is in a window; last: the jump ends in it or behind it. */
static const char *look_at(const struct papi_probe_instruction *found, bool last)
{
	if (found->kind == PAPI_PROBE_ODD)
		return "its first instructions cannot run elsewhere";
	if ((found->kind == PAPI_PROBE_CALL || found->kind == PAPI_PROBE_CALL_INDIRECT) && !last)
		return "a call in its first bytes returns to them";
	if (found->kind == PAPI_PROBE_CALL_INDIRECT && !found->operand)
		return "its first instructions cannot run elsewhere";
	return NULL;
}

static const char *measure(const struct papi_probe_code *code, struct papi_probe_window *window)
{
	const uint64_t end = window->low + PAPI_PROBE_JUMP;
	struct papi_probe_instruction found;
	uint64_t at = window->low;

	while (at < end) {
		const char *refusal;

		if (at >= code->high || !papi_probe_decode(code->bytes + (at - code->low), code->high - at, at, &found))
			return "it is shorter than a jump";
		at += found.length;
		refusal = look_at(&found, at >= end);
		if (refusal)
			return refusal;
		if (!ends_flow(&found) || at >= end)
			continue;
		if (!is_filled(code, at, end))
			return at >= code->high ? "it is shorter than a jump"
						: "its first bytes hold more than one way";
		break;
	}
	window->length = (unsigned)(at - window->low);
	return NULL;
}

void papi_probe_window_find(
	const struct papi_probe_code *code, const struct papi_probe_targets *targets, struct papi_probe_window *window)
{
	*window = (struct papi_probe_window){ .low = code->low };
	if (code->limit - code->low > sizeof(end_branch) && !memcmp(code->bytes, end_branch, sizeof(end_branch)))
		window->low += sizeof(end_branch);
	window->refusal = look_at_whole(code);
	if (!window->refusal)
		window->refusal = measure(code, window);
	if (window->refusal)
		return;
	/* The jump may reach beyond the last instruction, into what fills the place. */
	for (uint64_t at = window->low + (window->low == code->low);
		at < window->low + window->length || at < window->low + PAPI_PROBE_JUMP; at++)
		if (papi_probe_targets_have(targets, at))
			window->refusal = "a branch leads into its first bytes";
}
