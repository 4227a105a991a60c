/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_profile report inside: report.c has the command line and the table, report_data.c the report for programs. */
#ifndef PAPI_PROFILE_REPORT_H
#define PAPI_PROFILE_REPORT_H

#include "profile/sums.h"
#include "views.h"

struct report_ratio {
	char *name; /* "A/B" */
	uint32_t over, under;
};

struct report {
	struct view view;
	const char *by;
	bool by_inclusive;             /* the order of rows */
	bool inclusive;                /* whether that is known and different */
	struct papi_profile_sums sums; /* the rows in their order */
	size_t n_shown;
	struct report_ratio *ratios;
	size_t n_ratios;
};

/* What a row stands for, as it is in the store; to be freed. */
char *report_label(const struct report *report, const struct papi_profile_row *row);

/* The ratio of a row and the error of that; NAN where the lower event was not counted there. */
double report_ratio(const struct report *report, const struct papi_profile_row *row, const struct report_ratio *ratio,
	double *error);

void report_print_json(const struct report *report);
void report_print_csv(const struct report *report);

#endif
