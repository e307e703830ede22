"""Engines of sweeps: an executor that breaks costs no unit that it does not run."""

from concurrent.futures import BrokenExecutor, Future

from tilegrind.sweep import engines, log


class Manual:
    """An executor whose futures the test settles."""

    def __init__(self):
        self.futures, self.is_broken, self.is_shut = [], False, False

    def submit(self, *_):
        if self.is_broken:
            raise BrokenExecutor("broken")
        self.futures.append(Future())
        return self.futures[-1]

    def shutdown(self, wait=True, cancel_futures=False):
        self.is_shut = True
        for future in self.futures if cancel_futures else []:
            future.cancel()


def made_engine():
    made = []
    engine = engines.Executor(lambda: made.append(Manual()) or made[-1], 2, "files", "store")
    return engine, made


def test_the_executor_that_took_the_place_of_a_broken_one_goes_on():
    engine, made = made_engine()
    engine.submit("a", "")
    made[0].is_broken = True
    made[0].futures[0].set_exception(BrokenExecutor("killed"))
    engine.submit("b", "")
    [lost] = engine.settled(0)
    assert (lost.unit, lost.state) == ("a", log.LOST) and lost.why
    assert len(made) == 2 and not made[1].is_shut and not made[1].futures[0].cancelled()


def test_units_that_had_not_begun_are_not_to_blame():
    engine, made = made_engine()
    engine.submit("a", "")
    engine.submit("b", "")
    made[0].futures[0].set_exception(BrokenExecutor("killed"))
    [lost] = engine.settled(0)
    assert lost.unit == "a" and made[0].is_shut and len(made) == 2
    [lost] = engine.settled(0)
    assert (lost.unit, lost.state, lost.why) == ("b", log.LOST, "")
