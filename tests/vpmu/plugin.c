/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that test_vpmu_code loads and unloads. */
__attribute__((visibility("default"))) int plugin_answer(void);

int plugin_answer(void)
{
	return ANSWER;
}
