/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to be loaded and unloaded. Padded differently, so that its code lies elsewhere in the file. */
void work(void);

static volatile unsigned long sink;

#ifdef PADDED
__attribute__((used)) static void padding(void)
{
	__asm__ volatile(".skip 70000");
}
#endif

void work(void)
{
	for (unsigned long i = 0; i < 200000; i++)
		sink += i;
}
