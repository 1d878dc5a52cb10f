-- copy-journal makes this note in a journal.

-- statement moving_mark
SELECT state, copy, place, at FROM moving

-- statement set_moving_mark
INSERT INTO moving (one, state, copy, place, at) VALUES (1, ?1, ?2, ?3, ?4)
    ON CONFLICT (one) DO UPDATE SET state = excluded.state, copy = excluded.copy, place = excluded.place,
        at = excluded.at

-- statement remove_moving_mark
DELETE FROM moving
