/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of program a file is: whether the dynamic linker will put the agent into it. In the agent, and in tools
 * that run programs with it. */
#ifndef PAPI_AGENT_IMAGE_H
#define PAPI_AGENT_IMAGE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/*
 * Why not, said of the program; NULL: nothing is against it. Scripts are looked at through their interpreter. Of a file
 * that cannot be read or executed nothing is said. Allocates nothing: a child made by vfork may call it.
 */
const char *papi_agent_image_obstacle(const char *path);

/* Whether the agent would make the dynamic linker complain: of programs of another word size. */
bool papi_agent_image_is_foreign(const char *path);

#pragma GCC visibility pop

#endif
