/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c - a recording in place of a program: all of it is there for pages at once. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#include "common.h"
#include "journal.h"
#include "perfometer.h"
#include "program.h"
#include "server.h"
#include "text_screen.h"

enum { LETTER_PORT = PAPI_TOOL_LONG_ONLY, LETTER_TEXT };

static const struct papi_tool_option options[] = {
	{ LETTER_PORT, "port", "PORT", "serve pages on this port of 127.0.0.1 instead of any that is free" },
	{ LETTER_TEXT, "text", NULL, "show it in this terminal instead of a page" },
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "perfometer replay",
	.operands = "FILE",
	.purpose = "Shows a recording of perfometer --record as its page has shown the program.",
	.options = options,
};

/* How often the size of the terminal is looked at. */
#define RESIZE_MILLISECONDS 200

struct recording {
	struct papi_journal journal;
	const char *path;
	unsigned long line;
	bool has_bye;
	double last;
};

/* Does not return. */
static void __attribute__((noreturn)) refuse(const struct recording *recording, const char *why)
{
	papi_perfometer_say("'%s' is no recording: line %lu: %s", recording->path, recording->line, why);
	exit(EXIT_FAILURE);
}

static void take_message(struct recording *recording, const json_t *message)
{
	const char *type = json_string_value(json_object_get(message, "type"));
	double time = json_number_value(json_object_get(message, "t"));
	char *text;
	FILE *out;

	if (!type)
		refuse(recording, "a message is an object with a type");
	if (!recording->journal.n_entries && strcmp(type, "hello") != 0)
		refuse(recording, "a recording begins with hello");
	recording->has_bye = recording->has_bye || !strcmp(type, "bye");
	/* In one line, whatever it was. */
	text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(15));
	if (!text)
		papi_perfometer_no_memory();
	out = papi_journal_write(&recording->journal, PAPI_JOURNAL_LASTING, 0, time);
	fputs(text, out);
	papi_journal_done(&recording->journal);
	free(text);
	if (time > recording->last)
		recording->last = time;
}

/* The last line of a recording that was cut off is no message, and nobody's mistake. */
static void take_line(struct recording *recording, const char *line, size_t length)
{
	json_error_t error;
	json_t *message = json_loadb(line, length, 0, &error);

	recording->line++;
	if (!message && recording->line > 1 && line[length - 1] != '\n')
		return;
	if (!message)
		refuse(recording, error.text);
	take_message(recording, message);
	json_decref(message);
}

static void read_all(struct recording *recording)
{
	FILE *file = fopen(recording->path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	FILE *out;

	if (!file) {
		papi_perfometer_say("cannot read '%s': %s", recording->path, strerror(errno));
		exit(EXIT_FAILURE);
	}
	while ((length = getline(&line, &room, file)) > 0)
		take_line(recording, line, (size_t)length);
	if (ferror(file) || !recording->line) {
		papi_perfometer_say(
			"cannot read '%s': %s", recording->path, ferror(file) ? strerror(errno) : "it is empty");
		exit(EXIT_FAILURE);
	}
	free(line);
	fclose(file);
	if (recording->has_bye)
		return;
	out = papi_journal_write(&recording->journal, PAPI_JOURNAL_LASTING, 0, recording->last);
	fprintf(out, "{\"type\":\"bye\",\"t\":%.6f,\"reason\":\"the recording was cut off here\"}", recording->last);
	papi_journal_done(&recording->journal);
}

static int serve(struct recording *recording, int port)
{
	const struct papi_server_answers nothing = { .argument = NULL };
	struct pollfd files[2] = { { .events = POLLIN }, { .events = POLLIN } };
	const struct sockaddr_in place = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	struct papi_server *server = NULL;
	struct papi_token token;
	char reason[1024];

	if (papi_token_make(&token, reason, sizeof(reason)))
		server = papi_server_begin(
			&recording->journal, &nothing, &token, (const struct sockaddr *)&place, reason, sizeof(reason));
	if (!server) {
		papi_perfometer_say("%s", reason);
		return EXIT_FAILURE;
	}
	papi_server_close(server);
	papi_program_block_signals();
	files[0].fd = signalfd(-1, papi_program_signals(), SFD_CLOEXEC);
	files[1].fd = papi_server_file(server);
	papi_perfometer_say("%s", papi_server_address(server));
	while (!files[0].revents) {
		poll(files, 2, papi_server_patience(server));
		papi_server_serve(server);
	}
	papi_server_end(server);
	return EXIT_SUCCESS;
}

static int show(const struct recording *recording)
{
	char reason[1024];
	struct papi_screen *screen = papi_screen_begin(NULL, reason, sizeof(reason));
	struct pollfd files[2] = { { .events = POLLIN }, { .events = POLLIN } };

	if (!screen) {
		papi_perfometer_say("%s", reason);
		return EXIT_FAILURE;
	}
	papi_program_block_signals();
	files[0].fd = signalfd(-1, papi_program_signals(), SFD_CLOEXEC);
	files[1].fd = papi_screen_file(screen);
	while (!files[0].revents && !(files[1].revents & (POLLHUP | POLLERR)) &&
		papi_screen_step(screen, &recording->journal))
		poll(files, 2, RESIZE_MILLISECONDS);
	papi_screen_end(screen);
	return EXIT_SUCCESS;
}

int papi_perfometer_replay(int argc, char **argv)
{
	struct recording recording = { .line = 0 };
	int letter, port = -1, status;
	bool text = false;

	while ((letter = papi_tool_next_option(&tool, argc, argv)) != -1) {
		if (letter == LETTER_PORT)
			port = (int)papi_tool_number(&tool, "--port", optarg, 0, 65535);
		text = text || letter == LETTER_TEXT;
	}
	if (text && port >= 0)
		papi_tool_usage_error(&tool, "--text serves nothing: leave out --port");
	if (argc - optind != 1)
		papi_tool_usage_error(&tool, argc == optind ? "there is no FILE to show" : "one FILE at a time");
	recording.path = argv[optind];
	papi_journal_begin(&recording.journal);
	recording.journal.keeps_all = true;
	read_all(&recording);
	status = text ? show(&recording) : serve(&recording, port > 0 ? port : 0);
	papi_journal_end(&recording.journal);
	return status;
}
