/* SPDX-License-Identifier: BSD-3-Clause */
/* A thousand connections of all kinds to the server of pages, most of which end as none should: nothing is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "perfometer/page.h"
#include "perfometer/perfometer.h"
#include "perfometer/server.h"

#define CYCLES 1000

const char papi_perfometer_page_begin[] = "<html>", papi_perfometer_page_end[] = "</html>";

/* ---- what perfometer.c has ---- */

void *papi_perfometer_allocate(void *old, size_t number, size_t size)
{
	void *memory = reallocarray(old, number, size);

	assert_non_null(memory);
	return memory;
}

char *papi_perfometer_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	return text;
}

void papi_perfometer_no_memory(void)
{
	abort();
}

void papi_perfometer_say(const char *format, ...)
{
	fail_msg("nothing is to be said: %s", format);
}

/* ---- what is counted ---- */

static unsigned chosen;

static char *available(void *argument)
{
	(void)argument;
	return papi_perfometer_format("[]");
}

static char *metrics(void *argument, bool threads)
{
	(void)argument;
	return papi_perfometer_format("%s# EOF\n", threads ? "# threads\n" : "");
}

static bool choose(void *argument, const char *const names[], size_t number, char *reason, size_t size)
{
	(void)argument;
	chosen++;
	snprintf(reason, size, "'%s' cannot be counted", names[0]);
	return number == 1 && !strcmp(names[0], "good");
}

/* ---- a client in the thread of the server ---- */

struct bench {
	struct papi_journal journal;
	struct papi_server *server;
	struct papi_token token;
	int port;
};

static void serve(struct bench *bench)
{
	struct pollfd file = { .fd = papi_server_file(bench->server), .events = POLLIN };

	poll(&file, 1, 1);
	papi_server_serve(bench->server);
}

static int connect_to(const struct bench *bench)
{
	const struct sockaddr_in own = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)bench->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(file >= 0);
	assert_int_equal(connect(file, (const struct sockaddr *)&own, sizeof(own)), 0);
	return file;
}

/* Serves until the answer has this in it, or nothing more comes; whether it has. */
static bool has_answer(struct bench *bench, int file, const char *wanted)
{
	char text[4096] = "";
	size_t length = 0;
	time_t end = time(NULL) + 60;

	while (!strstr(text, wanted) && length < sizeof(text) - 1 && time(NULL) < end) {
		ssize_t got;

		serve(bench);
		got = recv(file, text + length, sizeof(text) - 1 - length, MSG_DONTWAIT);
		if (got == 0)
			break;
		if (got > 0)
			length += (size_t)got;
		text[length] = '\0';
	}
	return strstr(text, wanted);
}

static void leave_at_once(int file)
{
	const struct linger none = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(file, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(file);
}

static void write_message(struct bench *bench)
{
	fputs("{\"type\":\"sample\"}", papi_journal_write(&bench->journal, PAPI_JOURNAL_PASSING, 0, 1));
	papi_journal_done(&bench->journal);
}

/* What is sent, what must come (NULL: nobody waits for it), and how the client goes. Those who leave in the middle of a
 * request do it rudely, since the server would wait half a minute for what may still come. */
static const struct way {
	const char *method, *path, *rest, *answer;
	bool knows_token, rude;
} ways[] = {
	{ "GET", "/metrics", "\r\n", "# EOF", true, false },
	{ "GET", "/metrics", "\r\n", "# EOF", true, true },
	{ "GET", "/data", "\r\n", "sample", true, false },
	{ "GET", "/data", "\r\n", "sample", true, true },
	{ "GET", "/data", "\r\n", NULL, true, true },
	{ "GET", "/", "\r\n", "403", false, false },
	{ "GET", "/nix", "\r\n", "404", true, false },
	{ "POST", "/events", "Content-Length: 19\r\n\r\n{\"events\":[\"good\"]}", "202", true, false },
	{ "POST", "/events", "Content-Length: 18\r\n\r\n{\"events\":[\"bad\"]}", "'bad'", true, false },
	{ "POST", "/events", "Content-Length: 99\r\n\r\n{\"events\":", NULL, true, true },
	{ "\001\002", "\003", "\r\n", NULL, true, false },
	{ "GET", "/", "X:", NULL, true, true },
	{ "", "", "", NULL, false, true },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void go(struct bench *bench, const struct way *way)
{
	char *request = papi_perfometer_format("%s %s?token=%s HTTP/1.1\r\nHost: x\r\n%s", way->method, way->path,
		way->knows_token ? bench->token.text : "", way->rest);
	int file = connect_to(bench);

	assert_true(send(file, request, strlen(request), MSG_NOSIGNAL) > 0);
	free(request);
	if (way->answer)
		assert_true(has_answer(bench, file, way->answer));
	else
		serve(bench);
	if (way->rude)
		leave_at_once(file);
	else
		close(file);
	serve(bench);
}

static size_t count_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t number = 0;

	assert_non_null(directory);
	while (readdir(directory))
		number++;
	closedir(directory);
	return number;
}

/* A page that has gone is noticed with the next message. */
static void wait_until_closed(struct bench *bench, size_t files)
{
	time_t end = time(NULL) + 60;

	while ((papi_server_pages(bench->server) || count_files() > files) && time(NULL) < end) {
		write_message(bench);
		serve(bench);
	}
	assert_int_equal(papi_server_pages(bench->server), 0);
	assert_int_equal(count_files(), files);
}

static void begin(struct bench *bench, const struct papi_server_answers *answers)
{
	const struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char reason[256];

	papi_journal_begin(&bench->journal);
	write_message(bench);
	assert_true(papi_token_make(&bench->token, reason, sizeof(reason)));
	bench->server = papi_server_begin(
		&bench->journal, answers, &bench->token, (const struct sockaddr *)&place, reason, sizeof(reason));
	assert_non_null(bench->server);
	assert_int_equal(sscanf(papi_server_address(bench->server), "http://127.0.0.1:%d/", &bench->port), 1);
}

static void test_a_thousand(void **state)
{
	const struct papi_server_answers answers = { NULL, available, metrics, choose };
	struct bench bench;
	size_t before = count_files(), files;

	(void)state;
	begin(&bench, &answers);
	files = count_files();
	for (size_t i = 0; i < CYCLES; i++) {
		go(&bench, &ways[i % WAYS]);
		if (i % WAYS == WAYS - 1)
			wait_until_closed(&bench, files);
	}
	wait_until_closed(&bench, files);
	assert_int_equal(chosen, CYCLES / WAYS * 2 + (CYCLES % WAYS > 7) + (CYCLES % WAYS > 8));
	papi_server_end(bench.server);
	assert_true(papi_journal_end(&bench.journal));
	assert_int_equal(count_files(), before);
}

/* Pages that are open, and requests half said, when perfometer ends. */
static void test_an_end_in_the_middle(void **state)
{
	const struct papi_server_answers answers = { NULL, available, metrics, choose };
	size_t before = count_files();
	int files[2 * WAYS];

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct bench bench;

		begin(&bench, &answers);
		for (size_t k = 0; k < 2 * WAYS; k++) {
			const struct way *way = &ways[k % WAYS];
			char *request = papi_perfometer_format("%s %s?token=%s HTTP/1.1\r\nHost: x\r\n%s", way->method,
				way->path, bench.token.text, way->rest);

			files[k] = connect_to(&bench);
			assert_true(send(files[k], request, strlen(request), MSG_NOSIGNAL) > 0);
			free(request);
			serve(&bench);
		}
		papi_server_end(bench.server);
		assert_true(papi_journal_end(&bench.journal));
		for (size_t k = 0; k < 2 * WAYS; k++)
			close(files[k]);
	}
	assert_int_equal(count_files(), before);
}

/* ---- those who do not say the token ---- */

#define STRANGERS 300

/* A page, which nobody may push out. */
static int open_page(struct bench *bench)
{
	char *request = papi_perfometer_format("GET /data?token=%s HTTP/1.1\r\nHost: x\r\n\r\n", bench->token.text);
	int file = connect_to(bench);

	assert_true(send(file, request, strlen(request), MSG_NOSIGNAL) > 0);
	free(request);
	assert_true(has_answer(bench, file, "sample"));
	return file;
}

/* Half a request, or one with another token: then they wait, for as long as they are let. */
static void fill_with_strangers(struct bench *bench, int files[STRANGERS])
{
	static const char *const says[] = { "", "GET /data?tok", "GET /data?token=0123 HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{" };

	for (int i = 0; i < STRANGERS; i++) {
		const char *what = says[i % 4];

		files[i] = connect_to(bench);
		assert_true(send(files[i], what, strlen(what), MSG_NOSIGNAL) == (ssize_t)strlen(what));
		serve(bench);
	}
}

static void test_strangers_keep_nobody_out(void **state)
{
	const struct papi_server_answers answers = { NULL, available, metrics, choose };
	size_t before = count_files();
	int files[STRANGERS], page;
	struct bench bench;

	(void)state;
	begin(&bench, &answers);
	page = open_page(&bench);
	fill_with_strangers(&bench, files);
	for (int i = 0; i < 20; i++)
		go(&bench, &ways[i % 2 ? 0 : 7]);
	assert_int_equal(papi_server_pages(bench.server), 1);
	write_message(&bench);
	assert_true(has_answer(&bench, page, "sample"));
	/* More than the limit were never there at once: the others have been ended, the oldest first. */
	for (int i = 0; i < STRANGERS - 64; i++) {
		char byte[512];
		ssize_t got;

		while ((got = recv(files[i], byte, sizeof(byte), MSG_DONTWAIT)) > 0)
			continue;
		assert_true(got == 0 || errno == ECONNRESET);
	}
	for (int i = 0; i < STRANGERS; i++)
		close(files[i]);
	close(page);
	papi_server_end(bench.server);
	assert_true(papi_journal_end(&bench.journal));
	assert_int_equal(count_files(), before);
}

/* ---- a page that sleeps ---- */

#define LATE_MESSAGES 20000

static void write_at(struct bench *bench, double time)
{
	FILE *out = papi_journal_write(&bench->journal, PAPI_JOURNAL_PASSING, 0, time);

	fprintf(out, "{\"type\":\"sample\",\"t\":%.6f,\"fill\":\"%01000d\"}", time, 0);
	papi_journal_done(&bench->journal);
}

/* All that a page gets until the last message, whose time is known. */
static char *read_until(struct bench *bench, int file, double last)
{
	char *wanted = papi_perfometer_format("\"t\":%.6f,", last), *text = papi_perfometer_format("%s", "");
	size_t length = 0;
	time_t end = time(NULL) + 120;

	while (!memmem(text, length, wanted, strlen(wanted)) && time(NULL) < end) {
		ssize_t got;

		serve(bench);
		text = papi_perfometer_allocate(text, length + 1000001, 1);
		got = recv(file, text + length, 1000000, MSG_DONTWAIT);
		length += got > 0 ? (size_t)got : 0;
		text[length] = '\0';
	}
	free(wanted);
	return text;
}

/* From the last that it has had to the first that there still is, and nothing twice. */
static void assert_gap(const char *text)
{
	double last = 0, from = -1, until = -1;
	unsigned gaps = 0;

	for (const char *at = text; (at = strstr(at, "data: {\"type\":\"")); at++) {
		double time;

		if (sscanf(at, "data: {\"type\":\"gap\",\"t\":%lf,\"until\":%lf", &from, &until) == 2) {
			gaps++;
			assert_true(from == last && until > from);
		} else if (sscanf(at, "data: {\"type\":\"sample\",\"t\":%lf", &time) == 1) {
			if (until >= 0)
				assert_true(time == until);
			else
				assert_true(time > last);
			until = -1;
			last = time;
		}
	}
	assert_int_equal(gaps, 1);
}

static void test_a_page_that_sleeps(void **state)
{
	const struct papi_server_answers answers = { NULL, available, metrics, choose };
	struct bench bench;
	char *request, *text;
	int file;

	(void)state;
	begin(&bench, &answers);
	request = papi_perfometer_format("GET /data?token=%s HTTP/1.0\r\n\r\n", bench.token.text);
	file = connect_to(&bench);
	assert_true(send(file, request, strlen(request), MSG_NOSIGNAL) > 0);
	free(request);
	assert_true(has_answer(&bench, file, "sample"));
	/* More than sockets hold, and an hour. */
	for (int i = 1; i <= LATE_MESSAGES; i++) {
		write_at(&bench, 0.18 * i);
		if (i % 10 == 0)
			serve(&bench);
	}
	text = read_until(&bench, file, 0.18 * LATE_MESSAGES);
	assert_gap(text);
	free(text);
	close(file);
	papi_server_end(bench.server);
	assert_true(papi_journal_end(&bench.journal));
}

/* ---- what is kept for a page that comes later ---- */

static void write_of_kind(struct papi_journal *journal, enum papi_journal_kind kind, int lane, double time)
{
	fprintf(papi_journal_write(journal, kind, lane, time), "{\"t\":%.6f}", time);
	papi_journal_done(journal);
}

static void write_band(struct papi_journal *journal, int lane, const char *name, double time)
{
	fprintf(papi_journal_write_band(journal, lane, name, time), "{\"band\":\"%s\"}", name);
	papi_journal_done(journal);
}

static size_t count_bands(const struct papi_journal *journal, const char *name)
{
	const struct papi_journal_entry *entry;
	size_t found = 0;

	for (uint64_t next = 0; (entry = papi_journal_from(journal, next)); next = entry->number + 1)
		found += entry->kind == PAPI_JOURNAL_BAND && strstr(entry->text, name);
	return found;
}

static void pass_until(struct papi_journal *journal, double *now, double end)
{
	for (; *now < end; *now += 1)
		write_of_kind(journal, PAPI_JOURNAL_PASSING, 0, *now);
}

static void test_bands_are_kept_as_long_as_they_last(void **state)
{
	struct papi_journal journal;
	double now = 3;

	(void)state;
	papi_journal_begin(&journal);
	write_of_kind(&journal, PAPI_JOURNAL_THREAD, 7, 0);
	write_band(&journal, 0, "solve", 1);
	write_band(&journal, 0, "short", 1);
	write_band(&journal, 7, "solve", 1);
	papi_journal_end_band(&journal, 0, "short", 2);
	papi_journal_end_band(&journal, 7, "other", 2);
	pass_until(&journal, &now, 3600);
	assert_int_equal(count_bands(&journal, "short"), 0);
	assert_int_equal(count_bands(&journal, "solve"), 2);
	/* That of a lane goes with it. */
	write_of_kind(&journal, PAPI_JOURNAL_END, 7, now);
	papi_journal_end_band(&journal, 0, "solve", now);
	pass_until(&journal, &now, 3800);
	assert_int_equal(count_bands(&journal, "solve"), 2);
	pass_until(&journal, &now, 4000);
	assert_int_equal(count_bands(&journal, "solve"), 0);
	assert_true(papi_journal_end(&journal));
}

/* A program that begins and never ends takes no more room than that. */
static void test_so_many_bands_are_kept(void **state)
{
	struct papi_journal journal;
	double now = 10;

	(void)state;
	papi_journal_begin(&journal);
	for (unsigned i = 0; i < 3 * PAPI_JOURNAL_BANDS; i++)
		write_band(&journal, 0, i % 2 ? "odd" : "even", 1);
	pass_until(&journal, &now, 1000);
	assert_int_equal(count_bands(&journal, ""), PAPI_JOURNAL_BANDS);
	for (unsigned i = 0; i < 3 * PAPI_JOURNAL_BANDS; i++)
		papi_journal_end_band(&journal, 0, "odd", now);
	pass_until(&journal, &now, 2000);
	assert_int_equal(count_bands(&journal, "odd"), 0);
	assert_int_equal(count_bands(&journal, "even"), PAPI_JOURNAL_BANDS / 2);
	assert_true(papi_journal_end(&journal));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bands_are_kept_as_long_as_they_last),
		cmocka_unit_test(test_so_many_bands_are_kept),
		cmocka_unit_test(test_a_page_that_sleeps),
		cmocka_unit_test(test_a_thousand),
		cmocka_unit_test(test_an_end_in_the_middle),
		cmocka_unit_test(test_strangers_keep_nobody_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
