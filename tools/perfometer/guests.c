/* SPDX-License-Identifier: BSD-3-Clause */
#include "guests.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "perfometer.h"

/* So many places are kept free: what is told to end does so in a turn of the server. */
#define SPARE 8

struct papi_guest {
	struct MHD_Connection *connection;
	bool spared; /* it has said the token, or is told to end already */
	struct papi_guest *older, *newer;
};

/* To the server it is as if the other side had gone. */
static void make_room(const struct papi_guests *guests)
{
	struct papi_guest *guest = guests->oldest;
	const union MHD_ConnectionInfo *info;

	while (guest && guest->spared)
		guest = guest->newer;
	info = guest ? MHD_get_connection_info(guest->connection, MHD_CONNECTION_INFO_CONNECTION_FD) : NULL;
	if (!info)
		return;
	guest->spared = true;
	shutdown(info->connect_fd, SHUT_RDWR);
}

static void come(struct papi_guests *guests, struct MHD_Connection *connection, void **context)
{
	struct papi_guest *guest = papi_perfometer_allocate(NULL, 1, sizeof(*guest));

	*guest = (struct papi_guest){ .connection = connection, .older = guests->newest };
	*context = guest;
	*(guests->newest ? &guests->newest->newer : &guests->oldest) = guest;
	guests->newest = guest;
	if (++guests->number + SPARE > guests->most)
		make_room(guests);
}

static void leave(struct papi_guests *guests, void **context)
{
	struct papi_guest *guest = *context;

	if (!guest)
		return;
	*(guest->newer ? &guest->newer->older : &guests->newest) = guest->older;
	*(guest->older ? &guest->older->newer : &guests->oldest) = guest->newer;
	guests->number--;
	free(guest);
	*context = NULL;
}

void papi_guests_come_or_leave(
	void *guests, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		come(guests, connection, context);
	else
		leave(guests, context);
}

void papi_guests_welcome(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (info && info->socket_context)
		((struct papi_guest *)info->socket_context)->spared = true;
}
