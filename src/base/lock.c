/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/lock.h"

_Thread_local unsigned papi_locks_held;
