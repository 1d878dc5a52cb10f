"""Fills a journal with sales: it multiplies real rows.

It assumes only two things about the tables: a row belongs to a sale if one of its columns is the sale's id, and sales
differ in id, idExterno and key. A copy replaces these three wherever they stand, alone or in a longer value, as text
or, for the first two, as the 16 bytes that the text stands for. The new ids are of about the same time, so that nothing
is old enough to be erased or newer than the next sale, and keys come in no order. A row that has only a number gets the
next one. Movement days are those of a store that sells the same number every day: the last copies belong to the day
before the sale's own, and each earlier day has as many. Every copy has a movement day, as in what this gateway writes
itself, so that the gateway has none to date in the background. The gateway shows whether it worked: it must find the
copies.
"""
import contextlib
import datetime
import sqlite3

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Any odd factor makes keys of 64 bits that differ and come in no order.
_FACTOR = 0x9E3779B97F4A7C15
_CACHE_KIB = 1_000_000
SALES_A_DAY = 2_000


class Template:
    """This is a sale that is copied. `letter` is a digit that the ids of its copies have and those of others do not."""

    def __init__(self, id, id_externo, key, letter):
        self.id, self.id_externo, self.key, self.letter = id, id_externo, key, letter

    def id_of(self, i):
        return self._ulid(self.id, i)

    def id_externo_of(self, i):
        return self._ulid(self.id_externo, i)

    def key_of(self, i):
        return f"{i * _FACTOR % 2**64:016x}-{self.letter}"

    def _ulid(self, text, i):
        return f"{text[:8]}{self.letter}{i:017}"

    def texts(self):
        """Pairs what stands in the sale's rows with the expression that replaces it in copy i."""
        for value in (self.id, self.id_externo):
            yield value, f"substr('{value}', 1, 8) || '{self.letter}' || printf('%017d', i)"
        yield self.key, "fresh_key(i)"

    def in_bytes(self, value, i):
        """Does the same in a value that is no text."""
        for old, new in self._all(i):
            value = value.replace(old.encode(), new.encode())
        for old, new in self._ulids(i):
            value = value.replace(_bytes(old), _bytes(new))
        return value

    def _ulids(self, i):
        return (self.id, self.id_of(i)), (self.id_externo, self.id_externo_of(i))

    def _all(self, i):
        return *self._ulids(i), (self.key, self.key_of(i))


def _bytes(ulid):
    number = 0
    for character in ulid:
        number = number * 32 + _DIGITS.index(character)
    return number.to_bytes(17, "big")[-16:]


def day_of(path, template):
    """Returns the movement day of a final sale in the journal at `path`, which nobody has open."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ((day,),) = connection.execute("SELECT day FROM sales WHERE id = ?", (template.id,))
    return datetime.date.fromisoformat(day)


def fill(path, *wanted, sales_a_day=SALES_A_DAY):
    """Copies sales in the journal at `path`, which nobody has open; each template is paired with the number of its
    copies."""
    connection = sqlite3.connect(path)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    try:
        for template, count in wanted:
            tables = list(_tables_of(connection, template))
            assert tables, f"no table of the journal has a column with the id of the sale {template.id}"
            for table, condition in tables:
                _copy(connection, template, count, table, condition, sales_a_day)
        connection.commit()
    except sqlite3.Error as failure:
        raise AssertionError(f"the journal's tables are not what tests/bench/lab/fill.py can copy: {failure}") from None
    finally:
        connection.close()


def _tables_of(connection, template):
    """Yields each table with the condition that its rows belong to the sale."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (table,) in names.fetchall():
        for column, _ in _columns_of(connection, table):
            condition = f"{column} IN ('{template.id}', x'{_bytes(template.id).hex()}')"
            if connection.execute(f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1").fetchone():
                yield table, condition
                break


def _columns_of(connection, table):
    """Yields each column, and whether it is only the row's number."""
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    alone = sum(row[5] > 0 for row in columns) == 1
    return [(row[1], alone and row[5] > 0 and row[2] == "INTEGER") for row in columns]


def _copy(connection, template, count, table, condition, sales_a_day):
    """Writes all rows of one copy after the other, in the order of their ids, as they would have been written."""
    columns = _columns_of(connection, table)
    rows = connection.execute(f"SELECT * FROM {table} WHERE {condition}").fetchall()
    values = ["NULL" if is_number else _value_of_copy(connection, template, column, [row[at] for row in rows])
              for at, (column, is_number) in enumerate(columns)]
    for at, (column, _) in enumerate(columns):
        if column == "day":
            values[at] = f"date(day, '-' || (({count} - i) / {sales_a_day} + 1) || ' days')"
    connection.create_function("fresh_key", 1, template.key_of, deterministic=True)
    # The rows are apart from the table that grows: not every condition has an index.
    connection.execute(f"CREATE TEMP TABLE original AS SELECT * FROM {table} WHERE {condition}")
    connection.execute(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
        f"INSERT INTO {table} SELECT {', '.join(values)} FROM n CROSS JOIN temp.original",
        (count,))
    connection.execute("DROP TABLE temp.original")


def _value_of_copy(connection, template, column, found):
    """Returns the expression of a column's value in copy i."""
    if any(isinstance(value, bytes) and template.in_bytes(value, 1) != value for value in found):
        connection.create_function(f"copied_{column}", 2, template.in_bytes, deterministic=True)
        return f"copied_{column}({column}, i)"
    expression = column
    for old, new in template.texts():
        if any(isinstance(value, str) and old in value for value in found):
            expression = f"replace({expression}, '{old}', {new})"
    return expression
