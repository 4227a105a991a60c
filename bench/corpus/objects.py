# SPDX-License-Identifier: BSD-3-Clause
# Objects, dictionaries and lists.
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def moved(self, by):
        return Point(self.x + by, self.y - by)


seen = {}
points = [Point(i, 2 * i) for i in range(500)]
for step in range(250):
    points = [point.moved(step % 7) for point in points]
    for point in points:
        key = (point.x * 31 + point.y) % 2003
        seen[key] = seen.get(key, 0) + 1
print(len(seen), max(seen.values()), sum(point.x for point in points))
