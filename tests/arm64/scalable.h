/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels in vectors of any length that several tests run (scalable.S). */
#ifndef PAPI_TESTS_ARM64_SCALABLE_H
#define PAPI_TESTS_ARM64_SCALABLE_H

#include <stdint.h>

uint64_t vector_length(void), length(const char *text), known_vectors(uint64_t rounds);
void daxpy(double *y, const double *x, uint64_t n, double a);
float sum(const float *x, uint64_t n);

#endif
