"""Other programs work on the journal while tills sell: a short run, with the date as the seed."""
import time

from another_program import play


def test_what_others_do_with_the_journal_breaks_no_promise(tmp_path):
    print(play(tmp_path, rounds=12, seed=int(time.strftime("%Y%m%d", time.gmtime()))))
