/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A made-up machine: a directory with files of /proc and /sys that a test writes one by one.
 *
 * There is one at a time; papi_linux_set_root() is given its name, or PAPI_ROOT where PAPI_library_init() comes after.
 * For recorded machines see tests/unit/linux/tree.h. What cannot be written ends the test program.
 */
#ifndef PAPI_TESTS_FAKE_MACHINE_H
#define PAPI_TESTS_FAKE_MACHINE_H

/* Makes an empty directory, sets it as the root and in PAPI_ROOT, and returns its name. */
const char *fake_machine_begin(void);

/* Writes a file, and the directories above it; the path is as the kernel's manuals write it. */
void fake_machine_write(const char *path, const char *content);

/* Removes the directory; the root is "/" again. */
void fake_machine_end(void);

#endif
