/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component "sysdetect": no events, but a name.
 *
 * Programs of the 7.0 interface take the devices of the machine (PAPI_enum_dev_type and its kin) for the work of a
 * component of this name and ask for its index before they use them. The work itself is in api/devices.c and linux/.
 */
#ifndef PAPI_SYSDETECT_H
#define PAPI_SYSDETECT_H

#include "base/component.h"

extern const struct papi_component papi_sysdetect_component;

#endif
