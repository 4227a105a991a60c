/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where programs and a perfometer that listens meet: a UNIX socket (SOCK_SEQPACKET) without a file, named by user and,
 * with PAPI_PERFOMETER=NAME, by that. The name says nothing about who has taken it: both sides ask the kernel.
 *
 * No state: any thread.
 */
#ifndef PAPI_LIVE_MEET_H
#define PAPI_LIVE_MEET_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#pragma GCC visibility push(hidden)

/* Of that user; how long the address is. 0: PAPI_PERFOMETER says that there is to be none. */
socklen_t papi_meet_address(struct sockaddr_un *address, uid_t user);
/* Who is at the other end. False: nobody can tell. */
bool papi_meet_peer(int socket, struct ucred *peer);
/* This process's number in its job, as launchers say it in the environment; -1: it has none. */
int papi_meet_rank(void);

#pragma GCC visibility pop

#endif
