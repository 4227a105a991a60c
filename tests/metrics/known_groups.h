/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of metrics for programs that count known work with them. What fails ends the program. */
#ifndef PAPI_TEST_KNOWN_GROUPS_H
#define PAPI_TEST_KNOWN_GROUPS_H

void known_give_up(const char *what) __attribute__((noreturn));
/* The number of a group of that file; its events are then in the set, which is made here. */
int known_group_in(int *set, const char *file, const char *group);
/* A line for each metric: its name and its value, or its name, "-" and why there is none. */
void known_print_metrics(int group, int set, const long long *counts, double seconds);

#endif
