/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that a utility runs for its user, as the shell would: found, forked, held at a gate until it is measured,
 * then executed.
 *
 *	utility                               child
 *	   spawn: fork -----------------------> closes its ends, restores signals
 *	   wait until it waits <--------------- write(failure, 1 byte): ready; read(gate) waits
 *	   ... attaches what measures ...
 *	   release: write(gate, 1 byte) ------> execve
 *	   read(failure): end of file <-------- closed by execve, or errno when it failed
 *	   poll, and pass signals on
 *
 * Signals are blocked in the utility and taken one by one, with sigwaitinfo or a signalfd. Nothing is caught and no
 * disposition changes, so a restored mask is all that the program needs to start as if from the shell.
 *
 * A program's paths and words stay the caller's. One thread, no signal handlers.
 */
#ifndef PAPI_TOOLS_PROGRAM_H
#define PAPI_TOOLS_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Exit statuses of a utility that runs a program; those of a shell for a program that cannot be run. */
enum {
	PAPI_PROGRAM_FAILURE = 125,
	PAPI_PROGRAM_NOT_EXECUTABLE = 126,
	PAPI_PROGRAM_NOT_FOUND = 127,
	PAPI_PROGRAM_SIGNAL = 128
};

struct papi_program {
	pid_t pid;
	int gate;    /* write end: a byte lets the program run, closing it ends the child */
	int failure; /* read end: a byte when the child is at its gate, then errno if execve fails */
};

/*
 * Makes sure that no descriptor of the utility becomes 0, 1 or 2 when it was started with one of those closed: what
 * fills the place is close-on-exec, so the program sees it closed as the utility did. First thing in main. False:
 * standard error was closed.
 */
bool papi_program_fill_descriptors(void);

/*
 * Finds a program as execvp would, but before it is measured: the search is none of the program's business. Gives 0 and
 * the path, for the caller to free, or the errno that matters most.
 */
int papi_program_find(const char *program, char **path);

/* Says why a program cannot be run, found or not, and gives the exit status of a shell. */
int papi_program_refused(const char *program, bool found, int error, char *reason, size_t size);

/*
 * Will the program run with rights that this process does not have, or may its file not be read? From whom it keeps its
 * secrets, it also keeps its counts: the kernel ends counting in execve, without a word.
 */
bool papi_program_keeps_secrets(const char *path);

/* Makes signals wait for the utility. A signal that was ignored before (nohup) stays so and is left alone. */
void papi_program_block_signals(void);

/* The signals that are meant for the program when they are sent to the utility; without SIGCHLD. */
const sigset_t *papi_program_signals(void);

/*
 * Forks the child up to its gate, where it is asleep when this returns; in it, hand_over (may be NULL) is called. 0, or
 * an errno with the call that failed.
 */
int papi_program_spawn(
	struct papi_program *program, char *path, char **command, void (*hand_over)(void), const char **call);

/* Opens the gate; 0, or the errno of the execve that failed. */
int papi_program_release(struct papi_program *program);

/* Passes a signal on, unless the terminal sent it: that sends to the whole group, so that the program has it. */
void papi_program_pass_on(const struct papi_program *program, int number, int code);

/* The exit status that a shell gives for a wait status. */
int papi_program_exit_status(int status);

#endif
