/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of Rust as its compilers mangle them by their own rules, which begin with "_R" (RFC 2603, "v0"). Older ones
 * look like those of C++, and demangle.c has what is left to do there. Binutils' libiberty could read these names, but
 * follows a hostile one until memory has ended; here both text and work are limited (rust_text.h).
 */
#ifndef PAPI_SYMBOLS_RUST_H
#define PAPI_SYMBOLS_RUST_H

/*
 * The name for people, to be freed: without hashes of crates and the crate that has instantiated a function. NULL where
 * it is none of these names, is too long, or has constants that only unstable versions of the language know.
 */
char *papi_symbols_rust(const char *linkage);

/*
 * A name, and what optimisers have put behind it for the linker, as names of C++ have it: "main [clone .cold]"; numbers
 * that make local names global (".llvm.17") are left out. To be freed.
 */
char *papi_symbols_rust_suffix(const char *name, const char *suffix);

#endif
