"""The disk with the open sales is full from some call on that would take room, or it fails at one of them."""
import json

import pytest


def test_disk_that_fills_up(world, language):
    """From the Nth call on, nothing in the folder can be made, written, renamed or flushed; then there is room
    again."""
    ends = {status: 0 for status in (0, 1, 2, 70)}
    full = 0
    told = True
    while told:
        full += 1
        till = world.till()
        order = world.order(confirm="manual")
        run = till.sell(order, full=full, answer="y\n")
        told = run.failed > 0
        ends[run.status] += 1
        if run.status == 70:
            assert "Nothing was sent" in run.err, run
        if run.status != 2:
            assert run.status == 70 or till.open_sales() == [], run
        till.finish(order)
    print(ends)
    assert ends[70] == language.noted_in, ends
    assert ends[2] >= 1, ends  # it was held, and the note that it is paid could not be written
    assert ends[0] >= 1, ends


def whole_orders(till):
    return [name for name in till.open_sales() if (till.folder / name).read_text().endswith("\n")]


def test_what_was_not_sent_is_not_sold_after_a_power_cut(world, language):
    """Each call that notes the order fails. Then the power is cut, and the disk may have anything of what was not
    flushed."""
    for call in range(1, language.noted_in + 1):
        till = world.till()
        order = world.order()
        run = till.sell(order, fail=call)
        assert (run.status, run.failed) == (70, 1) and "Nothing was sent" in run.err, run
        assert "remove" not in run.err, f"it could be taken back: {run}"
        till.lose_power()
        assert whole_orders(till) == [], run
        till.finish(order)


def test_what_cannot_be_taken_back_is_for_a_person_to_remove(world, language):
    """This is the same, and nothing in the folder can be flushed any more."""
    asked = 0
    for call in range(1, language.noted_in + 1):
        till = world.till()
        order = world.order()
        run = till.sell(order, full=call)
        assert run.status == 70 and "Nothing was sent" in run.err, run
        till.lose_power()
        for name in whole_orders(till):
            assert f"{till.folder / name}" in run.err and "also if a power cut brings it back" in run.err, run
            (till.folder / name).unlink()
            asked += 1
        till.finish(order)
    assert asked == 2, "as the file was flushed, and as its folder was"


def test_note_that_was_cut_short_was_never_sent(world, till):
    order = world.order()
    till.folder.mkdir(0o700)
    (till.folder / "6c1e1f2e-0000-4000-8000-000000000001.sell").write_text(json.dumps(order.body))
    (till.folder / "6c1e1f2e-0000-4000-8000-000000000002.sell").write_text("")
    order.nothing_sent = True
    run = till.settle()
    assert (run.status, run.out) == (0, ""), run
    world.check(order)


def test_folder_is_for_its_till_only(world, till, language):
    if not language.modes:
        pytest.skip("the language has no modes of files")
    order = world.order()
    assert till.sell(order, key="wrong").status == 2
    assert till.folder.stat().st_mode & 0o777 == 0o700
    assert [(till.folder / name).stat().st_mode & 0o777 for name in till.open_sales()] == [0o600]
    till.finish(order)


def test_printer_that_takes_nothing(world, till):
    """The sale is sold, and printed as soon as the printer works again: then it is a copy, because the first one was
    fetched."""
    order = world.order()
    printer, till.printer = till.printer, "/dev/full"
    run = till.sell(order)
    assert run.status == 0 and run.out.endswith(" (receipt not printed yet: run settle)\n"), run
    assert till.settle().status == 2
    till.printer = printer
    till.finish(order)
    assert len(till.receipts()) == 1


def test_order_of_several_lines_is_one(world, till):
    order = world.order()
    run = till.run("sell", json.dumps(order.body, indent=1).replace("\n", "\r\n"))
    assert run.status == 0, run
    world.check(order)


def test_what_is_no_order_is_not_sold(world, till):
    for text in ("", "no JSON", '{"family":"tv"', "[]", '{"family":"tv","produto":"\xe9 \\"quoted\\""}'):
        run = till.run("sell", text)
        assert run.status == 1 and till.open_sales() == [], run
