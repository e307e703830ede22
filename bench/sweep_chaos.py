"""A sweep on Dask workers that are killed all the time, and a scheduler that is killed now and then: whether all units have
one result each, and the same bits as in one process (docs/sweep.md).

    python bench/sweep_chaos.py [--runs N] [--workers N] [--kill-every SECONDS] [--scheduler-kills N] [--folder DIR]

It kills with SIGKILL.  Exit code 1 if anything is lost, counted twice or different.  Needs Dask distributed, and the
library as TILEGRIND_LIBRARY names it.
"""

import argparse
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SWEEP = [sys.executable, "-m", "tilegrind.sweep"]
TICK = 0.05  # seconds
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100",
               "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0"}


def kernel_of(programs):
    """The example add.json, of this many programs with 4 elements each."""
    text = (ROOT / "examples" / "add.json").read_text()
    return text.replace('"size": 3', f'"size": {programs}').replace("f32[10]", f"f32[{4 * programs}]")


def write_case(folder, programs):
    """A case of that kernel."""
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(kernel_of(programs))
    tensors = {name: {"type": f"f32[{4 * programs}]", "fill": fill} for name, fill in (("x", "iota"), ("y", "ones"))}
    (folder / "case.json").write_text(json.dumps({"tilegrind": "0.1", "kernel": "kernel.json", "inputs": tensors}))


def sweep(folder, *arguments):
    """Standard output of a command that must succeed."""
    done = subprocess.run([*SWEEP, *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tilegrind sweep {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_plan(folder, given):
    """Plans at least `runs` runs; two orders a seed."""
    write_case(folder / "cases" / "add", given.programs)
    seeds = given.per_unit // 2
    units = -(-given.runs // (2 * seeds))
    (folder / "spec.json").write_text(json.dumps({"tilegrind-sweep": 1, "sweep": [
        {"kind": "orders", "cases": "cases/*", "seeds": [1, units * seeds], "per-unit": seeds}]}))
    sweep(folder, "plan", "spec.json", "-o", "plan.jsonl")
    return json.loads((folder / "plan.jsonl").open().readline())


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """A scheduler and workers of this machine.  Whoever ends is started again by `tend`."""

    def __init__(self, folder, workers):
        self._address, self._log = f"127.0.0.1:{free_port()}", open(folder / "cluster.log", "wb")
        self._scheduler, self._workers = self._start_scheduler(), [self._start_worker() for _ in range(workers)]
        self.worker_kills = self.scheduler_kills = self.restarts = 0

    @property
    def address(self):
        return self._address

    def _start(self, module, *arguments):
        return subprocess.Popen([sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard"],
                                stdout=self._log, stderr=self._log, env=ENVIRONMENT)

    def _start_scheduler(self):
        host, port = self._address.split(":")
        return self._start("dask_scheduler", "--host", host, "--port", port)

    def _start_worker(self):
        return self._start("dask_worker", self._address, "--nthreads", "1", "--no-nanny")

    def tend(self):
        """Starts what has ended once more: workers end with their scheduler."""
        if self._scheduler.poll() is not None:
            self._scheduler = self._start_scheduler()
        for i, worker in enumerate(self._workers):
            if worker.poll() is not None:
                self._workers[i] = self._start_worker()
                self.restarts += 1

    def kill_worker(self, generator):
        generator.choice(self._workers).kill()
        self.worker_kills += 1

    def kill_scheduler(self):
        self._scheduler.kill()
        self.scheduler_kills += 1

    def close(self):
        for process in [*self._workers, self._scheduler]:
            process.kill()
            process.wait()
        self._log.close()


def results_in(store):
    """How many units have a result."""
    return sum(len(os.listdir(entry)) for entry in os.scandir(store) if len(entry.name) == 2) if store.exists() else 0


def drive(folder, cluster, units, given):
    """Runs the sweep on the cluster, killing; returns the seconds that it took."""
    generator, began = random.Random(given.seed), time.monotonic()
    next_kill = began + given.kill_every
    # The scheduler is killed when such shares of the units are done.
    marks = [units * (i + 1) // (given.scheduler_kills + 1) for i in range(given.scheduler_kills)]
    driver = subprocess.Popen([*SWEEP, "run", "plan.jsonl", "--store", "chaos", "--scheduler", cluster.address], cwd=folder,
                              env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    while driver.poll() is None:
        time.sleep(TICK)
        if marks and results_in(folder / "chaos") >= marks[0]:
            cluster.kill_scheduler()
            marks.pop(0)
        if time.monotonic() >= next_kill:
            cluster.kill_worker(generator)
            next_kill = time.monotonic() + given.kill_every
        cluster.tend()
    if driver.returncode:
        sys.exit(f"the driver has ended with {driver.returncode}")
    return time.monotonic() - began


def states_in(store):
    """How often the logs tell of each state; a worker that was killed may have kept a result and not told of it."""
    states = {}
    for path in (store / "log").iterdir():
        for line in path.read_text().splitlines():
            state = json.loads(line)["state"]
            states[state] = states.get(state, 0) + 1
    return states


def judged(folder, head):
    """What there is to say of both stores; `holds` is the verdict."""
    chaos, one = (json.loads(sweep(folder, "merge", "plan.jsonl", "--store", store, "--json"))
                  for store in ("chaos", "one"))
    runs = chaos["counters"]["orders"]["runs"]
    names = [sorted(path.name for path in (folder / store).glob("??/*")) for store in ("chaos", "one")]
    return {"units": chaos["results"], "runs": runs, "digest": chaos["digest"], "states": states_in(folder / "chaos"),
            "holds": chaos["digest"] == one["digest"] and chaos["results"] == head["units"]
            and runs == sum(head["runs"].values()) and names[0] == names[1]}


def run(folder, given):
    """The whole test; returns its figures."""
    head = make_plan(folder, given)
    print(f"{head['units']:,} units, {head['runs']['orders']:,} runs", file=sys.stderr)
    began = time.monotonic()
    sweep(folder, "work", "plan.jsonl", "--store", "one")
    alone = time.monotonic() - began
    print(f"one process: {alone:.1f} s", file=sys.stderr)
    cluster = Cluster(folder, given.workers)
    try:
        seconds = drive(folder, cluster, head["units"], given)
    finally:
        cluster.close()
    return {**judged(folder, head), "workers": given.workers, "worker kills": cluster.worker_kills,
            "scheduler kills": cluster.scheduler_kills, "workers started again": cluster.restarts,
            "seconds in one process": round(alone, 1), "seconds": round(seconds, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--per-unit", type=int, default=20_000, help="runs of a unit")
    parser.add_argument("--programs", type=int, default=64, help="programs of the kernel's grid")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=3.0, help="seconds")
    parser.add_argument("--scheduler-kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="decides which workers are killed")
    parser.add_argument("--folder", type=Path, help="keep plan and stores here")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="sweep_chaos."))
    folder.mkdir(exist_ok=True)
    try:
        figures = run(folder, given)
    finally:
        if not given.folder:
            shutil.rmtree(folder)
    print(json.dumps(figures, indent=1))
    return 0 if figures["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
