-- A finding says that something does not agree with the provider's statements. The same disagreement of a day (the same
-- kind and subject) has one row for ever, whichever statements of the day say it.

-- A page of a list has these columns, in the order of rows::read_finding(), and goes on before the number ?1. These
-- parameters choose findings: ?2 number, ?3 statement, ?4 day, ?5 kind, ?6 whether it is open, ?7 whether it must be
-- pending, ?8 whether the last statement of its day must say it. A parameter that is NULL, or 0 for ?7 and ?8, lets all
-- findings through. Each list uses the index of the condition that leaves the fewest findings.
-- columns finding_columns
number, statement, day, kind, sale, id_externo, id_transacao, nsu, estabelecimento, our_valor, our_status, their_valor,
their_status, line, detail, asks, pending, effect, opened_at, closed_at, closed_as, closed_by, note

-- columns page
number < coalesce(CAST(?1 AS bigint), 9223372036854775807)
AND (CAST(?2 AS bigint) IS NULL OR number = ?2)
AND (CAST(?3 AS bigint) IS NULL OR statement = ?3)
AND (CAST(?4 AS text) IS NULL OR day = ?4)
AND (CAST(?5 AS text) IS NULL OR kind = ?5)
AND (CAST(?6 AS bigint) IS NULL OR ?6 = CASE WHEN closed_at IS NULL THEN 1 ELSE 0 END)
AND (?7 = 0 OR pending = 1)
AND (?8 = 0 OR statement = (SELECT max(id) FROM statements WHERE day = findings.day))
ORDER BY number DESC LIMIT ?9

-- statement findings_by_number
SELECT {finding_columns} FROM findings WHERE number = ?2 AND {page}

-- statement findings_of_statement
SELECT {finding_columns} FROM findings WHERE statement = ?3 AND {page}

-- statement findings_of_day
SELECT {finding_columns} FROM findings WHERE day = ?4 AND {page}

-- statement findings_of_day_and_kind
SELECT {finding_columns} FROM findings WHERE day = ?4 AND kind = ?5 AND {page}

-- statement findings_pending
SELECT {finding_columns} FROM findings WHERE pending = 1 AND {page}

-- statement findings_open
SELECT {finding_columns} FROM findings WHERE closed_at IS NULL AND {page}

-- statement findings_open_of_kind
SELECT {finding_columns} FROM findings WHERE closed_at IS NULL AND kind = ?5 AND {page}

-- statement findings_listed
SELECT {finding_columns} FROM findings WHERE {page}

-- statement count_open_findings
SELECT kind, count(*) FROM findings WHERE closed_at IS NULL GROUP BY kind

-- Gives the row of the same disagreement, whether it is open, and whether it stays closed: it does if it was resolved
-- or settled, and both sides still say the same.
-- statement known_finding
SELECT number, CASE WHEN closed_at IS NULL THEN 1 ELSE 0 END,
    CASE WHEN closed_as IN ('resolved', 'settled')
        AND our_valor IS NOT DISTINCT FROM CAST(?4 AS bigint) AND our_status IS NOT DISTINCT FROM CAST(?5 AS text)
        AND their_valor IS NOT DISTINCT FROM CAST(?6 AS bigint) AND their_status IS NOT DISTINCT FROM CAST(?7 AS text)
        THEN 1 ELSE 0 END
    FROM findings WHERE day = ?1 AND kind = ?2 AND subject = ?3 /*+ FOR UPDATE */

-- statement insert_finding
INSERT INTO findings (statement, day, kind, subject, sale, id_externo, id_transacao, nsu, estabelecimento, our_valor,
    our_status, their_valor, their_status, line, detail, asks, pending, effect, opened_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, '', ?18)
    RETURNING number

-- The effect stays only if the provider still says the same, because what was done was an answer to that.
-- statement update_finding
UPDATE findings SET statement = ?2, sale = ?3, id_transacao = ?4, nsu = ?5, estabelecimento = ?6, our_valor = ?7,
    our_status = ?8, their_valor = ?9, their_status = ?10, line = ?11, detail = ?12, asks = ?13, pending = ?14,
    effect = CASE WHEN their_valor IS NOT DISTINCT FROM CAST(?9 AS bigint)
        AND their_status IS NOT DISTINCT FROM CAST(?10 AS text) THEN effect ELSE '' END
    WHERE number = ?1

-- statement reopen_finding
UPDATE findings SET opened_at = ?2, closed_at = NULL, closed_as = NULL, closed_by = NULL, effect = ''
    WHERE number = ?1

-- These let the statement ?1 say what the statement ?3 says about the day ?2: all of it, or what is about one subject.
-- statement carry_findings_over
UPDATE findings SET statement = ?1 WHERE day = ?2 AND statement = ?3

-- statement carry_subject_over
UPDATE findings SET statement = ?1 WHERE day = ?2 AND statement = ?3 AND subject = ?4

-- Finds the open findings of a day that its new statement, ?2, does not say.
-- statement unsaid_findings
SELECT number FROM findings WHERE day = ?1 AND statement < ?2 AND closed_at IS NULL

-- Finds what is missing on one of two days.
-- statement missing_findings
SELECT number FROM findings
    WHERE kind = 'missing_there' AND subject = ?1 AND day IN (?2, ?3) AND closed_at IS NULL

-- Finds the sales of another day that a day's statement had, and that its new statement, ?2, does not have.
-- statement findings_gone
SELECT sale, subject FROM findings
    WHERE day = ?1 AND statement < ?2 AND kind = 'other_day' AND their_valor IS NOT NULL AND sale IS NOT NULL

-- Finds what the latest statement of each day says about an attempt.
-- statement findings_about
SELECT number, day, kind, closed_as, their_valor FROM findings
    WHERE sale = ?1 AND subject = ?2 AND statement = (SELECT max(id) FROM statements WHERE day = findings.day)

-- Changes nothing if the finding is closed already.
-- statement close_finding
UPDATE findings SET closed_at = ?2, closed_as = ?3, closed_by = ?4, note = coalesce(?5, note), pending = 0
    WHERE number = ?1 AND closed_at IS NULL

-- statement finding_done
UPDATE findings SET pending = 0, effect = ?2 WHERE number = ?1
