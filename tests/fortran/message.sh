#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: message.sh PROGRAM PATTERN
#
# What a program prints on standard error must be one line that looks like PATTERN, a regular expression.
set -eu
printed=$("$1" 2>&1 >/dev/null)
printf '%s\n' "$printed"
[ "$(printf '%s\n' "$printed" | wc -l)" -eq 1 ]
printf '%s\n' "$printed" | grep -Eqx -e "$2"
