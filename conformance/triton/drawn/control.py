"""Steps with loops, conditions and functions."""

from __future__ import annotations

from .maker import ONE, Maker


def loop(make: Maker) -> None:
    start, step = make.block("i32"), make.block("i32")
    made = make.name(start.name, "i32", start)
    kind = make.draw.choice(["up", "down", "static", "stages", "while", "wait"])
    body = f"    {made.name} = {made.name} * 3 + {step.name} - turn"
    if kind == "up":
        make.say(f"for turn in range({make.draw.choice(['0', 'tl.program_id(0)'])}, turns{make.draw.choice(['', ', 2'])}):", body)
    elif kind == "down":
        make.say("for turn in range(turns, 0, -1):", body)
    elif kind == "static":
        make.say(f"for turn in tl.static_range({make.draw.randrange(4)}):", body)
    elif kind == "stages":
        make.say(f"for turn in tl.range(0, turns, num_stages={make.draw.randrange(1, 4)}):", body)
    elif kind == "while":
        counter = make.fresh("c")
        make.say(f"{counter} = 0", f"while {counter} < turns:", f"    {made.name} = ({made.name} ^ {step.name}) + {counter}",
                 f"    {counter} += {make.draw.choice([1, 2])}")
    else:
        counter = make.fresh("c")
        make.say(f"{counter} = 0", f"while ({counter} < 4) & (tl.max({made.name} & 1023) > {make.draw.randrange(1024)}):",
                 f"    {made.name} = {made.name} * 7 + {counter}", f"    {counter} += 1")


def carried(make: Maker) -> None:
    """Several values and numbers go from turn to turn, in a tuple too."""
    start, other, number = make.block("i32"), make.block("i32"), make.pick("i32", ONE)
    first, second, third = (make.fresh() for _ in range(3))
    make.say(f"{first}, {second} = {start.name}, {other.name}", f"{third} = {number.name}", "for turn in range(turns):",
             f"    {first}, {second} = {second} + {third}, {first} - turn", f"    {third} = ({third} * 5 + turn) % 1000")
    make.known(first, "i32")
    make.known(second, "i32")
    make.known(third, "i32", shape=ONE)


def nested(make: Maker) -> None:
    start, step = make.block("i32"), make.block("i32")
    made = make.name(start.name, "i32", start)
    make.say("for outer in range(0, turns):", "    for inner in range(outer, turns, 2):",
             f"        if inner % {make.draw.choice([2, 3])} == 0:", f"            {made.name} = {made.name} + {step.name} * inner",
             "        else:", f"            {made.name} = {made.name} ^ outer")
    if make.flag():
        make.say("        again = 0", "        while again < inner:", f"            {made.name} += {step.name}", "            again += 2")


def branch(make: Maker) -> None:
    one, other = make.block("i32"), make.block("i32")
    made = make.name(one.name, "i32", one)
    make.say(f"if {make.condition(ONE)}:", f"    {made.name} = {made.name} + {other.name}")
    if make.flag():
        make.say(f"elif {make.condition(ONE)} {make.draw.choice(['and', 'or'])} {make.condition(ONE)}:",
                 f"    {made.name} = {other.name} - {made.name}")
    if make.flag():
        make.say("else:", f"    {made.name} = {other.name} * 2", f"    if not {make.condition(ONE)}:", f"        {made.name} += 1")


def function(make: Maker) -> None:
    one, other = make.block("i32"), make.block("i32")
    number, second = make.pick("i32", ONE), make.pick("i32", ONE)
    kind = make.draw.choice(["several", "early", "outer_of", "apart", "fetched", "local"])
    if kind == "several":
        both = make.fresh()
        make.say(f"{both} = several({number.name}, {second.name})")
        make.name(f"{one.name} * {both}[0] + {both}[1]", "i32", one)
    elif kind == "early":
        make.name(f"early({one.name}, {other.name}, turns)", "i32", one, other)
    elif kind == "outer_of":
        make.name(f"outer_of({one.name}, ({number.name}, {second.name}))", "i32", one)
    elif kind == "apart":
        made = make.name(f"{make.draw.choice(['apart', 'apart_of_apart'])}({number.name}, {second.name})", "i32", shape=ONE)
        make.name(f"{one.name} ^ {made.name}", "i32", one)
    else:
        make.name(f"fetched(k + first, at ^ {make.draw.randrange(256)}, {make.draw.randrange(1, 4)})", "i32")


def promise(make: Maker) -> None:
    """What is said to the compiler, or asserted, and holds."""
    one = make.block("i32")
    made = make.name(one.name, "i32", one)
    make.say(make.draw.choice(["tl.assume(turns < 100)", f"tl.device_assert({one.name} == {made.name}, 'the same')", "tl.static_assert(1 < 2)",
                               f"tl.device_assert(({one.name} & 3) < 4)"]))
