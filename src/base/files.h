/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of the kernel: every path below /proc and /sys is opened here.
 *
 * Paths are written as the kernel's manuals write them ("/sys/devices/system/cpu/online") and are looked up below a
 * root that can be set: a directory that holds a copy of these files stands for another machine, which is how recorded
 * machines are replayed in tests. With the usual root, "/", a path goes to the kernel unchanged.
 *
 * The root is set once, before anything else is called (PAPI_library_init sets it from PAPI_ROOT), and then only read;
 * everything but papi_linux_set_root() may be called by any number of threads at once.
 *
 * Functions that can fail return -1, or NULL, and leave the reason in errno. They store no sentence in the error
 * detail: a missing file is the usual case, and only the caller knows what it means. All descriptors are close-on-exec.
 */
#ifndef PAPI_BASE_FILES_H
#define PAPI_BASE_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* NULL and "" mean "/". The string is copied. -1 with ENAMETOOLONG leaves the root as it was. */
int papi_linux_set_root(const char *root);

/* "/" or the directory set, without a slash at its end. */
const char *papi_linux_root(void);

/* Whether the files are those of the machine that this runs on; if not, nothing else may be asked of the machine. */
bool papi_linux_is_live(void);

/* Writes the path as seen from outside the root. Returns its length, or -1 with ENAMETOOLONG. */
int papi_linux_path(const char *path, char *buffer, size_t size);

/* open(2) for reading. */
int papi_linux_open(const char *path);

/* NULL when it cannot be opened; closedir(3) is the caller's. */
DIR *papi_linux_open_directory(const char *path);

bool papi_linux_exists(const char *path);

/*
 * Reads as much of the file as fits into buffer beside the '\0' that always ends it (size must be at least 1).
 * Returns the number of bytes; size - 1 means that there may be more.
 */
ssize_t papi_linux_read_file(const char *path, char *buffer, size_t size);

/* As papi_linux_read_file(), but what is behind the first line's end, and that end, is cut off. */
ssize_t papi_linux_read_line(const char *path, char *buffer, size_t size);

/* The whole file, however long, with a '\0' behind it; *length (may be NULL) is without that. free(3) is the
 * caller's. */
char *papi_linux_read_whole(const char *path, size_t *length);

/* The file's one number, decimal or 0x hexadecimal. EINVAL: it holds something else; ERANGE: too large. */
int papi_linux_read_int(const char *path, long long *value);

/* The target of a symbolic link, '\0'-terminated. Returns its length; ENAMETOOLONG when it does not fit. */
ssize_t papi_linux_read_link(const char *path, char *buffer, size_t size);

#endif
