"""Writes gpu_backend/elementwise/forms.inc: the forms of interp/elementwise/elementary_*.h as rows of PTX.

    gen_ptx_forms.py          write it
    gen_ptx_forms.py --check  exit with 1 if it is out of date
    gen_ptx_forms.py --count  print how many rows each form has

It reads the forms from the C with the compiler's preprocessor and pycparser, and expands them operation by operation;
docs/numerics.md says which simplifications it makes.  The output defines macros with the parts of forms and lists of
them, from which gpu_backend/elementwise/forms.c makes tables.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from ptx_forms.c_source import Source, type_name  # noqa: E402
from ptx_forms.graph import Graph  # noqa: E402
from ptx_forms.rows import ARGUMENTS, VALUE, Names, Writer, reachable  # noqa: E402
from ptx_forms.translate import Scalar, Translator, kind_of  # noqa: E402

OUTPUT = ROOT / "gpu_backend" / "elementwise" / "forms.inc"
UNIT = '#include "tools/ptx_forms/entries.c"\n'
CORE = re.compile(r"tg_(?!dd_)\w+_(form|odd|narrow|any)$")
TABLE = "tg_two_over_pi_bits"
BRANCHED = {"tg_angle_reduce_any"}
HEAD = """\
/* Written by tools/gen_ptx_forms.py from interp/elementwise/; do not edit.
 *
 * TG_PTX_FORMS(F)          rows F(function, variant, text)
 * TG_PTX_TABLE_READERS(F)  rows F(function) of those that read TG_PTX_TABLE
 * TG_PTX_FARS(F)           rows F(dtype of an exponent, text) */

"""
# The source of a core's rows, where that is not the function of the same name.
JOINED = {"tg_sin_any": "tg_sin_joined", "tg_cos_any": "tg_cos_joined", "tg_tan_any": "tg_tan_joined"}
# variant of gpu_backend/elementwise/forms.h -> the entry's name after that of the function
VARIANTS = {"F32": "one_f32", "F32_ODD": "one_f32_odd", "F64": "one_f64", "F32_I32": "int_one_f32",
            "F32_ODD_I32": "int_one_f32_odd", "F64_I32": "int_one_f64", "F64_U32": "u32_one_f64",
            "F64_I64": "i64_one_f64", "F64_U64": "u64_one_f64"}


def inputs(graph, source, function):
    """One node for each parameter, and its type."""
    translator = Translator(source, graph)
    parameters = source.functions[function].decl.type.args.params
    types = [translator.type(type_name(p.type)) for p in parameters]
    return [Scalar(t, graph.node("input", (), kind_of(t), value=i)) for i, t in enumerate(types)]


class Part:
    """Rows of a form, and the registers that they declare."""

    def __init__(self, writer):
        self.lines = writer.declarations() + writer.lines
        self.rows = len([line for line in writer.lines if not line.endswith(":")])
        self.tables = TABLE in " ".join(self.lines)


def core_part(source, core):
    """The rows of a core: from `arg` (and `arg2`) to `value`."""
    function, graph = JOINED.get(core, core), Graph()
    arguments = inputs(graph, source, function)
    result = Translator(source, graph, branched=BRANCHED).call(function, arguments)
    writer = Writer({a.node: name for a, name in zip(arguments, ARGUMENTS)}, Names())
    writer.write(result.node, VALUE)
    return Part(writer)


def entry_parts(source, entry):
    """The parts before and after the core of an entry, and the core's name; without a core everything is in the first part.
    Their registers have distinct names, as all parts share one scope."""
    graph, names = Graph(), Names("lane_")
    operands = inputs(graph, source, entry)
    cores = {name for name in source.functions if CORE.match(name)}
    result = Translator(source, graph, cores=cores).call(entry, operands)
    registers = {o.node: register for o, register in zip(operands, ["$a", "$b"])}
    core = next((n for n in reachable([result.node]) if n.op == "core"), None)
    before, behind = Writer(registers, names), Writer(registers, names)
    if core is None:
        before.write(result.node, "$r")
        return Part(before), Part(behind), None
    before.declared["b64"] = ARGUMENTS[:len(core.args)] + [VALUE]
    for node, register in zip(core.args, ARGUMENTS):
        before.write(node, register)
    behind.registers.update(before.registers)
    behind.registers[core] = VALUE
    done = set(reachable(core.args)) | {core}
    behind.write(result.node, "$r", done)
    return Part(before), Part(behind), core.value


def macro(name, lines):
    """A C macro that expands to the lines as one string."""
    body = " \\\n".join(f'    "{line}\\n"' for line in lines) or '    ""'
    return f"#define {name} \\\n{body}\n"


class Output:
    """Macros, each text once."""

    def __init__(self):
        self.macros, self.by_text = [], {}

    def add(self, part, *wanted):
        """The name of the macro for a part: the one with the same text, or the first of the wanted names that is free."""
        text = tuple(part.lines)
        if text not in self.by_text:
            self.by_text[text] = next(name for name in wanted if name not in self.by_text.values())
            self.macros.append(macro(self.by_text[text], part.lines))
        return self.by_text[text]


def functions_of(source):
    """Names of the elementary functions, in the order of their definition."""
    return list(dict.fromkeys(name[:-len("_one_f64")] for name in source.functions
                              if name.endswith("_one_f64") and not re.match(r"pow_\w+_one", name)))


def entry_of(source, function, variant):
    """The entry of a function in a variant (for sin, cos and tan the entry for any operand); None if there is none."""
    name = f"{function}_{VARIANTS[variant]}"
    any_name = name.replace("_one_", "_any_")
    return any_name if any_name in source.functions else name if name in source.functions else None


def table_lines(source):
    """The table as a PTX declaration."""
    values = [f"0x{value:016x}" for value in source.tables[TABLE]]
    rows = [", ".join(values[i:i + 4]) for i in range(0, len(values), 4)]
    return [f".const .align 8 .b64 {TABLE}[{len(values)}] = {{"] + [row + "," for row in rows[:-1]] + [rows[-1] + "};"]


def expand(source):
    """(text of the output, rows by function and variant)"""
    entries = {(f, v): entry_of(source, f, v) for f in functions_of(source) for v in VARIANTS}
    parts = {key: entry_parts(source, entry) for key, entry in entries.items() if entry}
    cores = {name: core_part(source, name) for name in dict.fromkeys(core for *_, core in parts.values())}
    output, forms, readers, counts = Output(), [], [], {}
    for name, part in cores.items():
        output.add(part, f"CORE_{name[3:]}")
    for (function, variant), (before, behind, core) in parts.items():
        head, tail = [output.add(part, f"{place}_{variant}", f"{place}_{variant}_{function}")
                      for place, part in (("HEAD", before), ("TAIL", behind))]
        forms.append(f"F({function}, {variant}, {head} CORE_{core[3:]} {tail})")
        if cores[core].tables:
            readers.append(f"F({function})")
        counts[function, variant] = before.rows + cores[core].rows + behind.rows
    fars = {dtype: entry_parts(source, f"far_{dtype}")[0] for dtype in ("u32", "i64", "u64")}
    counts.update({("far", dtype): part.rows for dtype, part in fars.items()})
    fars = [f"F({dtype}, {output.add(part, f'FAR_{dtype}')})" for dtype, part in fars.items()]
    text = HEAD + "\n".join(output.macros) + "\n" + macro("TG_PTX_TABLE", table_lines(source))
    for name, rows in (("FORMS", forms), ("TABLE_READERS", dict.fromkeys(readers)), ("FARS", fars)):
        text += f"\n#define TG_PTX_{name}(F) \\\n" + " \\\n".join("    " + row for row in rows) + "\n"
    return text, counts


def main(arguments):
    text, counts = expand(Source(UNIT, ROOT))
    if "--count" in arguments:
        for (function, variant), rows in counts.items():
            print(f"{function:10} {variant:12} {rows:4}")
    elif "--check" in arguments:
        if not OUTPUT.exists() or OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUTPUT.relative_to(ROOT)} is out of date: run tools/gen_ptx_forms.py")
    else:
        OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
