# SPDX-License-Identifier: BSD-3-Clause
# Whole arrays: sorting, products of matrices, sums by index.
import numpy

state = numpy.arange(300000, dtype=numpy.float64)
for _ in range(6):
    state = numpy.sort((state * 1.7 + 3.1) % 1000.0)[::-1].copy()
matrix = (numpy.arange(250 * 250).reshape(250, 250) % 17).astype(numpy.float64)
product = matrix
for _ in range(4):
    product = product @ matrix % 13.0
bins = numpy.bincount((state * 3).astype(numpy.int64) % 512, weights=state)
print(round(float(state.sum())), int(product.sum()), round(float(bins.max())))
