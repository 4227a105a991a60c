/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are missing, forbidden, empty, huge, binary or no files at all, by all ways in: none does harm. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "files.h"

static int add_file(const char *path)
{
	PAPI_option_t option = { .events_file = (char *)(size_t)path };

	return PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
}

static int encode_file(const char *path)
{
	return PAPI_encode_events((char *)(size_t)path, 1);
}

/* A file that cannot be read: the call fails with the system's reason, and so does whoever asks for what it had. */
static void expect_unreadable(const char *path, const char *reason)
{
	char words[400];

	snprintf(words, sizeof(words), "%s: %s", path, reason);
	files_library("", NULL);
	EXPECT_ERROR(PAPI_ESYS, words, add_file(path));
	EXPECT_ERROR(PAPI_ESYS, words, encode_file(path));
	files_library_end();

	files_library_at(path, files_write("good.txt", "EVENT,X,NOT_DERIVED," FAULTS "\n"));
	EXPECT_ERROR(PAPI_ENOEVNT, words, PAPI_query_event(PAPI_L1_DCM));
	EXPECT_OK(PAPI_query_named_event("X"));
	files_library_end();

	files_library_at(files_write("good.csv", "PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS "\n"), path);
	EXPECT_OK(PAPI_query_event(PAPI_L1_DCM));
	EXPECT_ERROR(PAPI_ENOEVNT, words, PAPI_query_named_event("X"));
	files_library_end();
}

static void missing(void)
{
	expect_unreadable(files_path("nothing-here"), strerror(ENOENT));
	files_write("plain", "");
	expect_unreadable(files_path("plain/below"), strerror(ENOTDIR));
	REQUIRE(symlink("itself", files_path("itself")) == 0);
	expect_unreadable(files_path("itself"), strerror(ELOOP));
	files_library("", NULL);
	EXPECT_ERROR(PAPI_EINVAL, "event_file is a null pointer", PAPI_encode_events(NULL, 0));
	EXPECT_ERROR(PAPI_EINVAL, "events_file is a null pointer", add_file(NULL));
	EXPECT_ERROR(PAPI_ESYS, strerror(ENOENT), add_file(""));
	files_library_end();
}

static void directories(void)
{
	REQUIRE(mkdir(files_path("directory"), 0700) == 0);
	expect_unreadable(files_path("directory"), strerror(EISDIR));
}

/* Root reads whatever it likes, so it is nobody for this. */
static void forbidden(void)
{
	const char *path = files_write("forbidden", "EVENT,X,NOT_DERIVED," FAULTS "\n");
	bool root = geteuid() == 0;

	REQUIRE(chmod(path, 0) == 0);
	if (root && seteuid(65534) != 0) {
		check_skip("root cannot become anybody else here: %s", strerror(errno));
		return;
	}
	files_library_at(NULL, NULL);
	/* Nobody may not even look into the directory of the test; the reason is the same. */
	EXPECT_ERROR(PAPI_ESYS, strerror(EACCES), add_file(path));
	EXPECT_ERROR(PAPI_ESYS, path, encode_file(path));
	files_library_end();
	if (root)
		REQUIRE(seteuid(0) == 0);
}

static void empty(void)
{
	static const char *const texts[] = { "", "\n", " ", "\r", "\r\n\r\n", "#", "# only a comment", ",", ",,,\n",
		"\"", "'\n" };
	const size_t n_blank = 7;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		const char *path = files_write("empty", texts[i]);

		files_library_at(path, path);
		EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_L1_DCM is not defined for this CPU", PAPI_query_event(PAPI_L1_DCM));
		EXPECT_STATUS(i < n_blank ? PAPI_OK : PAPI_EINVAL, encode_file(path));
		files_library_end();
	}
}

/* One byte pattern after another, and a good line behind it: what is before may not reach over the end of its line. */
static void binary(void)
{
	static const char good[] = "\nEVENT,X,NOT_DERIVED," FAULTS "\n";
	enum { LENGTH = 20000 };
	static unsigned char bytes[LENGTH + sizeof(good) - 1];
	uint32_t random = 12345;

	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < LENGTH; i++) {
			random = random * 1103515245 + 12345;
			/* All bytes, or '\0' and what the parser looks for. */
			bytes[i] = round & 1
				? (unsigned char)(random >> 16)
				: (unsigned char)"\0EVNTPRSCU,,,,\"'|N0/:#\n\r\t +-*()=\xff"[(random >> 16) % 33];
		}
		memcpy(bytes + LENGTH, good, sizeof(good) - 1);
		files_library_at(files_write("empty", ""), files_write_bytes("binary", bytes, sizeof(bytes)));
		EXPECT_OK(PAPI_query_named_event("X"));
		files_library_end();
		files_library("", NULL);
		encode_file(files_path("binary"));
		files_library_end();
	}
}

/* A '\0' ends what is seen of a line. */
static void zero_bytes(void)
{
	static const char text[] = "EVENT,X,NOT_DERIVED," FAULTS "\0,NOTE,hidden\nEVENT,Y,NOT_DERIVED,\0" FAULTS
				   "\n\0\nEVENT,Z,NOT_DERIVED," FAULTS;
	int code;

	files_library_at(files_write("empty", ""), files_write_bytes("zero", text, sizeof(text) - 1));
	EXPECT_TEXT("", files_info("X")->note);
	EXPECT_ERROR(PAPI_ENOEVNT, "zero:2:9: expected at least one event that Y is made of",
		PAPI_event_name_to_code("Y", &code));
	EXPECT_OK(PAPI_query_named_event("Z"));
	files_library_end();
}

/* A line of two megabytes, whatever part of it is long. */
static void long_fields(void)
{
	static const struct {
		const char *before, *behind, *lost;
	} lines[] = {
		{ "EVENT,", ",NOT_DERIVED," FAULTS "\n", "an event needs a name of at most 1023 characters" },
		{ "EVENT,L,", "," FAULTS "\n", "expected a type such as" },
		{ "EVENT,L,DERIVED_INFIX,", "," FAULTS "\n", "expected a term" },
		{ "EVENT,L,NOT_DERIVED,", "\n", "1023" },
		{ "EVENT,L,NOT_DERIVED," FAULTS ",NOTE,", "\n", NULL },
		{ "", ",L,NOT_DERIVED," FAULTS "\n", "no event is named" },
	};
	static const size_t length = 2000000;
	char *text = malloc(length + 200);

	REQUIRE(text != NULL);
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		char *end = stpcpy(text, lines[i].before);

		memset(end, 'a', length);
		strcpy(stpcpy(end + length, lines[i].behind), "EVENT,X,NOT_DERIVED," FAULTS "\n");
		files_library("", text);
		EXPECT_OK(PAPI_query_named_event("X"));
		if (lines[i].lost && strncmp(lines[i].before, "EVENT,L", 7) == 0)
			EXPECT_ERROR(PAPI_ENOEVNT, lines[i].lost, PAPI_query_named_event("L"));
		else if (!lines[i].lost)
			EXPECT(strspn(files_info("L")->note, "a") == sizeof(files_info("L")->note) - 1);
		files_library_end();
	}
	free(text);
}

/* More terms, and more lines, than anybody writes. */
static void many_terms(void)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	int code;

	REQUIRE(stream != NULL);
	for (int n = 64; n <= 65; n++) {
		fprintf(stream, "EVENT,TERMS_%d,DERIVED_ADD", n);
		for (int i = 0; i < n; i++)
			fprintf(stream, "," FAULTS);
		fputc('\n', stream);
	}
	REQUIRE(fclose(stream) == 0);
	files_library("", text);
	EXPECT_OK(PAPI_query_named_event("TERMS_64"));
	EXPECT_ERROR(PAPI_ENOEVNT, "events.txt:2:", PAPI_event_name_to_code("TERMS_65", &code));
	EXPECT(strstr(PAPI_error_detail(), "an event has at most 64 terms") != NULL);
	files_library_end();
	free(text);
}

/* What would keep its reader waiting, or never end, is refused at once, by its name. */
static void pipes_and_devices(void)
{
	const char *fifo = files_path("fifo");
	char path[64];
	int ends[2];

	REQUIRE(mkfifo(fifo, 0600) == 0);
	expect_unreadable(fifo, "a regular file is needed, and it is a pipe or FIFO");
	REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	expect_unreadable(path, "a regular file is needed, and it is a pipe or FIFO");
	close(ends[0]);
	close(ends[1]);
	expect_unreadable("/dev/zero", "a regular file is needed, and it is a device");
	expect_unreadable("/dev/null", "a regular file is needed, and it is a device");
}

/* Files without a size are read, and those that are larger than any table are not, even where they are mostly holes. */
static void sizes(void)
{
	const char *path = files_write("large", "EVENT,X,NOT_DERIVED," FAULTS "\n");

	REQUIRE(truncate(path, (64 << 20) + 1) == 0);
	expect_unreadable(path, "a file that defines events has at most 64 MiB");
	files_library("", NULL);
	EXPECT_STATUS(PAPI_EINVAL, add_file("/proc/self/status"));
	EXPECT(strstr(PAPI_error_detail(), "/proc/self/status:1:1: expected CPU, PRESET or EVENT") != NULL);
	files_library_end();
}

/* No character of a file does anything to a terminal: not in names, not in texts, not in messages. */
static void expect_harmless(const char *text)
{
	for (const char *c = text; *c; c++)
		EXPECT((unsigned char)*c >= ' ' && *c != 0x7f && (unsigned char)*c != 0x9b);
}

static void terminals(void)
{
	PAPI_event_info_t info;
	int code = PAPI_UE_MASK, n = 0;

	files_library("PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS ",SDESC,\x1b[31mred,LDESC,\xc2\x9b"
		      "2J,NOTE,\xff\xfe caf\xe9\n",
		"EVENT,X\x1b]0;title\a,NOT_DERIVED," FAULTS ",NOTE,Gr\xc3\xb6\xc3\x9f"
		"e \xe2\x82\xac\n"
		"EVENT,Y\x7f,NOT_DERIVED,\x1b[2J\n");
	EXPECT_OK(PAPI_get_event_info(PAPI_L1_DCM, &info));
	EXPECT_TEXT("?[31mred", info.short_descr);
	EXPECT_TEXT("??2J", info.long_descr);
	EXPECT_TEXT("?? caf?", info.note);
	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, PAPI_ENUM_EVENTS), n++) {
		EXPECT_OK(PAPI_get_event_info(code, &info));
		expect_harmless(info.symbol);
		if (n == 0)
			EXPECT_TEXT("Gr\xc3\xb6\xc3\x9f"
				    "e \xe2\x82\xac",
				info.note);
		else
			EXPECT_STATUS(PAPI_ENOEVNT, PAPI_query_event(code));
		expect_harmless(PAPI_error_detail());
	}
	EXPECT_EQUAL(2, n);
	/* Nor do names that a program has from elsewhere. */
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_event_name_to_code("\x1b[31m\xc2\x9b\xff", &code));
	expect_harmless(PAPI_error_detail());
	files_library_end();
}

int main(void)
{
	static const struct test tests[] = {
		{ "missing", missing },
		{ "directories", directories },
		{ "forbidden", forbidden },
		{ "empty", empty },
		{ "binary", binary },
		{ "zero bytes", zero_bytes },
		{ "long fields", long_fields },
		{ "many terms", many_terms },
		{ "pipes and devices", pipes_and_devices },
		{ "sizes", sizes },
		{ "terminals", terminals },
	};
	int status;

	files_begin();
	status = check_run(tests, COUNT_OF(tests));
	files_end();
	return status;
}
