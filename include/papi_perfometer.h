/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The perfometer, from inside of a program: `perfometer --listen`, which somebody else has started, shows the programs
 * that call perfometer(), and what they mark.
 *
 *     perfometer();
 *     mark_perfometer(PAPI_MARK_BLUE);
 *     read_input();
 *     mark_perfometer(PAPI_MARK_RED);
 *     solve();
 *     mark_perfometer(PAPI_MARK_END);
 *
 * Where nobody listens nothing happens: perfometer() costs some system calls, and mark_perfometer() some
 * instructions. Who listens can be the same user or root, on the same machine; PAPI_PERFOMETER in the environment names
 * another place to meet at, and PAPI_PERFOMETER=off keeps the program to itself.
 *
 * While a perfometer listens, the regions of PAPI_hl_region_begin() can be seen, too. The child of a fork is another
 * program, which calls perfometer() itself if it is to be seen.
 *
 * Any thread may call these functions, before PAPI_library_init() too; they never wait, and are not for signal
 * handlers. Rules on errors: papi.h. Included by papi.h. All are extensions of this library.
 */
#ifndef PAPI_MARKS_H
#define PAPI_MARKS_H

#include "papi_constants.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Colours of marks. */
#define PAPI_MARK_END     0 /**< none: the last mark ends */
#define PAPI_MARK_BLUE    1
#define PAPI_MARK_RED     2
#define PAPI_MARK_GREEN   3
#define PAPI_MARK_ORANGE  4
#define PAPI_MARK_PURPLE  5
#define PAPI_MARK_CYAN    6
#define PAPI_MARK_YELLOW  7
#define PAPI_MARK_GREY    8
#define PAPI_MARK_COLOURS 9 /**< how many there are */

/** Any other colour: red, green and blue, from 0 to 255. */
#define PAPI_MARK_RGB(red, green, blue) (0x1000000 | (red) << 16 | (green) << 8 | (blue))

/**
 * Shows this program in a perfometer that listens. Later calls change nothing while that one listens; one that has
 * come since is found then, so a program that runs for long may call it now and then.
 *
 * @return 1 when a perfometer has been told; 0 when none listens.
 */
PAPI_API int perfometer(void);

/**
 * What the program does from now on has this colour, up to the next mark.
 *
 * @param color  one of the above, or a PAPI_MARK_RGB.
 * @return PAPI_OK, also when nobody listens; PAPI_EINVAL for a number that is no colour.
 */
PAPI_API int mark_perfometer(int color);

#ifdef __cplusplus
}
#endif

#endif
