"""docs/glossary.md: its tables are in shape, every word of it is used, and those that it has in bold are not."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
PRODUCT = ("*.c", "*.h", "*.def", "*.py", "*.md")


def rows():
    """(words, meaning, words that are not used for it) of each row."""
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] != "word":
            assert len(cells) == 3, line
            yield [word.strip() for word in cells[0].split(",")], cells[1], cells[2].strip(" |")


def text_of_product():
    names = subprocess.run(["git", "ls-files", *PRODUCT], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    own = {"docs/glossary.md", "tests/test_glossary.py"}
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names.split() if name not in own)


def test_every_row_says_what_its_word_means():
    assert len(list(rows())) > 50
    words = [word for all_words, _, _ in rows() for word in all_words]
    assert len(words) == len(set(words))
    assert all(meaning for _, meaning, _ in rows())


def test_every_word_is_used():
    product = re.sub(r"[\s_*/-]+", " ", text_of_product().lower())
    unused = [word for words, _, _ in rows() for word in words if word.lower().replace("-", " ") not in product]
    assert unused == []


def test_words_in_bold_are_not_used():
    product = text_of_product()
    banned = [word for _, _, others in rows() for word in re.findall(r"\*\*(.+?)\*\*", others)]
    assert banned
    used = {word for word in banned if re.search(rf"\b{word}s?\b", product, re.IGNORECASE)}
    assert used == set()
