/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be meant by a name that is none. See event_names.h. */
#include "event_names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common.h"
#include "escape.h"
#include "papi.h"

/* Longer names are compared by their beginnings. */
#define LONGEST 96

/* What the kernel, perf and people call that for which there is a preset. */
static const struct {
	const char *word, *preset;
} words[] = {
	{ "instructions", "PAPI_TOT_INS" },
	{ "instruction", "PAPI_TOT_INS" },
	{ "instr", "PAPI_TOT_INS" },
	{ "ins", "PAPI_TOT_INS" },
	{ "retiredinstructions", "PAPI_TOT_INS" },
	{ "cycles", "PAPI_TOT_CYC" },
	{ "cpucycles", "PAPI_TOT_CYC" },
	{ "clocks", "PAPI_TOT_CYC" },
	{ "refcycles", "PAPI_REF_CYC" },
	{ "branches", "PAPI_BR_INS" },
	{ "branchinstructions", "PAPI_BR_INS" },
	{ "branch", "PAPI_BR_INS" },
	{ "branchmisses", "PAPI_BR_MSP" },
	{ "mispredicts", "PAPI_BR_MSP" },
	{ "branchloads", "PAPI_BR_INS" },
	{ "branchloadmisses", "PAPI_BR_MSP" },
	{ "cachemisses", "PAPI_L3_TCM" },
	{ "cachereferences", "PAPI_L3_TCA" },
	{ "loads", "PAPI_LD_INS" },
	{ "load", "PAPI_LD_INS" },
	{ "stores", "PAPI_SR_INS" },
	{ "store", "PAPI_SR_INS" },
	{ "memloads", "PAPI_LD_INS" },
	{ "memstores", "PAPI_SR_INS" },
	{ "flops", "PAPI_FP_OPS" },
	{ "flop", "PAPI_FP_OPS" },
	{ "l1dcacheloads", "PAPI_L1_DCR" },
	{ "l1dcacheloadmisses", "PAPI_L1_LDM" },
	{ "l1dcachestores", "PAPI_L1_DCW" },
	{ "l1dcachestoremisses", "PAPI_L1_STM" },
	{ "l1dcachemisses", "PAPI_L1_DCM" },
	{ "l1misses", "PAPI_L1_DCM" },
	{ "l2misses", "PAPI_L2_TCM" },
	{ "l3misses", "PAPI_L3_TCM" },
	{ "l1icacheloads", "PAPI_L1_ICR" },
	{ "l1icacheloadmisses", "PAPI_L1_ICM" },
	{ "llcloads", "PAPI_L3_TCR" },
	{ "llcloadmisses", "PAPI_L3_LDM" },
	{ "llcstores", "PAPI_L3_TCW" },
	{ "llcstoremisses", "PAPI_L3_STM" },
	{ "llcmisses", "PAPI_L3_TCM" },
	{ "llcreferences", "PAPI_L3_TCA" },
	{ "dtlbloadmisses", "PAPI_TLB_DM" },
	{ "dtlbmisses", "PAPI_TLB_DM" },
	{ "itlbloadmisses", "PAPI_TLB_IM" },
	{ "itlbmisses", "PAPI_TLB_IM" },
	{ "stalledcyclesbackend", "PAPI_RES_STL" },
};

/* Without "perf::" or "cpu/" before it, modes and slashes behind it, and the signs between its words. */
static void core_of(const char *name, char core[LONGEST])
{
	const char *colons = strstr(name, "::");
	size_t used = 0;

	if (colons)
		name = colons + 2 + (colons[2] == ':');
	if (strncasecmp(name, "cpu/", 4) == 0)
		name += 4;
	for (; *name && *name != ':' && *name != '/' && used + 1 < LONGEST; name++)
		if (isalnum((unsigned char)*name))
			core[used++] = (char)tolower((unsigned char)*name);
	core[used] = '\0';
}

static const char *preset_of_word(const char *name)
{
	char core[LONGEST];
	int code;

	core_of(name, core);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(core, words[i].word) == 0 && PAPI_event_name_to_code(words[i].preset, &code) == PAPI_OK &&
			PAPI_query_event(code) == PAPI_OK)
			return words[i].preset;
	return NULL;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * How many characters have to be added, left out, changed or swapped with the next to make one text of the other;
 * upper and lower case are the same. Three rows of the table of beginnings are enough.
 */
static unsigned distance(const char *a, const char *b)
{
	size_t length_a = strnlen(a, LONGEST - 1), length_b = strnlen(b, LONGEST - 1);
	unsigned rows[3][LONGEST];

	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= length_a; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= length_b; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);

			row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
				y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[length_a % 3][length_b];
}

/* The nearest name so far. */
struct nearest {
	const char *name;
	char prefixed[LONGEST]; /* the name with PAPI_ before it, which is easily forgotten; "" where it has a prefix */
	unsigned distance;
	char *found;
	size_t size;
};

/* What begins with the name is near: one that was cut short. */
static unsigned distance_to(const struct nearest *nearest, const char *name)
{
	size_t length = strlen(nearest->name);
	unsigned result = distance(nearest->name, name);

	if (*nearest->prefixed)
		result = least(result, distance(nearest->prefixed, name));
	if (length >= 4 && strncasecmp(nearest->name, name, length) == 0)
		result = least(result, 2);
	return result;
}

static void look_at(struct nearest *nearest, int code)
{
	char name[PAPI_HUGE_STR_LEN];
	unsigned to;

	if (PAPI_event_code_to_name(code, name) != PAPI_OK)
		return;
	to = distance_to(nearest, name);
	if (to >= nearest->distance)
		return;
	nearest->distance = to;
	snprintf(nearest->found, nearest->size, "%s", name);
}

/* Presets and events that files define, as far as they can be counted here. */
static void look_at_presets(struct nearest *nearest)
{
	static const int kinds[] = { PAPI_PRESET_MASK, PAPI_UE_MASK };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int code = kinds[i];

		for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
			found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
			if (PAPI_query_event(code) == PAPI_OK)
				look_at(nearest, code);
	}
}

static void look_at_natives(struct nearest *nearest)
{
	int code = PAPI_NATIVE_MASK;

	for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
		found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
		look_at(nearest, code);
}

bool papi_event_suggest(const char *name, char *suggestion, size_t size)
{
	const char *preset = preset_of_word(name);
	struct nearest nearest = { .name = name, .found = suggestion, .size = size };

	if (preset) {
		snprintf(suggestion, size, "%s", preset);
		return true;
	}
	/* One character in four may be wrong, and one in any case. */
	nearest.distance = (unsigned)(strnlen(name, LONGEST) / 4) + 2;
	if (!strchr(name, ':') && strncasecmp(name, "PAPI_", 5) != 0)
		snprintf(nearest.prefixed, sizeof(nearest.prefixed), "PAPI_%.80s", name);
	*suggestion = '\0';
	look_at_presets(&nearest);
	look_at_natives(&nearest);
	return *suggestion != '\0';
}

/* Behind a reason; nothing where nothing is near. */
static void append_suggestion(const char *name, char *reason, size_t size)
{
	char suggestion[PAPI_HUGE_STR_LEN];
	size_t used = strlen(reason);

	if (papi_event_suggest(name, suggestion, sizeof(suggestion)))
		snprintf(reason + used, size - used, "; did you mean %s?", suggestion);
}

bool papi_event_means_nothing(int code)
{
	return code == PAPI_ENOEVNT || code == PAPI_EATTR || code == PAPI_ECOMBO || code == PAPI_EINVAL;
}

bool papi_event_is_unknown(const char *name, char *reason, size_t size)
{
	int code;
	int result = PAPI_event_name_to_code(name, &code);
	const char *detail = PAPI_error_detail();
	size_t length = strlen(name);

	if (!papi_event_means_nothing(result))
		return false;
	/* The message has the name already. */
	if (strncmp(detail, name, length) == 0 && strncmp(detail + length, ": ", 2) == 0)
		detail += length + 2;
	snprintf(reason, size, "%s", *detail ? detail : PAPI_strerror(result));
	if (result == PAPI_ENOEVNT)
		append_suggestion(name, reason, size);
	papi_escape_terminal(reason);
	return true;
}

void papi_event_complain(const char *name, int code)
{
	char reason[2 * PAPI_HUGE_STR_LEN], shown[PAPI_HUGE_STR_LEN];

	papi_tool_reason(code, reason, sizeof(reason));
	if (code == PAPI_ENOEVNT)
		append_suggestion(name, reason, sizeof(reason));
	papi_escape_terminal(reason);
	snprintf(shown, sizeof(shown), "%s", name);
	papi_escape_terminal(shown);
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, shown, reason);
}

/*
 * Length of the name at the start of text. A comma ends it, except between two slashes, where it separates terms:
 * cpu/event=0x3c,umask=0x00/. The one slash of a breakpoint (mem:0x601040/8:w) opens nothing. -1: a slash stays open.
 */
static long name_length(const char *text)
{
	bool slashes_pair = strncasecmp(text, "mem:", 4) != 0;
	bool open = false;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (text[i] == '/' && slashes_pair)
			open = !open;
		else if (text[i] == ',' && !open)
			break;
	}
	return open ? -1 : (long)i;
}

const char *papi_event_list_next(const char **text, size_t *length, const char **mistake)
{
	const char *start = *text, *end;
	long found;

	while (isspace((unsigned char)*start))
		start++;
	found = name_length(start);
	if (found < 0) {
		*mistake = "the second slash of a name is missing; write cpu/event=0x3c,umask=0x00/";
		return NULL;
	}
	end = start + found;
	*text = *end ? end + 1 : NULL;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	*length = (size_t)(end - start);
	*mistake = "an event name is empty; write names with one comma between two of them, as in -e "
		   "perf::TASK-CLOCK,perf::PAGE-FAULTS";
	return *length ? start : NULL;
}
