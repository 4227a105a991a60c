/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refuse CALL PROGRAM [ARG...] - runs a program in a world where one system call fails: perf_event_open with EACCES, as
 * in a container, or pidfd_open with ENOSYS, as in an old kernel. perf_event_open_on_cpus: perf_event_open for one CPU
 * with EINVAL, as an old kernel refuses what only events of that kind ask for. Exits with 77 where seccomp filters
 * cannot be made.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	if (argc < 3)
		return 98;
	if (strcmp(argv[1], "perf_event_open") == 0) {
		filter[1].k = SYS_perf_event_open;
		filter[4].k |= EACCES;
	} else if (strcmp(argv[1], "perf_event_open_on_cpus") == 0) {
		filter[1].k = SYS_perf_event_open;
		filter[3].k = UINT32_MAX; /* any CPU: let through */
		filter[4].k |= EINVAL;
	} else if (strcmp(argv[1], "pidfd_open") == 0) {
		filter[1].k = SYS_pidfd_open;
		filter[4].k |= ENOSYS;
	} else {
		return 98;
	}
	/* For the others it does not matter what the third argument is. */
	if (!filter[3].k)
		filter[3].jt = 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("refuse: no seccomp filter here");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 97;
}
