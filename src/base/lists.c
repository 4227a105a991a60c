/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/lists.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

/* Reads one number and moves *text behind it. -1 and errno when there is none, or a number out of bounds. */
static int parse_number(const char **text)
{
	int number = 0;

	if (!isdigit((unsigned char)**text)) {
		errno = EINVAL;
		return -1;
	}
	for (; isdigit((unsigned char)**text); ++*text) {
		number = number * 10 + (**text - '0');
		if (number >= PAPI_LIST_LIMIT) {
			errno = ERANGE;
			return -1;
		}
	}
	return number;
}

/* Reads "3" or "3-5" and moves *text behind it. */
static int parse_range(const char **text, int *first, int *last)
{
	*first = *last = parse_number(text);
	if (*first < 0)
		return -1;
	if (**text == '-') {
		++*text;
		*last = parse_number(text);
		if (*last < 0)
			return -1;
	}
	if (*last < *first) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

int papi_linux_parse_list(const char *text, papi_list_visit_t visit, void *data)
{
	int count = 0;
	int first, last;

	text += strspn(text, " \t\n");
	if (*text == '\0')
		return 0;
	for (;;) {
		if (parse_range(&text, &first, &last) < 0)
			return -1;
		for (int number = first; number <= last; number++) {
			count++;
			if (visit(number, data) != 0)
				return count;
		}
		if (*text != ',')
			break;
		text++;
	}
	if (text[strspn(text, " \t\n")] != '\0') {
		errno = EINVAL;
		return -1;
	}
	return count;
}

int papi_linux_read_list(const char *path, papi_list_visit_t visit, void *data)
{
	char *text = papi_linux_read_whole(path, NULL);
	int count, saved;

	if (!text)
		return -1;
	count = papi_linux_parse_list(text, visit, data);
	saved = errno;
	free(text);
	errno = saved;
	return count;
}

static int add_visited(int number, void *set)
{
	papi_id_set_add(set, number);
	return 0;
}

int papi_id_set_read(papi_id_set_t *set, const char *path)
{
	papi_id_set_clear(set);
	if (papi_linux_read_list(path, add_visited, set) < 0) {
		papi_id_set_clear(set);
		return -1;
	}
	/* A list may name a number twice: members are counted, not visits. */
	return papi_id_set_count(set);
}

void papi_id_set_clear(papi_id_set_t *set)
{
	memset(set, 0, sizeof(*set));
}

void papi_id_set_add(papi_id_set_t *set, int number)
{
	if (number >= 0 && number < PAPI_LIST_LIMIT)
		set->words[number / 64] |= UINT64_C(1) << (number % 64);
}

bool papi_id_set_has(const papi_id_set_t *set, int number)
{
	return number >= 0 && number < PAPI_LIST_LIMIT && (set->words[number / 64] >> (number % 64) & 1);
}

int papi_id_set_count(const papi_id_set_t *set)
{
	int count = 0;

	for (int i = 0; i < PAPI_LIST_LIMIT / 64; i++)
		count += __builtin_popcountll(set->words[i]);
	return count;
}

void papi_id_set_intersect(papi_id_set_t *set, const papi_id_set_t *other)
{
	for (int i = 0; i < PAPI_LIST_LIMIT / 64; i++)
		set->words[i] &= other->words[i];
}

int papi_id_set_next(const papi_id_set_t *set, int number)
{
	uint64_t word;
	int index = number / 64;

	if (number < 0 || number >= PAPI_LIST_LIMIT)
		return -1;
	word = set->words[index] & (~UINT64_C(0) << (number % 64));
	while (word == 0) {
		if (++index == PAPI_LIST_LIMIT / 64)
			return -1;
		word = set->words[index];
	}
	return index * 64 + __builtin_ctzll(word);
}
