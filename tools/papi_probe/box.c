/* SPDX-License-Identifier: BSD-3-Clause */
/* box.c - orders to the runtime in the program, by its letter box (probes/table.h). */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "papi_probe.h"

#define LIMIT 50000 /* pauses of a fifth of a millisecond */

static void pause_a_moment(void)
{
	const struct timespec pause = { .tv_nsec = 200 * 1000L };

	nanosleep(&pause, NULL);
}

/* All but the number first: with that the runtime begins to read. */
static bool post(struct probe_session *session)
{
	const size_t first = offsetof(struct papi_probe_visit, order), end = offsetof(struct papi_probe_visit, answer);
	const struct papi_probe_visit *orders = &session->orders;

	return papi_remote_write(&session->remote, session->box + first, &orders->order, end - first) &&
		papi_remote_write(&session->remote, session->box + offsetof(struct papi_probe_visit, asked),
			(const void *)&orders->asked, sizeof(orders->asked));
}

static bool order_it(
	struct probe_session *session, enum papi_probe_order order, uint32_t number, uint64_t address, uint64_t size)
{
	struct papi_probe_visit *orders = &session->orders;

	orders->asked++;
	orders->order = order;
	orders->number = number;
	orders->address = address;
	orders->size = size;
	return post(session) ||
		probe_fail(session, "it has ended, or executed another program, before it could be probed");
}

/* Nobody waits for an answer: the program may have ended by then. */
bool probe_box_dismiss(struct probe_session *session)
{
	return order_it(session, PAPI_PROBE_DONE, 0, 0, 0);
}

bool probe_box_ask(struct probe_session *session, enum papi_probe_order order, uint32_t number, uint64_t address,
	uint64_t size, int64_t *answer)
{
	struct papi_probe_visit *orders = &session->orders, seen;
	uint32_t serial = orders->asked + 1;

	if (!order_it(session, order, number, address, size))
		return false;
	for (unsigned i = 0; i < LIMIT; i++) {
		if (!papi_remote_read(&session->remote, session->box, &seen, sizeof(seen)))
			return probe_fail(
				session, "it has ended, or executed another program, before it could be probed");
		if (seen.answered == serial) {
			*orders = seen;
			*answer = seen.answer;
			return true;
		}
		pause_a_moment();
	}
	return probe_fail(session, "what was brought into the program does not answer");
}

bool probe_box_open_table(struct probe_session *session)
{
	const uint32_t n = session->list.n_numbered;
	int64_t file = -1, closed;
	int own, error;

	if (!probe_box_ask(session, PAPI_PROBE_TABLE, n, 0, 0, &file))
		return false;
	if (file < 0)
		return probe_fail(
			session, "the program has no memory for the table of counts: %s", strerror((int)-file));
	own = (int)syscall(SYS_pidfd_getfd, session->remote.process, (int)file, 0);
	error = errno;
	if (!probe_box_ask(session, PAPI_PROBE_CLOSE, (uint32_t)file, 0, 0, &closed))
		return false;
	if (own < 0)
		return probe_fail(session, "its table of counts cannot be had (pidfd_getfd): %s", strerror(error));
	session->table_size = papi_probe_table_size(n);
	session->table = mmap(NULL, session->table_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, own, 0);
	error = errno;
	close(own);
	if (session->table != MAP_FAILED)
		return true;
	session->table = NULL;
	return probe_fail(session, "its table of counts cannot be mapped: %s", strerror(error));
}
