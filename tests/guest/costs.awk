# SPDX-License-Identifier: BSD-3-Clause
# From lines "WHO CASE USER KERNEL" to a table, or, with check=1, to a verdict on the limits.
{
	user[$1, $2] = $3
	kernel[$1, $2] = $4
	if (!($2 in seen)) {
		seen[$2] = 1
		cases[++n] = $2
	}
}

function cell(who, name) {
	return (who, name) in user ? user[who, name] " + " kernel[who, name] : "-"
}

# An instruction more than the limit is one too many.
function limit(who, name, most_user, most_kernel,    u, k) {
	if (!((who, name) in user)) {
		print "costs: " who " " name " was not measured"
		failed = 1
		return
	}
	u = user[who, name]
	k = kernel[who, name]
	printf "%-8s %-14s %8d + %8d   of at most %8d + %8d %s\n", who, name, u, k, most_user, most_kernel,
		u <= most_user && k <= most_kernel ? "ok" : "FAILED"
	if (u > most_user || k > most_kernel)
		failed = 1
}

END {
	if (!check) {
		printf "instructions of the user + of the kernel, for a set of two hardware counters\n\n"
		printf "%-14s %20s %20s %20s\n", "call", "sysctl 1", "sysctl 0", "Debian libpapi"
		for (i = 1; i <= n; i++)
			if (cases[i] ~ /^raw/)
				printf "%-14s %20s\n", cases[i], cell("ours-0", cases[i])
			else
				printf "%-14s %20s %20s %20s\n", cases[i], cell("ours-1", cases[i]), cell("ours-0", cases[i]),
					cell("peer", cases[i])
		exit
	}
	limit("ours-1", "read", 60, 0)
	limit("ours-1", "accum", 10000, 0)
	limit("ours-1", "reset", 10000, 0)
	limit("ours-1", "start-stop", 150, 0)
	limit("ours-0", "read", 120, kernel["ours-0", "raw-read-2"])
	limit("ours-0", "start-stop", 200, int(1.05 * kernel["ours-0", "raw-cycle-2"]))
	limit("ours-0", "library_init", 500000, 2000000)
	limit("ours-1", "library_init", 500000, 2000000)
	exit failed
}
