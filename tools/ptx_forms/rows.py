"""A graph's value as rows of PTX."""

from ptx_forms.graph import signed

# Words that PTX or its assembler may not accept as register names.
RESERVED = """abs add and atom bar bfe bfi bra brev brkpt call clz cnot copysign cos cvt cvta div ex2 exit fma fns isspacep
ld ldu lg2 lop3 mad mask max membar min mma mov mul nanosleep neg not or pmevent popc prefetch prmt rcp red rem ret rsqrt
sad selp set setp shf shfl shl shr sin slct sqrt st sub suld tanh tex trap vote xor""".split()
# Registers that connect the parts of a form.
ARGUMENTS, VALUE = ["arg", "arg2"], "value"
UNNAMED = {"b64": "t", "b32": "w", "pred": "p"}


class Names:
    """Names of registers and labels, each used once."""

    def __init__(self, prefix=""):
        self.prefix, self.taken = prefix, set(RESERVED) | set(ARGUMENTS) | {VALUE}

    def new(self, wanted):
        wanted = self.prefix + wanted
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


def is_float(node):
    """Whether the value is a float in C; false if that is not known."""
    if node.type != "b64":
        return False
    if node.op == "selp":
        return any(is_float(a) for a in node.args[1:])
    return node.op == "core" or node.is_double or node.op.endswith(".f64") and not node.op.startswith("setp")


def reachable(roots, through=lambda node: node.args):
    """Nodes that the roots need, in the order of their creation, which is that of the source."""
    found, waiting = set(roots), list(roots)
    while waiting:
        for node in through(waiting.pop()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return sorted(found, key=lambda node: node.number)


class Writer:
    """operands: node -> the register that already holds it."""

    def __init__(self, operands, names):
        self.names = names
        self.registers = dict(operands)  # node -> its register
        self.declared = {}  # type -> registers to declare
        self.lines = []

    # -- operands --

    def declare(self, kind, wanted):
        name = self.names.new(wanted)
        self.declared.setdefault(kind, []).append(name)
        return name

    def register(self, node):
        if node not in self.registers:
            self.registers[node] = self.declare(node.type, node.name or UNNAMED[node.type])
        return self.registers[node]

    def operand(self, node, suffix):
        """A register, or a constant in the syntax of an instruction of that type."""
        if not node.is_const:
            return self.register(node)
        if suffix == "f64":
            return f"0d{node.value:016X}"
        width = 32 if node.type == "b32" else 64
        small = signed(node.value, width)
        if -4096 < small < 4096:
            return str(small)
        return f"0x{node.value:0{width // 4}x}"

    def row(self, op, *operands):
        self.lines.append(f"{op} {', '.join(operands)};")

    # -- rows --

    def write(self, result, register, done=()):
        """Rows for the value and all that it needs beyond `done`, the last one into `register`.  Raises ValueError if they
        would have more than one branch."""
        nodes = [n for n in reachable([result], lambda n: () if n in done else n.args) if n not in done]
        usual = set(reachable([result], lambda n: n.args[:2] if n.op == "join" else n.args))
        joins = [n for n in nodes if n.op == "join"]
        if len({n.value for n in joins}) > 1:
            raise ValueError("more than one branch")
        self.share_registers(nodes, joins)
        self.registers.setdefault(result, register)
        for node in nodes:
            if node in joins[:1]:
                self.branch(joins, [n for n in nodes if n not in usual])
            elif node in usual and node.op != "join":
                self.compute(node)
        if self.registers[result] != register:
            self.row("mov.b64", register, self.registers[result])

    def share_registers(self, nodes, joins):
        """Lets both sides of the branch write the joined register if nothing else uses theirs."""
        used = [a for node in nodes for a in node.args]
        for join in joins:
            for arm in join.args[1:]:
                if used.count(arm) == 1 and not arm.is_const and arm not in self.registers:
                    self.registers[arm] = self.register(join)

    def branch(self, joins, seldom):
        """Rows after the branch, which only its other side needs."""
        label = self.names.new("reduced")
        self.join(joins, 1)
        self.lines.append(f"@{self.register(joins[0].value.p)} bra {label};")
        for node in seldom:
            self.compute(node)
        self.join(joins, 2)
        self.lines.append(f"{label}:")

    def join(self, joins, arm):
        for node in joins:
            value = self.operand(node.args[arm], "b64")
            if value != self.register(node):
                self.row("mov.b64", self.register(node), value)

    def compute(self, node):
        if node.is_const or node.op == "input":
            return
        suffix = node.op.rsplit(".", 1)[-1]
        if node.op == "selp":
            p, a, b = node.args
            suffix = "f64" if is_float(node) else node.type
            self.row(f"selp.{suffix}", self.register(node), self.operand(a, suffix), self.operand(b, suffix),
                     self.register(p))
        elif node.op == "table":
            self.row("mov.u64", self.register(node), node.value)
        elif node.op == "load":
            self.row("ld.const.b64", self.register(node), f"[{self.register(node.args[0])}+{node.value}]")
        else:
            args = [self.operand(a, suffix) for a in node.args]
            self.row(node.op, self.register(node), *args)

    def declarations(self):
        return [f".reg .{kind} {name};" for kind in self.declared for name in self.wrapped(self.declared[kind])]

    @staticmethod
    def wrapped(names, width=84):
        """Lists of names separated by commas, each list short enough for a line."""
        lines = [""]
        for name in names:
            if lines[-1] and len(lines[-1]) + len(name) + 2 > width:
                lines.append("")
            lines[-1] += f", {name}" if lines[-1] else name
        return lines
