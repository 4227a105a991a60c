/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of Rust, of any bytes: a name for people is UTF-8, without control characters where there were none, and of
 * limited length; what is none stays none. An input is what stands behind "_R", and an identifier of an older name,
 * whose escapes are undone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "symbols/demangle.h"
#include "symbols/rust.h"
#include "symbols/rust_text.h"

static void check_name(const char *linkage, const char *name)
{
	CHECK(*name);
	CHECK(strlen(name) <= PAPI_RUST_LONGEST + strlen(linkage) + 16);
	for (const char *at = name; *at; at += papi_utf8_length(at)) {
		CHECK(papi_utf8_length(at) > 0);
		CHECK((unsigned char)*at >= 0x20 && *at != 0x7f);
	}
}

/* Only letters, digits and signs that names have: what else there is would be shown as it is. */
static void make_fit(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= 0x20 || (unsigned char)*text >= 0x7f)
			*text = '$';
}

static void try_older(const char *identifier)
{
	char *linkage = NULL, *name;
	int length = asprintf(&linkage, "_ZN%zu%s17h0123456789abcdefE.cold", strlen(identifier), identifier);

	CHECK(length > 0);
	name = papi_symbols_demangle(linkage);
	CHECK(!name || strlen(name) <= strlen(linkage) + 16);
	if (name)
		check_name(linkage, name);
	free(name);
	free(linkage);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *linkage = malloc(size + 3), *name;

	CHECK(linkage);
	memcpy(linkage, "_R", 2);
	memcpy(linkage + 2, data, size);
	linkage[size + 2] = '\0';
	make_fit(linkage);
	name = papi_symbols_demangle(linkage);
	if (name)
		check_name(linkage, name);
	free(name);
	if (linkage[2] && (linkage[2] < '0' || linkage[2] > '9'))
		try_older(linkage + 2);
	free(linkage);
	return 0;
}
