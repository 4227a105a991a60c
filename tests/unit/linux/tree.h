/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded machines: the files of /proc and /sys that describe one, as a single text.
 *
 * A line of a tree is PATH, a tab, and the file's content; "\n", "\t", "\\" and "\xHH" in it stand for the bytes that a
 * line cannot hold. A path that ends in a slash is an empty directory. Lines that begin with '#' say where the tree
 * comes from. The file /cpuid holds the CPUID leaves of an x86 machine, see linux/cpu/cpuid.h.
 *
 * tree_unpack() makes a directory of it that papi_linux_set_root() takes; tree_record() writes the tree of the machine
 * it runs on. Failures end the test program: a test cannot go on without its machine.
 */
#ifndef PAPI_TESTS_LINUX_TREE_H
#define PAPI_TESTS_LINUX_TREE_H

#include <stddef.h>
#include <stdio.h>

/* Gets each file of a tree before it is written and may change the content and the length, not beyond size. */
typedef void (*tree_change_t)(char *content, size_t *length, size_t size, void *data);

/* A new directory, below $TMPDIR or in memory or below /tmp, with the files of the tree; tree_remove() takes it. */
char *tree_unpack(const char *file, tree_change_t change, void *data);

/* Removes the directory and frees its name. */
void tree_remove(char *directory);

/* The directory of the trees, from the environment variable that meson.build sets, and a file in it; free(3) it. */
char *tree_path(const char *name);

void tree_record(FILE *out);

/* The bytes of a content as they are written in a tree, and back; the result is at most as long as its source. */
void tree_write_content(FILE *out, const char *content, size_t length);
size_t tree_read_content(char *content);

#endif
