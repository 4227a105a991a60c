/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's rings of records, for sampler.c. A ring is made by the first event of its CPU, and the others write to
 * it too. One thread.
 */
#ifndef PAPI_PROFILE_RING_H
#define PAPI_PROFILE_RING_H

#include "papi_profile/sampler.h"

/* Bytes of a ring for usual samples and for such with stacks: some ten of either can come while nobody looks. */
#define PAPI_PROFILE_RING        (512 * 1024)
#define PAPI_PROFILE_RING_STACKS (4 * 1024 * 1024)

/* How full a ring is when it wakes papi_profile, in bytes: half of the smallest one, and a few stacks. */
#define PAPI_PROFILE_RING_WATERMARK        32768
#define PAPI_PROFILE_RING_WATERMARK_STACKS 262144

/*
 * Gives the event's records to the ring, which has no more than the largest size, a power of two, and less where the
 * limit of locked memory does not allow that. After a failure the event is the caller's to close.
 */
int papi_profile_ring_attach(struct papi_profile_ring *ring, int fd, size_t largest);
/* Unmaps it. Its descriptor is one of the sampler's. */
void papi_profile_ring_detach(struct papi_profile_ring *ring);

void papi_profile_waiting_free(struct papi_profile_waiting **waiting);

#endif
