/* SPDX-License-Identifier: BSD-3-Clause */
/* disassemble_zydis.c - with Zydis, which the virtual PMU decodes with, too. */
#include <Zydis/Zydis.h>

#include "disassemble.h"

const char *disassemble_obstacle(void)
{
	return NULL;
}

size_t disassemble(const unsigned char *code, size_t size, uint64_t address, char *text, size_t text_size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	ZydisFormatter formatter;
	ZydisDecoder decoder;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
		!ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)) ||
		!ZYAN_SUCCESS(ZydisFormatterSetProperty(
			&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED)) ||
		!ZYAN_SUCCESS(ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, 0)) ||
		!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &instruction, operands)) ||
		!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
			instruction.operand_count_visible, text, text_size, address, NULL)))
		return 0;
	return instruction.length;
}
