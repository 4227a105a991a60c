// SPDX-License-Identifier: BSD-3-Clause
// The same in C++: the functions that header.c defines get C linkage from the header.
#include "header.c"
