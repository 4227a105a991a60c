/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The grammar of Rust's names, read from left to right, and written as it is read. One function for each of its rules:
 * path, type, constant, generic argument, and what they consist of. See rust.h.
 */
#include "symbols/rust.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"
#include "symbols/rust_text.h"

/* How a path is shown: arguments of a value have "::" before them; those of a trait may get more behind them. */
enum style {
	OF_TYPE,
	OF_VALUE,
	OPEN,
};

static void read_path(struct papi_rust_text *text, enum style style);
static void read_type(struct papi_rust_text *text);
static void read_constant(struct papi_rust_text *text);

/* Each part that may have parts. */
static bool enter(struct papi_rust_text *text)
{
	if (++text->depth > PAPI_RUST_DEEPEST || ++text->steps > PAPI_RUST_STEPS)
		text->failed = true;
	return !text->failed;
}

static void leave(struct papi_rust_text *text)
{
	text->depth--;
}

/* 'B' has been read: a place before it, where what belongs here stands. Its end: where to go on. */
static size_t go_back(struct papi_rust_text *text)
{
	size_t mark = text->at - 1, end;
	uint64_t place = papi_rust_number(text);

	end = text->at;
	if (place >= mark)
		text->failed = true;
	text->at = text->failed ? end : (size_t)place;
	return end;
}

static void say_lifetime(struct papi_rust_text *text, uint64_t index)
{
	uint64_t place = text->lifetimes - index;
	char letter[] = { '\'', '_', '\0' };

	/* The last that was named is 1; 0 is one without a name. */
	if (index > text->lifetimes)
		text->failed = true;
	if (index > 0 && place < 26)
		letter[1] = (char)('a' + place);
	papi_rust_say(text, letter);
	if (index > 0 && place >= 26)
		papi_rust_say_number(text, place);
}

/* "for<'a, 'b> "; how many, which the caller takes back when their part ends. */
static uint64_t read_binder(struct papi_rust_text *text)
{
	uint64_t n = papi_rust_tagged(text, 'G');

	if (n == 0)
		return 0;
	if (n > PAPI_RUST_LONGEST) {
		text->failed = true;
		return 0;
	}
	papi_rust_say(text, "for<");
	for (uint64_t i = 0; i < n && !text->failed; i++) {
		papi_rust_say(text, i ? ", " : "");
		text->lifetimes++;
		say_lifetime(text, 1);
	}
	papi_rust_say(text, "> ");
	return n;
}

static void forget_binder(struct papi_rust_text *text, uint64_t n)
{
	if (!text->failed)
		text->lifetimes -= n;
}

/* Where an implementation stands, which says nothing to people. */
static void skip_place(struct papi_rust_text *text)
{
	bool silent = text->silent;

	text->silent = true;
	papi_rust_tagged(text, 's');
	read_path(text, OF_TYPE);
	text->silent = silent;
}

/* The last part of a path: with a name, or made by the compiler, as closures are, which have a kind and a number. */
static void read_nested(struct papi_rust_text *text, enum style style)
{
	char space = papi_rust_next(text);
	struct papi_rust_identifier identifier;
	uint64_t number;

	text->at += space != '\0';
	if (!isalpha((unsigned char)space))
		text->failed = true;
	read_path(text, style == OPEN ? OF_TYPE : style);
	number = papi_rust_tagged(text, 's');
	identifier = papi_rust_identifier(text);
	if (islower((unsigned char)space)) {
		if (identifier.n_plain + identifier.n_coded > 0)
			papi_rust_say(text, "::");
		papi_rust_say_identifier(text, &identifier);
		return;
	}
	papi_rust_say(text, "::{");
	if (space == 'C')
		papi_rust_say(text, "closure");
	else if (space == 'S')
		papi_rust_say(text, "shim");
	else
		papi_rust_say_bytes(text, &space, 1);
	if (identifier.n_plain + identifier.n_coded > 0)
		papi_rust_say(text, ":");
	papi_rust_say_identifier(text, &identifier);
	papi_rust_say(text, "#");
	papi_rust_say_number(text, number);
	papi_rust_say(text, "}");
}

static void read_argument(struct papi_rust_text *text)
{
	if (papi_rust_take(text, 'L'))
		say_lifetime(text, papi_rust_number(text));
	else if (papi_rust_take(text, 'K'))
		read_constant(text);
	else
		read_type(text);
}

/* Items until 'E', with commas; how many. */
static unsigned read_list(struct papi_rust_text *text, void (*read_item)(struct papi_rust_text *text))
{
	unsigned n = 0;

	for (; !text->failed && !papi_rust_take(text, 'E'); n++) {
		papi_rust_say(text, n ? ", " : "");
		read_item(text);
	}
	return n;
}

static void read_generic(struct papi_rust_text *text, enum style style)
{
	read_path(text, style == OPEN ? OF_TYPE : style);
	papi_rust_say(text, style == OF_VALUE ? "::<" : "<");
	read_list(text, read_argument);
	papi_rust_say(text, style == OPEN ? "" : ">");
}

/* "<type>" or "<type as trait>". */
static void read_implementation(struct papi_rust_text *text, bool of_trait)
{
	papi_rust_say(text, "<");
	read_type(text);
	if (of_trait) {
		papi_rust_say(text, " as ");
		read_path(text, OF_TYPE);
	}
	papi_rust_say(text, ">");
}

static void read_crate(struct papi_rust_text *text)
{
	struct papi_rust_identifier identifier;

	papi_rust_tagged(text, 's');
	identifier = papi_rust_identifier(text);
	papi_rust_say_identifier(text, &identifier);
}

/* Of a path that is left open: whether it had arguments, so that its '>' is still to come. */
static bool read_path_further(struct papi_rust_text *text, enum style style)
{
	char tag = papi_rust_next(text);
	bool open = false;
	size_t end;

	text->at += tag != '\0';
	switch (tag) {
	case 'C':
		read_crate(text);
		break;
	case 'N':
		read_nested(text, style);
		break;
	case 'M':
	case 'X':
		skip_place(text);
		__attribute__((fallthrough));
	case 'Y':
		read_implementation(text, tag != 'M');
		break;
	case 'I':
		read_generic(text, style);
		open = style == OPEN;
		break;
	case 'B':
		end = go_back(text);
		/* What nobody is shown needs no second look. */
		if (!text->silent && enter(text)) {
			open = read_path_further(text, style);
			leave(text);
		}
		text->at = end;
		break;
	default:
		text->failed = true;
	}
	return open;
}

static void read_path(struct papi_rust_text *text, enum style style)
{
	if (!enter(text))
		return;
	read_path_further(text, style);
	leave(text);
}

static const char *basic_type(char tag)
{
	static const char *const names[] = { ['a' - 'a'] = "i8",
		['b' - 'a'] = "bool",
		['c' - 'a'] = "char",
		['d' - 'a'] = "f64",
		['e' - 'a'] = "str",
		['f' - 'a'] = "f32",
		['h' - 'a'] = "u8",
		['i' - 'a'] = "isize",
		['j' - 'a'] = "usize",
		['l' - 'a'] = "i32",
		['m' - 'a'] = "u32",
		['n' - 'a'] = "i128",
		['o' - 'a'] = "u128",
		['p' - 'a'] = "_",
		['s' - 'a'] = "i16",
		['t' - 'a'] = "u16",
		['u' - 'a'] = "()",
		['v' - 'a'] = "...",
		['x' - 'a'] = "i64",
		['y' - 'a'] = "u64",
		['z' - 'a'] = "!" };

	return islower((unsigned char)tag) ? names[tag - 'a'] : NULL;
}

/* The calling convention of a function, whose dashes are lines here. */
static void read_convention(struct papi_rust_text *text)
{
	struct papi_rust_identifier name;

	papi_rust_say(text, "extern \"");
	if (papi_rust_take(text, 'C')) {
		papi_rust_say(text, "C");
	} else {
		name = papi_rust_identifier(text);
		if (name.coded || name.n_plain == 0)
			text->failed = true;
		for (size_t i = 0; i < name.n_plain && !text->failed; i++)
			papi_rust_say_bytes(text, name.plain[i] == '_' ? "-" : &name.plain[i], 1);
	}
	papi_rust_say(text, "\" ");
}

static void read_function_type(struct papi_rust_text *text)
{
	uint64_t lifetimes = read_binder(text);

	if (papi_rust_take(text, 'U'))
		papi_rust_say(text, "unsafe ");
	if (papi_rust_take(text, 'K'))
		read_convention(text);
	papi_rust_say(text, "fn(");
	read_list(text, read_type);
	papi_rust_say(text, ")");
	if (!papi_rust_take(text, 'u')) {
		papi_rust_say(text, " -> ");
		read_type(text);
	}
	forget_binder(text, lifetimes);
}

/* A trait, and the types that it leaves to its implementations: "Iterator<Item = u8>". */
static void read_trait(struct papi_rust_text *text)
{
	bool open;

	if (!enter(text))
		return;
	open = read_path_further(text, OPEN);
	while (papi_rust_take(text, 'p')) {
		struct papi_rust_identifier name;

		papi_rust_say(text, open ? ", " : "<");
		open = true;
		name = papi_rust_identifier(text);
		papi_rust_say_identifier(text, &name);
		papi_rust_say(text, " = ");
		read_type(text);
	}
	papi_rust_say(text, open ? ">" : "");
	leave(text);
}

static void read_dynamic(struct papi_rust_text *text)
{
	uint64_t lifetimes, index;

	papi_rust_say(text, "dyn ");
	lifetimes = read_binder(text);
	for (unsigned n = 0; !text->failed && !papi_rust_take(text, 'E'); n++) {
		papi_rust_say(text, n ? " + " : "");
		read_trait(text);
	}
	forget_binder(text, lifetimes);
	if (!papi_rust_take(text, 'L'))
		text->failed = true;
	index = papi_rust_number(text);
	if (index == 0)
		return;
	papi_rust_say(text, " + ");
	say_lifetime(text, index);
}

static void read_reference(struct papi_rust_text *text, const char *kind)
{
	uint64_t index;

	papi_rust_say(text, "&");
	if (papi_rust_take(text, 'L') && (index = papi_rust_number(text)) > 0) {
		say_lifetime(text, index);
		papi_rust_say(text, " ");
	}
	papi_rust_say(text, kind);
	read_type(text);
}

static void read_array(struct papi_rust_text *text, bool has_length)
{
	papi_rust_say(text, "[");
	read_type(text);
	if (has_length) {
		papi_rust_say(text, "; ");
		read_constant(text);
	}
	papi_rust_say(text, "]");
}

static void read_tuple(struct papi_rust_text *text)
{
	papi_rust_say(text, "(");
	papi_rust_say(text, read_list(text, read_type) == 1 ? ",)" : ")");
}

static void read_pointer(struct papi_rust_text *text, const char *kind)
{
	papi_rust_say(text, kind);
	read_type(text);
}

static void read_type_further(struct papi_rust_text *text, char tag)
{
	size_t end;

	switch (tag) {
	case 'A':
	case 'S':
		read_array(text, tag == 'A');
		break;
	case 'T':
		read_tuple(text);
		break;
	case 'R':
		read_reference(text, "");
		break;
	case 'Q':
		read_reference(text, "mut ");
		break;
	case 'P':
		read_pointer(text, "*const ");
		break;
	case 'O':
		read_pointer(text, "*mut ");
		break;
	case 'F':
		read_function_type(text);
		break;
	case 'D':
		read_dynamic(text);
		break;
	case 'B':
		end = go_back(text);
		if (!text->silent)
			read_type(text);
		text->at = end;
		break;
	default:
		/* A type with a name; the path begins with this character. */
		text->at--;
		read_path(text, OF_TYPE);
	}
}

static void read_type(struct papi_rust_text *text)
{
	char tag = papi_rust_next(text);

	if (tag == '\0')
		text->failed = true;
	if (!enter(text))
		return;
	text->at++;
	if (basic_type(tag))
		papi_rust_say(text, basic_type(tag));
	else
		read_type_further(text, tag);
	leave(text);
}

/* Hexadecimal digits until '_', without zeros before them: how many, at *digits. */
static size_t read_digits(struct papi_rust_text *text, const char **digits)
{
	size_t n;

	while (papi_rust_take(text, '0'))
		;
	*digits = text->name + text->at;
	while (isdigit((unsigned char)papi_rust_next(text)) ||
		(papi_rust_next(text) >= 'a' && papi_rust_next(text) <= 'f'))
		text->at++;
	n = (size_t)(text->name + text->at - *digits);
	if (!papi_rust_take(text, '_'))
		text->failed = true;
	return text->failed ? 0 : n;
}

static void read_integer(struct papi_rust_text *text)
{
	const char *digits;
	size_t n = read_digits(text, &digits);

	if (n <= 16) {
		papi_rust_say_number(text, n ? strtoull(digits, NULL, 16) : 0);
	} else {
		papi_rust_say(text, "0x");
		papi_rust_say_bytes(text, digits, n);
	}
}

/* As a literal; what may be no character of a terminal by its number. */
static void say_character(struct papi_rust_text *text, const char *digits, size_t n)
{
	static const char plain[] = "\t\r\n'\\", letters[] = "trn'\\";
	unsigned long code = n ? strtoul(digits, NULL, 16) : 0;
	const char *known = code > 0 && code < 0x80 ? strchr(plain, (int)code) : NULL;
	char words[16];

	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		text->failed = true;
	if (known)
		snprintf(words, sizeof(words), "'\\%c'", letters[known - plain]);
	else if (code >= 0x20 && code < 0x7f)
		snprintf(words, sizeof(words), "'%c'", (char)code);
	else
		snprintf(words, sizeof(words), "'\\u{%lx}'", code & 0x1fffff);
	papi_rust_say(text, words);
}

static void read_constant_further(struct papi_rust_text *text, char tag)
{
	const char *digits;
	size_t end, n;

	switch (tag) {
	case 'p':
		papi_rust_say(text, "_");
		break;
	case 'a':
	case 's':
	case 'l':
	case 'x':
	case 'n':
	case 'i':
		papi_rust_say(text, papi_rust_take(text, 'n') ? "-" : "");
		__attribute__((fallthrough));
	case 'h':
	case 't':
	case 'm':
	case 'y':
	case 'o':
	case 'j':
		read_integer(text);
		break;
	case 'b':
		n = read_digits(text, &digits);
		if (n > 1 || (n == 1 && *digits != '1'))
			text->failed = true;
		papi_rust_say(text, n ? "true" : "false");
		break;
	case 'c':
		n = read_digits(text, &digits);
		if (n > 6)
			text->failed = true;
		else
			say_character(text, digits, n);
		break;
	case 'B':
		end = go_back(text);
		if (!text->silent)
			read_constant(text);
		text->at = end;
		break;
	default:
		text->failed = true;
	}
}

static void read_constant(struct papi_rust_text *text)
{
	char tag = papi_rust_next(text);

	if (!enter(text))
		return;
	text->at += tag != '\0';
	read_constant_further(text, tag);
	leave(text);
}

char *papi_symbols_rust_suffix(const char *name, const char *suffix)
{
	if (!*suffix || strncmp(suffix, ".llvm.", 6) == 0)
		return papi_memory_copy(name);
	return papi_memory_print("%s [clone %s]", name, suffix);
}

char *papi_symbols_rust(const char *linkage)
{
	struct papi_rust_text text = { .name = linkage + 2 };
	const char *suffix;
	char *name;

	/* A digit would be the version of other rules. */
	if (strncmp(linkage, "_R", 2) != 0 || !isupper((unsigned char)linkage[2]))
		return NULL;
	suffix = strchrnul(linkage, '.');
	text.length = (size_t)(suffix - text.name);
	read_path(&text, OF_VALUE);
	text.silent = true;
	/* Which crate has instantiated it. */
	if (!text.failed && text.at < text.length)
		read_path(&text, OF_TYPE);
	if (text.failed || text.at < text.length || text.n == 0) {
		free(text.out);
		return NULL;
	}
	name = papi_symbols_rust_suffix(text.out, suffix);
	free(text.out);
	return name;
}
