/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions as text: with Zydis (disassemble_zydis.c) or without (disassemble_none.c). One thread at a time. */
#ifndef PAPI_PROFILE_DISASSEMBLE_H
#define PAPI_PROFILE_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why nothing can be disassembled here; NULL: x86-64 can. */
const char *disassemble_obstacle(void);

/* The x86-64 instruction at an address as text, and its length; 0 where there is none. */
size_t disassemble(const unsigned char *code, size_t size, uint64_t address, char *text, size_t text_size);

#endif
