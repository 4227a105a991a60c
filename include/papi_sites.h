/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Regions that cost an instruction until somebody looks: PAPI_HL_BEGIN and PAPI_HL_END, in C and C++.
 *
 *   PAPI_HL_BEGIN("solve");
 *   ...
 *   PAPI_HL_END("solve");
 *
 * are PAPI_hl_region_begin("solve") and PAPI_hl_region_end("solve") (papi_highlevel.h) where the environment says, when
 * the library is loaded, that somebody wants to know: PAPI_EVENTS, PAPI_METRICS or PAPI_REPORT is set, but for
 * PAPI_REPORT=0, or papi_profile runs the program. Otherwise nothing is called and the name is not evaluated.
 * PAPI_HL_SITES=1 asks for them with the events that regions count by default, and PAPI_HL_SITES=0 leaves them out
 * whatever else is set. In a program that runs already `papi_probe --regions` makes regions of them.
 *
 * Each is an instruction of five bytes, test $imm32,%eax, which changes nothing but flags that nobody reads. The number
 * in it is the distance to the call, which lies out of the way; to look at a site is to change the first byte, which
 * makes a jump of it. doc/decisions/sites.md says why. Sites are found by notes in the program ("PAPI", with the two
 * types below), 24 bytes each. In libraries that are loaded later, by dlopen(3), they stay as they are, and with them
 * those of a library that is loaded together with this one are looked at.
 *
 * Each expands to an expression of type void: results of the functions are not to be had. Where there is another
 * processor than x86-64, or a compiler without asm goto, they are the calls. Threads, signals: as the functions.
 * Included by papi.h.
 */
#ifndef PAPI_SITES_H
#define PAPI_SITES_H

#include "papi_highlevel.h"

/* Types of the notes: where a region begins, where it ends. Four bytes follow, the distance from there to the site. */
#define PAPI_SITE_BEGIN 0x484c0001
#define PAPI_SITE_END   0x484c0002

#if defined(__x86_64__) && defined(__GNUC__)

/* At a label looked_at. The note goes with its code: into the group of a template or an inline function, of which the
 * linker keeps one. */
#define PAPI_SITE(type)                                              \
	__asm__ goto("771:\t.byte 0xa9\n"                            \
		     "\t.long %l[looked_at] - . - 4\n"               \
		     "\t.pushsection .note.papi, \"a?\", \"note\"\n" \
		     "\t.balign 4\n"                                 \
		     "\t.long 5, 4, %c0\n"                           \
		     "\t.asciz \"PAPI\"\n"                           \
		     "\t.balign 4\n"                                 \
		     "\t.long 771b - .\n"                            \
		     "\t.popsection"                                 \
		     :                                               \
		     : "i"(type)                                     \
		     : "cc"                                          \
		     : looked_at)

/* Whether somebody looks; a function each, for compilers confuse labels of several within one. */
static __inline__ __attribute__((always_inline, unused)) int papi_site_begin(void)
{
	PAPI_SITE(PAPI_SITE_BEGIN);
	return 0;
looked_at:
	return 1;
}

static __inline__ __attribute__((always_inline, unused)) int papi_site_end(void)
{
	PAPI_SITE(PAPI_SITE_END);
	return 0;
looked_at:
	return 1;
}

#define PAPI_HL_BEGIN(name) ((void)(__builtin_expect(papi_site_begin(), 0) && PAPI_hl_region_begin(name)))
#define PAPI_HL_END(name)   ((void)(__builtin_expect(papi_site_end(), 0) && PAPI_hl_region_end(name)))

#else

#define PAPI_HL_BEGIN(name) ((void)PAPI_hl_region_begin(name))
#define PAPI_HL_END(name)   ((void)PAPI_hl_region_end(name))

#endif

#endif
