/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the signal handlers of a stopped thread return to: the kernel has put a frame on the stack for each, with the
 * registers of what it has interrupted. Not by unwinding, which ends in code without tables, but by what every such
 * frame has: segments of 64 bits, and the address of code that returns from a handler.
 */
#include <string.h>
#include <ucontext.h>

#include "process/remote.h"

#define STACK    ((size_t)256 * 1024) /* that is looked at */
#define PAGE     4096u
#define SEGMENTS 0x33u

/* As the kernel writes it: what the handler returns to, then a context. */
struct frame {
	uint64_t back, flags, link, stack[3];
	uint64_t registers[NGREG];
};
_Static_assert(sizeof(ucontext_t) > sizeof(struct frame), "a frame is the beginning of one");
_Static_assert(offsetof(struct frame, registers) ==
		sizeof(uint64_t) + offsetof(ucontext_t, uc_mcontext) + offsetof(mcontext_t, gregs),
	"its registers are a context's");

static bool returns_from_handler(const struct papi_remote *remote, uint64_t address)
{
	/* mov $15, %rax or %eax; syscall */
	static const unsigned char wide[9] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const unsigned char narrow[7] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	unsigned char code[sizeof(wide)];

	return papi_remote_read(remote, address, code, sizeof(code)) &&
		(!memcmp(code, wide, sizeof(wide)) || !memcmp(code, narrow, sizeof(narrow)));
}

size_t papi_remote_interrupted(
	const struct papi_remote *remote, const struct papi_remote_thread *thread, uint64_t pcs[], size_t most)
{
	static unsigned char stack[STACK];
	/* A thread that is about to return from its handler has taken the address off. */
	const uint64_t low = (papi_remote_stack(thread) - sizeof(uint64_t)) & ~(uint64_t)7;
	size_t size = PAGE - low % PAGE, n = 0;

	if (!papi_remote_read(remote, low, stack, size))
		return 0;
	while (size + PAGE <= sizeof(stack) && papi_remote_read(remote, low + size, stack + size, PAGE))
		size += PAGE;
	for (size_t at = 0; n < most && at + sizeof(struct frame) <= size; at += sizeof(uint64_t)) {
		const struct frame *frame = (const void *)(stack + at);

		if ((frame->registers[REG_CSGSFS] & 0xffff) == SEGMENTS && !frame->link &&
			returns_from_handler(remote, frame->back))
			pcs[n++] = frame->registers[REG_RIP];
	}
	return n;
}
