/* SPDX-License-Identifier: BSD-3-Clause */
/* From counts to values of metrics, and from those to text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "metrics/metrics.h"

/* A threshold of 0 is exceeded without measure. */
#define BEYOND_MEASURE 1e9

int papi_metrics_evaluate(const struct papi_metric_group *group, const double counts[], double seconds, double values[])
{
	double *terms = malloc((group->n_events + 1) * sizeof(*terms));

	if (!terms)
		return papi_error(PAPI_ENOMEM, "no memory for the values of metrics");
	terms[0] = seconds;
	for (unsigned i = 0; i < group->n_events; i++)
		terms[i + 1] = counts[i] * group->events[i].scale;
	for (unsigned i = 0; i < group->n_metrics; i++) {
		const struct papi_metric *metric = &group->metrics[i];

		values[i] = metric->state == PAPI_METRIC_CHOSEN
			? papi_formula_evaluate_real(metric->ways[metric->chosen].flat, terms, metric->places)
			: (double)NAN;
	}
	free(terms);
	return PAPI_OK;
}

/* Units that are counted in thousands, millions and so on, in front of which a prefix can stand. */
static bool takes_prefix(const char *unit)
{
	static const char *const units[] = { "B", "B/s", "flop", "flop/s", "Hz", "J", "W", "instr/s" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i]) == 0)
			return true;
	return false;
}

/* Three digits that tell something, and none less than that before the point. */
static void print_number(char *text, size_t size, double value)
{
	double magnitude = fabs(value);
	int decimals = magnitude >= 100 || magnitude == 0 ? 0
		: magnitude >= 10                         ? 1
		: magnitude >= 1                          ? 2
		: magnitude >= 0.1                        ? 3
		: magnitude >= 0.01                       ? 4
							  : 5;

	if (magnitude > 0 && magnitude < 0.001)
		snprintf(text, size, "%.2e", value);
	else
		snprintf(text, size, "%.*f", decimals, value);
}

void papi_metric_text(const struct papi_metric *metric, double value, char *text, size_t size)
{
	static const char prefixes[] = "kMGTPE";
	const char *unit = strcmp(metric->unit, "1") == 0 ? "" : metric->unit;
	char number[400], prefix[2] = "";

	if (!isfinite(value)) {
		snprintf(text, size, "n/a");
		return;
	}
	for (size_t i = 0; takes_prefix(unit) && fabs(value) >= 1000 && prefixes[i]; i++) {
		value /= 1000;
		prefix[0] = prefixes[i];
	}
	print_number(number, sizeof(number), value);
	snprintf(text, size, "%s%s%s%s", number, *unit ? " " : "", prefix, unit);
}

/* The sentence of a rule with the value in the place of {}. */
static void say(const struct papi_metric_rule *rule, const char *value, char *sentence, size_t size)
{
	const char *brace = strstr(rule->sentence, "{}");

	if (brace)
		snprintf(sentence, size, "%.*s%s%s", (int)(brace - rule->sentence), rule->sentence, value, brace + 2);
	else
		snprintf(sentence, size, "%s", rule->sentence);
}

static bool holds(const struct papi_metric_condition *condition, const double values[])
{
	double value = values[condition->metric];

	return isfinite(value) && (condition->above ? value > condition->threshold : value < condition->threshold);
}

double papi_metric_finding(const struct papi_metric_group *group, const struct papi_metric_rule *rule,
	const double values[], char *sentence, size_t size)
{
	const struct papi_metric_condition *first = &rule->conditions[0];
	double value = values[first->metric], beyond;
	char text[64];

	for (unsigned i = 0; i < rule->n_conditions; i++)
		if (!holds(&rule->conditions[i], values))
			return 0;
	papi_metric_text(&group->metrics[first->metric], value, text, sizeof(text));
	say(rule, text, sentence, size);
	beyond = first->above ? value / first->threshold : first->threshold / value;
	return isfinite(beyond) && beyond > 0 && beyond < BEYOND_MEASURE ? beyond : BEYOND_MEASURE;
}
