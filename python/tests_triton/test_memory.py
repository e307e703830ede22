"""Memory of launches: views, arrays that overlap, bounds, pointers as values, and what is undefined."""

import memory_kernels as kernels
import ml_dtypes
import numpy as np
import pytest
from arrays import Array, iota, zeros

import tilegrind.triton as tg


def found(kernel, grid, *arguments, **meta):
    """The findings of a launch with every check."""
    with tg.check(on_finding="collect", orders=False) as session:
        kernel[grid](*arguments, **meta)
    return session.findings


def kinds(*launch, **meta):
    return [one.kind for one in found(*launch, **meta)]


# ---- in place ----


def test_a_strided_view_is_written_in_place_and_nothing_else():
    whole = np.full((4, 16), -1, np.float32)
    x = iota(4, 8)
    assert not found(kernels.copy_rows, (4,), x, Array(whole[:, 4:12]), 4, 8, 8, 16, C=8)
    assert np.array_equal(whole[:, 4:12], x.array)
    assert (np.delete(whole, np.s_[4:12], axis=1) == -1).all()


def test_negative_strides_are_refused():
    with pytest.raises(ValueError, match="x: its strides are .*negative"):
        found(kernels.copy, (1,), Array(np.arange(8, dtype=np.float32)[::-1]), zeros(8), 8, B=8)


def test_a_read_only_array_is_refused_where_the_kernel_writes():
    fixed = np.zeros(8, np.float32)
    fixed.flags.writeable = False
    assert not found(kernels.copy, (1,), Array(fixed), zeros(8), 8, B=8)
    with pytest.raises(ValueError, match="o: the array is read-only"):
        found(kernels.copy, (1,), iota(8), Array(fixed), 8, B=8)


def test_what_is_no_array_is_named():
    class Thing:
        dtype = np.dtype(np.float32)

        def data_ptr(self):
            return 0

    with pytest.raises(TypeError, match="x: Thing is no array"):
        found(kernels.copy, (1,), Thing(), zeros(8), 8, B=8)


# ---- one memory for several parameters ----


def test_one_array_twice():
    x = iota(8)
    assert not found(kernels.add_in_place, (2,), x, x, 8, B=4)
    assert np.array_equal(x.array, 2 * np.arange(8))


def test_overlapping_slices_race():
    whole = np.arange(9, dtype=np.float32)
    findings = found(kernels.copy, (2,), Array(whole[1:]), Array(whole[:8]), 8, B=4)
    assert {one.kind for one in findings} == {"race"}
    assert findings[0].param == "x, o"


def test_slices_apart_do_not_race():
    whole = np.arange(16, dtype=np.float32)
    assert not found(kernels.copy, (2,), Array(whole[:8]), Array(whole[8:]), 8, B=4)
    assert np.array_equal(whole[8:], np.arange(8))


def test_bytes_and_words_of_one_buffer_are_one_memory():
    words = np.arange(8, dtype=np.int32)
    assert not found(kernels.as_bytes, (2,), Array(words), Array(words.view(np.int8)[16:]), 16, B=8)
    assert np.array_equal(words, [0, 1, 2, 3, 0, 1, 2, 3])


def test_bytes_of_words_race_where_they_meet():
    words = np.zeros(8, np.int32)
    assert "race" in kinds(kernels.as_bytes, (4,), Array(words), Array(words.view(np.int8)[2:]), 16, B=4)


# ---- bounds ----


def test_behind_the_array():
    one = found(kernels.copy, (8,), iota(1000), zeros(1024), 1024, B=128)[0]
    assert one.kind == "access-outside-ref"
    assert one.message.startswith("load reaches element 1023 of x: f32[1000]; its memory has the elements 0 to 999")


def test_behind_a_view_but_inside_its_storage():
    whole = np.arange(16, dtype=np.float32)
    o = zeros(16)
    (one,) = found(kernels.copy, (1,), Array(whole[4:12]), o, 10, B=16)
    assert one.kind == "access-outside-tensor"
    assert one.message.startswith("load reaches element 8 of x: f32[8], which is behind its last one")
    assert np.array_equal(o.array[:10], np.arange(4, 14))  # the access takes place


def test_gaps_of_a_view():
    whole = iota(4, 16).array
    (one,) = found(kernels.copy, (1,), Array(whole[:, :8]), zeros(64), 56, B=64)
    assert one.message.startswith("load reaches element 8 of x: f32[4,8] with strides 16, 1, which is between its elements")
    assert not found(kernels.copy_rows, (4,), Array(whole[:, :8]), zeros(4, 8), 4, 8, 16, 8, C=8)


def test_before_a_view():
    whole = np.arange(16, dtype=np.float32)
    o = zeros(4)
    assert not found(kernels.stepped, (1,), Array(whole[4:12]), o, 3, -1, B=4)
    assert np.array_equal(o.array, [7, 6, 5, 4])
    (one,) = found(kernels.stepped, (1,), Array(whole[4:12]), o, 2, -1, B=4)
    assert one.message.startswith("load reaches element -1 of x: f32[8], which is before its first one")


def test_masked_lanes_are_not_looked_at():
    assert not found(kernels.shift_left, (2,), iota(8), zeros(8), 8, B=4)


def test_a_transposed_view_has_no_gaps():
    x = Array(iota(8, 4).array.T)
    assert not found(kernels.copy, (1,), x, zeros(32), 32, B=32)


def test_an_empty_array_has_no_elements():
    assert "access-outside-ref" in kinds(kernels.copy, (1,), zeros(0), zeros(8), 8, B=8)


def test_a_finding_outside_a_tensor_can_be_suppressed(tmp_path):
    known = tmp_path / "known.supp"
    known.write_text("{\n    padding\n    kind: access-outside-tensor\n}\n")
    whole = np.arange(16, dtype=np.float32)
    with tg.check(on_finding="collect", orders=False, suppressions=str(known)) as session:
        kernels.copy[(1,)](Array(whole[4:12]), zeros(16), 10, B=16)
    assert not session.findings


# ---- masks without `other` ----


def test_a_masked_lane_without_other_is_undefined():
    assert not found(kernels.either, (2,), iota(8), iota(8), zeros(8), 6, B=4)  # what is masked is not stored
    assert kinds(kernels.unmasked_store, (1,), iota(8), zeros(8), 6, B=8) == ["undefined-output"]


# ---- pointers as values ----


def test_a_choice_between_two_arrays():
    x, y, o = iota(8), Array(-iota(8).array), zeros(8)
    assert not found(kernels.either, (2,), x, y, o, 8, B=4)
    assert np.array_equal(o.array, [0, -1, 2, -3, 4, -5, 6, -7])


def test_a_choice_keeps_its_bounds():
    one = found(kernels.either, (2,), iota(8), iota(5), zeros(8), 8, B=4)[0]
    assert one.kind == "access-outside-ref" and "element 5 of y: f32[5]" in one.message


def test_pointers_that_a_loop_swaps():
    x, y, o = iota(8), Array(np.full(8, 100, np.float32)), zeros(8)
    assert not found(kernels.swap_in_a_loop, (1,), x, y, o, 8, B=8)
    assert np.array_equal(o.array, 2 * x.array + 100)


@pytest.mark.parametrize("which", [0, 1])
def test_pointers_of_a_branch(which):
    x, y, o = iota(8), Array(iota(9).array + 50), zeros(8)
    assert not found(kernels.in_a_branch, (1,), x, y, o, which, 8, B=8)
    assert np.array_equal(o.array, x.array if which else y.array[1:])


@pytest.mark.parametrize("which", [0, 1])
def test_stores_through_pointers_of_a_branch(which):
    x, y = zeros(8), zeros(8)
    assert not found(kernels.store_to_either, (1,), x, y, which, B=8)
    assert np.array_equal((x if which else y).array, np.arange(8))
    assert not (y if which else x).array.any()


# ---- other types ----


def test_floats_as_bytes():
    x, o = iota(4), zeros(16, dtype=np.int8)
    assert not found(kernels.as_bytes, (2,), x, o, 16, B=8)
    assert np.array_equal(o.array, x.array.view(np.int8))


def test_bytes_behind_floats():
    one = found(kernels.as_bytes, (4,), iota(4), zeros(32, dtype=np.int8), 32, B=8)[0]
    assert one.kind == "access-outside-ref" and "element 16 of x: f32[4]" in one.message


def test_bytes_as_words():
    x, o = Array(np.arange(20, dtype=np.int8)), zeros(4, dtype=np.int32)
    assert not found(kernels.words_of_bytes, (1,), x, o, 4, B=4)
    assert np.array_equal(o.array, x.array[4:].view(np.int32))


def test_a_misaligned_word():
    findings = found(kernels.words_of_bytes, (1,), Array(np.arange(20, dtype=np.int8)), zeros(4, dtype=np.int32), 2, B=4)
    assert [one.kind for one in findings] == ["misaligned-pointer"]
    assert "of x: i8[20] is no multiple of 4 bytes" in findings[0].message


def test_flags_are_bytes():
    x, o = iota(8), zeros(8, dtype=bool)
    o.dtype = np.dtype(bool)
    assert not found(kernels.negate_flags, (1,), x, o, B=8)
    assert np.array_equal(o.array, x.array == 0)


def test_bf16():
    x = Array(np.arange(8).astype(ml_dtypes.bfloat16))
    o = zeros(8, dtype=ml_dtypes.bfloat16)
    assert not found(kernels.copy, (2,), x, o, 8, B=4)
    assert np.array_equal(x.array, o.array)


# ---- addresses ----


def test_an_address_and_back():
    o = zeros(4)
    assert not found(kernels.to_number_and_back, (1,), iota(5), o, B=4)
    assert np.array_equal(o.array, [1, 2, 3, 4])


def test_an_address_is_the_real_one():
    x, o = iota(8), zeros(1, dtype=np.int64)
    assert not found(kernels.address_of, (1,), Array(x.array[3:]), o)
    assert o.array[0] == x.data_ptr() + 12


def test_a_table_of_addresses():
    rows = [iota(4), Array(iota(4).array + 10)]
    o = zeros(2, 4)
    table = Array(np.array([one.data_ptr() for one in rows], np.int64))
    assert not found(kernels.through_a_table, (2,), table, o, B=4)
    assert np.array_equal(o.array, [one.array for one in rows])


def test_a_wild_address():
    table = Array(np.array([0x1230], np.int64))
    (one,) = [one for one in found(kernels.through_a_table, (1,), table, zeros(4), B=4) if one.kind == "wild-pointer"]
    assert one.message == "there is no array of the launch at address 0x123c"


# ---- undefined memory ----


def test_an_array_that_nobody_has_written():
    x, o = Array(np.zeros(8, np.float32)), zeros(8)
    tg.undefined(x)
    (one,) = found(kernels.copy, (2,), x, o, 8, B=4)
    assert one.kind == "undefined-output"
    assert "it comes from x, which nothing had written before the run" in one.message


def test_what_a_launch_writes_is_defined_for_the_next_one():
    x, o = Array(np.zeros(8, np.float32)), zeros(8)
    tg.undefined(x)
    assert not found(kernels.copy, (1,), iota(8), x, 6, B=8)
    assert not found(kernels.copy, (1,), x, o, 6, B=8)
    (one,) = found(kernels.copy, (1,), x, o, 8, B=8)
    assert one.kind == "undefined-output" and "o[6]" in one.message


def test_an_array_marked_in_part():
    x, o = iota(8), zeros(8)
    tg.undefined(Array(x.array[6:]))
    assert not found(kernels.copy, (1,), x, o, 6, B=8)
    assert kinds(kernels.copy, (1,), x, o, 8, B=8) == ["undefined-output"]
    tg.defined(x)
    assert not found(kernels.copy, (1,), x, o, 8, B=8)


def test_orders_begin_with_the_same_memory():
    x = iota(8)
    with tg.check() as session:
        kernels.add_in_place[(2,)](x, x, 8, B=4)
    assert np.array_equal(x.array, 2 * np.arange(8)) and not session.findings


def test_cases_have_the_memory_as_it_was(tmp_path):
    x = iota(8)
    with tg.capture(tmp_path) as captured:
        kernels.add_in_place[(2,)](x, x, 8, B=4)
    (folder,) = captured.cases
    assert np.array_equal(np.load(folder / "inputs.npz")["x, y.before"], np.arange(8))
    assert np.array_equal(np.load(folder / "expected.npz")["x, y"], 2 * np.arange(8))


def test_masked_loads_can_give_zero():
    o = zeros(8)
    with tg.check(compat="zero", orders=False):
        kernels.unmasked_store[(1,)](iota(8), o, 6, B=8)
    assert np.array_equal(o.array, [0, 1, 2, 3, 4, 5, 0, 0])
