/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness_step.h"

#include <signal.h>
#include <ucontext.h>

#define TRAP_FLAG   0x100u
#define RESUME_FLAG 0x10000u

void harness_enter(const struct machine *machine);
void harness_leave(void);

static bool (*observer)(const struct machine *machine, int signal);
static volatile bool is_running;
static const char *complaint;
static char complaint_text[512];

bool harness_complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(complaint_text, sizeof(complaint_text), format, arguments);
	va_end(arguments);
	complaint = complaint_text;
	return false;
}

const char *harness_complaint(void)
{
	return complaint;
}

void harness_forget_complaint(void)
{
	complaint = NULL;
}

static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9,
	REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

static void on_signal(int number, siginfo_t *info, void *pointer)
{
	greg_t *registers = ((ucontext_t *)pointer)->uc_mcontext.gregs;
	/* TRAP_BRKPT: a step of which the kernel does not know, where a hypervisor has lost
	 * the debug status register. */
	bool step = number == SIGTRAP && (info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT);
	struct machine machine;

	if (!is_running) { /* a mistake of the test, or of the translator */
		signal(number, SIG_DFL);
		return;
	}
	for (unsigned i = 0; i < 16; i++)
		machine.registers[i] = (uint64_t)registers[order[i]];
	machine.pc = (uint64_t)registers[REG_RIP];
	machine.flags = (uint64_t)registers[REG_EFL] & ~(uint64_t)(TRAP_FLAG | RESUME_FLAG);
	if (observer(&machine, step ? 0 : number)) {
		registers[REG_RIP] = (greg_t)(uintptr_t)harness_leave;
		registers[REG_EFL] = 0x202;
	} else {
		registers[REG_EFL] |= TRAP_FLAG;
	}
}

void harness_run(const struct machine *start, bool (*watch)(const struct machine *machine, int signal))
{
	struct machine machine = *start;

	machine.flags |= TRAP_FLAG;
	observer = watch;
	complaint = NULL;
	is_running = true;
	harness_enter(&machine);
	is_running = false;
}

void harness_catch_signals(void)
{
	static const int caught[] = { SIGTRAP, SIGSEGV, SIGILL, SIGBUS, SIGFPE };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigfillset(&action.sa_mask);
	for (unsigned i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaction(caught[i], &action, NULL);
}
