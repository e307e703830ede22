"""Translates the restricted C of the forms into values of a graph.

Supported: locals, calls (all inlined except those of `cores`), early return, ?:, structs of values, constant tables,
arithmetic, comparisons and casts of double, float, bool, integers of 32 and 64 bits and, for the few operations that
occur, of 128 bits; memcpy between two locals of the same size.  Anything else raises Unknown, with the source location.
"""

import struct
from dataclasses import dataclass

from pycparser import c_ast

from ptx_forms import c_source
from ptx_forms.graph import BITS, Node, bits_of

WIDTH = {"bool": 1, "s32": 32, "u32": 32, "float": 32, "s64": 64, "u64": 64, "double": 64, "u128": 128}
BASIC = {"double": "double", "float": "float", "_Bool": "bool", "int": "s32", "signed int": "s32", "unsigned": "u32",
         "unsigned int": "u32", "long": "s64", "unsigned long": "u64", "long long": "s64",
         "unsigned long long": "u64", "unsigned __int128": "u128"}
RANK = ["s32", "u32", "s64", "u64", "u128", "float", "double"]
RELATIONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
BITWISE = {"&": "and", "|": "or", "^": "xor"}


class Unknown(Exception):
    """C that is not supported here."""


@dataclass
class Scalar:
    type: str
    node: Node


@dataclass
class Wide:
    """An integer of 128 bits."""
    low: Node
    high: Node
    type: str = "u128"


def kind_of(c_type):
    return "pred" if c_type == "bool" else "b64" if WIDTH[c_type] == 64 else "b32"


class Branch:
    """The condition of several joined values: where p is true they are the first arms, else the second ones."""

    def __init__(self, p):
        self.p = p


class Translator:
    """cores: functions that stay calls, as name -> the function whose rows replace the call.
    branched: functions whose early returns become branches."""

    def __init__(self, source, graph, cores=(), branched=()):
        self.source, self.graph, self.cores, self.branched = source, graph, cores, branched

    # -- types --

    def type(self, name):
        while name not in BASIC and name in self.source.aliases:
            name = self.source.aliases[name]
        return BASIC.get(name, name)

    def convert(self, value, c_type):
        if isinstance(value, dict) or value.type == c_type:
            return value
        graph, node = self.graph, getattr(value, "node", None)
        if c_type == "u128":
            return Wide(self.convert(value, "u64").node, graph.const(0, "b64"))
        if value.type == "u128":
            return self.convert(Scalar("u64", value.low), c_type)
        if c_type == "bool":
            return Scalar("bool", self.nonzero(value))
        kind = kind_of(c_type)
        if value.type == "bool":
            one = bits_of(1.0) if c_type == "double" else 1
            if c_type == "float":
                raise Unknown("bool to float")
            return Scalar(c_type, graph.select(node, graph.const(one, kind), graph.const(0, kind)))
        if c_type in ("double", "float"):
            return Scalar(c_type, self._to_float(value, c_type))
        if value.type in ("double", "float"):
            raise Unknown("float to integer")
        return Scalar(c_type, self._to_int(value, c_type))

    def _to_float(self, value, c_type):
        graph, node = self.graph, value.node
        if value.type == "float":
            return graph.node("cvt.f64.f32", [node], "b64")
        if c_type == "float":
            if value.type == "double":
                return graph.node("cvt.rn.f32.f64", [node], "b32")
            raise Unknown("integer to float")
        if node.is_const:
            signed_value = node.value - (1 << WIDTH[value.type]) * (
                value.type[0] == "s" and node.value >> (WIDTH[value.type] - 1))
            return graph.double(bits_of(float(signed_value)))
        return graph.node(f"cvt.rn.f64.{value.type}", [node], "b64")

    def _to_int(self, value, c_type):
        graph, node = self.graph, value.node
        if WIDTH[c_type] == WIDTH[value.type]:
            return node
        if node.is_const:
            extend = value.type == "s32" and node.value >> 31
            return graph.const(node.value - (extend << 32), kind_of(c_type))
        if node.op == "selp" and all(arm.is_const for arm in node.args[1:]):
            arms = [self._to_int(Scalar(value.type, arm), c_type) for arm in node.args[1:]]
            return graph.select(node.args[0], *arms)
        if WIDTH[c_type] == 32:
            return graph.node("cvt.u32.u64", [node], "b32")
        return graph.node("cvt.s64.s32" if value.type == "s32" else "cvt.u64.u32", [node], "b64")

    def nonzero(self, value):
        if value.type == "bool":
            return value.node
        if value.type in ("double", "float", "u128"):
            raise Unknown(f"{value.type} as a condition")
        zero = self.graph.const(0, kind_of(value.type))
        return self.graph.compare("ne", value.type, value.node, zero)

    def promoted(self, values):
        """Scalars promoted to the type in which C computes with them."""
        rank = max(RANK.index(v.type) if v.type in RANK else 0 for v in values)
        return RANK[rank], [self.convert(v, RANK[rank]) for v in values]

    # -- functions --

    def call(self, name, arguments):
        """The result of a function on values of its parameters' types; None for a function without a result."""
        function = self.source.functions[name]
        parameters = function.decl.type.args.params if function.decl.type.args else []
        names = [p for p in parameters if p.name]
        env = {p.name: self.convert(a, self.type(c_source.type_name(p.type))) for p, a in zip(names, arguments)}
        result = self.body(function.body.block_items or [], env, name)
        return self.convert(result, self.type(c_source.type_name(function.decl.type.type)))

    def body(self, statements, env, name):
        for i, statement in enumerate(statements):
            if isinstance(statement, c_ast.Return):
                return self.expression(statement.expr, env)
            if isinstance(statement, c_ast.If):
                if statement.iffalse is not None or not isinstance(statement.iftrue, c_ast.Return):
                    raise Unknown(f"{statement.coord}: an if that is no early return")
                p = self.nonzero(self.expression(statement.cond, env))
                early = self.expression(statement.iftrue.expr, env)
                late = self.body(statements[i + 1:], env, name)
                if name in self.branched:
                    return self.joined(Branch(p), early, late, "joined")
                return self.chosen(p, early, late)
            self.statement(statement, env)
        raise Unknown(f"{name}: no return")

    def statement(self, statement, env):
        if isinstance(statement, c_ast.Decl):
            c_type = self.type(c_source.type_name(statement.type))
            start = len(self.graph.nodes)
            env[statement.name] = self.initial(c_type, statement.init, env)
            self.label(env[statement.name], statement.name, start)
        elif isinstance(statement, c_ast.Assignment) and statement.op == "=" \
                and isinstance(statement.lvalue, c_ast.ID):
            name, start = statement.lvalue.name, len(self.graph.nodes)
            old, value = env[name], self.expression(statement.rvalue, env)
            env[name] = value if isinstance(value, dict) else self.convert(value, old.type)
            self.label(env[name], name, start)
        elif isinstance(statement, c_ast.FuncCall) and statement.name.name == "memcpy":
            to, of = [a.expr.name for a in statement.args.exprs[:2]]
            if WIDTH[env[to].type] != WIDTH[env[of].type]:
                raise Unknown(f"{statement.coord}: memcpy between sizes")
            env[to] = Scalar(env[to].type, env[of].node)
        elif not isinstance(statement, (c_ast.Cast, c_ast.EmptyStatement)):  # (void)x
            raise Unknown(f"{statement.coord}: {type(statement).__name__}")

    def initial(self, c_type, init, env):
        """A local's first value; its node is None if it has no value yet."""
        if init is None:
            return Scalar(c_type, None)
        if not isinstance(init, c_ast.InitList):
            return self.convert(self.expression(init, env), c_type)
        return {field: self.initial(self.type(field_type), e, env)
                for (field, field_type), e in zip(self.source.structs[c_type], init.exprs)}

    def label(self, value, name, start):
        """Names the value that the source has just computed after its variable."""
        if isinstance(value, dict):
            for field, part in value.items():
                self.label(part, f"{name}_{field}", start)
        elif isinstance(value, Wide):
            self.label(Scalar("u64", value.low), f"{name}_low", start)
            self.label(Scalar("u64", value.high), f"{name}_high", start)
        elif value.node is not None and value.node.number >= start:
            value.node.name = name

    def chosen(self, p, a, b):
        if isinstance(a, dict):
            return {field: self.chosen(p, a[field], b[field]) for field in a}
        if isinstance(a, Wide) or isinstance(b, Wide):
            raise Unknown("a choice of 128 bits")
        if a.type == b.type == "bool":
            return Scalar("bool", self.graph.select(p, a.node, b.node))
        c_type, (a, b) = self.promoted([a, b])
        return Scalar(c_type, self.graph.select(p, a.node, b.node))

    def joined(self, branch, early, late, name):
        if isinstance(early, dict):
            return {field: self.joined(branch, early[field], late[field], f"{name}_{field}") for field in early}
        if early.type != late.type:
            raise Unknown(f"{early.type} one way, {late.type} the other")
        node = self.graph.node("join", [branch.p, early.node, late.node], early.node.type, value=branch, key=object())
        node.name = name
        return Scalar(early.type, node)

    # -- expressions --

    def expression(self, e, env):
        handler = getattr(self, "_" + type(e).__name__, None)
        if handler is None:
            raise Unknown(f"{e.coord}: {type(e).__name__}")
        try:
            return handler(e, env)
        except Unknown as error:
            raise Unknown(str(error) if ":" in str(error) else f"{e.coord}: {error}") from None

    def _ID(self, e, env):
        return env[e.name]

    def _Constant(self, e, env):
        if "int" in e.type:
            suffix = e.value.lstrip("0123456789abcdefABCDEFxX").upper()
            value = c_source.integer(e.value)
            c_type = {"": "s32", "U": "u32", "L": "s64"}.get(suffix, "u64")
            if c_type == "s32" and value >> 31:
                c_type = "u32" if e.value.startswith("0x") and not value >> 32 else "s64"
            return Scalar(c_type, self.graph.const(value, kind_of(c_type)))
        if e.type == "double":
            number = float.fromhex(e.value) if "x" in e.value else float(e.value)
            return Scalar("double", self.graph.double(bits_of(number)))
        if e.type == "float":
            bits = struct.unpack("<I", struct.pack("<f", float(e.value.rstrip("fF"))))[0]
            return Scalar("float", self.graph.const(bits, "b32"))
        raise Unknown(f"constant {e.value}")

    def _StructRef(self, e, env):
        return self.expression(e.name, env)[e.field.name]

    def _ArrayRef(self, e, env):
        """An element of a table; an index beyond it, which is never selected, is clamped to its last."""
        graph, name = self.graph, e.name.name
        index = self.convert(self.expression(e.subscript, env), "u32").node
        last = len(self.source.tables[name]) - 1
        start = graph.node("table", (), "b64", value=name)
        start.name = "table"
        if index.is_const:
            return Scalar("u64", graph.node("load", [start], "b64", value=8 * min(index.value, last)))
        inside = graph.node("min.u32", [index, graph.const(last, "b32")], "b32")
        address = graph.node("mad.wide.u32", [inside, graph.const(8, "b32"), start], "b64")
        inside.name, address.name = "index", "address"
        return Scalar("u64", graph.node("load", [address], "b64", value=0))

    def _Cast(self, e, env):
        return self.convert(self.expression(e.expr, env), self.type(c_source.type_name(e.to_type.type)))

    def _TernaryOp(self, e, env):
        p = self.nonzero(self.expression(e.cond, env))
        return self.chosen(p, self.expression(e.iftrue, env), self.expression(e.iffalse, env))

    def _FuncCall(self, e, env):
        name = e.name.name
        arguments = [self.expression(a, env) for a in (e.args.exprs if e.args else [])]
        if name in self.cores:
            nodes = [self.convert(a, "double").node for a in arguments]
            return Scalar("double", self.graph.node("core", nodes, "b64", value=name))
        if name == "__builtin_inff":
            return Scalar("double", self.graph.double(bits_of(float("inf"))))  # the source always casts it to double
        if name == "__builtin_fma":
            return Scalar("double", self.graph.op("fma.rn.f64", [a.node for a in arguments], "b64"))
        if name == "__builtin_sqrt":
            return Scalar("double", self.graph.op("sqrt.rn.f64", [arguments[0].node], "b64"))
        if name == "__builtin_clzll":
            return Scalar("s32", self.graph.node("clz.b64", [arguments[0].node], "b32"))
        if name not in self.source.functions:
            raise Unknown(f"call of {name}")
        return self.call(name, arguments)

    def _UnaryOp(self, e, env):
        value = self.expression(e.expr, env)
        if e.op == "!":
            return Scalar("bool", self.graph.negate(self.nonzero(value)))
        c_type, (value,) = self.promoted([value])
        kind = kind_of(c_type)
        if e.op == "-" and c_type == "double":
            return Scalar(c_type, self.graph.op("neg.f64", [value.node], kind))
        if e.op == "-" and c_type != "float":
            return Scalar(c_type, self.graph.op(f"neg.s{BITS[kind]}", [value.node], kind))
        if e.op == "~" and c_type not in ("float", "double"):
            return Scalar(c_type, self.graph.op(f"not.b{BITS[kind]}", [value.node], kind))
        raise Unknown(f"unary {e.op}")

    def _BinaryOp(self, e, env):
        a, b = self.expression(e.left, env), self.expression(e.right, env)
        if e.op in ("<<", ">>"):
            return self.shift(e.op, a, b)
        if e.op in BITWISE and a.type == b.type == "bool":
            combine = {"&": self.graph.both, "|": self.graph.either, "^": self.graph.differ}[e.op]
            return Scalar("bool", combine(a.node, b.node))
        if e.op in ("&&", "||"):
            raise Unknown(e.op)
        if e.op in ("==", "!=") and a.type == b.type == "bool":
            differ = self.graph.differ(a.node, b.node)
            return Scalar("bool", differ if e.op == "!=" else self.graph.negate(differ))
        c_type, (a, b) = self.promoted([a, b])
        if c_type == "u128":
            return self.wide(e.op, a, b)
        if e.op in RELATIONS:
            suffix = {"double": "f64", "float": "f32"}.get(c_type, c_type)
            relation = "neu" if e.op == "!=" and suffix[0] == "f" else RELATIONS[e.op]
            return Scalar("bool", self.graph.compare(relation, suffix, a.node, b.node))
        return Scalar(c_type, self.arithmetic(e.op, c_type, a.node, b.node))

    def arithmetic(self, op, c_type, a, b):
        graph, kind = self.graph, kind_of(c_type)
        width = BITS[kind]
        if c_type == "double" and op in ARITHMETIC:
            return graph.op(f"{ARITHMETIC[op]}.rn.f64", [a, b], kind)
        if c_type in ("double", "float"):
            raise Unknown(f"{c_type} {op}")
        if op in BITWISE:
            return graph.op(f"{BITWISE[op]}.b{width}", [a, b], kind)
        if op in ("+", "-"):
            return graph.op(f"{ARITHMETIC[op]}.s{width}", [a, b], kind)
        if op == "*":
            return graph.node(f"mul.lo.u{width}", [a, b], kind)
        if op in ("/", "%") and c_type[0] == "u" and b.is_const and b.value & (b.value - 1) == 0:
            if op == "%":
                return graph.op(f"and.b{width}", [a, graph.const(b.value - 1, kind)], kind)
            return graph.op(f"shr.u{width}", [a, graph.const(b.value.bit_length() - 1, "b32")], kind)
        raise Unknown(f"{c_type} {op}")

    def shift(self, op, a, count):
        if isinstance(a, Wide):
            if op == ">>" and count.node.value == 64:
                return Wide(a.high, self.graph.const(0, "b64"))
            raise Unknown("shift of 128 bits")
        count = self.convert(count, "u32").node
        c_type, (a,) = self.promoted([a])
        width = WIDTH[c_type]
        name = f"shl.b{width}" if op == "<<" else f"shr.{c_type}"
        return Scalar(c_type, self.graph.op(name, [a.node, count], kind_of(c_type)))

    def wide(self, op, a, b):
        graph = self.graph
        if op == "*" and all(v.high.is_const and v.high.value == 0 for v in (a, b)):
            return Wide(graph.node("mul.lo.u64", [a.low, b.low], "b64"),
                        graph.node("mul.hi.u64", [a.low, b.low], "b64"))
        if op == "+":
            low = graph.op("add.s64", [a.low, b.low], "b64")
            carry = self.convert(Scalar("bool", graph.compare("lt", "u64", low, b.low)), "u64").node
            high = graph.op("add.s64", [graph.op("add.s64", [a.high, b.high], "b64"), carry], "b64")
            return Wide(low, high)
        raise Unknown(f"128 bits {op}")
