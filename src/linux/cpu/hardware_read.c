/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/cpu/hardware_read.h"

#if defined(__aarch64__)
/* What builds with branch target identification want where an indirect call lands. */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define LANDING "	bti c\n"
#else
#define LANDING ""
#endif

/*
 * In assembler, since a compiler would not promise to change x16 only.
 * PMEVCNTRn_EL0 is s3_3_c14_c(8 + n / 8)_(n % 8), and PMCCNTR_EL0 the counter of cycles.
 */
#define BANK(extend)                                                                          \
	".irp bank, 8, 9, 10, 11\n"                                                           \
	".irp number, 0, 1, 2, 3, 4, 5, 6, 7\n" LANDING ".if \\bank == 11 && \\number == 7\n" \
	"	mrs x16, pmccntr_el0\n"                                                             \
	".else\n"                                                                             \
	"	mrs x16, s3_3_c14_c\\bank\\()_\\number\n"                                           \
	".endif\n" extend "	ret\n"                                                            \
	"	.balign 16\n"                                                                       \
	".endr\n"                                                                             \
	".endr\n"

__asm__(".pushsection .text\n"
	".hidden papi_hardware_readers\n"
	".globl papi_hardware_readers\n"
	".type papi_hardware_readers, %function\n"
	".balign 16\n"
	"papi_hardware_readers:\n" LANDING "	mov x16, #0\n"
	"	ret\n"
	"	.balign 16\n" BANK("")
		BANK("	sxtw x16, w16\n") ".size papi_hardware_readers, . - papi_hardware_readers\n"
					  ".popsection\n");
#else
/* A file must not be empty. */
_Static_assert(sizeof(uint64_t) == 8, "counters have 64 bits");
#endif
