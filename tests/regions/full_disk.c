/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded: a disk on which the results of regions do not fit. The first 100 bytes do, as on a real one; the rest is
 * refused as a real one refuses it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void *data, size_t size) __attribute__((visibility("default")));

ssize_t write(int file, const void *data, size_t size)
{
	static size_t used;
	char link[64], path[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	if (strstr(path, "papi_hl_output")) {
		if (used >= 100) {
			errno = ENOSPC;
			return -1;
		}
		size = size < 100 - used ? size : 100 - used;
		used += size;
	}
	return syscall(SYS_write, file, data, size);
}
