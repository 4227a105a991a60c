/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_perror and PAPI_strerror: the words for a code, in a buffer of the caller. */
#include <string.h>

#include "reference.h"

void example(void)
{
	char error_str[PAPI_MAX_STR_LEN], cut[8];
	int EventSet = PAPI_NULL, retval;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	retval = PAPI_add_event(EventSet, PAPI_TOT_INS);
	EXPECT_STATUS(PAPI_ENOEVST, retval);
	/* With three arguments the function of the page. */
	EXPECT_OK(PAPI_perror(retval, error_str, PAPI_MAX_STR_LEN));
	EXPECT_TEXT(PAPI_strerror(retval), error_str);
	EXPECT(strlen(error_str) > sizeof(cut));
	EXPECT_OK(PAPI_perror(retval, cut, (int)sizeof(cut)));
	EXPECT(strncmp(cut, error_str, sizeof(cut) - 1) == 0 && strlen(cut) == sizeof(cut) - 1);
	EXPECT(PAPI_strerror(4711) == NULL);
}
