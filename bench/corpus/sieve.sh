# SPDX-License-Identifier: BSD-3-Clause
# The primes below a number, by the sieve.
n=22000 found=0
for ((i = 2; i < n; i++)); do
	if [[ -z ${out[i]} ]]; then
		((found++))
		for ((j = 2 * i; j < n; j += i)); do out[j]=1; done
	fi
done
echo "$found"
