"""Writes the generated parts of docs/ and README.md, so that they stay up to date.

    gen_docs.py          write them
    gen_docs.py --check  exit with 1 if one is out of date

The text between a pair of markers in a document, "<!-- generated: NAME -->" and "<!-- end -->", is the result of the
function of that name below; so is what follows a line "$ tilegrind .." at the beginning of a block.  Pictures that a document redirects
to docs/layouts/ are drawn by their commands.  docs/cli.md and the schema are generated as a whole, and so are the files that
tools/gen_bindings.py makes for Python.  Needs the release build.
"""

import json
import os
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path

import gen_bindings
import generated
import jax_suite_docs
import triton_suite_docs
from xmacro import expand, unquote

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from conformance.numerics import certificate  # noqa: E402
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
COMMANDS = ["run", "check", "verify", "show", "crosscheck", "ptx", "ptx-run", "layout", "doctor"]


def output(*arguments):
    """The output of a command in the root folder; exit codes 0 and 1 are both fine, as findings give 1."""
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "NO_COLOR": "1"})
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def cell(text):
    return text.replace("|", "\\|")


def effects_of(traits, refs):
    """The effects of an operation besides its results: words of the columns `traits` and `refs` of ops.def."""
    words = re.findall(r"\w+", f"{traits} {refs}")
    return [word for word in ("READS", "WRITES", "ATOMIC", "GRID", "CONTROL", "REPORTS") if word in words]


def ops():
    rows = expand("#define TG_A(...) {__VA_ARGS__}\n#define TG_R(...) __VA_ARGS__\n"
                  "#define TG_OP(id, least, most, out, regions, rule, domain, traits, refs, step, lower, triton, "
                  "needs, may, means) "
                  "ROW @ #id @ least @ most @ out @ regions @ domain @ traits @ refs @ needs @ may @ means\n"
                  "#define TG_ANY_COUNT any", "ir/ops.def")
    lines = ["| operation | operands | results | regions | dtypes | effects | attributes | meaning |",
             "|---|---|---|---|---|---|---|---|"]
    for name, least, most, out, regions, domain, traits, refs, needs, may, means in rows:
        count = least if least == most else f"{least}..." if most == "any" else f"{least}...{most}"
        needed = needs.strip("{} ").replace(" ,", ",")
        optional = ", ".join(f"[{a.strip()}]" for a in may.strip("{} ").split(",") if a.strip())
        attributes = ", ".join(filter(None, [needed, optional]))
        effects = "|".join(effects_of(traits, refs)).lower()
        lines.append(f"| `{unquote(name)}` | {count} | {out} | {regions} | {domain.lower()} | "
                     f"{cell(effects)} | {attributes} | {cell(unquote(means))} |")
    return "\n".join(lines)


def attrs():
    rows = expand("#define TG_ATTR(id, kind, names, means) ROW @ #id @ kind @ names @ means", "ir/attrs.def")
    lines = ["| attribute | kind | spellings | meaning |", "|---|---|---|---|"]
    for name, kind, names, means in rows:
        lines.append(f"| `{unquote(name)}` | {kind} | {cell(unquote(names))} | {cell(unquote(means))} |")
    return "\n".join(lines)


def dtypes():
    rows = expand("#define TG_DTYPE(id, kind, bits, bytes, carrier, exp, man, bias, special, numpy, st, ...) "
                  "ROW @ #id @ kind @ bits @ exp @ man @ numpy @ st", "ir/dtypes.def")
    lines = ["| dtype | kind | bits | exponent, mantissa | numpy or ml_dtypes | safetensors |",
             "|---|---|---|---|---|---|"]
    for name, kind, bits, exp, man, numpy, st in rows:
        parts = f"{exp}, {man}" if kind == "FLOAT" else ""
        lines.append(f"| `{unquote(name)}` | {kind.lower()} | {bits} | {parts} | {unquote(numpy)} | "
                     f"{unquote(st)} |")
    return "\n".join(lines)


def numerics(dtypes, heads, cells):
    """A table of the certificate's rows for some dtypes."""
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in cells(row)) + " |"
              for row in certificate.load().values() if row.dtype in dtypes]
    return "\n".join(lines)


def count(number):
    """2^32 and other powers of two that are long to read, else the number with separators."""
    power = number.bit_length() - 1
    return f"2^{power}" if number == 2**power and power > 9 else f"{number:,}"


def numerics_f32():
    return numerics(["f32"], ["operation", "inputs", "wrong", "listed exceptions", "asked of MPFR", "largest error", "sources"],
                    lambda row: [f"`{row.name}`", count(row.inputs), row.wrong, row.exceptions, row.by_mpfr, "0.5 ULP",
                                 row.sources])


def numerics_f64():
    return numerics(["f64"], ["operation", "inputs", "largest error", "at", "sources"],
                    lambda row: [f"`{row.name}`", count(row.inputs), f"{row.ulp:.4f} ULP",
                                 ", ".join(dict.fromkeys(row.at.split(","))) if row.ulp else "", row.sources])


def numerics_narrow():
    """One line per operation: every dtype that it was checked on."""
    rows = certificate.load().values()
    lines = ["| operation | dtypes | inputs in all | wrong |", "|---|---|---|---|"]
    for name in dict.fromkeys(row.name for row in rows):
        of_name = [row for row in rows if row.name == name and row.dtype in certificate.NARROW]
        kinds = "all narrow ones" if len(of_name) == len(certificate.NARROW) else f"{len(of_name)} of 8 bits"
        lines.append(f"| `{name}` | {kinds} | {sum(row.inputs for row in of_name):,} | "
                     f"{sum(row.wrong for row in of_name)} |")
    return "\n".join(lines)


def numerics_made_on():
    return "; ".join(sorted({row.isa for row in certificate.load().values()}))


def contracts():
    rows = expand("#define TG_CONTRACT(name, sums, ulp, elementary, table, subnormal, narrow, nan, about, source) "
                  "ROW @ name @ sums @ ulp @ elementary @ table @ subnormal @ narrow @ nan @ about @ source", "bounds/contracts.def")
    orders = {"TREE": "in a tree of halves", "ANY": "in any order"}
    rules = {"STRICT": "as in exact arithmetic", "REDUCE": "reductions by `max`, `min` may leave it out",
             "SKIP": "`max`, `min` may skip it", "ANY": "open"}
    lines = ["| contract | for | sums | add, sub, mul, div, sqrt, conversions | other functions | subnormals | NaN | source |",
             "|---|---|---|---|---|---|---|---|"]
    for name, sums, ulp, elementary, table, subnormal, narrow, nan, about, source in rows:
        basic, functions = f"{ulp} ULP", f"{elementary} ULP"
        if table != "NONE":
            basic, functions = f"{ulp} ULP, or as listed", f"as listed, else {elementary} ULP"
        if narrow == "IN_F32":
            functions += "; in f32, also of narrower dtypes"
        lines.append(f"| `{unquote(name)}` | {unquote(about)} | {orders[sums]} | {basic} | {functions} | {subnormal.lower()} | {rules[nan]} | "
                     f"{unquote(source)} |")
    return "\n".join(lines)


def accumulators():
    """In which formats contracts add, and to which they round the operands of products of matrices."""
    lines = ["| contract | what | of | format | source |", "|---|---|---|---|---|"]
    rounding = {"NEAREST": "to nearest", "TRUNCATED": "to either neighbour"}
    rows = expand("#define TG_ACCUMULATOR(name, dot, of, exp, man, rounding, aligned, source) "
                  "ROW @ name @ dot @ of @ exp @ man @ rounding @ aligned @ source", "bounds/accumulators.def")
    for name, dot, of, exp, man, how, aligned, source in rows:
        format = f"e{exp}m{man}" if exp != "0" else "that of the result"
        step = f", {aligned} terms aligned and added at once" if aligned != "0" else ""
        lines.append(f"| `{unquote(name)}` | terms of {'products of matrices' if dot in ('true', '1') else 'sums'} | {of} | "
                     f"{format}, {rounding[how]}{step} | {unquote(source)} |")
    for name, of, exp, man, how, source in expand("#define TG_OPERAND(name, of, exp, man, rounding, source) "
                                                  "ROW @ name @ of @ exp @ man @ rounding @ source", "bounds/accumulators.def"):
        lines.append(f"| `{unquote(name)}` | operands of products of matrices | {of} | e{exp}m{man}, {rounding[how]} | {unquote(source)} |")
    return "\n".join(lines)


def accuracies():
    """Errors that contracts list by ranges of the operand, one row for each op."""
    found = {}
    for name, op, of, start, end, ulp, per, absolute, absolute_per, source in expand(
            "#define TG_ACCURACY(name, op, of, from, to, ulp, per, absolute, absolute_per, source) "
            "ROW @ name @ op @ of @ from @ to @ ulp @ per @ absolute @ absolute_per @ source", "bounds/accuracies.def"):
        terms = [f"{ulp} ULP" * (ulp != "0"), f"{per} \\|x\\| ULP" * (per != "0"), f"{_power(absolute)}" * (absolute != "0"),
                 f"{_power(absolute_per)} \\|x\\|" * (absolute_per != "0")]
        where = "" if end == "HUGE_VAL" and start == "0" else f" for \\|x\\| from {_decimal(start)}" + f" to {_decimal(end)}" * (end != "HUGE_VAL")
        text = "no bound" if end.startswith("-") else " + ".join(filter(None, terms)) + where
        found.setdefault((unquote(name), op, of), []).append((text, unquote(source)))
    lines = ["| contract | op | dtype | error | source |", "|---|---|---|---|---|"]
    for (name, op, of), parts in found.items():
        sources = "; ".join(dict.fromkeys(source for _, source in parts))
        lines.append(f"| `{name}` | {op} | {of} | {'; '.join(text for text, _ in parts)} | {escaped(sources)} |")
    return "\n".join(lines)


def escaped(text):
    return text.replace("|", "\\|")


def _power(text):
    """A hexadecimal number as a power of 2."""
    number = float.fromhex(text)
    return f"2^{math.log2(number):.4g}" if number else "0"


def _decimal(text):
    return f"{float.fromhex(text):.4g}" if text.startswith("0x") else text


def finding_kinds():
    """The names of the kinds of findings."""
    return re.findall(r'^TG_FINDING\([A-Z_]+, "([a-z-]+)"', (ROOT / "report" / "checks.def").read_text(encoding="utf-8"), re.M)


def finding():
    """The first finding of the broken example."""
    text = output(TILEGRIND, *BROKEN.split()[1:])
    return f"```console\n$ {BROKEN}\n{text.split(chr(10) * 2)[0]}\n```"


def race():
    """The first race of the racing example."""
    return f"```console\n$ {RACING}\n{output(TILEGRIND, *RACING.split()[1:]).split(chr(10) * 2)[0]}\n```"


def mesh_finding():
    """The finding of the example on a mesh, whose copies differ."""
    return f"```console\n$ {ON_MESH}\n{output(TILEGRIND, *shlex.split(ON_MESH)[1:]).split(chr(10) * 2)[0]}\n```"


def layout_finding():
    """The finding of the product whose tile has the wrong swizzle."""
    return f"```console\n$ {MISLAID}\n{output(TILEGRIND, *MISLAID.split()[1:]).split(chr(10) * 2)[0]}\n```"


def memory_cost():
    """The advice on the transposing example, and the costs of its accesses."""
    text = output(TILEGRIND, *COSTLY.split()[1:])
    found, _, rest = text.partition("\n\n")
    costs = rest.partition("\n")[2]
    return f"```console\n$ {COSTLY}\n{found}\n\n{costs}```"


def suppression():
    """The first suppression block that is generated for the racing example."""
    printed = output(TILEGRIND, *RACING.split()[1:], "--gen-suppressions", "-")
    return f"```text\n{re.search(r'^{.*?^}', printed, re.DOTALL | re.MULTILINE)[0]}\n```"


RACING = "tilegrind run examples/summed.json --in examples/summed_inputs.npz --check races"
ON_MESH = ("tilegrind run examples/row_sums.json --in examples/row_sums_inputs.npz --mesh x=4,y=2 "
           """--sharding "x_ref=P('x', 'y')" --sharding "o_ref=P('x')\"""")
COSTLY = "tilegrind run examples/transposed.json --in examples/transposed_inputs.npz --check memory-cost"
MISLAID = "tilegrind run examples/wgmma_swizzle.json --check layouts"
BROKEN = "tilegrind run examples/shifted.json --in examples/shifted_inputs.npz"


def semantics():
    """The sentences about each operation, with their first examples."""
    from conformance.semantics import statements

    told, _ = statements.read(statements.tables())
    parts = []
    for operation in statements.operations():
        parts += [f"### `{operation.name}`", "", "| | | for example |", "|---|---|---|"]
        for topic, dialect, says, example in statements.about(operation, told):
            where = topic if dialect == "xla" else f"{topic}, {dialect}"
            parts.append(f"| {where} | {cell(says)} | `{cell(example)}` |")
        parts.append("")
    return "\n".join(parts)


def emulator_traps():
    rows = expand("#define TG_EMU_TRAP(id, name, means, example) ROW @ name @ means @ example", "emulator/traps.def")
    lines = ["| trap | when | for example |", "|---|---|---|"]
    return "\n".join(lines + [f"| `{unquote(name)}` | {unquote(means)} | {cell(unquote(example))} |"
                              for name, means, example in rows])


def gpu_refusals():
    rows = expand("#define TG_PTX_REFUSAL(id, what, why) ROW @ what @ why", "gpu_backend/emit/refusals.def")
    return "\n".join(["| what | why |", "|---|---|", *(f"| {cell(unquote(what))} | {unquote(why)} |" for what, why in rows)])


FORM_MACROS = {"forms_int": "FORM1 FORM2 FORM3 FORM4 FORM_DIV2 FORM_CARRY FORM_CARRY3", "forms_float": "FORM1 FORM2 FORM3",
               "forms_compare": "COMPARE TEST SELECT CHOOSE", "forms_soft": "SOFT1 SOFT2 SOFT3 APPROX1 APPROX2"}


def emulator_forms():
    """A row for each opcode, with its possible suffixes."""
    opcodes = {}
    for file, macros in FORM_MACROS.items():
        definitions = "\n".join(f"#define {name}(id, name, ...) ROW @ name" for name in macros.split())
        for (name,) in expand(definitions, f"emulator/{file}.def"):
            opcode, _, rest = "".join(map(unquote, name.split(" "))).replace('"', "").partition(".")
            if "(" in rest:
                raise ValueError(f"emulator/{file}.def: {opcode} is followed by a macro that FORM_MACROS lacks")
            opcodes.setdefault(opcode, []).append(f"`.{rest}`")
    lines = ["| instruction | forms |", "|---|---|"]
    told = {"cvt", "mov"}  # have rows above, written by hand
    return "\n".join(lines + [f"| `{opcode}` | {' '.join(sorted(forms))} |"
                              for opcode, forms in sorted(opcodes.items()) if opcode not in told])


def layout_axes():
    rows = expand("#define TG_AXIS(id, name, alias, kind, unit, from, to, along, means) ROW @ name @ alias @ #kind @ #unit @ means",
                  "layout/axes.def")
    lines = ["| axis | also | kind | unit | counts |", "|---|---|---|---|---|"]
    for name, alias, kind, unit, means in rows:
        also = "" if unquote(alias) in ("NULL", "((void *)0)") else f"`{unquote(alias)}`"
        lines.append(f"| `{unquote(name)}` | {also} | {unquote(kind).lower()} | {unquote(unit).lower()} | {unquote(means)} |")
    return "\n".join(lines)


def gpu_demands():
    """The rules that kernels of Mosaic GPU are refused by: those that the front end names."""
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "python" / "tilegrind" / "pallas" / "legality").glob("*.py"))
    lines = ["| rule | demands | where it is written |", "| --- | --- | --- |"]
    lines += [f"| `{rule}` | {demand} | {source} |" for rule, (demand, source) in gen_bindings.demand_rows().items()
              if f'"{rule}"' in sources]
    return "\n".join(lines)


def cli():
    parts = ["# The command line\n\nThis page is what `--help` prints, made by `tools/gen_docs.py`.\n",
             f"```text\n{output(TILEGRIND, '--help')}```\n"]
    for command in COMMANDS:
        parts.append(f"## tilegrind {command}\n\n```text\n{output(TILEGRIND, command, '--help')}```\n")
    return "\n".join(parts)


def report_schema():
    """The schema of reports, with the existing kinds of findings."""
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    schema["$defs"]["kind"]["enum"] = sorted(finding_kinds())
    return json.dumps(schema, indent=2) + "\n"


WHOLE = {"docs/cli.md": cli, "docs/report.schema.json": report_schema, "docs/ir.schema.json": lambda: output(TILEGRIND, "show", "--schema"),
         **gen_bindings.FILES}
PARTS = {"ops": ops, "attrs": attrs, "dtypes": dtypes, "contracts": contracts, "accumulators": accumulators, "accuracies": accuracies,
         "finding": finding, "race": race, "mesh_finding": mesh_finding, "memory_cost": memory_cost, "layout_finding": layout_finding,
         "suppression": suppression,
         "emulator_traps": emulator_traps, "emulator_forms": emulator_forms,
         "gpu_refusals": gpu_refusals, "gpu_demands": gpu_demands, "layout_axes": layout_axes,
         "semantics": semantics,
         "numerics_f32": numerics_f32, "numerics_f64": numerics_f64, "numerics_narrow": numerics_narrow,
         "numerics_made_on": numerics_made_on, **jax_suite_docs.PARTS, **triton_suite_docs.PARTS}
MARKED = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
PICTURE = re.compile(r"^tilegrind (layout show [^\n]*--svg[^\n]*) > (docs/layouts/[\w-]+\.svg)$", re.MULTILINE)
COMMAND = re.compile(r"(^```text\n\$ tilegrind ([^\n]*)\n).*?(^```)", re.DOTALL | re.MULTILINE)


def documents():
    """(path, intended text) of each document with a generated part."""
    for name, make in WHOLE.items():
        yield ROOT / name, make()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for command, picture in PICTURE.findall(text):
            yield ROOT / picture, output(TILEGRIND, *shlex.split(command))
        if MARKED.search(text) or COMMAND.search(text):
            made = MARKED.sub(lambda m: f"{m[1]}{PARTS[m[2]]()}\n{m[3]}", text)
            yield path, COMMAND.sub(lambda m: f"{m[1]}{output(TILEGRIND, *shlex.split(m[2]))}{m[3]}", made)


if __name__ == "__main__":
    sys.exit(generated.main(documents(), ROOT, "tools/gen_docs.py", sys.argv[1:]))
