"""Takes the pictures of docs/page.md: pages of the examples, opened in Chromium.

    screenshots.py [FOLDER]     writes them to FOLDER; default: docs/

Needs the release build (or what TILEGRIND names), selenium, and Chromium with its driver.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from selenium import webdriver

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
WIDTH, HEIGHT = 1280, 780

# Name of the picture, example, how it is run, the exit code, and the actions on its page before.
PICTURES = [
    ("page-race.png", "summed", ["check"], 1, "choose({ memory: memories[1], element: 3 })"),
    ("page-undefined.png", "shifted", ["check"], 1, "chooseFinding(data.findings[1])"),
    ("page-timeline.png", "pipelined", ["run", "--order", "interleaved:1"], 0,
     "chooseEvent(events.find((e) => e.kind === 'wait' && e.what === 'full[1]' && e.number === 1));"
     "document.getElementById('timeline-section').scrollIntoView()"),
]


def open_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=1"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def main():
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
        for name, example, (command, *how), code, action in PICTURES:
            page = Path(folder) / f"{example}.html"
            done = subprocess.run([TILEGRIND, command, *how, f"examples/{example}.json", "--in", f"examples/{example}_inputs.npz",
                                   "--isa", "baseline", "--html", page], cwd=ROOT, stdout=subprocess.DEVNULL)
            assert done.returncode == code, done
            browser.get(page.as_uri())
            browser.execute_script(action)
            browser.save_screenshot(str(target / name))
            print(f"{name}: {(target / name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
