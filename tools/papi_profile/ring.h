/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's rings of records, for sampler.c. A ring is made by the first event of its CPU, and the others write to
 * it too. One thread.
 */
#ifndef PAPI_PROFILE_RING_H
#define PAPI_PROFILE_RING_H

#include "papi_profile/sampler.h"

/* How full a ring is when it wakes papi_profile, in bytes: half of the smallest one. */
#define PAPI_PROFILE_RING_WATERMARK 32768

/* Gives the event's records to the ring. After a failure the event is the caller's to close. */
int papi_profile_ring_attach(struct papi_profile_ring *ring, int fd);
/* Unmaps it. Its descriptor is one of the sampler's. */
void papi_profile_ring_detach(struct papi_profile_ring *ring);

void papi_profile_waiting_free(struct papi_profile_waiting **waiting);

#endif
