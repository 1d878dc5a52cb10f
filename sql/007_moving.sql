-- This row says what sales-gateway copy-journal does with this journal. A gateway starts on it only if the table is
-- empty or the state is "leaving".
CREATE TABLE moving (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    state TEXT NOT NULL,                -- leaving: it is being copied; moved: it was; arriving: it is part of a copy
    copy  TEXT NOT NULL,                -- which copying it is: the other side has the same
    place TEXT NOT NULL,                -- where the other side is
    at    INTEGER NOT NULL              -- since when
);
