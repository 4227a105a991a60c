/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: definitions of presets and user events in one line. */
#ifndef PAPI_TESTS_UNIT_DEFINITIONS_H
#define PAPI_TESTS_UNIT_DEFINITIONS_H

#include "core/library.h"
#include "events/definitions.h"
#include "events/tables.h"
#include "unit.h"

/* Replaces what has the symbol already. Nobody else is at the names here, which is why the events mutex is not
 * missed. */
static inline int define_source(const struct papi_definition_source *source, int *code)
{
	int status = papi_library_enter_alone();

	if (status == PAPI_OK) {
		papi_tables_load();
		status = papi_definition_make(source, PAPI_DEFINE_USER_EVENT, true, code);
		papi_library_leave();
	}
	return status;
}

static inline int define_terms(
	const char *symbol, enum papi_derived derived, const char *formula, const char *const terms[], size_t n_terms)
{
	int code;

	return define_source(&(struct papi_definition_source){ .symbol = symbol,
				     .derived = derived,
				     .formula = formula,
				     .terms = terms,
				     .n_terms = (unsigned)n_terms },
		&code);
}

#define TERM_LIST(...) ((const char *const[]){ __VA_ARGS__ })
#define define(symbol, derived, formula, ...) \
	define_terms(symbol, derived, formula, TERM_LIST(__VA_ARGS__), LENGTH(TERM_LIST(__VA_ARGS__)))

#endif
