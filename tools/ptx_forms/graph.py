"""Values as nodes of a graph: one node for each value, however the source computes it.

A node's op is the PTX opcode that computes it, its type one of b64, b32, pred.  Bits and floats share registers, so
that reading a float's bits costs nothing.  Rewriting changes only what gives the same bits for all operands: it folds
constants, and turns C's masks (all bits or none) into selections.
"""

import struct
from fractions import Fraction

BITS = {"b64": 64, "b32": 32, "pred": 1}
NEGATED = {"eq": "neu", "neu": "eq", "lt": "geu", "geu": "lt", "le": "gtu", "gtu": "le", "gt": "leu", "leu": "gt",
           "ge": "ltu", "ltu": "ge", "num": "nan", "nan": "num"}
NEGATED_INT = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def float_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


class Node:
    def __init__(self, number, op, args, kind, value=None):
        self.number, self.op, self.args, self.type, self.value = number, op, args, kind, value
        self.name, self.is_double = None, False

    @property
    def is_const(self):
        return self.op == "const"


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


def fold_int(op, width, values):
    """The value of an integer op on constants; None for other ops."""
    mask = (1 << width) - 1
    name = op.split(".")[0]
    a, b = (list(values) + [0])[:2]
    if name in ("shl", "shr") and b >= width:
        return 0
    if name == "shr" and op.split(".")[1][0] == "s":
        a = signed(a, width)
    return {"and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b, "not": lambda: ~a & mask,
            "shl": lambda: a << b & mask, "shr": lambda: a >> b & mask, "add": lambda: (a + b) & mask,
            "sub": lambda: (a - b) & mask, "neg": lambda: -a & mask}.get(name, lambda: None)()


def fold_f64(op, values):
    """The bits of a float op on constants, rounded to nearest even; None if exactness is in doubt."""
    numbers = [float_of(v) for v in values]
    if op == "neg.f64":
        return values[0] ^ 1 << 63
    if any(n != n or n in (float("inf"), float("-inf")) for n in numbers):
        return None
    exact = [Fraction(n) for n in numbers]
    try:
        result = {"add.rn.f64": lambda a, b: a + b, "sub.rn.f64": lambda a, b: a - b,
                  "mul.rn.f64": lambda a, b: a * b, "fma.rn.f64": lambda a, b, c: a * b + c}[op](*exact)
        rounded = float(result)
    except (KeyError, OverflowError):
        return None
    return bits_of(rounded) if rounded != 0.0 else None  # the sign of a zero is not computed here


class Graph:
    def __init__(self):
        self.nodes, self.by_key = [], {}

    def node(self, op, args, kind, value=None, key=None):
        key = key or (op, tuple(a.number for a in args), kind, value)
        if key not in self.by_key:
            self.by_key[key] = Node(len(self.nodes), op, tuple(args), kind, value)
            self.nodes.append(self.by_key[key])
        return self.by_key[key]

    def const(self, value, kind):
        return self.node("const", (), kind, value & ((1 << BITS[kind]) - 1))

    def double(self, bits):
        node = self.const(bits, "b64")
        node.is_double = bits != 0  # 0 serves as a mask as well
        return node

    def all_bits(self, kind):
        return self.const(-1, kind)

    # -- computing --

    def op(self, op, args, kind):
        """A float or integer op whose operands have the result's type (shift counts are b32)."""
        folded = self._folded(op, args, kind)
        if folded is not None:
            return folded
        rewrite = None if op.endswith(("f64", "f32")) else getattr(self, "_" + op.split(".")[0], None)
        return rewrite(op, args, kind) if rewrite else self.node(op, args, kind)

    def _fold(self, op, args, kind):
        values = [a.value for a in args]
        if op.endswith("f64"):
            value = fold_f64(op, values)
            return None if value is None else self.double(value)
        if op.endswith("f32"):
            return None
        value = fold_int(op, BITS[kind], values)
        return None if value is None else self.const(value, kind)

    def _folded(self, op, args, kind):
        """The op on constants, or on constants and one selection between two of them: then the selection between the results."""
        if all(a.is_const for a in args):
            return self._fold(op, args, kind)
        choices = [i for i, a in enumerate(args) if not a.is_const]
        chosen = args[choices[0]]
        if len(choices) > 1 or chosen.op != "selp" or not (chosen.args[1].is_const and chosen.args[2].is_const):
            return None
        results = [self._fold(op, [c if i == choices[0] else a for i, a in enumerate(args)], kind)
                   for c in chosen.args[1:]]
        return None if None in results else self.select(chosen.args[0], *results)

    def _sub(self, op, args, kind):
        a, b = args
        if b.is_const:
            return self.op(op.replace("sub", "add"), [a, self.const(-b.value, kind)], kind)
        if a.is_const and a.value == 0:
            return self.node(f"neg.s{BITS[kind]}", [b], kind)
        return self.node(op, args, kind)

    def _add(self, op, args, kind):
        a, b = args if not args[0].is_const else args[::-1]
        if b.is_const and b.value == 0:
            return a
        if b.is_const and a.op == op and a.args[1].is_const:
            return self.op(op, [a.args[0], self.const(a.args[1].value + b.value, kind)], kind)
        return self.node(op, [a, b], kind)

    def _shl(self, op, args, kind):
        return args[0] if args[1].is_const and args[1].value == 0 else self.node(op, args, kind)

    _shr = _shl

    def _xor(self, op, args, kind):
        a, b = args if not args[0].is_const else args[::-1]
        return a if b.is_const and b.value == 0 else self.node(op, [a, b], kind)

    # -- masks --

    def mask_of(self, node):
        """p if the node has all bits where p is true and none elsewhere; None if it is not a mask."""
        if node.op != "selp" or not all(a.is_const for a in node.args[1:]):
            return None
        full = self.all_bits(node.type).value
        values = [a.value for a in node.args[1:]]
        if values == [full, 0]:
            return node.args[0]
        return self.negate(node.args[0]) if values == [0, full] else None

    def _and(self, op, args, kind):
        a, b = args if not args[0].is_const else args[::-1]
        if b.is_const:
            if b.value in (0, self.all_bits(kind).value):
                return a if b.value else b
            if a.op == op and a.args[1].is_const:
                return self.op(op, [a.args[0], self.const(a.args[1].value & b.value, kind)], kind)
        zero = self.const(0, kind)
        for value, chosen in ((a, b), (b, a)):
            if self.mask_of(chosen) is not None:
                arms = [value if arm.value else zero for arm in chosen.args[1:]]
                return self.select(chosen.args[0], *arms)
        return self.node(op, [a, b], kind)

    def _or(self, op, args, kind):
        a, b = args if not args[0].is_const else args[::-1]
        if b.is_const and b.value == 0:
            return a
        if self.mask_of(a) is not None and self.mask_of(b) is not None:
            both = self.either(self.mask_of(a), self.mask_of(b))
            return self.select(both, self.all_bits(kind), self.const(0, kind))
        if a.op == b.op == "selp" and a.args[0] is b.args[0]:
            arms = [self._sole(x, y) for x, y in zip(a.args[1:], b.args[1:])]
            if None not in arms:
                return self.select(a.args[0], *arms)
        return self.node(op, [a, b], kind)

    @staticmethod
    def _sole(x, y):
        """x | y if one of them is 0."""
        return y if x.is_const and x.value == 0 else x if y.is_const and y.value == 0 else None

    def select(self, p, a, b):
        if a is b:
            return a
        if p.is_const:
            return a if p.value else b
        if a.op == "selp" and a.args[0] is p:
            return self.select(p, a.args[1], b)
        if b.op == "selp" and b.args[0] is p:
            return self.select(p, a, b.args[2])
        for q, chosen, other in ((p, a, b), (self.negate(p), b, a)):  # masks of masks
            if chosen.op == "selp" and other.is_const and other.value == 0 and self.mask_of(chosen) is not None:
                return self.node("selp", [self.both(q, self.mask_of(chosen)), self.all_bits(a.type), other], a.type)
        if a.type == "pred":
            return self.either(self.both(p, a), self.both(self.negate(p), b))
        return self.node("selp", [p, a, b], a.type)

    # -- predicates --

    def truth(self, value):
        return self.const(int(value), "pred")

    def compare(self, relation, suffix, a, b):
        """relation is one of C's, in PTX spelling; suffix the compared type, such as f64 or u32."""
        if suffix[0] == "f":
            if a is b and relation in ("eq", "neu"):
                if a.is_const:  # the forms' constants are never NaN
                    return self.truth(relation == "eq")
                relation = {"eq": "num", "neu": "nan"}[relation]
            return self.node(f"setp.{relation}.{suffix}", [a, b], "pred")
        width = int(suffix[1:])
        if a.is_const and b.is_const:
            x, y = (signed(v.value, width) if suffix[0] == "s" else v.value for v in (a, b))
            return self.truth({"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y,
                               "ge": x >= y}[relation])
        if relation in ("eq", "ne"):
            suffix = f"b{width}"
            if b.is_const and a.op == "selp" and all(arm.is_const for arm in a.args[1:]):
                hits = [self.truth((arm.value == b.value) == (relation == "eq")) for arm in a.args[1:]]
                return self.select(a.args[0], *hits)
            if relation == "ne" and b.is_const and b.value == 0 and a.op.startswith("shr.u") \
                    and a.args[1].value == width - 1:
                return self.node(f"setp.lt.s{width}", [a.args[0], b], "pred")
        return self.node(f"setp.{relation}.{suffix}", [a, b], "pred")

    def negate(self, p):
        if p.is_const:
            return self.truth(not p.value)
        if p.op == "not.pred":
            return p.args[0]
        if p.op.startswith("setp"):
            _, relation, suffix = p.op.split(".")
            negated = (NEGATED if suffix[0] == "f" else NEGATED_INT)[relation]
            return self.node(f"setp.{negated}.{suffix}", p.args, "pred")
        return self.node("not.pred", [p], "pred")

    def both(self, p, q):
        return self._combined("and.pred", p, q, absorbing=0, nan="num")

    def either(self, p, q):
        return self._combined("or.pred", p, q, absorbing=1, nan="nan")

    def _combined(self, op, p, q, absorbing, nan):
        for a, b in ((p, q), (q, p)):
            if a.is_const:
                return a if a.value == absorbing else b
        if p is q:
            return p
        same = p.op == q.op and p.op.split(".")[1] == nan and p.op.startswith("setp")
        if same and p.args[0] is p.args[1] and q.args[0] is q.args[1]:
            return self.node(p.op, [p.args[0], q.args[0]], "pred")  # tests two values at once
        return self.node(op, [p, q], "pred")

    def differ(self, p, q):
        for a, b in ((p, q), (q, p)):
            if a.is_const:
                return self.negate(b) if a.value else b
        return self.node("xor.pred", [p, q], "pred")
