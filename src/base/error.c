/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/utf8.h"

static const struct {
	const char *symbol, *text;
} errors[PAPI_NUM_ERRORS] = {
#define ERROR(code, words) [-(code)] = { #code, words }
	ERROR(PAPI_OK, "No error"),
	ERROR(PAPI_EINVAL, "Invalid argument"),
	ERROR(PAPI_ENOMEM, "Insufficient memory"),
	ERROR(PAPI_ESYS, "A system or C library call failed"),
	ERROR(PAPI_ECMP, "Not supported by component"),
	ERROR(PAPI_ECLOST, "Access to the counters was lost or interrupted"),
	ERROR(PAPI_EBUG, "Internal error, please report it"),
	ERROR(PAPI_ENOEVNT, "Event does not exist"),
	ERROR(PAPI_ECNFLCT, "Event exists, but cannot be counted due to a conflict"),
	ERROR(PAPI_ENOTRUN, "EventSet is currently not running"),
	ERROR(PAPI_EISRUN, "EventSet is currently counting"),
	ERROR(PAPI_ENOEVST, "No such EventSet available"),
	ERROR(PAPI_ENOTPRESET, "Event in argument is not a valid preset"),
	ERROR(PAPI_ENOCNTR, "Hardware does not support performance counters"),
	ERROR(PAPI_EMISC, "Unknown error code"),
	ERROR(PAPI_EPERM, "Permission level does not permit operation"),
	ERROR(PAPI_ENOINIT, "PAPI has not been initialized yet"),
	ERROR(PAPI_ENOCMP, "Component index is not set or does not exist"),
	ERROR(PAPI_ENOSUPP, "Not supported"),
	ERROR(PAPI_ENOIMPL, "Not implemented"),
	ERROR(PAPI_EBUF, "Buffer size exceeded"),
	ERROR(PAPI_EINVAL_DOM, "EventSet domain is not supported for the operation"),
	ERROR(PAPI_EATTR, "Invalid or missing event attributes"),
	ERROR(PAPI_ECOUNT, "Too many events or attributes"),
	ERROR(PAPI_ECOMBO, "Bad combination of features"),
	ERROR(PAPI_ECMP_DISABLED, "Component containing event is disabled"),
	ERROR(PAPI_EDELAY_INIT, "Delayed initialization of the component"),
	ERROR(PAPI_EMULPASS, "Event needs multiple passes"),
#undef ERROR
};

#define SENTENCE 640

/*
 * Made with the first error of a thread, and freed when the thread ends: thread-local storage itself must stay small,
 * since that of a library loaded by dlopen() comes out of little that the dynamic linker has to spare. It is mapped:
 * the first error may be one of a signal handler that has interrupted the allocator.
 */
struct state {
	int code;
	char sentence[SENTENCE];
	unsigned n_kept;
	struct {
		int code;
		char sentence[SENTENCE];
	} kept[PAPI_ERROR_KEPT];
};

static _Thread_local struct state *own;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static _Atomic int debug_level = PAPI_QUIET;
static _Atomic(PAPI_debug_handler_t) debug_handler;

static void release(void *pointer)
{
	own = NULL;
	munmap(pointer, sizeof(struct state));
}

static void make_key(void)
{
	pthread_key_create(&key, release);
}

static struct state *state(void)
{
	struct state *made;

	if (own)
		return own;
	pthread_once(&key_once, make_key);
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		return NULL;
	/* Own before it is the key's: a handler that comes in between uses it, too. */
	own = made;
	if (pthread_setspecific(key, made))
		release(made);
	return own;
}

bool papi_error_prepare(void)
{
	return state();
}

void papi_error_forget(void)
{
	if (!own)
		return;
	pthread_setspecific(key, NULL);
	release(own);
}

/* Names and files are the user's, and sentences end up on terminals: no control characters, and no bytes of none. */
static void make_printable(char *text)
{
	papi_utf8_clean(text, strlen(text), "");
}

int papi_error(int code, const char *format, ...)
{
	struct state *error = state();
	va_list arguments;

	if (!error)
		return code;
	va_start(arguments, format);
	vsnprintf(error->sentence, sizeof(error->sentence), format, arguments);
	va_end(arguments);
	make_printable(error->sentence);
	return error->code = code;
}

int papi_error_in_handler(int code, const char *text)
{
	size_t length = strlen(text);

	if (own && length < sizeof(own->sentence)) {
		memcpy(own->sentence, text, length + 1);
		own->code = code;
	}
	return code;
}

int papi_error_prefix(int code, const char *format, ...)
{
	char rest[SENTENCE];
	struct state *error = state();
	va_list arguments;
	int used;

	if (!error)
		return code;
	va_start(arguments, format);
	memcpy(rest, error->sentence, sizeof(rest));
	/* A name as long as this must leave room for the reason, of which the end is cut off. */
	used = vsnprintf(error->sentence, sizeof(error->sentence) / 2, format, arguments);
	va_end(arguments);
	if (used < 0)
		used = 0;
	if ((size_t)used >= sizeof(error->sentence) / 2)
		used = sizeof(error->sentence) / 2 - 1;
	memcpy(error->sentence + used, ": ", 2);
	memcpy(error->sentence + used + 2, rest, sizeof(error->sentence) - (size_t)used - 2);
	error->sentence[sizeof(error->sentence) - 1] = '\0';
	make_printable(error->sentence);
	return error->code = code;
}

void papi_error_keep(void)
{
	struct state *error = state();

	if (error && error->n_kept++ < PAPI_ERROR_KEPT) {
		memcpy(error->kept[error->n_kept - 1].sentence, error->sentence, sizeof(error->sentence));
		error->kept[error->n_kept - 1].code = error->code;
	}
}

void papi_error_restore(void)
{
	struct state *error = own;

	if (error && error->n_kept && --error->n_kept < PAPI_ERROR_KEPT) {
		memcpy(error->sentence, error->kept[error->n_kept].sentence, sizeof(error->sentence));
		error->code = error->kept[error->n_kept].code;
	}
}

void papi_error_drop(void)
{
	if (own && own->n_kept)
		own->n_kept--;
}

const char *papi_error_sentence(void)
{
	return own ? own->sentence : "";
}

int papi_error_code(void)
{
	return own ? own->code : PAPI_ENOMEM;
}

const char *papi_error_text(int code)
{
	return code <= 0 && code > -PAPI_NUM_ERRORS ? errors[-code].text : NULL;
}

const char *papi_error_symbol(int code)
{
	return code <= 0 && code > -PAPI_NUM_ERRORS ? errors[-code].symbol : NULL;
}

int papi_debug_set(int level, PAPI_debug_handler_t handler)
{
	if (level < PAPI_QUIET || level > PAPI_VERB_ESTOP)
		return papi_error(PAPI_EINVAL,
			"debug level %d is not one of PAPI_QUIET, PAPI_VERB_ECONT, PAPI_VERB_ESTOP", level);
	atomic_store(&debug_handler, handler);
	atomic_store(&debug_level, level);
	return PAPI_OK;
}

int papi_debug_level(void)
{
	return atomic_load(&debug_level);
}

PAPI_debug_handler_t papi_debug_handler(void)
{
	return atomic_load(&debug_handler);
}

/* Ending the process at PAPI_VERB_ESTOP is what the reference specifies for that level (page of PAPI_set_debug). */
int papi_error_report(int code)
{
	int level = atomic_load_explicit(&debug_level, memory_order_relaxed);
	PAPI_debug_handler_t handler = atomic_load_explicit(&debug_handler, memory_order_relaxed);

	if (own)
		own->code = code;
	if (level == PAPI_QUIET)
		return code;
	if (handler) {
		handler(code);
	} else {
		const char *symbol = papi_error_symbol(code), *text = papi_error_text(code);

		fprintf(stderr, "PAPI Error: Error Code %d, %s, %s%s%s\n", code, symbol ? symbol : "unknown",
			text ? text : "not a code of this library", *papi_error_sentence() ? ": " : "",
			papi_error_sentence());
	}
	if (level == PAPI_VERB_ESTOP)
		exit(1);
	return code;
}
