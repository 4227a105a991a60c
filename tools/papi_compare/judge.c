/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge.c - events of both sides in pairs, and what a difference is worth.
 *
 * Of each side the median of the runs stands for all. The noise is the range of the runs before plus that of the runs
 * after, plus the intervals of estimates: a difference that is larger than this means that all runs after are on one
 * side of all runs before, and farther from them than either are from each other. Of five equal runs on both sides,
 * with normal noise, one difference in 10,000 looks so by chance. Fewer runs say nothing, except where each run is
 * known to be like any other: of counts by translation, with papi_run --reproducible.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papi_compare.h"
#include "text.h"

#define RUNS_NEEDED 5

/* 128 bits hold any sum of these. */
static long long clamp(__int128 number)
{
	return number > LLONG_MAX ? LLONG_MAX : number < LLONG_MIN ? LLONG_MIN : (long long)number;
}

static __int128 range_of(const struct compare_event *event)
{
	return (__int128)event->counts[event->runs - 1] - event->counts[0];
}

/* A count that there was, also of an even number of runs. */
static long long median_of(const struct compare_event *event)
{
	return event->counts[(event->runs - 1) / 2];
}

static bool is_kind(const struct compare_event *event, const char *kind)
{
	return strcmp(event->kind, kind) == 0;
}

static const struct compare_event *find(const struct compare_side *side, const char *name)
{
	for (size_t i = 0; i < side->n_events; i++)
		if (strcmp(side->events[i].name, name) == 0)
			return &side->events[i];
	return NULL;
}

/* ---- whether the two can be compared ---- */

static char *missing(const struct compare_side *side, const struct compare_event *event)
{
	if (!event)
		return papi_compare_format("%s has not got it", side->path);
	if (event->error)
		return papi_compare_format("it was not counted in %s: %s", side->path, event->error);
	if (event->partial)
		return papi_compare_format("in %s the counts of some processes are missing", side->path);
	return NULL;
}

/* Multiplexing makes an estimate of a count; that of the other runs may have had its counter all the time. */
static bool same_kind(const struct compare_event *before, const struct compare_event *after)
{
	return strcmp(before->kind, after->kind) == 0 ||
		(!before->is_virtual && !is_kind(before, "affected") && !is_kind(after, "affected"));
}

static bool same_models(const struct compare_result *result)
{
	json_t *before = json_object_get(result->before->root, "models"),
	       *after = json_object_get(result->after->root, "models");

	return json_is_object(before) && json_equal(before, after);
}

static char *obstacle(const struct compare_result *result, const struct compare_pair *pair)
{
	const struct compare_event *before = pair->before, *after = pair->after;
	char *reason = missing(result->before, before);

	if (!reason)
		reason = missing(result->after, after);
	if (reason)
		return reason;
	if (strcmp(before->unit, after->unit) != 0)
		return papi_compare_format("the units differ: '%s', then '%s'", before->unit, after->unit);
	if (before->is_virtual != after->is_virtual)
		return papi_compare_format("one was counted by hardware or the kernel, the other by translation");
	if (!same_kind(before, after))
		return papi_compare_format("one is %s, the other %s", before->kind, after->kind);
	if (strcmp(before->domain, after->domain) != 0)
		return papi_compare_format(
			"one was counted in %s mode, the other in %s", before->domain, after->domain);
	if (before->is_virtual && !is_kind(before, "exact") && !same_models(result))
		return papi_compare_format("other caches were modelled (set PAPI_VPMU_CACHE to the same in both)");
	return NULL;
}

/* ---- verdicts ---- */

static bool exceeds(const struct compare_pair *pair, const struct compare_limit *limit)
{
	long double growth = pair->difference, before = fabsl((long double)pair->count_before);

	if (pair->difference <= 0)
		return false;
	return limit->is_percent ? growth * 100 > limit->number * before : growth > limit->number;
}

/* The first limit that is exceeded, or else one that holds. */
static const struct compare_limit *limit_of(const struct compare_pair *pair, const struct compare_limits *limits)
{
	const struct compare_limit *found = NULL;

	for (size_t i = 0; i < limits->number; i++) {
		const struct compare_limit *limit = &limits->limits[i];

		if (strcmp(limit->event, pair->name) != 0)
			continue;
		if (pair->counted && exceeds(pair, limit))
			return limit;
		found = limit;
	}
	return found;
}

static bool is_repeatable(const struct compare_side *side, const struct compare_event *event)
{
	return event->runs >= RUNS_NEEDED || (event->is_virtual && side->reproducible);
}

static void measure(const struct compare_result *result, struct compare_pair *pair)
{
	const struct compare_event *before = pair->before, *after = pair->after;

	pair->counted = true;
	pair->count_before = median_of(before);
	pair->count_after = median_of(after);
	pair->difference = clamp((__int128)pair->count_after - pair->count_before);
	pair->noise_known = is_repeatable(result->before, before) && is_repeatable(result->after, after);
	pair->noise = clamp(range_of(before) + range_of(after) + before->interval + after->interval);
}

static enum compare_verdict decide(const struct compare_pair *pair)
{
	if (pair->difference == 0)
		return COMPARE_PAIR_SAME;
	if (!pair->noise_known)
		return COMPARE_PAIR_UNKNOWN;
	if (fabsl((long double)pair->difference) <= (long double)pair->noise)
		return COMPARE_PAIR_NOISE;
	if (pair->limit && exceeds(pair, pair->limit))
		return COMPARE_PAIR_OVER;
	return pair->difference > 0 ? COMPARE_PAIR_MORE : COMPARE_PAIR_LESS;
}

static void judge_pair(
	const struct compare_result *result, const struct compare_limits *limits, struct compare_pair *pair)
{
	pair->reason = obstacle(result, pair);
	if (!pair->reason)
		measure(result, pair);
	pair->limit = limit_of(pair, limits);
	pair->verdict = pair->reason ? COMPARE_PAIR_INCOMPARABLE : decide(pair);
	if (pair->limit && pair->counted && !pair->noise_known)
		pair->reason = papi_compare_format("how far its runs differ is not known: save %d runs or more, with "
						   "papi_run -r %d%s",
			RUNS_NEEDED, RUNS_NEEDED, pair->before->is_virtual ? ", or one with --reproducible" : "");
	if (pair->limit && pair->reason)
		pair->verdict = COMPARE_PAIR_REFUSED;
}

/* ---- all of them ---- */

static void add_pair(struct compare_result *result, const struct compare_event *event)
{
	result->pairs = papi_compare_grow(result->pairs, result->number + 1, sizeof(*result->pairs));
	result->pairs[result->number++] = (struct compare_pair){
		.name = event->name,
		.unit = event->unit,
		.before = find(result->before, event->name),
		.after = find(result->after, event->name),
	};
}

void papi_compare_trouble(struct compare_result *result, char *text)
{
	result->troubles = papi_compare_grow(result->troubles, result->n_troubles + 1, sizeof(*result->troubles));
	result->troubles[result->n_troubles++] = text;
	result->status = COMPARE_TROUBLE;
}

static bool has_metric(const struct compare_side *side, const char *name)
{
	const json_t *metrics = json_object_get(side->root, "metrics");

	for (size_t i = 0; i < json_array_size(metrics); i++) {
		const char *found = json_string_value(json_object_get(json_array_get(metrics, i), "name"));

		if (found && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

/* A limit on what nobody has counted is a mistake, not a limit that is kept. */
static void find_strays(struct compare_result *result, const struct compare_limits *limits)
{
	for (size_t i = 0; i < limits->number; i++) {
		const struct compare_limit *limit = &limits->limits[i];

		if (find(result->before, limit->event) || find(result->after, limit->event))
			continue;
		papi_compare_trouble(result,
			papi_compare_format("the limit %s=%s is on %s", limit->event, limit->text,
				has_metric(result->before, limit->event) || has_metric(result->after, limit->event)
					? "a metric: only events have limits, such as those that it is made of"
					: "an event that neither file has"));
	}
}

static void find_troubles(struct compare_result *result, const struct compare_limits *limits)
{
	bool any = false;

	if (result->before->exit_status != result->after->exit_status)
		papi_compare_trouble(result,
			papi_compare_format(
				"the program ended with exit status %lld, then with %lld: it did not do the "
				"same",
				result->before->exit_status, result->after->exit_status));
	for (size_t i = 0; i < result->number; i++)
		any |= result->pairs[i].counted;
	if (!any)
		papi_compare_trouble(
			result, papi_compare_format("there is no event that both files can be compared by"));
	find_strays(result, limits);
}

/* How much a pair matters among those of its verdict; larger first. */
static double weight(const struct compare_pair *pair)
{
	double percent = pair->counted ? papi_compare_percent(pair) : 0;

	return isnan(percent) ? INFINITY : fabs(percent);
}

static int by_weight(const void *left, const void *right)
{
	const struct compare_pair *one = left, *other = right;
	/* More and less are of one rank. */
	int rank_one = one->verdict == COMPARE_PAIR_LESS ? COMPARE_PAIR_MORE : (int)one->verdict;
	int rank_other = other->verdict == COMPARE_PAIR_LESS ? COMPARE_PAIR_MORE : (int)other->verdict;
	double weight_one = weight(one), weight_other = weight(other);

	if (rank_one != rank_other)
		return rank_one - rank_other;
	if (weight_one > weight_other || weight_one < weight_other)
		return weight_one > weight_other ? -1 : 1;
	return strcmp(one->name, other->name);
}

void papi_compare_judge(struct compare_result *result, const struct compare_limits *limits)
{
	for (size_t i = 0; i < result->before->n_events; i++)
		add_pair(result, &result->before->events[i]);
	for (size_t i = 0; i < result->after->n_events; i++)
		if (!find(result->before, result->after->events[i].name))
			add_pair(result, &result->after->events[i]);
	for (size_t i = 0; i < result->number; i++) {
		judge_pair(result, limits, &result->pairs[i]);
		result->over += result->pairs[i].verdict == COMPARE_PAIR_OVER;
		result->refused += result->pairs[i].verdict == COMPARE_PAIR_REFUSED;
	}
	result->n_limits = limits->number;
	find_troubles(result, limits);
	if (result->number)
		qsort(result->pairs, result->number, sizeof(*result->pairs), by_weight);
	result->status = result->refused || result->n_troubles ? COMPARE_TROUBLE
		: result->over                                 ? COMPARE_OVER
							       : COMPARE_FINE;
}

/* ---- as text ---- */

double papi_compare_percent(const struct compare_pair *pair)
{
	if (pair->difference == 0)
		return 0;
	if (pair->count_before == 0)
		return (double)NAN;
	return 100 * (double)pair->difference / fabs((double)pair->count_before);
}

const char *papi_compare_verdict(const struct compare_pair *pair)
{
	static const char *const names[] = {
		[COMPARE_PAIR_OVER] = "over",
		[COMPARE_PAIR_REFUSED] = "refused",
		[COMPARE_PAIR_MORE] = "more",
		[COMPARE_PAIR_LESS] = "less",
		[COMPARE_PAIR_UNKNOWN] = "unknown",
		[COMPARE_PAIR_NOISE] = "noise",
		[COMPARE_PAIR_SAME] = "same",
		[COMPARE_PAIR_INCOMPARABLE] = "incomparable",
	};

	return names[pair->verdict];
}

char *papi_compare_verdict_text(const struct compare_pair *pair)
{
	static const char *const texts[] = {
		[COMPARE_PAIR_OVER] = "over",
		[COMPARE_PAIR_REFUSED] = "no verdict",
		[COMPARE_PAIR_MORE] = "more",
		[COMPARE_PAIR_LESS] = "less",
		[COMPARE_PAIR_UNKNOWN] = "noise unknown",
		[COMPARE_PAIR_NOISE] = "within noise",
		[COMPARE_PAIR_SAME] = "same",
		[COMPARE_PAIR_INCOMPARABLE] = "incomparable",
	};

	if (pair->verdict == COMPARE_PAIR_OVER)
		return papi_compare_format("over %s", pair->limit->text);
	if (pair->verdict == COMPARE_PAIR_MORE && pair->limit)
		return papi_compare_format("within %s", pair->limit->text);
	return papi_compare_format("%s", texts[pair->verdict]);
}

char *papi_compare_conclusion(const struct compare_result *result)
{
	char *over = !result->n_limits ? papi_compare_format("no limit was given")
		: result->over == 0    ? papi_compare_format("no limit is exceeded")
		: result->over == 1    ? papi_compare_format("1 limit is exceeded")
				       : papi_compare_format("%zu limits are exceeded", result->over);
	char *text;

	if (result->status != COMPARE_TROUBLE)
		return over;
	text = papi_compare_format("not all could be compared; %s", over);
	free(over);
	return text;
}

void papi_compare_count_text(char *text, size_t size, long long count, const char *unit, bool sign)
{
	char number[64];

	if (strcmp(unit, "ns") == 0)
		snprintf(number, sizeof(number), "%.3f", (double)count / 1e6);
	else
		snprintf(number, sizeof(number), "%lld", count);
	if (sign && count > 0 && size > 1) {
		*text++ = '+';
		size--;
	}
	papi_text_group(text, size, number);
}

/* As many decimals as it takes to see something, and no more. */
void papi_compare_change_text(char *text, size_t size, const struct compare_pair *pair)
{
	double percent = papi_compare_percent(pair), amount = fabs(percent);

	*text = '\0';
	if (!pair->counted || isnan(percent) || pair->difference == 0)
		return;
	snprintf(text, size, "%+.*f%%", amount >= 10 ? 1 : amount >= 0.095 ? 2 : amount >= 0.001 ? 4 : 6, percent);
}
