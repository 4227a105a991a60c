/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.c - which instruction a jump can take the place of: the first one, or where that is for the processor to find,
 * the one behind it. See window.h.
 *
 * bti says that indirect calls may come here, and so does an instruction that signs the return address at the
 * beginning: both stay. Behind the latter a trampoline sees the address only once it has taken the signature away.
 */
#include "probes/arm64/instruction.h"
#include "probes/targets.h"

/* bti, with all its targets. */
#define IS_LANDING(word) (((word)&0xffffff3fu) == 0xd503241fu)
#define SIZE             4u

void papi_probe_targets_add(struct papi_probe_targets *targets, const unsigned char *bytes, uint64_t low, uint64_t high)
{
	for (uint64_t at = low; at + SIZE <= high; at += SIZE) {
		struct papi_probe_instruction found = papi_probe_decode(papi_probe_word(bytes + (at - low)), at);

		if (found.kind >= PAPI_PROBE_BRANCH_IF && found.kind <= PAPI_PROBE_CALL)
			papi_probe_targets_mark(targets, found.target);
	}
}

bool papi_probe_window_comes_back(const struct papi_probe_code *code)
{
	for (uint64_t at = code->low; at + SIZE <= code->high; at += SIZE) {
		struct papi_probe_instruction found = papi_probe_decode(
			papi_probe_word(code->bytes + (at - code->low)), at);

		if ((found.kind == PAPI_PROBE_BRANCH_IF || found.kind == PAPI_PROBE_BRANCH) &&
			found.target == code->low)
			return true;
	}
	return false;
}

/* An instruction that signs the return address, or 0. */
static uint32_t signing(uint32_t word)
{
	return word == (uint32_t)PAPI_PROBE_PACIASP || word == (uint32_t)PAPI_PROBE_PACIBSP ? word : 0;
}

void papi_probe_window_find(
	const struct papi_probe_code *code, const struct papi_probe_targets *targets, struct papi_probe_window *window)
{
	struct papi_probe_instruction found;

	*window = (struct papi_probe_window){ .low = code->low, .length = SIZE };
	while (window->low + SIZE <= code->high && !window->sign) {
		uint32_t word = papi_probe_word(code->bytes + (window->low - code->low));

		window->sign = signing(word);
		if (!window->sign && !IS_LANDING(word))
			break;
		window->low += SIZE;
	}
	if (code->low % SIZE || window->low + SIZE > code->high) {
		window->refusal = "it is shorter than a jump";
		return;
	}
	found = papi_probe_decode(papi_probe_word(code->bytes + (window->low - code->low)), window->low);
	if (papi_probe_window_comes_back(code))
		window->refusal = "it jumps back to its own beginning";
	else if (found.kind == PAPI_PROBE_ODD)
		window->refusal = "its first instructions cannot run elsewhere";
	else if (window->low != code->low && papi_probe_targets_have(targets, window->low))
		window->refusal = "a branch leads into its first bytes";
}
