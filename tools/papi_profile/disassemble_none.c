/* SPDX-License-Identifier: BSD-3-Clause */
/* disassemble_none.c - without Zydis. */
#include "disassemble.h"

const char *disassemble_obstacle(void)
{
	return "papi_profile was built without Zydis, which decodes instructions (Debian: libzydis-dev)";
}

size_t disassemble(const unsigned char *code, size_t size, uint64_t address, char *text, size_t text_size)
{
	(void)code;
	(void)size;
	(void)address;
	(void)text;
	(void)text_size;
	return 0;
}
