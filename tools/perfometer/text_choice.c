/* SPDX-License-Identifier: BSD-3-Clause */
/* text_choice.c - which events are counted, chosen in a terminal. */
#include "text_choice.h"

#include <curses.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "perfometer.h"
#include "text_print.h"

enum { ABOVE = 2, BELOW = 4, NAMES = 32, KINDS = 10, KEY_ESCAPE = 27, KEY_TAB = '\t' };

struct item {
	char *name, *kind, *about; /* about: what it is, or why it cannot be counted */
	bool available;
};

struct papi_text_choice {
	const struct papi_server_answers *answers;
	struct item *items; /* those first that can be counted */
	size_t n_items;
	size_t *found, n_found; /* that have all words */
	size_t active, first;   /* among those found; first: in sight */
	char words[64];
	char *chosen;
	char reason[512]; /* why something was not done; "": it was */
};

/* ---- what there is ---- */

/* As a terminal may have it. */
static char *text_of(const json_t *given, const char *key)
{
	const char *text = json_string_value(json_object_get(given, key));
	char *copy = papi_perfometer_format("%s", text ? text : "");

	papi_escape_terminal(copy);
	return copy;
}

static void add_items(struct papi_text_choice *choice, const json_t *list, bool available)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *given = json_array_get(list, i);

		if (json_is_true(json_object_get(given, "available")) != available)
			continue;
		choice->items[choice->n_items++] = (struct item){ .name = text_of(given, "name"),
			.kind = text_of(given, "kind"),
			.about = text_of(given, available ? "description" : "why"),
			.available = available };
	}
}

static void read_items(struct papi_text_choice *choice)
{
	char *text = choice->answers ? choice->answers->available(choice->answers->argument) : NULL;
	json_t *list = text ? json_loads(text, 0, NULL) : NULL;

	choice->items = papi_perfometer_allocate(NULL, json_array_size(list) + 1, sizeof(*choice->items));
	choice->found = papi_perfometer_allocate(NULL, json_array_size(list) + 1, sizeof(*choice->found));
	add_items(choice, list, true);
	add_items(choice, list, false);
	json_decref(list);
	free(text);
}

static bool has_words(const struct item *item, const char *words)
{
	while (*words) {
		size_t length = strcspn(words, " ");
		char word[64];

		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (!strcasestr(item->name, word) && !strcasestr(item->about, word))
			return false;
		words += length + strspn(words + length, " ");
	}
	return true;
}

static void find(struct papi_text_choice *choice)
{
	choice->n_found = choice->active = choice->first = 0;
	for (size_t i = 0; i < choice->n_items; i++)
		if (has_words(&choice->items[i], choice->words))
			choice->found[choice->n_found++] = i;
}

struct papi_text_choice *papi_text_choice_begin(const struct papi_server_answers *answers)
{
	struct papi_text_choice *choice = papi_perfometer_allocate(NULL, 1, sizeof(*choice));

	*choice = (struct papi_text_choice){ .answers = answers };
	if (!answers)
		snprintf(choice->reason, sizeof(choice->reason), "this is a recording: its events are what they are");
	read_items(choice);
	find(choice);
	return choice;
}

void papi_text_choice_end(struct papi_text_choice *choice)
{
	if (!choice)
		return;
	for (size_t i = 0; i < choice->n_items; i++) {
		free(choice->items[i].name);
		free(choice->items[i].kind);
		free(choice->items[i].about);
	}
	free(choice->items);
	free(choice->found);
	free(choice->chosen);
	free(choice);
}

const char *papi_text_choice_name(const struct papi_text_choice *choice)
{
	return choice->chosen;
}

static const struct item *active_item(const struct papi_text_choice *choice)
{
	return choice->active < choice->n_found ? &choice->items[choice->found[choice->active]] : NULL;
}

/* ---- how it looks ---- */

static bool is_counted(const struct papi_text_data *data, const char *name)
{
	for (size_t i = 0; i < data->n_events; i++)
		if (data->events[i].counted && !strcmp(data->events[i].name, name))
			return true;
	return false;
}

static void draw_item(const struct papi_text_choice *choice, const struct papi_text_data *data, size_t number, int y)
{
	const struct item *item = &choice->items[choice->found[number]];
	attr_t look = (number == choice->active ? A_REVERSE : A_NORMAL) | (item->available ? A_NORMAL : A_DIM);

	attron(look);
	mvhline(y, 0, ' ', COLS);
	papi_text_print(y, 0, 1, is_counted(data, item->name) ? "*" : item->available ? " " : "-");
	papi_text_print(y, 2, NAMES - 3, item->name);
	papi_text_print(y, NAMES, KINDS - 1, item->available ? item->kind : "");
	papi_text_print(y, NAMES + KINDS, COLS - NAMES - KINDS, item->about);
	attroff(look);
}

/* Two lines of what is known of it, cut between words. */
static void draw_about(const struct papi_text_choice *choice)
{
	const struct item *item = active_item(choice);
	char *text;
	size_t length, cut = (size_t)COLS;

	if (!item)
		return;
	text = papi_perfometer_format(
		"%s: %s%s", item->name, item->available ? "" : "it cannot be counted: ", item->about);
	length = strlen(text);
	while (length > cut && cut > (size_t)COLS / 2 && text[cut] != ' ')
		cut--;
	papi_text_print(LINES - 3, 0, (int)cut, text);
	if (length > cut)
		papi_text_print(LINES - 2, 0, COLS, text + cut + (text[cut] == ' '));
	free(text);
}

void papi_text_choice_draw(
	const struct papi_text_choice *choice, const struct papi_text_data *data, unsigned long doubt)
{
	attron(A_BOLD);
	papi_text_print_line(0, 0, COLS, "Events and metrics: %zu of %zu", choice->n_found, choice->n_items);
	attroff(A_BOLD);
	papi_text_print_line(1, 0, COLS, "search: %s_", choice->words);
	for (int y = ABOVE; y < LINES - BELOW && choice->first + (size_t)(y - ABOVE) < choice->n_found; y++)
		draw_item(choice, data, choice->first + (size_t)(y - ABOVE), y);
	draw_about(choice);
	if (*choice->reason) {
		attron((attr_t)doubt);
		papi_text_print(LINES - 1, 0, COLS, choice->reason);
		attroff((attr_t)doubt);
	} else {
		papi_text_print(LINES - 1, 0, COLS, "Enter count it   Tab beside the others, or no longer   Esc back");
	}
}

/* ---- keys ---- */

/* Instead of the others; or beside them, or no longer. False: nothing has changed, and why. */
static bool choose(struct papi_text_choice *choice, const struct papi_text_data *data, bool beside)
{
	const struct item *item = active_item(choice);
	bool was = item && is_counted(data, item->name), done;
	const char **names;
	size_t number = 0;

	if (!item)
		return false;
	names = papi_perfometer_allocate(NULL, data->n_counted + 1, sizeof(*names));
	for (size_t i = 0; beside && i < data->n_counted; i++)
		if (strcmp(data->events[data->counted[i]].name, item->name) != 0)
			names[number++] = data->events[data->counted[i]].name;
	if (!beside || !was)
		names[number++] = item->name;
	done = number && !data->state &&
		choice->answers->choose(
			choice->answers->argument, names, number, choice->reason, sizeof(choice->reason));
	if (data->state)
		snprintf(choice->reason, sizeof(choice->reason), "nothing is counted any more");
	else if (!number)
		snprintf(choice->reason, sizeof(choice->reason), "it is the only one: count another one instead");
	papi_escape_terminal(choice->reason);
	free(names);
	free(choice->chosen);
	choice->chosen = done && !(beside && was) ? papi_perfometer_format("%s", item->name) : NULL;
	return done;
}

static void move_to(struct papi_text_choice *choice, long to)
{
	size_t rows = LINES > ABOVE + BELOW ? (size_t)(LINES - ABOVE - BELOW) : 1;

	if (!choice->n_found)
		return;
	choice->active = to < 0 ? 0 : (size_t)to < choice->n_found ? (size_t)to : choice->n_found - 1;
	if (choice->active < choice->first)
		choice->first = choice->active;
	if (choice->active >= choice->first + rows)
		choice->first = choice->active - rows + 1;
}

static void take_letter(struct papi_text_choice *choice, int key)
{
	size_t length = strlen(choice->words);

	if (key == KEY_BACKSPACE || key == 127 || key == '\b')
		choice->words[length ? length - 1 : 0] = '\0';
	else if (key >= ' ' && key < 127 && length < sizeof(choice->words) - 1)
		choice->words[length] = (char)key;
	else
		return;
	find(choice);
}

bool papi_text_choice_key(struct papi_text_choice *choice, const struct papi_text_data *data, int key)
{
	long active = (long)choice->active, page = LINES - ABOVE - BELOW;

	if (key == KEY_ESCAPE)
		return false;
	if (choice->answers)
		choice->reason[0] = '\0';
	if (key == '\r' || key == '\n' || key == KEY_ENTER)
		return !choose(choice, data, false);
	if (key == KEY_TAB)
		choose(choice, data, true);
	else if (key == KEY_UP || key == KEY_DOWN)
		move_to(choice, active + (key == KEY_UP ? -1 : 1));
	else if (key == KEY_PPAGE || key == KEY_NPAGE)
		move_to(choice, active + (key == KEY_PPAGE ? -page : page));
	else
		take_letter(choice, key);
	return true;
}
