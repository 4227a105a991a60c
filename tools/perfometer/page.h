/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page of perfometer: one HTML file, which the build makes of the folder page/ (tools/page/embed.py). With nothing
 * between its two texts it connects to the server that it came from; with the lines of a recording between them, each
 * "<" as "\u003c", it shows those and connects to nothing.
 *
 * Both are empty in a build without uPlot, which draws the page: there was no npm to fetch it. Constants: safe from
 * everywhere.
 */
#ifndef PAPI_PERFOMETER_PAGE_H
#define PAPI_PERFOMETER_PAGE_H

extern const char papi_perfometer_page_begin[], papi_perfometer_page_end[];

#endif
