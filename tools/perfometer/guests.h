/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connections of a server of pages, of which there is a limit. Who has not said the token, or says it slowly, must
 * not keep out those who know it: when there is hardly any room left, the oldest of those connections ends. One thread.
 */
#ifndef PAPI_PERFOMETER_GUESTS_H
#define PAPI_PERFOMETER_GUESTS_H

#include <microhttpd.h>

/* Zeros, but for `most`, are no connections. */
struct papi_guests {
	struct papi_guest *newest, *oldest;
	unsigned number, most; /* most: that the server takes */
};

/* For MHD_OPTION_NOTIFY_CONNECTION, with the guests as its argument. */
void papi_guests_come_or_leave(
	void *guests, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode what);
/* This one has said the token: it may stay. */
void papi_guests_welcome(struct MHD_Connection *connection);

#endif
