/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of all kinds that counts the same whenever it is done again; each checks its own result. */
#ifndef PAPI_TESTS_ARM64_KERNELS_H
#define PAPI_TESTS_ARM64_KERNELS_H

struct kernel {
	const char *name;
	void (*run)(void);
};

extern const struct kernel kernels[];
extern const unsigned n_kernels;

/* Aborts where the processor cannot do what a kernel of stolen.S needs. */
void kernels_begin(void);

#endif
