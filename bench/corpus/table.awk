# SPDX-License-Identifier: BSD-3-Clause
# Sums by key, and a string that grows and is emptied.
BEGIN {
	for (i = 0; i < 700000; i++) {
		sums[i % 4001] += i * 0.5
		text = text substr("klmnop", i % 6 + 1, 1)
		if (length(text) > 40)
			text = ""
	}
	for (key in sums)
		total += sums[key]
	print total, length(text)
}
