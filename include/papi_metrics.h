/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Metrics: numbers with a meaning, made of counts. Instructions in a cycle, bytes from memory in a second, the share of
 * branches that are mispredicted.
 *
 * Metrics come in groups (flops, cache, branch, ...), which files of text define (doc/metrics.md): the library has
 * some, PAPI_METRICS_FILE in the environment names a file with others, and PAPI_metric_load reads one more. Of each
 * metric a file can have several ways of counting it; the first that this machine can count is taken.
 *
 *     int group = PAPI_metric_group("cache");
 *     double metrics[PAPI_METRIC_MOST];
 *
 *     PAPI_metric_add(group, set);
 *     PAPI_start(set);
 *     work();
 *     PAPI_stop(set, counts);
 *     PAPI_metric_values(group, set, counts, seconds, metrics);
 *
 * Groups are numbered from 0, the metrics and events of a group likewise. Numbers stay what they are until
 * PAPI_shutdown; a group that is read later hides earlier ones of its name.
 *
 * A value that does not exist is NaN, never infinite: of a metric that cannot be counted here, of one that divides by
 * zero, of one whose count is missing.
 *
 * Any thread may call these functions; they take locks and allocate, so none is for signal handlers. Rules on errors:
 * papi.h. Included by papi.h. All are extensions of this library.
 */
#ifndef PAPI_METRICS_H
#define PAPI_METRICS_H

#include "papi_constants.h"
#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most metrics that a group has, and events that a metric is made of. */
#define PAPI_METRIC_MOST   256
#define PAPI_METRIC_EVENTS 16

/** What a group is. */
typedef struct {
	char name[PAPI_MIN_STR_LEN];
	char description[PAPI_2MAX_STR_LEN];
	char file[PAPI_2MAX_STR_LEN]; /**< where it was read; "built-in metrics" */
	int metrics;                  /**< how many it has */
	int events;                   /**< how many events have to be counted for those that can be counted here */
	int rules;                    /**< how many rules say what stands out: PAPI_metric_finding */
} PAPI_metric_group_info_t;

/** What a metric is. */
typedef struct {
	char name[PAPI_MIN_STR_LEN];
	char unit[PAPI_MIN_STR_LEN];        /**< "%", "B/s", "instr/cycle"; "1" of a plain number */
	char short_descr[PAPI_MAX_STR_LEN]; /**< a few words, for tables */
	char long_descr[PAPI_HUGE_STR_LEN]; /**< how to read it */
	char formula[PAPI_HUGE_STR_LEN];    /**< as the file has it, with N0 for the first of terms */
	char terms[PAPI_HUGE_STR_LEN];      /**< what N0, N1, ... are: events and other metrics, separated by commas */
	char worth[PAPI_MIN_STR_LEN];       /**< that of the event which is worth least: "exact", "sampled",
						  "modelled" or "estimated" */
	char why[PAPI_HUGE_STR_LEN];        /**< it cannot be counted here; empty: it can */
	int needs_seconds;                  /**< 1: it is made of the elapsed time, too */
	int n_events;                       /**< how many events it is made of */
	int events[PAPI_METRIC_EVENTS];     /**< their numbers in the group */
} PAPI_metric_info_t;

/**
 * Reads a file of groups. Good lines count, whatever others are like.
 *
 * @return PAPI_OK; PAPI_ESYS when the file cannot be read; PAPI_EINVAL when a line makes no sense: the detail has file,
 *         line and column of the first; PAPI_ENOMEM.
 */
PAPI_API int PAPI_metric_load(const char *file);

/** How many groups there are; a negative code on error. */
PAPI_API int PAPI_metric_groups(void);

/** The number of the group of that name; PAPI_ENOEVNT when there is none, with those there are in the detail. */
PAPI_API int PAPI_metric_group(const char *name);

/**
 * Describes a group. What can be counted of it is found out here, once.
 *
 * @return PAPI_OK; PAPI_EINVAL for another number than that of a group; PAPI_ENOMEM.
 */
PAPI_API int PAPI_metric_group_info(int group, PAPI_metric_group_info_t *info);

/**
 * Describes a metric of a group.
 *
 * @return PAPI_OK, also for one that cannot be counted here; PAPI_EINVAL for another number than that of a metric.
 */
PAPI_API int PAPI_metric_info(int group, int metric, PAPI_metric_info_t *info);

/**
 * The name of an event that has to be counted for a group.
 *
 * @param[out] name  the name; cut, but ended, where length bytes do not hold it.
 * @return PAPI_OK; PAPI_EBUF when it was cut; PAPI_EINVAL for another number than that of an event, or a length
 *         below 1.
 */
PAPI_API int PAPI_metric_event(int group, int event, char *name, int length);

/**
 * Adds the events of a group to an event set; those that are in it already stay where they are.
 *
 * @return PAPI_OK; what PAPI_add_event returns for the first event that the set does not take, with the name of the
 *         event in the detail: the set is then as it was; PAPI_ENOEVNT when nothing of the group can be counted here.
 */
PAPI_API int PAPI_metric_add(int group, int EventSet);

/**
 * The values of a group's metrics, from the values of an event set.
 *
 * @param values        what PAPI_stop or PAPI_read of the set has given.
 * @param seconds       the elapsed time that these were counted in; 0 or less: not known.
 * @param[out] metrics  one for each metric of the group; NaN where its events are not in the set.
 * @return PAPI_OK; PAPI_EINVAL for another number than that of a group; PAPI_ENOEVST; PAPI_ENOMEM.
 */
PAPI_API int PAPI_metric_values(int group, int EventSet, const long long *values, double seconds, double *metrics);

/**
 * The same from counts that the caller has in the order of the group's events (PAPI_metric_event); NaN where a count is
 * missing.
 */
PAPI_API int PAPI_metric_evaluate(int group, const double *counts, double seconds, double *metrics);

/**
 * A value as text, with its unit: "12.5 %", "3.21 GB/s", "n/a".
 *
 * @return PAPI_OK; PAPI_EBUF when it was cut; PAPI_EINVAL for another number than that of a metric, or a length
 *         below 1.
 */
PAPI_API int PAPI_metric_text(int group, int metric, double value, char *text, int length);

/**
 * What a rule of the group's file says about the values: a sentence, when a metric is beyond the rule's threshold.
 *
 * @param metrics       what PAPI_metric_values or PAPI_metric_evaluate has given.
 * @param[out] beyond   how many times the value is beyond the threshold: what stands out most has the largest; 0: it is
 *                      not beyond it.
 * @param[out] sentence the sentence; "" when beyond is 0.
 * @return PAPI_OK; PAPI_EBUF when the sentence was cut; PAPI_EINVAL for another number than that of a rule, or a length
 *         below 1.
 */
PAPI_API int PAPI_metric_finding(
	int group, int rule, const double *metrics, double *beyond, char *sentence, int length);

#ifdef __cplusplus
}
#endif

#endif
