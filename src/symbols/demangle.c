/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for people. See demangle.h. */
#include "symbols/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"
#include "symbols/rust.h"

enum {
	LONGEST = 16384, /* of a name that is worth the time */
	RUST_HASH = 19,  /* "::h" and 16 digits */
};

typedef char *(*demangler)(const char *name, char *buffer, size_t *length, int *status);

static demangler find_demangler(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };
	static demangler found;
	static bool looked;

	for (size_t i = 0; !looked && !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

		memcpy(&found, &symbol, sizeof(found));
	}
	looked = true;
	return found;
}

/*
 * An older name of Rust, which ends with a hash of 16 digits: the end of what the C++ library can read of it, for it
 * takes nothing behind a name without parameters. NULL: it is none.
 */
static const char *rust_end(const char *linkage)
{
	const char *hash = linkage;

	while ((hash = strstr(hash, "17h"))) {
		size_t digits = strspn(hash += 3, "0123456789abcdef");

		if (digits == RUST_HASH - 3 && hash[digits] == 'E' && (!hash[digits + 1] || hash[digits + 1] == '.'))
			return hash + digits + 1;
	}
	return NULL;
}

/* The character that an escape of Rust's names, "$LT$", stands for; its length in *length. 0: it is none. */
static char rust_escape(const char *text, size_t *length)
{
	static const struct {
		const char *escape;
		char character;
	} escapes[] = { { "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' }, { "$GT$", '>' },
		{ "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' } };
	unsigned long code;
	char *end;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		*length = strlen(escapes[i].escape);
		if (strncmp(text, escapes[i].escape, *length) == 0)
			return escapes[i].character;
	}
	if (strncmp(text, "$u", 2) != 0 || !isxdigit((unsigned char)text[2]))
		return 0;
	code = strtoul(text + 2, &end, 16);
	*length = (size_t)(end - text) + 1;
	return *end == '$' && *length <= 5 && code >= 0x20 && code < 0x7f ? (char)code : 0;
}

/* In place: what is written is never longer than what was read. */
static void undo_rust(char *name)
{
	size_t used, length = strlen(name);
	char *to = name;

	name[length > RUST_HASH ? length - RUST_HASH : 0] = '\0';
	for (const char *from = name; *from;) {
		char character = *from == '$' ? rust_escape(from, &used) : 0;

		/* A part of a name that begins with an escape has a line before it. */
		if (*from == '_' && from[1] == '$' && (from == name || from[-1] == ':')) {
			from++;
		} else if (character) {
			*to++ = character;
			from += used;
		} else if (from[0] == '.' && from[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static char *demangle_rust(demangler demangle, const char *linkage, const char *end)
{
	char *stem = papi_memory_print("%.*s", (int)(end - linkage), linkage), *name, *whole;
	int status = 0;

	name = demangle(stem, NULL, NULL, &status);
	free(stem);
	if (!name)
		return NULL;
	undo_rust(name);
	whole = papi_symbols_rust_suffix(name, end);
	free(name);
	return whole;
}

char *papi_symbols_demangle(const char *linkage)
{
	demangler demangle;
	const char *end;
	int status = 0;

	if (strlen(linkage) > LONGEST)
		return NULL;
	if (strncmp(linkage, "_R", 2) == 0)
		return papi_symbols_rust(linkage);
	if (strncmp(linkage, "_Z", 2) != 0)
		return NULL;
	demangle = find_demangler();
	if (!demangle)
		return NULL;
	end = rust_end(linkage);
	return end ? demangle_rust(demangle, linkage, end) : demangle(linkage, NULL, NULL, &status);
}
