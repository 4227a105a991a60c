/* SPDX-License-Identifier: BSD-3-Clause */
/* Of C: recursion, of one function and of two, calls by pointers and as the last act, qsort, longjmp, libc. */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;

static __attribute__((noinline)) unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned is_odd(unsigned n);

static __attribute__((noinline)) unsigned is_even(unsigned n)
{
	unsigned result = n ? is_odd(n - 1) : 1;

	__asm__ volatile("" : "+r"(result)); /* not as its last act */
	return result;
}

static __attribute__((noinline)) unsigned is_odd(unsigned n)
{
	unsigned result = n ? is_even(n - 1) : 0;

	__asm__ volatile("" : "+r"(result));
	return result;
}

static __attribute__((noinline)) uint64_t twice(uint64_t n)
{
	return 2 * n;
}

static __attribute__((noinline)) uint64_t last(uint64_t n)
{
	return twice(n + 1);
}

static __attribute__((noinline)) void dive(int n)
{
	if (!n)
		longjmp(back, 1);
	dive(n - 1);
	__asm__ volatile("");
}

static int by_value(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(void)
{
	static uint64_t (*volatile functions[])(uint64_t) = { twice, last };
	static int numbers[3000];
	uint64_t sum = 0;
	volatile unsigned jumps = 0;
	char text[64] = "";
	uint32_t random = 1;

	for (unsigned i = 0; i < 3000; i++)
		numbers[i] = (int)((random = random * 1103515245 + 12345) >> 8);
	qsort(numbers, 3000, sizeof(numbers[0]), by_value);
	for (unsigned i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "%d %s", numbers[i], "number");
		sum += functions[i % 2](strlen(text));
	}
	if (setjmp(back) == 0 || jumps < 20) {
		jumps++;
		dive((int)jumps);
	}
	for (unsigned i = 0; i < 200; i++) {
		char *copy = strdup(text);

		sum += copy ? strspn(copy, "0123456789") : 0;
		free(copy);
	}
	printf("%u %u %llu %u\n", fib(18), is_even(60), (unsigned long long)sum, jumps);
	return 0;
}
