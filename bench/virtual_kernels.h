/* SPDX-License-Identifier: BSD-3-Clause */
/* What the virtual PMU is measured with: small programs of different kinds, ten to thirty milliseconds each. */
#ifndef PAPI_BENCH_VIRTUAL_KERNELS_H
#define PAPI_BENCH_VIRTUAL_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

struct kernel {
	const char *name;
	void (*run)(void);
	bool (*can)(void); /* NULL: on every processor */
	/* Promised: at most so many times as slow as alone, with exact events and with modelled ones. */
	double exact_limit, modelled_limit;
};

extern const struct kernel kernels[];
extern const size_t n_kernels;

/* Fills memory; before the first run of any. */
void kernels_prepare(void);

#endif
