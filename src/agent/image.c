/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/image.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_INTERPRETERS 4    /* as many as the kernel follows */
#define HEAD             1024 /* small: it may be the stack of a small thread */

/* The beginning of the file, with a 0 behind it; 0 when it cannot be read. */
static size_t read_head(const char *path, char head[HEAD])
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? 0 : read(file, head, HEAD - 1);

	if (file >= 0)
		close(file);
	got = got < 0 ? 0 : got;
	head[got] = '\0';
	return (size_t)got;
}

static bool has_interpreter(const char *image, size_t size)
{
	Elf64_Ehdr header;

	memcpy(&header, image, sizeof(header));
	for (unsigned i = 0; i < header.e_phnum; i++) {
		size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr segment;

		if (at > size || size - at < sizeof(segment))
			return true; /* nobody knows */
		memcpy(&segment, image + at, sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* The head of what the kernel will really load: of a script, its interpreter. Its path, in a buffer or as it was. */
static size_t read_image(const char **path, char head[HEAD], char interpreter[HEAD])
{
	size_t got = read_head(*path, head);

	for (int i = 0; i < MAX_INTERPRETERS && head[0] == '#' && head[1] == '!'; i++) {
		const char *name = head + 2 + strspn(head + 2, " \t");
		size_t length = strcspn(name, " \t\r\n");

		memcpy(interpreter, name, length);
		interpreter[length] = '\0';
		*path = interpreter;
		got = read_head(interpreter, head);
	}
	return got >= sizeof(Elf64_Ehdr) && memcmp(head, ELFMAG, SELFMAG) == 0 ? got : 0;
}

static bool gets_rights(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
		((status.st_mode & S_ISGID) && status.st_gid != getgid()) ||
		(geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

bool papi_agent_image_is_foreign(const char *path)
{
	char head[HEAD], interpreter[HEAD];

	return read_image(&path, head, interpreter) && head[EI_CLASS] != ELFCLASS64;
}

const char *papi_agent_image_obstacle(const char *path)
{
	char head[HEAD], interpreter[HEAD];
	size_t got = read_image(&path, head, interpreter);

	if (gets_rights(path))
		return "it gets the rights of another user (set-user-ID, set-group-ID or capabilities), so the "
		       "dynamic linker loads no agent into it";
	if (!got)
		return NULL;
	if (head[EI_CLASS] != ELFCLASS64)
		return "it is a 32-bit program, whose code is not translated";
	if (!has_interpreter(head, got))
		return "it is linked statically: no dynamic linker puts the counting agent into it";
	return NULL;
}
