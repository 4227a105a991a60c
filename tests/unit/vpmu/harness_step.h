/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs code step by step, for the harness: by the trap flag, with a signal behind each instruction. What looks at the
 * steps does so in the handler, which cannot fail a test: it complains. One run at a time, in one thread. */
#ifndef PAPI_TESTS_UNIT_VPMU_HARNESS_STEP_H
#define PAPI_TESTS_UNIT_VPMU_HARNESS_STEP_H

#include <stdbool.h>

#include "harness.h"

/* From here on signals are the harness's, in the place of cmocka's. */
void harness_catch_signals(void);
/* From that state on, until the observer says that it is over: it is told each state, and the signal that ended an
 * instruction (0: none). */
void harness_run(const struct machine *start, bool (*observer)(const struct machine *machine, int signal));

/* False, for an observer that asked. */
bool harness_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What the observer of the last run has complained of, or NULL; and as if nothing had been said. */
const char *harness_complaint(void);
void harness_forget_complaint(void);

#endif
