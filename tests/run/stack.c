/* SPDX-License-Identifier: BSD-3-Clause */
/* Says where the words of its command are listed, above its stack. */
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argc;
	printf("%p\n", (void *)argv);
	return 0;
}
