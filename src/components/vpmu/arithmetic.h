/* SPDX-License-Identifier: BSD-3-Clause */
/* What the floating-point instructions of x86 do, by mnemonic; the width is the instruction's own. */
#ifndef PAPI_VPMU_ARITHMETIC_H
#define PAPI_VPMU_ARITHMETIC_H

#include <stdbool.h>

#include <Zydis/Zydis.h>

enum papi_vpmu_element {
	PAPI_VPMU_NO_ELEMENT,
	PAPI_VPMU_HALF,
	PAPI_VPMU_SINGLE,
	PAPI_VPMU_DOUBLE,
	PAPI_VPMU_X87,
};

enum papi_vpmu_calculation {
	PAPI_VPMU_OTHER, /* minimum, maximum, dot product, transcendental functions */
	PAPI_VPMU_ADD,   /* and subtract */
	PAPI_VPMU_MULTIPLY,
	PAPI_VPMU_DIVIDE,
	PAPI_VPMU_SQUARE_ROOT,
	PAPI_VPMU_INVERSE, /* the approximation of 1/x; that of 1/sqrt(x) is OTHER */
	PAPI_VPMU_MULTIPLY_ADD,
};

struct papi_vpmu_arithmetic {
	unsigned char element;     /* enum papi_vpmu_element; NO_ELEMENT: counts no operations */
	unsigned char calculation; /* enum papi_vpmu_calculation */
	unsigned char operations;  /* for each element of a vector */
	bool is_scalar;            /* works on one element of a vector register */
};

extern const struct papi_vpmu_arithmetic papi_vpmu_arithmetic[ZYDIS_MNEMONIC_MAX_VALUE + 1];

#endif
