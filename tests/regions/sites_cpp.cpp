// SPDX-License-Identifier: BSD-3-Clause
// Regions of PAPI_HL_BEGIN in templates, constructors and inline functions, of which the linker keeps one copy: this
// file is compiled twice, the other time with AGAIN.
#include <papi.h>

template <class T> T twice(T x)
{
	PAPI_HL_BEGIN("template");
	const T more = x + 1;
	PAPI_HL_END("template");
	return more;
}

struct Scope {
	Scope()
	{
		PAPI_HL_BEGIN("scope");
	}
	~Scope()
	{
		PAPI_HL_END("scope");
	}
};

long again(long x);

#ifdef AGAIN

long again(long x)
{
	Scope scope;
	return twice(x);
}

#else

int main()
{
	for (int i = 0; i < 5; i++) {
		Scope scope;
		if (twice(static_cast<short>(i)) != i + 1)
			return 1;
	}
	return again(6) == 7 ? 0 : 1;
}

#endif
