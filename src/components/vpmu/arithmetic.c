/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of floating-point instructions. Operations are counted as Intel's FP_ARITH_INST_RETIRED events do: add,
 * subtract, multiply, divide, minimum, maximum, square root and the approximations are one for each element; fused
 * multiply-adds and dot products are two. Moves, comparisons, conversions, roundings and logic are none.
 */
#include "components/vpmu/arithmetic.h"

#define ENTRY(name, element, scalar, what, number) \
	[ZYDIS_MNEMONIC_##name] = { PAPI_VPMU_##element, PAPI_VPMU_##what, number, scalar }

#define PACKED(name, what, number) \
	ENTRY(name##PS, SINGLE, false, what, number), ENTRY(name##PD, DOUBLE, false, what, number)
#define SCALAR(name, what, number) \
	ENTRY(name##SS, SINGLE, true, what, number), ENTRY(name##SD, DOUBLE, true, what, number)
#define HALVES(name, what, number) ENTRY(name##PH, HALF, false, what, number), ENTRY(name##SH, HALF, true, what, number)

/* The same calculation as SSE, AVX and AVX512-FP16 have it. */
#define ALL(name, what)                                                                                   \
	PACKED(name, what, 1), SCALAR(name, what, 1), PACKED(V##name, what, 1), SCALAR(V##name, what, 1), \
		HALVES(V##name, what, 1)

/* Three orders of operands, and AMD's form with four. */
#define FUSED(name)                                                                                                 \
	PACKED(name##132, MULTIPLY_ADD, 2), PACKED(name##213, MULTIPLY_ADD, 2), PACKED(name##231, MULTIPLY_ADD, 2), \
		PACKED(name, MULTIPLY_ADD, 2), ENTRY(name##132PH, HALF, false, MULTIPLY_ADD, 2),                    \
		ENTRY(name##213PH, HALF, false, MULTIPLY_ADD, 2), ENTRY(name##231PH, HALF, false, MULTIPLY_ADD, 2)
#define FUSED_SCALAR(name)                                                                                          \
	SCALAR(name##132, MULTIPLY_ADD, 2), SCALAR(name##213, MULTIPLY_ADD, 2), SCALAR(name##231, MULTIPLY_ADD, 2), \
		SCALAR(name, MULTIPLY_ADD, 2), ENTRY(name##132SH, HALF, true, MULTIPLY_ADD, 2),                     \
		ENTRY(name##213SH, HALF, true, MULTIPLY_ADD, 2), ENTRY(name##231SH, HALF, true, MULTIPLY_ADD, 2)

#define X87(name, what) ENTRY(name, X87, false, what, 1)

/* One element, no operation: what else tells such an instruction from a vector one? */
#define ONE(name)         [ZYDIS_MNEMONIC_##name] = { .is_scalar = true }
#define ONE_OF_EACH(name) ONE(name##SS), ONE(name##SD), ONE(V##name##SS), ONE(V##name##SD)
#define ONE_AVX512(name)  ONE(name##SS), ONE(name##SD), ONE(name##SH)

const struct papi_vpmu_arithmetic papi_vpmu_arithmetic[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
	ALL(ADD, ADD),
	ALL(SUB, ADD),
	ALL(MUL, MULTIPLY),
	ALL(DIV, DIVIDE),
	ALL(SQRT, SQUARE_ROOT),
	ALL(MIN, OTHER),
	ALL(MAX, OTHER),
	PACKED(HADD, ADD, 1),
	PACKED(VHADD, ADD, 1),
	PACKED(HSUB, ADD, 1),
	PACKED(VHSUB, ADD, 1),
	PACKED(ADDSUB, ADD, 1),
	PACKED(VADDSUB, ADD, 1),
	PACKED(DP, OTHER, 2),
	PACKED(VDP, OTHER, 2),
	ENTRY(VDPBF16PS, SINGLE, false, OTHER, 4), /* two products and two sums in each single */

	ENTRY(RCPPS, SINGLE, false, INVERSE, 1),
	ENTRY(RCPSS, SINGLE, true, INVERSE, 1),
	ENTRY(VRCPPS, SINGLE, false, INVERSE, 1),
	ENTRY(VRCPSS, SINGLE, true, INVERSE, 1),
	PACKED(VRCP14, INVERSE, 1),
	SCALAR(VRCP14, INVERSE, 1),
	PACKED(VRCP28, INVERSE, 1),
	SCALAR(VRCP28, INVERSE, 1),
	HALVES(VRCP, INVERSE, 1),
	ENTRY(RSQRTPS, SINGLE, false, OTHER, 1),
	ENTRY(RSQRTSS, SINGLE, true, OTHER, 1),
	ENTRY(VRSQRTPS, SINGLE, false, OTHER, 1),
	ENTRY(VRSQRTSS, SINGLE, true, OTHER, 1),
	PACKED(VRSQRT14, OTHER, 1),
	SCALAR(VRSQRT14, OTHER, 1),
	PACKED(VRSQRT28, OTHER, 1),
	SCALAR(VRSQRT28, OTHER, 1),
	HALVES(VRSQRT, OTHER, 1),

	FUSED(VFMADD),
	FUSED_SCALAR(VFMADD),
	FUSED(VFMSUB),
	FUSED_SCALAR(VFMSUB),
	FUSED(VFNMADD),
	FUSED_SCALAR(VFNMADD),
	FUSED(VFNMSUB),
	FUSED_SCALAR(VFNMSUB),
	FUSED(VFMADDSUB),
	FUSED(VFMSUBADD),
	/* Complex numbers of two halves: a product is six operations, with a sum eight. */
	ENTRY(VFMULCPH, HALF, false, MULTIPLY, 3),
	ENTRY(VFCMULCPH, HALF, false, MULTIPLY, 3),
	ENTRY(VFMULCSH, HALF, true, MULTIPLY, 6),
	ENTRY(VFCMULCSH, HALF, true, MULTIPLY, 6),
	ENTRY(VFMADDCPH, HALF, false, MULTIPLY_ADD, 4),
	ENTRY(VFCMADDCPH, HALF, false, MULTIPLY_ADD, 4),
	ENTRY(VFMADDCSH, HALF, true, MULTIPLY_ADD, 8),
	ENTRY(VFCMADDCSH, HALF, true, MULTIPLY_ADD, 8),

	X87(FADD, ADD),
	X87(FADDP, ADD),
	X87(FIADD, ADD),
	X87(FSUB, ADD),
	X87(FSUBP, ADD),
	X87(FSUBR, ADD),
	X87(FSUBRP, ADD),
	X87(FISUB, ADD),
	X87(FISUBR, ADD),
	X87(FMUL, MULTIPLY),
	X87(FMULP, MULTIPLY),
	X87(FIMUL, MULTIPLY),
	X87(FDIV, DIVIDE),
	X87(FDIVP, DIVIDE),
	X87(FDIVR, DIVIDE),
	X87(FDIVRP, DIVIDE),
	X87(FIDIV, DIVIDE),
	X87(FIDIVR, DIVIDE),
	X87(FSQRT, SQUARE_ROOT),
	X87(FPREM, OTHER),
	X87(FPREM1, OTHER),
	X87(FSCALE, OTHER),
	X87(FSIN, OTHER),
	X87(FCOS, OTHER),
	X87(FSINCOS, OTHER),
	X87(FPTAN, OTHER),
	X87(FPATAN, OTHER),
	X87(F2XM1, OTHER),
	X87(FYL2X, OTHER),
	X87(FYL2XP1, OTHER),

	ONE_OF_EACH(MOV),
	ONE_OF_EACH(CMP),
	ONE_OF_EACH(COMI),
	ONE_OF_EACH(UCOMI),
	ONE_OF_EACH(ROUND),
	ONE(MOVNTSS),
	ONE(MOVNTSD),
	ONE(MOVD),
	ONE(MOVQ),
	ONE(VMOVD),
	ONE(VMOVQ),
	ONE(MOVDQ2Q),
	ONE(MOVQ2DQ),
	ONE(VMOVSH),
	ONE(VMOVW),
	ONE(VCMPSH),
	ONE(VCOMISH),
	ONE(VUCOMISH),
	ONE_AVX512(VFPCLASS),
	ONE_AVX512(VGETEXP),
	ONE_AVX512(VGETMANT),
	ONE_AVX512(VREDUCE),
	ONE_AVX512(VRNDSCALE),
	ONE_AVX512(VSCALEF),
	ONE(VRANGESS),
	ONE(VRANGESD),
	ONE(VFIXUPIMMSS),
	ONE(VFIXUPIMMSD),

	ONE(CVTSD2SS),
	ONE(CVTSS2SD),
	ONE(CVTSI2SD),
	ONE(CVTSI2SS),
	ONE(CVTSD2SI),
	ONE(CVTSS2SI),
	ONE(CVTTSD2SI),
	ONE(CVTTSS2SI),
	ONE(VCVTSD2SS),
	ONE(VCVTSS2SD),
	ONE(VCVTSI2SD),
	ONE(VCVTSI2SS),
	ONE(VCVTSD2SI),
	ONE(VCVTSS2SI),
	ONE(VCVTTSD2SI),
	ONE(VCVTTSS2SI),
	ONE(VCVTUSI2SD),
	ONE(VCVTUSI2SS),
	ONE(VCVTSD2USI),
	ONE(VCVTSS2USI),
	ONE(VCVTTSD2USI),
	ONE(VCVTTSS2USI),
	ONE(VCVTSD2SH),
	ONE(VCVTSH2SD),
	ONE(VCVTSH2SS),
	ONE(VCVTSS2SH),
	ONE(VCVTSI2SH),
	ONE(VCVTUSI2SH),
	ONE(VCVTSH2SI),
	ONE(VCVTSH2USI),
	ONE(VCVTTSH2SI),
	ONE(VCVTTSH2USI),
};
