# SPDX-License-Identifier: BSD-3-Clause
"""What the metrics of data/metrics are, once more and independent of the formulas there: from what a program does.

For each metric there is a function for each of its ways. It makes the value of what is known of the program (class
Counts). None stands for a way whose events only certain processors have.
"""


class Counts:
    """What a program does, under names; what is not named it does not do."""

    def __init__(self, **known):
        self.known = known

    def __getattr__(self, name):
        return self.known.get(name, 0)

    def but(self, name, more):
        """The same with more of one thing."""
        return Counts(**{**self.known, name: self.known.get(name, 0) + more})

    # Of misses, "r" and "w" are those of reads and writes, "i" those of fetches.
    def data(self, level):
        return getattr(self, level + "r") + getattr(self, level + "w")

    def all(self, level):
        return self.data(level) + getattr(self, level + "i")

    @property
    def flops(self):
        return self.single + self.double

    def waits(self, side):
        """The stalls of doc/vpmu.md; a write waits for a quarter of them."""
        cost = {"l1": 16, "l2": 40, "l3": 200, "tlb": 8, "walk": 32}
        return sum(cycles * getattr(self, level + side) for level, cycles in cost.items()) / (4 if side == "w" else 1)

    @property
    def memory_stalls(self):
        return self.waits("r") + self.waits("w")

    @property
    def other_stalls(self):
        return self.waits("i") + 16 * (self.mispredicted + self.targets)

    @property
    def cycles(self):
        return self.instructions / 4 + self.memory_stalls + self.other_stalls


def percent(part, whole):
    return lambda c: 100 * part(c) / whole(c)


def thousand(part):
    """In a thousand instructions."""
    return lambda c: part(c) / (c.instructions / 1000)


def each(part):
    """For each instruction."""
    return lambda c: part(c) / c.instructions


def instructions(c):
    return c.instructions


def loads(c):
    return c.loads


def stores(c):
    return c.stores


def accesses(c):
    return c.loads + c.stores


def branches(c):
    return c.branches


def conditional(c):
    return c.conditional


def mispredicted(c):
    return c.mispredicted


def flops(c):
    return c.flops


def fp_instructions(c):
    return c.fp


def cycles(c):
    return c.cycles


def data(level):
    return lambda c: c.data(level)


def all_of(level):
    return lambda c: c.all(level)


def one(name):
    return lambda c: getattr(c, name)


def lines(misses):
    """In bytes."""
    return lambda c: 64 * misses(c)


# An event of certain processors: machines.c has these processors, test_values.py the sums.
HARDWARE = None

MEANINGS = {
    "branch": {
        "branch_share": [percent(branches, instructions)],
        "branch_miss_rate": [percent(mispredicted, conditional), percent(mispredicted, branches)],
        "branch_misses_per_kinstr": [thousand(mispredicted)],
        "taken_share": [percent(one("taken"), conditional)],
    },
    "cache": {
        "l1d_miss_rate": [percent(data("l1"), accesses)] * 3 + [percent(one("l1r"), loads)] * 2,
        "l1d_misses_per_kinstr": [thousand(data("l1")), thousand(one("l1r"))],
        "l1i_misses_per_kinstr": [thousand(one("l1i"))],
        "l2_miss_rate": [percent(all_of("l2"), all_of("l1")), percent(data("l2"), data("l1")),
                         percent(one("l2r"), one("l1r"))],
        "l2_misses_per_kinstr": [thousand(all_of("l2")), thousand(data("l2"))],
        "l3_miss_rate": [percent(all_of("l3"), all_of("l2")), percent(data("l3"), data("l2"))],
        "l3_misses_per_kinstr": [thousand(all_of("l3")), thousand(data("l3"))],
    },
    "flops": {
        "flops": [flops, flops],
        "flops_per_second": ["translation"],
        "flops_per_instr": [each(flops)],
        "fp_share": [percent(fp_instructions, instructions)],
        "double_share": [percent(one("double"), flops)],
        "fma_share": [percent(one("fma"), fp_instructions)],
    },
    "instructions": {
        "instructions": [instructions],
        "instructions_per_second": ["translation"],
        "load_share": [percent(loads, instructions)],
        "store_share": [percent(stores, instructions)],
        "branches_share": [percent(branches, instructions)],
        "integer_share": [percent(one("integer"), instructions)],
        "float_share": [percent(fp_instructions, instructions)],
        "vectors_share": [percent(one("vector"), instructions)],
        "sync_per_kinstr": [thousand(one("sync"))],
    },
    "memory": {
        "loads_per_instr": [each(loads)],
        "stores_per_instr": [each(stores)],
        "memory_bytes": [lines(all_of("l3")), lines(data("l3")), lines(all_of("l2")), lines(data("l2"))],
        "memory_bandwidth": ["translation"],
        "memory_bytes_per_instr": [each(lines(all_of("l3")))],
        "flops_per_byte": [lambda c: c.flops / (64 * c.all("l3"))],
    },
    "roofline": {
        "operations": [flops],
        "double_operations": [one("double")],
        "single_operations": [one("single")],
        "bytes_below_l1": [lines(data("l1")), lines(one("l1r"))],
        "bytes_below_l2": [lines(data("l2")), lines(all_of("l2"))],
        "bytes_below_l3": [lines(data("l3")), lines(all_of("l3"))],
        "intensity": [lambda c: c.flops / (64 * c.data("l3")), lambda c: c.flops / (64 * c.data("l2"))],
    },
    "stalls": {
        "ipc": [lambda c: c.instructions / c.cycles],
        "stalled_share": [percent(lambda c: c.memory_stalls + c.other_stalls, cycles)],
        "memory_stall_share": [percent(one("memory_stalls"), cycles)],
        "read_stall_share": [percent(lambda c: c.waits("r"), cycles)],
        "write_stall_share": [percent(lambda c: c.waits("w"), cycles)],
        "other_stall_share": [percent(one("other_stalls"), cycles)],
        "retiring": [HARDWARE] * 2,
        "frontend_bound": [HARDWARE] * 4,
        "backend_bound": [HARDWARE] * 4,
        "bad_speculation": [HARDWARE] * 2,
    },
    "tlb": {
        "dtlb_walks_per_kinstr": [thousand(data("walk"))],
        "dtlb_walk_rate": [percent(data("walk"), accesses)] * 3,
        "itlb_walks_per_kinstr": [thousand(one("walki"))],
    },
    "vector": {
        "vector_share": [percent(one("vector"), instructions)],
        "flops_per_fp_instr": [lambda c: c.flops / c.fp],
        "fp_instr_share": [percent(fp_instructions, instructions)],
        "vector_fp_share": [percent(one("vector_fp"), fp_instructions)],
        "width_128_share": [percent(one("wide128"), flops), HARDWARE],
        "width_256_share": [percent(one("wide256"), flops), HARDWARE],
        "width_512_share": [percent(one("wide512"), flops), HARDWARE],
    },
}
