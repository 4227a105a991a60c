-- SPDX-License-Identifier: BSD-3-Clause
-- A table that is filled, sorted, and joined with itself.
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, item TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
INSERT INTO orders SELECT i, i * 31 % 8009, 'item ' || (i * 17 % 701) FROM n;
CREATE INDEX by_customer ON orders (customer);
SELECT item, count(*), sum(customer) FROM orders WHERE customer % 5 <> 2 GROUP BY item ORDER BY 3 DESC LIMIT 4;
SELECT count(*), max(length(a.item || b.item)) FROM orders a JOIN orders b ON a.customer = b.id WHERE b.customer > 4000;
