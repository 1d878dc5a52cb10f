-- A run says which tally file it is of, by the id in that file, which is locked as long as the process of the run
-- lives. Two processes may have been set up with one name: a later run of the name says nothing of the process of an
-- earlier one. Where a later run of its file has begun, the process is gone, and nothing of it can be sent any more.
ALTER TABLE gateways ADD COLUMN file text NOT NULL DEFAULT '';  -- empty: of the version before, known by its name
CREATE INDEX gateways_by_file ON gateways (file, number);

-- Of one name one run lives. Those that were in another one's way find that they have ended, and begin anew.
UPDATE gateways SET ended = 1 WHERE ended = 0 AND EXISTS
    (SELECT 1 FROM gateways AS later
     WHERE later.name = gateways.name AND later.ended = 0 AND later.number > gateways.number);
CREATE UNIQUE INDEX gateways_living ON gateways (name) WHERE ended = 0;

-- As before; and the notes of sales.taken_from have the file, too. Nothing is noted of a run that was forgotten, or
-- where a later run of its file has begun.
CREATE OR REPLACE FUNCTION may_be_sent(of_run text, of_attempts text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    was gateways;
    noted jsonb;
BEGIN
    SELECT * INTO was FROM gateways AS g
        WHERE run = of_run AND NOT EXISTS
            (SELECT 1 FROM gateways AS later
             WHERE later.number > g.number AND later.file = g.file AND (g.file <> '' OR later.name = g.name));
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    SELECT jsonb_agg(jsonb_build_object('gateway', was.name, 'file', was.file, 'idExterno', a ->> 'idExterno'))
        INTO noted
        FROM json_array_elements(of_attempts::json) AS a
        WHERE a ->> 'state' = 'requesting'
            OR (a ->> 'state' = 'cancelling' AND coalesce((a -> 'idTransacao')::text, '""') = '""');
    RETURN noted;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN NULL;
END
$$;

-- Whether a note of sales.taken_from is of that tally file; where the note has no file, or none is asked for, whether
-- it is of the gateway.
CREATE FUNCTION is_note_of(note jsonb, of_file text, of_gateway text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN of_file = '' OR coalesce(note ->> 'file', '') = '' THEN note ->> 'gateway' = of_gateway
                ELSE note ->> 'file' = of_file END
$$;
