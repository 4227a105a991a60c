/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the name that the linker knows to the one that people wrote, for C++ and Rust. The C++ run-time library does it
 * for names that look like those of C++, as older ones of Rust do; it is loaded when the first comes, and without it
 * they stay as they are. Those of Rust today are read here (rust.h). One thread at a time.
 */
#ifndef PAPI_SYMBOLS_DEMANGLE_H
#define PAPI_SYMBOLS_DEMANGLE_H

/* The name for people, to be freed; NULL where the name is not mangled, or nothing here can undo it. */
char *papi_symbols_demangle(const char *linkage);

#endif
