"""Files that are written whole: what is there stays until the new one is complete, and nothing else is left."""

import contextlib
import errno
import os
import resource
import signal
import stat
import threading

import pytest
from tilegrind import whole_file


@contextlib.contextmanager
def full_disk(free):
    """Files of this process can have so many bytes and no more, as on a disk that is full by then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_text_and_bytes(tmp_path):
    path = tmp_path / "file"
    whole_file.write(path, "ä\n")
    assert path.read_bytes() == "ä\n".encode()
    whole_file.write(str(path), b"\0\xff")
    assert path.read_bytes() == b"\0\xff" and os.listdir(tmp_path) == ["file"]


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with full_disk(1000), pytest.raises(OSError) as caught:
        whole_file.write(path, b"x" * 5000)
    assert caught.value.filename == str(path) and caught.value.errno == errno.EFBIG
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_each_step_may_fail(tmp_path, monkeypatch, name):
    """A file system over a network may say so late that it is full."""
    def fails(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(os, name, fails)
    with pytest.raises(OSError, match="No space left on device") as caught:
        whole_file.write(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


def test_text_that_is_no_unicode_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        whole_file.write(path, "\ud800")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["file"]


def test_ctrl_c_leaves_the_old_file(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        whole_file.write(tmp_path / "file", "new")
    assert os.listdir(tmp_path) == []


def test_the_error_names_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        whole_file.write(tmp_path / "none" / "file", "")
    assert caught.value.filename == str(tmp_path / "none" / "file")
    with pytest.raises(IsADirectoryError) as caught:
        whole_file.write(tmp_path, "")
    assert caught.value.filename == str(tmp_path)


def test_a_name_may_be_as_long_as_names_may_be(tmp_path):
    path = tmp_path / ("x" * 255)
    whole_file.write(path, "all")
    assert path.read_text() == "all"


def test_a_link_stays_one(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/file")
    whole_file.write(link, "new")
    assert link.is_symlink() and (tmp_path / "folder" / "file").read_text() == "new"


def test_a_pipe_is_written_and_not_replaced(tmp_path):
    path, found = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_text()))
    reader.start()
    whole_file.write(path, "new")
    reader.join(10)
    assert found == ["new"] and stat.S_ISFIFO(path.stat().st_mode)


def test_the_mode_is_that_of_other_new_files(tmp_path):
    (tmp_path / "other").touch()
    whole_file.write(tmp_path / "file", "")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode
