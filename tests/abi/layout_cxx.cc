// SPDX-License-Identifier: BSD-3-Clause
// The assertions of the other files and the bits, seen by a C++ compiler.
#include "bits.c"
#include "layout_constants.c"
#include "layout_functions.c"
#include "layout_presets.c"
#include "layout_reference.c"
#include "layout_structures.c"
