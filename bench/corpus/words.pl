# SPDX-License-Identifier: BSD-3-Clause
# Counts words that a regular expression takes out of lines.
use strict;
my (%seen, $letters);
for my $i (0 .. 160000) {
	my $line = "word" . ($i % 3001) . ", and " . ($i * 7 % 1009);
	while ($line =~ /([a-z]+\d*)/g) {
		$seen{$1}++;
		$letters += length $1;
	}
}
my $most = 0;
for (values %seen) { $most = $_ if $_ > $most }
print scalar(keys %seen), " $most $letters\n";
