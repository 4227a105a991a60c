/* SPDX-License-Identifier: BSD-3-Clause */
#include "live/meet.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

socklen_t papi_meet_address(struct sockaddr_un *address, uid_t user)
{
	const char *name = secure_getenv("PAPI_PERFOMETER");
	int length;

	if (name && !strcmp(name, "off"))
		return 0;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* A first byte of 0: the socket has no file. */
	length = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "papi-perfometer/%u/%s", (unsigned)user,
		name ? name : "");
	if (length >= (int)sizeof(address->sun_path) - 1)
		length = (int)sizeof(address->sun_path) - 2;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

bool papi_meet_peer(int socket, struct ucred *peer)
{
	socklen_t size = sizeof(*peer);

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0 && size == sizeof(*peer);
}

int papi_meet_rank(void)
{
	/* Open MPI, MVAPICH, PMIx (Open MPI 5, Slurm), MPICH and its kin, Cray and HPE PALS, Flux, Slurm. */
	static const char *const variables[] = { "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"PALS_RANKID", "FLUX_TASK_RANK", "SLURM_PROCID" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = secure_getenv(variables[i]);
		char *end;
		long rank;

		if (!value || !*value)
			continue;
		errno = 0;
		rank = strtol(value, &end, 10);
		if (!errno && !*end && rank >= 0 && rank < INT_MAX)
			return (int)rank;
	}
	return -1;
}
