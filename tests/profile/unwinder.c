/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One step to the caller, by the table of a file: unwinder FILE MACHINE ADDRESS, all numbers hexadecimal. The stack has
 * 64 words from 7000 on, which are 100000, 100008 and so on; its pointer is 7000, that of the frame 7020, and register
 * n is 5000 + n. What came of the step is printed, then pc, stack and frame of the caller.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/unwind.h"

enum { WORDS = 64 };

int main(int argc, char **argv)
{
	static const char *const steps[] = { [PAPI_UNWIND_CALLED] = "called",
		[PAPI_UNWIND_INTERRUPTED] = "interrupted",
		[PAPI_UNWIND_OUTERMOST] = "outermost",
		[PAPI_UNWIND_BEYOND] = "beyond",
		[PAPI_UNWIND_LOST] = "lost" };
	const struct papi_unwind_machine *machine = argc == 4 ? papi_unwind_machine(argv[2]) : NULL;
	struct papi_unwind_state state = { .machine = machine, .known = UINT64_MAX };
	struct papi_unwind_table *table;
	struct papi_unwind_stack stack;
	enum papi_unwind_step step;
	uint64_t words[WORDS];
	int file;

	if (!machine)
		return 2;
	file = open(argv[1], O_RDONLY | O_CLOEXEC);
	table = papi_unwind_open_file(file);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = 0x100000 + 8 * i;
	for (unsigned i = 0; i < PAPI_UNWIND_REGISTERS; i++)
		state.registers[i] = 0x5000 + i;
	state.registers[machine->stack] = 0x7000;
	state.registers[machine->frame] = 0x7020;
	state.registers[machine->pc] = strtoull(argv[3], NULL, 16);
	stack = (struct papi_unwind_stack){
		.bytes = (const unsigned char *)words, .address = 0x7000, .size = sizeof(words)
	};
	step = papi_unwind_step(table, strtoull(argv[3], NULL, 16), &state, &stack);
	printf("%s", steps[step]);
	if (step == PAPI_UNWIND_CALLED || step == PAPI_UNWIND_INTERRUPTED)
		printf(" %" PRIx64 " %" PRIx64 " %" PRIx64, state.registers[machine->pc],
			state.registers[machine->stack], state.registers[machine->frame]);
	printf("%s\n", table ? "" : " without a table");
	papi_unwind_close(table);
	return 0;
}
