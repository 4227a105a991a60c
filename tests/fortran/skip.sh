#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
echo 'skipped: there is no gfortran'
exit 77
