/* SPDX-License-Identifier: BSD-3-Clause */
#include "live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/frame.h"
#include "live/meet.h"

/* Descriptors from here on are those that programs least often close, or want for themselves. */
#define HIGH 1100

atomic_int papi_live_socket = -1;

static pthread_mutex_t connecting = PTHREAD_MUTEX_INITIALIZER;
static ino_t inode; /* of the socket */
static atomic_bool wants_no_regions, was_told;

/* ---- the connection ---- */

/* Same user or root: nobody else is told anything. */
static bool is_trusted(int socket, uid_t own, struct ucred *peer)
{
	return papi_meet_peer(socket, peer) && (peer->uid == own || peer->uid == 0);
}

/* own: whose process this is. */
static int connect_to(uid_t user, uid_t own, struct ucred *peer)
{
	struct sockaddr_un address;
	socklen_t length = papi_meet_address(&address, user);
	int opened;

	if (!length)
		return -1;
	opened = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (opened < 0)
		return -1;
	if (connect(opened, (struct sockaddr *)&address, length) == 0 && is_trusted(opened, own, peer))
		return opened;
	close(opened);
	return -1;
}

static int move_high(int opened)
{
	int moved = fcntl(opened, F_DUPFD_CLOEXEC, HIGH);

	if (moved < 0)
		return opened;
	close(opened);
	return moved;
}

/* Of what the program may have put in its place, nothing is closed. */
static void forget(int socket, bool is_ours)
{
	if (atomic_compare_exchange_strong(&papi_live_socket, &(int){ socket }, -1) && is_ours)
		close(socket);
}

static bool is_ours(int socket)
{
	struct stat status;

	return fstat(socket, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode;
}

static void send_words(enum papi_frame_kind kind, int32_t first, int32_t second, const char *name)
{
	char bytes[PAPI_FRAME_PROGRAM];
	size_t length = papi_frame_write(bytes, kind, first, second, name);
	int socket = atomic_load(&papi_live_socket), before = errno;

	if (socket >= 0 && !is_ours(socket))
		forget(socket, false);
	else if (socket >= 0 && send(socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN &&
		errno != ENOBUFS && errno != EINTR)
		forget(socket, true);
	errno = before;
}

/* The parent's connection is not the child's. */
static void in_child(void)
{
	int socket = atomic_exchange(&papi_live_socket, -1);

	pthread_mutex_init(&connecting, NULL);
	if (socket >= 0 && is_ours(socket))
		close(socket);
}

static bool greet(int opened, const struct ucred *peer)
{
	static bool hears_of_forks;
	struct stat status;
	char bytes[PAPI_FRAME_PROGRAM];
	size_t length = papi_frame_write(bytes, PAPI_FRAME_HELLO, papi_meet_rank(), 0, program_invocation_short_name);

	if (fstat(opened, &status) != 0 || send(opened, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)length)
		return false;
	/* Where only parents may look into processes, the perfometer may, too; elsewhere this is refused. */
	prctl(PR_SET_PTRACER, (unsigned long)peer->pid, 0UL, 0UL, 0UL);
	if (!hears_of_forks)
		pthread_atfork(NULL, NULL, in_child);
	hears_of_forks = true;
	inode = status.st_ino;
	atomic_store(&was_told, false);
	atomic_store(&wants_no_regions, false);
	return true;
}

/* A perfometer that has ended is noticed here. */
static bool is_connected(void)
{
	int socket = atomic_load(&papi_live_socket);
	struct pollfd end = { .fd = socket, .events = POLLRDHUP };

	if (socket < 0)
		return false;
	if (!is_ours(socket)) {
		forget(socket, false);
		return false;
	}
	/* What it has said, and nobody has read yet, says nothing about that. */
	if (poll(&end, 1, 0) <= 0)
		return true;
	forget(socket, true);
	return false;
}

static bool try_to_connect(void)
{
	struct ucred peer;
	uid_t user;
	int opened;

	if (is_connected())
		return true;
	user = geteuid();
	opened = connect_to(user, user, &peer);
	if (opened < 0 && user != 0)
		opened = connect_to(0, user, &peer);
	if (opened < 0)
		return false;
	opened = move_high(opened);
	if (!greet(opened, &peer)) {
		close(opened);
		return false;
	}
	atomic_store_explicit(&papi_live_socket, opened, memory_order_release);
	return true;
}

bool papi_live_connect(void)
{
	int before = errno;
	bool connected;

	pthread_mutex_lock(&connecting);
	connected = try_to_connect();
	pthread_mutex_unlock(&connecting);
	errno = before;
	return connected;
}

/* ---- marks ---- */

void papi_live_mark(int color)
{
	if (papi_live_is_seen())
		send_words(PAPI_FRAME_MARK, gettid(), color, "");
}

/* Until the perfometer has said what it wants, it gets all. */
static void hear(int socket)
{
	struct papi_frame_words words;
	struct papi_frame frame;
	char bytes[PAPI_FRAME_PROGRAM];
	const char *why;
	ssize_t got = is_ours(socket) ? recv(socket, bytes, sizeof(bytes), MSG_DONTWAIT) : -1;

	if (got <= 0 || papi_frame_take(bytes, (size_t)got, &frame, &why) <= 0 || frame.kind != PAPI_FRAME_WANT ||
		!papi_frame_read(&frame, &words))
		return;
	atomic_store(&wants_no_regions, !(words.first & 1));
	atomic_store(&was_told, true);
}

void papi_live_region(const char *name, bool begin)
{
	int socket = atomic_load(&papi_live_socket), before = errno;

	if (socket < 0)
		return;
	if (!atomic_load(&was_told))
		hear(socket);
	if (!atomic_load(&wants_no_regions))
		send_words(begin ? PAPI_FRAME_BEGIN : PAPI_FRAME_END, gettid(), 0, name);
	errno = before;
}
