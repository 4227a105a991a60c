/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of metrics: lines of the form that files of events have, with these commands.
 *
 *	GROUP,<name>,<description>
 *	METRIC,<name>,<unit>,<formula>,<term>,...[,SDESC|LDESC,<text>]...
 *	RULE,<metric>,above|below,<threshold>,<sentence>[,<metric>,above|below,<threshold>]
 *
 * A second METRIC line of a name is another way to count it, for machines where the first cannot be.
 */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "events/lines.h"
#include "events/parser.h"
#include "metrics/metrics.h"

#define MOST_RULES 64

struct reading {
	struct papi_lines lines;
	struct papi_metric_group *group; /* NULL: before the first, or behind a wrong one */
	bool lost;                       /* behind a wrong one */
	void (*problem)(void *data);
	void *data;
};

/*
 * What units are made of, alone or with a slash between two of them. The list is short on purpose: a unit that nobody
 * knows is a slip of the pen.
 */
static const char *const unit_words[] = { "%", "1", "s", "J", "W", "Hz", "B", "flop", "instr", "kinstr", "cycle",
	"load", "store", "access", "miss", "branch", "walk", "call", "fault", "switch", "migration", "event", "CPU",
	"op" };

static bool is_unit_word(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(unit_words) / sizeof(unit_words[0]); i++)
		if (strlen(unit_words[i]) == length && strncmp(unit_words[i], word, length) == 0)
			return true;
	return false;
}

static int check_unit(const struct papi_lines *lines)
{
	const char *unit = lines->field, *slash = strchr(unit, '/');
	size_t first = slash ? (size_t)(slash - unit) : strlen(unit);

	if (is_unit_word(unit, first) && (!slash || is_unit_word(slash + 1, strlen(slash + 1))))
		return PAPI_OK;
	return papi_lines_fail(lines,
		"there is no unit \"%.64s\"; it is made of %%, 1, s, J, W, Hz, B, flop, instr, kinstr, cycle, load, "
		"store, access, miss, branch, walk, call, fault, switch, migration, event, op, CPU, or two with a "
		"slash between them",
		unit);
}

/* Letters, digits and underscores. */
static int check_name(const struct papi_lines *lines, const char *what)
{
	size_t length = 0;

	while (isalnum((unsigned char)lines->field[length]) || lines->field[length] == '_')
		length++;
	if (length && !lines->field[length] && length < PAPI_MIN_STR_LEN && !isdigit((unsigned char)lines->field[0]))
		return PAPI_OK;
	return papi_lines_fail(lines,
		"expected the name of a %s, of letters, digits and underscores and at most %d of them, not \"%.64s\"",
		what, PAPI_MIN_STR_LEN - 1, lines->field);
}

static int no_memory(void)
{
	return papi_error(PAPI_ENOMEM, "no memory for metrics");
}

/* ---- GROUP ---- */

static int read_group(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;
	const char *name;
	int status;

	reading->group = NULL;
	reading->lost = true;
	if (!papi_lines_field(lines, PAPI_FIELD_ANY))
		return papi_lines_fail(lines, "expected the name of a group after GROUP");
	status = check_name(lines, "group");
	if (status != PAPI_OK)
		return status;
	name = lines->field;
	if (papi_metrics_number() == PAPI_METRIC_GROUPS)
		return papi_lines_fail(lines, "there are %d groups already, the most there can be", PAPI_METRIC_GROUPS);
	if (!papi_lines_field(lines, PAPI_FIELD_FORMULA) || !*lines->field)
		return papi_lines_fail(lines, "expected what the group %s tells, as a text", name);
	reading->group = papi_metrics_append(name, lines->field, lines->file);
	return reading->group ? PAPI_OK : no_memory();
}

/* ---- METRIC ---- */

/* The metric of that name in the group; a new one is made. */
static struct papi_metric *metric_of(struct papi_metric_group *group, const char *name, const char *unit)
{
	struct papi_metric *metrics;

	for (unsigned i = 0; i < group->n_metrics; i++)
		if (strcmp(group->metrics[i].name, name) == 0)
			return &group->metrics[i];
	metrics = realloc(group->metrics, (group->n_metrics + 1) * sizeof(*metrics));
	if (!metrics)
		return NULL;
	group->metrics = metrics;
	metrics += group->n_metrics;
	*metrics = (struct papi_metric){ .name = strdup(name), .unit = strdup(unit), .worth = "exact" };
	if (metrics->name && metrics->unit) {
		group->n_metrics++;
		return metrics;
	}
	free(metrics->name);
	free(metrics->unit);
	return NULL;
}

static void keep_text(char **kept, const char *text)
{
	if (!*kept && text)
		*kept = strdup(text);
}

static struct papi_metric_term *copy_terms(const struct papi_definition_source *source, const int columns[])
{
	struct papi_metric_term *terms = calloc(source->n_terms, sizeof(*terms));

	for (unsigned i = 0; terms && i < source->n_terms; i++) {
		terms[i].column = columns[i];
		terms[i].name = strdup(source->terms[i]);
		if (terms[i].name)
			continue;
		while (i-- > 0)
			free(terms[i].name);
		free(terms);
		return NULL;
	}
	return terms;
}

static int add_way(struct papi_metric *metric, const struct papi_definition_source *source, const int columns[],
	struct papi_formula *formula, struct papi_metric_place place)
{
	struct papi_metric_way *ways = realloc(metric->ways, (metric->n_ways + 1) * sizeof(*ways));
	char *text = strdup(source->formula);
	struct papi_metric_term *terms = copy_terms(source, columns);

	if (ways)
		metric->ways = ways;
	if (!ways || !text || !terms) {
		for (unsigned i = 0; terms && i < source->n_terms; i++)
			free(terms[i].name);
		free(terms);
		free(text);
		return no_memory();
	}
	metric->ways[metric->n_ways++] = (struct papi_metric_way){
		.place = place, .text = text, .formula = formula, .terms = terms, .n_terms = source->n_terms
	};
	keep_text(&metric->title, source->short_description);
	keep_text(&metric->description, source->description);
	return PAPI_OK;
}

static int define(struct reading *reading, const struct papi_definition_source *source, const char *unit,
	const int columns[], struct papi_metric_place place)
{
	struct papi_formula *formula = NULL;
	struct papi_metric *metric;
	int status = papi_formula_compile(PAPI_DERIVED_INFIX, source->formula, source->n_terms, 0, &formula);

	if (status != PAPI_OK)
		return papi_error_prefix(status, "%s:%u:%d", place.file, place.line, place.column);
	metric = metric_of(reading->group, source->symbol, unit);
	status = metric ? add_way(metric, source, columns, formula, place) : no_memory();
	if (status == PAPI_OK)
		return PAPI_OK;
	free(formula);
	/* There is no metric without a way: what was made for this one goes again. */
	if (metric && !metric->n_ways) {
		free(metric->name);
		free(metric->unit);
		free(metric->ways);
		reading->group->n_metrics--;
	}
	return status;
}

/* The ways of a metric must agree in what they tell. */
static int check_same_unit(struct reading *reading, const char *name)
{
	const struct papi_metric_group *group = reading->group;

	for (unsigned i = 0; i < group->n_metrics; i++)
		if (strcmp(group->metrics[i].name, name) == 0 &&
			strcmp(group->metrics[i].unit, reading->lines.field) != 0)
			return papi_lines_fail(&reading->lines,
				"%s has the unit %s in an earlier line, and cannot have %.64s here", name,
				group->metrics[i].unit, reading->lines.field);
	return PAPI_OK;
}

static int read_metric(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;
	struct papi_definition_source source = { .derived = PAPI_DERIVED_INFIX };
	struct papi_metric_place place = { .file = reading->group->file, .line = lines->number };
	const char *terms[PAPI_PARSER_TERMS], *unit;
	int columns[PAPI_PARSER_TERMS], status;

	if (!papi_lines_field(lines, PAPI_FIELD_ANY))
		return papi_lines_fail(lines, "expected the name of a metric after METRIC");
	status = check_name(lines, "metric");
	if (status != PAPI_OK)
		return status;
	source.symbol = lines->field;
	if (reading->group->n_metrics == PAPI_METRICS_OF_GROUP)
		return papi_lines_fail(lines, "a group has at most %d metrics", PAPI_METRICS_OF_GROUP);
	if (!papi_lines_field(lines, PAPI_FIELD_FORMULA))
		return papi_lines_fail(lines, "expected the unit of %s", source.symbol);
	unit = lines->field;
	status = check_unit(lines);
	if (status == PAPI_OK)
		status = check_same_unit(reading, source.symbol);
	if (status != PAPI_OK)
		return status;
	if (!papi_lines_field(lines, PAPI_FIELD_FORMULA) || !*lines->field)
		return papi_lines_fail(
			lines, "expected a formula, such as N0 / N1, after the unit of %s", source.symbol);
	source.formula = lines->field;
	place.column = papi_lines_column(lines);
	source.terms = terms;
	status = papi_parser_terms(lines, &source, terms, columns);
	return status == PAPI_OK ? define(reading, &source, unit, columns, place) : status;
}

/* ---- RULE ---- */

/* A number and nothing else, with a point whatever the program's locale has. */
static bool read_number(const char *text, double *number)
{
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	char *end = NULL;

	if (!plain)
		return false;
	*number = strtod_l(text, &end, plain);
	freelocale(plain);
	return end != text && !*end && isfinite(*number);
}

static void free_rule(struct papi_metric_rule *rule)
{
	for (unsigned i = 0; i < rule->n_conditions; i++)
		free(rule->conditions[i].name);
	free(rule->sentence);
}

static int add_rule(struct papi_metric_group *group, const struct papi_metric_rule *rule)
{
	struct papi_metric_rule *rules = realloc(group->rules, (group->n_rules + 1) * sizeof(*rules));

	if (!rules)
		return no_memory();
	group->rules = rules;
	rules[group->n_rules++] = *rule;
	return PAPI_OK;
}

/* METRIC,above,THRESHOLD; the lines stand at the first of these. */
static int read_condition(struct papi_lines *lines, struct papi_metric_rule *rule)
{
	struct papi_metric_condition condition = { .column = papi_lines_column(lines) };
	const char *name = lines->field;

	if (!*name)
		return papi_lines_fail(lines, "expected the name of a metric");
	if (!papi_lines_field(lines, PAPI_FIELD_ANY))
		return papi_lines_fail(lines, "expected above or below after %.64s", name);
	condition.above = strcmp(lines->field, "above") == 0;
	if (!condition.above && strcmp(lines->field, "below") != 0)
		return papi_lines_fail(lines, "expected above or below, not \"%.64s\"", lines->field);
	if (!papi_lines_field(lines, PAPI_FIELD_FORMULA) || !read_number(lines->field, &condition.threshold))
		return papi_lines_fail(lines, "expected a threshold, which is a number, in the unit of %.64s", name);
	condition.name = strdup(name);
	if (!condition.name)
		return no_memory();
	rule->conditions[rule->n_conditions++] = condition;
	return PAPI_OK;
}

static int read_rule_fields(struct papi_lines *lines, struct papi_metric_rule *rule)
{
	int status;

	if (!papi_lines_field(lines, PAPI_FIELD_ANY))
		return papi_lines_fail(lines, "expected the name of a metric after RULE");
	status = read_condition(lines, rule);
	if (status != PAPI_OK)
		return status;
	if (!papi_lines_field(lines, PAPI_FIELD_FORMULA) || !*lines->field)
		return papi_lines_fail(lines, "expected the sentence to say, with {} for the value");
	rule->sentence = strdup(lines->field);
	if (!rule->sentence)
		return no_memory();
	return papi_lines_field(lines, PAPI_FIELD_ANY) ? read_condition(lines, rule) : PAPI_OK;
}

static int read_rule(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;
	struct papi_metric_rule rule = { .line = lines->number };
	int status;

	if (reading->group->n_rules == MOST_RULES)
		return papi_lines_fail(lines, "a group has at most %d rules", MOST_RULES);
	status = read_rule_fields(lines, &rule);
	if (status == PAPI_OK)
		status = add_rule(reading->group, &rule);
	if (status != PAPI_OK)
		free_rule(&rule);
	return status;
}

/* ---- The file ---- */

static int read_line(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;
	bool metric = strcmp(lines->field, "METRIC") == 0;

	if (strcmp(lines->field, "GROUP") == 0)
		return read_group(reading);
	if (!metric && strcmp(lines->field, "RULE") != 0)
		return papi_lines_fail(lines, "expected GROUP, METRIC or RULE, not \"%.64s\"", lines->field);
	/* What belongs to a group that was wrong is not wrong itself. */
	if (!reading->group && reading->lost)
		return PAPI_OK;
	if (!reading->group)
		return papi_lines_fail(lines,
			"%.64s before the first GROUP: put it behind a line GROUP,NAME,DESCRIPTION", lines->field);
	return metric ? read_metric(reading) : read_rule(reading);
}

/* Finds the metric of a condition, which is one of the group. */
static int find_metric(const struct papi_metric_group *group, unsigned line, struct papi_metric_condition *condition)
{
	for (unsigned i = 0; i < group->n_metrics; i++)
		if (strcmp(group->metrics[i].name, condition->name) == 0) {
			condition->metric = i;
			return PAPI_OK;
		}
	return papi_error(PAPI_EINVAL, "%s:%u:%d: the group %s has no metric %.64s", group->file, line,
		condition->column, group->name, condition->name);
}

/* A rule of another group's metric loses nothing but itself. */
static void check_rules(struct reading *reading, struct papi_metric_group *group)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < group->n_rules; i++) {
		struct papi_metric_rule *rule = &group->rules[i];
		int status = PAPI_OK;

		for (unsigned j = 0; status == PAPI_OK && j < rule->n_conditions; j++)
			status = find_metric(group, rule->line, &rule->conditions[j]);
		if (status == PAPI_OK) {
			group->rules[kept++] = *rule;
			continue;
		}
		free_rule(rule);
		reading->problem(reading->data);
	}
	group->n_rules = kept;
}

void papi_metric_file_parse(const char *file, const char *text, size_t length, void (*problem)(void *data), void *data)
{
	struct reading reading = { .problem = problem, .data = data };
	unsigned first = papi_metrics_number();

	papi_lines_begin(&reading.lines, file, text, length);
	while (papi_lines_next(&reading.lines)) {
		papi_lines_field(&reading.lines, PAPI_FIELD_COMMAND);
		if (read_line(&reading) != PAPI_OK)
			problem(data);
	}
	papi_lines_end(&reading.lines);
	for (unsigned i = first; i < papi_metrics_number(); i++) {
		struct papi_metric_group *group = papi_metrics_group((int)i);

		check_rules(&reading, group);
		for (unsigned j = 0; j < group->n_metrics; j++)
			if (papi_metrics_is_circular(group, &group->metrics[j]))
				problem(data);
	}
}
