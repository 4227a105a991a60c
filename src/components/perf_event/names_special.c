/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names without a table: raw codes `r01c0`, hardware breakpoints `mem:0x601040/8:w`, tracepoints `sched:sched_switch`.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/kernel.h"
#include "components/perf_event/reasons.h"

/* r and hexadecimal digits: the event code as the PMU of the cores understands it. */
int papi_perf_raw_resolve(const char *name, struct papi_perf_encoding **resolved)
{
	struct papi_perf_encoding *encoding;
	unsigned long long config;
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return PAPI_ECMP;
	errno = 0;
	config = strtoull(name + 1, &end, 16);
	if (*end)
		return PAPI_ECMP;
	if (errno)
		return papi_error(PAPI_EINVAL, "%.160s: a raw event code has at most 64 bits", name);
	if (!papi_perf_core_pmu())
		return papi_error_code();
	encoding = papi_perf_encoding_make(PAPI_PERF_RAW, 0);
	if (!encoding)
		return PAPI_ENOMEM;
	encoding->attr.type = PERF_TYPE_RAW;
	encoding->attr.config = config;
	encoding->core = true;
	snprintf(encoding->summary, sizeof(encoding->summary), "Raw event code 0x%llx of the PMU of the cores", config);
	*resolved = encoding;
	return PAPI_OK;
}

static int access_type(const char *name, const char *letters, unsigned *type)
{
	*type = 0;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'r':
			*type |= HW_BREAKPOINT_R;
			break;
		case 'w':
			*type |= HW_BREAKPOINT_W;
			break;
		case 'x':
			*type |= HW_BREAKPOINT_X;
			break;
		default:
			return papi_error(PAPI_EINVAL, "%.160s: accesses are r, w and x, not \"%c\"", name, *letters);
		}
	}
	if (!*type || ((*type & HW_BREAKPOINT_X) && *type != HW_BREAKPOINT_X))
		return papi_error(PAPI_EINVAL, "%.160s: accesses are r, w, rw or x", name);
	return PAPI_OK;
}

/* mem:ADDRESS[/LENGTH][:ACCESSES]; 4 bytes, read and write, unless said otherwise; an instruction for x. */
int papi_perf_breakpoint_resolve(const char *name, struct papi_perf_encoding **resolved)
{
	unsigned long long address, length = 0;
	struct papi_perf_encoding *encoding;
	unsigned type = HW_BREAKPOINT_RW;
	int status = PAPI_OK;
	char *end;

	if (strncmp(name, "mem:", 4))
		return PAPI_ECMP;
	errno = 0;
	address = strtoull(name + 4, &end, 0);
	if (end == name + 4 || errno || !isxdigit((unsigned char)name[4]))
		return papi_error(PAPI_EINVAL,
			"%.160s: expected mem:ADDRESS[/LENGTH][:rwx] with an address such as 0x601040", name);
	if (*end == '/') {
		const char *digits = end + 1;

		length = strtoull(digits, &end, 0);
		if (end == digits || !length)
			return papi_error(PAPI_EINVAL, "%.160s: expected a length in bytes after the slash", name);
	}
	if (*end == ':')
		status = access_type(name, end + 1, &type);
	else if (*end)
		status = papi_error(PAPI_EINVAL, "%.160s: expected /LENGTH or :rwx after the address", name);
	if (status != PAPI_OK)
		return status;
	if (!length)
		length = type == HW_BREAKPOINT_X ? sizeof(long) : 4;
	if (length > 8 || (length & (length - 1)))
		return papi_error(PAPI_EINVAL, "%.160s: hardware watches 1, 2, 4 or 8 bytes, not %llu", name, length);
	if (type != HW_BREAKPOINT_X && address % length)
		return papi_error(
			PAPI_EINVAL, "%.160s: the address must be a multiple of the length, %llu", name, length);
	if (!papi_perf_kernel->breakpoints_count())
		return papi_error(PAPI_ENOSUPP,
			"%.160s: this machine takes hardware breakpoints and never counts one: its hypervisor loses "
			"the debug registers; restart the virtual machine, or use another",
			name);
	encoding = papi_perf_encoding_make(PAPI_PERF_BREAKPOINT, 0);
	if (!encoding)
		return PAPI_ENOMEM;
	encoding->attr.type = PERF_TYPE_BREAKPOINT;
	encoding->attr.bp_type = type;
	encoding->attr.bp_addr = address;
	encoding->attr.bp_len = type == HW_BREAKPOINT_X ? sizeof(long) : length;
	snprintf(encoding->summary, sizeof(encoding->summary), "Hardware breakpoint: %s of %llu bytes at 0x%llx",
		type == HW_BREAKPOINT_X           ? "executions"
			: type == HW_BREAKPOINT_W ? "writes"
			: type == HW_BREAKPOINT_R ? "reads"
						  : "reads and writes",
		(unsigned long long)encoding->attr.bp_len, address);
	*resolved = encoding;
	return PAPI_OK;
}

static const char *const tracing[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static bool plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
			return false;
	return length;
}

/* system:event, if tracefs is mounted and readable. */
int papi_perf_tracepoint_resolve(const char *name, struct papi_perf_encoding **resolved)
{
	const char *colon = strchr(name, ':');
	struct papi_perf_encoding *encoding;
	bool mounted = false;
	char path[512];
	long long id;

	if (!colon || !plain(name, (size_t)(colon - name)) || !plain(colon + 1, strlen(colon + 1)))
		return PAPI_ECMP;
	for (size_t i = 0; i < sizeof(tracing) / sizeof(tracing[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", tracing[i]);
		if (!papi_linux_exists(path))
			continue;
		mounted = true;
		snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", tracing[i], (int)(colon - name), name, colon + 1);
		if (papi_linux_read_int(path, &id)) {
			if (errno == EACCES)
				return papi_error(PAPI_EPERM,
					"%.160s: tracepoints are for root here: %s is not readable", name, tracing[i]);
			continue;
		}
		encoding = papi_perf_encoding_make(PAPI_PERF_TRACEPOINT, 0);
		if (!encoding)
			return PAPI_ENOMEM;
		encoding->attr.type = PERF_TYPE_TRACEPOINT;
		encoding->attr.config = (unsigned long long)id;
		atomic_init(&encoding->any_mode, true);
		snprintf(encoding->summary, sizeof(encoding->summary), "Tracepoint of the kernel");
		*resolved = encoding;
		return PAPI_OK;
	}
	if (!mounted)
		return papi_error(PAPI_ENOEVNT,
			"no event is named \"%.160s\"; if it is a tracepoint: tracefs is not mounted or not "
			"readable (mount -t tracefs tracefs /sys/kernel/tracing)",
			name);
	return PAPI_ECMP;
}
