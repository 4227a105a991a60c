/* SPDX-License-Identifier: BSD-3-Clause */
/* text_screen.c - lanes over time in a terminal. */
#include "text_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "perfometer.h"
#include "terminal.h"
#include "text_choice.h"
#include "text_data.h"
#include "text_plot.h"
#include "text_print.h"

enum { HEAD = 26, LEAST_ROWS = 3, MOST_ROWS = 8, LEAST_COLUMNS = 50, LEAST_LINES = 8, ABOVE = 2, BELOW = 2 };
/* What follows the key Escape later than that is another key. */
#define ESCAPE_MILLISECONDS 50
#define ESCAPE              27
enum { PAIR_LINE = 1, PAIR_DOUBT, PAIR_BANDS };

struct papi_screen {
	FILE *terminal;
	SCREEN *curses;
	struct papi_text_data data;
	struct papi_text_shown shown;
	uint64_t next; /* message of the journal */
	double begin, end, span;
	double cursor;   /* when the interval ends whose values are shown; NaN: the newest in sight */
	size_t first;    /* lane in sight */
	bool follows;    /* the newest sample is at the right */
	bool same_scale; /* but for the whole program, which is more than each of its threads */
	bool has_braille, has_colours, shows_keys;
	const struct papi_server_answers *answers; /* who counts; NULL: nobody does */
	struct papi_text_choice *choice;           /* the list of events, in place of lanes; NULL: it is closed */
	char *wish;                                /* to be shown once it is counted; NULL: nothing */
};

/* ---- texts ---- */

/* Four digits, and what they are multiples of. */
static void print_short(char *text, size_t size, double value, const char *unit)
{
	static const char *const times[] = { " ns", " us", " ms", " s" };
	static const char *const counts[] = { "", " k", " M", " G", " T", " P", " E" };
	bool is_time = !strcmp(unit, "ns");
	size_t i = 0, last = is_time ? 3 : 6;

	if (isnan(value)) {
		snprintf(text, size, "-");
		return;
	}
	for (; fabs(value) >= 999.95 && i < last; i++)
		value /= 1000;
	snprintf(text, size, "%.4g%s%s%s", value, is_time ? times[i] : counts[i], is_time || !*unit ? "" : " ",
		is_time ? "" : unit);
}

static void print_clock(char *text, size_t size, double time, double span)
{
	int decimals = span < 2 ? 3 : span < 20 ? 1 : 0;

	if (time < 60)
		snprintf(text, size, "%.*f s", decimals, time);
	else
		snprintf(text, size, "%d:%0*.*f", (int)(time / 60), decimals ? decimals + 3 : 2, decimals,
			time - 60 * floor(time / 60));
}

static const struct papi_text_event *event_shown(const struct papi_screen *screen)
{
	return screen->shown.event < screen->data.n_events ? &screen->data.events[screen->shown.event] : NULL;
}

static const char *unit_shown(const struct papi_screen *screen)
{
	return screen->shown.ratio ? "" : event_shown(screen)->unit;
}

/* The end of the interval at the cursor, or else of the newest in sight; 0: there is none. */
static size_t sample_shown(const struct papi_screen *screen)
{
	double time = isnan(screen->cursor) ? screen->end : screen->cursor;
	size_t sample = screen->data.n_samples;

	while (sample > 1 && screen->data.times[sample - 1] > time)
		sample--;
	return sample ? sample - 1 : 0;
}

/* Where the interval at the cursor is drawn; -1: nowhere. */
static int cursor_column(const struct papi_screen *screen, int columns)
{
	size_t sample = sample_shown(screen);
	double middle;
	int column;

	if (isnan(screen->cursor) || !sample)
		return -1;
	middle = (screen->data.times[sample - 1] + screen->data.times[sample]) / 2;
	column = (int)floor((middle - screen->begin) / (screen->end - screen->begin) * columns);
	return column < columns ? column : -1;
}

/* ---- the parts of the screen ---- */

static void draw_title(const struct papi_screen *screen)
{
	const struct papi_text_event *event = event_shown(screen);
	const struct papi_text_data *data = &screen->data;
	const char *how = data->state ? data->state
		: !screen->follows    ? "paused: counting goes on"
		: data->stopped       ? "live; the program is stopped"
				      : "live";
	int room = COLS - (int)strlen(how) - 2;

	attron(A_BOLD);
	papi_text_print(0, 0, room, data->program ? data->program : "perfometer");
	attroff(A_BOLD);
	if (room > 0)
		papi_text_print(0, room + 2, COLS - room - 2, how);
	if (!event)
		return;
	if (screen->shown.ratio)
		papi_text_print_line(
			1, 0, COLS, "%s per %s, %s", event->name, data->events[screen->shown.second].name, event->kind);
	else
		papi_text_print_line(1, 0, COLS, "%s%s, %s%s", event->name, event->metric ? "" : " per second",
			event->kind, event->counted ? "" : "; not counted now");
}

/* The interval whose values the heads have. */
static void draw_cursor_words(const struct papi_screen *screen)
{
	size_t sample = sample_shown(screen);
	const double *times = screen->data.times;

	if (sample)
		papi_text_print_line(LINES - 1, 0, COLS,
			"at %.3f s, in %.3g ms; left and right: by samples; Escape: the newest", times[sample],
			1000 * (times[sample] - times[sample - 1]));
}

static void draw_foot(const struct papi_screen *screen)
{
	char from[32], to[32];

	print_clock(from, sizeof(from), screen->begin, screen->end - screen->begin);
	print_clock(to, sizeof(to), screen->end, screen->end - screen->begin);
	papi_text_print(LINES - 2, HEAD, 16, from);
	papi_text_print(LINES - 2, COLS - (int)strlen(to), 16, to);
	papi_text_print_line(LINES - 2, 0, HEAD - 1, "%zu of %zu lanes",
		screen->data.n_lanes ? screen->first + 1 : screen->first, screen->data.n_lanes);
	if (!isnan(screen->cursor)) {
		draw_cursor_words(screen);
	} else if (screen->data.notice) {
		attron(COLOR_PAIR(screen->has_colours ? PAIR_DOUBT : 0));
		papi_text_print(LINES - 1, 0, COLS - 22, screen->data.notice);
		attroff(COLOR_PAIR(screen->has_colours ? PAIR_DOUBT : 0));
		papi_text_print(LINES - 1, COLS - 20, 20, "q: quit   ?: keys");
	} else {
		papi_text_print(
			LINES - 1, 0, COLS, "q quit  p pause  e event  / others  v ratio  < > + - time  ? all keys");
	}
}

static void draw_cell(const struct papi_screen *screen, int y, int x, unsigned char bits)
{
	const wchar_t braille[] = { (wchar_t)(0x2800 + bits), L'\0' };

	if (!bits)
		return;
	if (screen->has_braille)
		mvaddwstr(y, x, braille);
	else
		mvaddch(y, x, (chtype)(!(bits & 0xe4) ? '\'' : !(bits & 0x1b) ? '.' : ':'));
}

/* From 0 to what is the most in sight; of all lanes, if they have the same scale. */
static double most_of(const struct papi_text_span *spans, size_t number)
{
	double most = 0;

	for (size_t i = 0; i < number; i++)
		most = fmax(most, spans[i].high);
	return most;
}

static double common_most(const struct papi_screen *screen, struct papi_text_span *spans, size_t number)
{
	const struct papi_text_data *data = &screen->data;
	double most = 0;

	for (size_t i = 0; screen->same_scale && i < data->n_lanes; i++) {
		if (data->lanes[i].whole)
			continue;
		papi_text_spans(data, &screen->shown, i, screen->begin, screen->end, spans, number);
		most = fmax(most, most_of(spans, number));
	}
	return most;
}

static void draw_head(const struct papi_screen *screen, size_t number, int y, int rows, double most)
{
	const struct papi_text_lane *lane = &screen->data.lanes[number];
	const char *unit = unit_shown(screen);
	double now = papi_text_value(&screen->data, &screen->shown, number, sample_shown(screen));
	const char *each = isnan(now) || screen->shown.ratio || event_shown(screen)->metric ? "" : "/s";
	const char *what = lane->ended ? "  ended" : lane->whole ? "  all of it" : "";
	char value[64], scale[64];
	long long total;

	print_short(value, sizeof(value), now, unit);
	print_short(scale, sizeof(scale), most, unit);
	attron(A_BOLD);
	papi_text_print_line(y, 0, HEAD - 2, "%s", lane->name);
	attroff(A_BOLD);
	papi_text_print_line(y + 1, 0, HEAD - 2, "%s%s%s", value, each, what);
	papi_text_print_line(y + 2, 0, HEAD - 2, "0 to %s", scale);
	if (rows > 3 && papi_text_data_total(&screen->data, number, screen->shown.event, &total))
		papi_text_print_line(y + 3, 0, HEAD - 2, "total %lld", total);
}

/* A name in its colour, from where it begins to where it ends or the next begins, or what there is room for. */
static void draw_band(
	const struct papi_screen *screen, const struct papi_text_band *band, int y, int columns, double next)
{
	double scale = columns / (screen->end - screen->begin);
	int from = (int)floor((fmax(band->begin, screen->begin) - screen->begin) * scale);
	int to = (int)floor((fmin(band->end, screen->end) - screen->begin) * scale);
	int room = (int)floor((fmin(next, screen->end) - screen->begin) * scale) - from - 1;
	int pair = screen->has_colours ? PAIR_BANDS + band->colour - 1 : 0;

	if (band->end < screen->begin || band->begin > screen->end || from >= columns)
		return;
	to = to > columns - 1 ? columns - 1 : to;
	attron(A_REVERSE | COLOR_PAIR(pair));
	for (int x = from; x <= to; x++)
		mvaddch(y, HEAD + x, x == from && band->begin >= screen->begin ? '|' : ' ');
	papi_text_print(y, HEAD + from + 1, room < to - from ? room : to - from, band->name);
	attroff(A_REVERSE | COLOR_PAIR(pair));
}

/* Of those that lie in each other the innermost is on top: it began last. */
static void draw_bands(const struct papi_screen *screen, const struct papi_text_bands *bands, int y)
{
	for (size_t i = 0; i < bands->number; i++)
		draw_band(screen, &bands->list[i], y, COLS - HEAD,
			i + 1 < bands->number ? bands->list[i + 1].begin : (double)INFINITY);
}

static void draw_lane(const struct papi_screen *screen, size_t lane, int y, int rows, double most,
	struct papi_text_span *spans, unsigned char *cells)
{
	const struct papi_text_bands *bands = &screen->data.lanes[lane].bands, *all = &screen->data.everywhere;
	bool has_line = rows > LEAST_ROWS || bands->number || all->number;
	size_t columns = (size_t)(COLS - HEAD), inner = (size_t)(has_line ? rows - 1 : rows);
	int cursor = cursor_column(screen, COLS - HEAD);

	papi_text_spans(&screen->data, &screen->shown, lane, screen->begin, screen->end, spans, 2 * columns);
	if (!screen->same_scale || screen->data.lanes[lane].whole)
		most = most_of(spans, 2 * columns);
	papi_text_plot(spans, columns, inner, most, cells);
	draw_head(screen, lane, y, rows, most);
	attron(COLOR_PAIR(screen->has_colours ? PAIR_LINE : 0));
	for (size_t row = 0; row < inner; row++)
		for (size_t x = 0; x < columns; x++)
			draw_cell(screen, y + (int)row, HEAD + (int)x, cells[row * columns + x]);
	attroff(COLOR_PAIR(screen->has_colours ? PAIR_LINE : 0));
	for (size_t row = 0; row < inner && cursor >= 0; row++)
		mvchgat(y + (int)row, HEAD + cursor, 1, A_REVERSE, 0, NULL);
	draw_bands(screen, all, y + (int)inner);
	draw_bands(screen, bands, y + (int)inner);
}

static int lane_rows(const struct papi_screen *screen)
{
	int room = LINES - ABOVE - BELOW, lanes = screen->data.n_lanes ? (int)screen->data.n_lanes : 1;
	int rows = room / lanes;

	return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static int lanes_in_sight(const struct papi_screen *screen)
{
	int lanes = (LINES - ABOVE - BELOW) / lane_rows(screen);

	return lanes > 0 ? lanes : 1;
}

static void draw_lanes(const struct papi_screen *screen)
{
	size_t columns = (size_t)(COLS - HEAD);
	struct papi_text_span *spans = papi_perfometer_allocate(NULL, 2 * columns, sizeof(*spans));
	unsigned char *cells = papi_perfometer_allocate(NULL, columns, MOST_ROWS);
	double most = common_most(screen, spans, 2 * columns);
	int rows = lane_rows(screen), y = ABOVE;

	for (size_t i = screen->first; i < screen->data.n_lanes && y + rows <= LINES - BELOW; i++, y += rows)
		draw_lane(screen, i, y, rows, most, spans, cells);
	free(spans);
	free(cells);
}

static void draw_keys(void)
{
	static const char *const keys[] = { "q          leave this view", "p          pause, and live again",
		"/          search what can be counted, and count it", "e          next event that is counted",
		"v          per second, or per another event", "b          next event of the ratio",
		"y          the same scale for all lanes, or not", "+ -        zoom in and out",
		"0          all of the time", "< >        back and forth",
		"left right the cursor, sample by sample: values there; Escape: the newest again",
		"Home End   to the beginning, to the end", "up, down   other lanes; Page up and down, too",
		"?          with this text, without it" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && (int)i < LINES - ABOVE - BELOW; i++)
		papi_text_print(ABOVE + (int)i, 2, COLS - 2, keys[i]);
}

static void draw(const struct papi_screen *screen)
{
	erase();
	if (COLS < LEAST_COLUMNS || LINES < LEAST_LINES) {
		papi_text_print_line(0, 0, COLS, "perfometer: %dx%d is too small: %dx%d at least", COLS, LINES,
			LEAST_COLUMNS, LEAST_LINES);
	} else if (screen->choice) {
		papi_text_choice_draw(screen->choice, &screen->data, COLOR_PAIR(screen->has_colours ? PAIR_DOUBT : 0));
	} else {
		draw_title(screen);
		if (screen->shows_keys)
			draw_keys();
		else if (event_shown(screen))
			draw_lanes(screen);
		draw_foot(screen);
	}
	refresh();
}

/* ---- time ---- */

static void follow(struct papi_screen *screen)
{
	const struct papi_text_data *data = &screen->data;
	double begin = data->n_samples ? data->times[0] : 0, last = begin;

	if (data->n_samples)
		last = data->times[data->n_samples - 1];
	if (screen->follows) {
		screen->cursor = (double)NAN;
		screen->end = fmax(last, begin + screen->span);
		screen->begin = screen->end - screen->span;
	}
}

static void show(struct papi_screen *screen, double begin, double span)
{
	const struct papi_text_data *data = &screen->data;
	double first, all;

	if (!data->n_samples)
		return;
	first = data->times[0];
	all = fmax(data->times[data->n_samples - 1] - first, 1e-3);
	screen->follows = false;
	screen->span = fmin(fmax(span, 1e-3), all);
	screen->begin = fmax(first, fmin(begin, first + all - screen->span));
	screen->end = screen->begin + screen->span;
}

static void zoom(struct papi_screen *screen, double factor)
{
	if (screen->follows)
		screen->span = fmin(fmax(screen->span * factor, 1e-3), 3600);
	else
		show(screen, screen->begin + screen->span * (1 - factor) / 2, screen->span * factor);
}

/* ---- keys ---- */

static void next_event(const struct papi_text_data *data, size_t *event, bool metrics)
{
	for (size_t i = 0; i < data->n_events; i++) {
		*event = (*event + 1) % data->n_events;
		if (data->events[*event].counted && (metrics || !data->events[*event].metric))
			return;
	}
}

static void choose_event(struct papi_screen *screen, int key)
{
	struct papi_text_shown *shown = &screen->shown;
	const struct papi_text_data *data = &screen->data;

	if (key == 'e')
		next_event(data, &shown->event, true);
	if (key == 'v')
		shown->ratio = !shown->ratio;
	if (key == 'b' || (key == 'v' && shown->second == shown->event))
		next_event(data, &shown->second, false);
	if (!event_shown(screen) || event_shown(screen)->metric || shown->second >= data->n_events ||
		shown->second == shown->event)
		shown->ratio = false;
}

static void scroll_lanes(struct papi_screen *screen, int by)
{
	long last = (long)screen->data.n_lanes - lanes_in_sight(screen), to = (long)screen->first + by;

	screen->first = (size_t)(to < 0 || last < 0 ? 0 : to > last ? last : to);
}

/* The view no longer follows: values that are looked at stay where they are. */
static void step_cursor(struct papi_screen *screen, int by)
{
	const struct papi_text_data *data = &screen->data;
	size_t sample = sample_shown(screen);

	if (data->n_samples < 2)
		return;
	screen->follows = false;
	if (!isnan(screen->cursor) && by < 0 && sample)
		sample--;
	else if (!isnan(screen->cursor) && by > 0 && sample + 1 < data->n_samples)
		sample++;
	screen->cursor = data->times[sample ? sample : 1];
	if (screen->cursor < screen->begin || screen->cursor > screen->end)
		show(screen, screen->cursor - screen->span / 2, screen->span);
}

static void move_in_time(struct papi_screen *screen, int key)
{
	const struct papi_text_data *data = &screen->data;

	if (key == '+')
		zoom(screen, 0.5);
	else if (key == '-')
		zoom(screen, 2);
	else if (key == KEY_LEFT || key == KEY_RIGHT)
		step_cursor(screen, key == KEY_LEFT ? -1 : 1);
	else if (key == '<')
		show(screen, screen->begin - screen->span / 4, screen->span);
	else if (key == '>')
		show(screen, screen->begin + screen->span / 4, screen->span);
	else if (key == KEY_HOME && data->n_samples)
		show(screen, data->times[0], screen->span);
	else if (key == KEY_END)
		screen->follows = true;
	else if (key == '0' && data->n_samples)
		show(screen, data->times[0], data->times[data->n_samples - 1] - data->times[0]);
}

static void take_choice(struct papi_screen *screen, int key)
{
	bool goes_on = papi_text_choice_key(screen->choice, &screen->data, key);
	const char *chosen = papi_text_choice_name(screen->choice);

	if (chosen) {
		free(screen->wish);
		screen->wish = papi_perfometer_format("%s", chosen);
	}
	if (goes_on)
		return;
	papi_text_choice_end(screen->choice);
	screen->choice = NULL;
}

/* False: the last key. */
static bool take_key(struct papi_screen *screen, int key)
{
	int page = lanes_in_sight(screen);

	if (screen->choice) {
		take_choice(screen, key);
		return true;
	}
	if (key == 'q')
		return false;
	if (key == '/')
		screen->choice = papi_text_choice_begin(screen->answers);
	else if (key == 'p')
		screen->follows = !screen->follows;
	else if (key == ESCAPE)
		screen->cursor = (double)NAN;
	else if (key == 'y')
		screen->same_scale = !screen->same_scale;
	else if (key == '?')
		screen->shows_keys = !screen->shows_keys;
	else if (key == KEY_UP || key == KEY_DOWN)
		scroll_lanes(screen, key == KEY_UP ? -1 : 1);
	else if (key == KEY_PPAGE || key == KEY_NPAGE)
		scroll_lanes(screen, key == KEY_PPAGE ? -page : page);
	else if (key == 'e' || key == 'v' || key == 'b')
		choose_event(screen, key);
	else
		move_in_time(screen, key);
	return true;
}

/* Signals are not for ncurses here: they are blocked, and looked at by the caller's loop. */
static void take_size(const struct papi_screen *screen)
{
	struct winsize size;

	if (ioctl(fileno(screen->terminal), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
		(size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
}

/* ---- what others call ---- */

static void begin_colours(struct papi_screen *screen)
{
	screen->has_colours = papi_terminal_has_colours(fileno(screen->terminal)) && has_colors() &&
		start_color() == OK && use_default_colors() == OK && init_pair(PAIR_LINE, COLOR_CYAN, -1) == OK &&
		init_pair(PAIR_DOUBT, COLOR_YELLOW, -1) == OK;
	for (short i = 0; screen->has_colours && i < 7; i++)
		screen->has_colours = init_pair((short)(PAIR_BANDS + i), (short)(i + 1), -1) == OK;
}

struct papi_screen *papi_screen_begin(const struct papi_server_answers *answers, char *reason, size_t size)
{
	struct papi_screen *screen = papi_perfometer_allocate(NULL, 1, sizeof(*screen));
	const char *name = getenv("TERM");

	*screen = (struct papi_screen){
		.follows = true, .span = 10, .cursor = (double)NAN, .same_scale = true, .answers = answers
	};
	screen->terminal = fopen("/dev/tty", "r+e");
	if (!screen->terminal) {
		snprintf(reason, size, "--text needs a terminal, and there is none: %s", strerror(errno));
		free(screen);
		return NULL;
	}
	setlocale(LC_CTYPE, "");
	screen->has_braille = !strcmp(nl_langinfo(CODESET), "UTF-8");
	screen->curses = newterm(NULL, screen->terminal, screen->terminal);
	if (!screen->curses) {
		snprintf(reason, size, "the terminal '%.64s' (TERM) is not known here", name ? name : "");
		fclose(screen->terminal);
		free(screen);
		return NULL;
	}
	papi_text_data_begin(&screen->data);
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MILLISECONDS);
	begin_colours(screen);
	return screen;
}

int papi_screen_file(const struct papi_screen *screen)
{
	return fileno(screen->terminal);
}

/* The event that was chosen in the list, as soon as a schema has it. */
static void show_wish(struct papi_screen *screen)
{
	for (size_t i = 0; screen->wish && i < screen->data.n_events; i++) {
		if (!screen->data.events[i].counted || strcmp(screen->data.events[i].name, screen->wish) != 0)
			continue;
		screen->shown = (struct papi_text_shown){ .event = i };
		free(screen->wish);
		screen->wish = NULL;
	}
}

bool papi_screen_step(struct papi_screen *screen, const struct papi_journal *journal)
{
	const struct papi_journal_entry *entry;
	bool goes_on = true, is_first = !screen->next;
	int key;

	while ((entry = papi_journal_from(journal, screen->next))) {
		papi_text_data_take(&screen->data, entry->text, entry->length);
		screen->next = entry->number + 1;
	}
	if (screen->data.n_counted && (!event_shown(screen) || !event_shown(screen)->counted))
		screen->shown = (struct papi_text_shown){ .event = screen->data.counted[0] };
	show_wish(screen);
	/* A recording: all of it, and as much as there is of what goes on. */
	if (is_first && screen->data.state)
		show(screen, 0, 1e9);
	follow(screen);
	take_size(screen);
	while (goes_on && (key = getch()) != ERR)
		goes_on = take_key(screen, key);
	follow(screen);
	draw(screen);
	return goes_on;
}

void papi_screen_end(struct papi_screen *screen)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen->curses);
	fclose(screen->terminal);
	papi_text_data_end(&screen->data);
	papi_text_choice_end(screen->choice);
	free(screen->wish);
	free(screen);
}
