"""These are the tills of examples/: how each is built and run, and which faults are put into it for the tests to
find."""
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD_LIMIT_S = 300


class Mutant:
    """This client does not keep its word: `old` in `file` becomes `new`. `found_by` names the test in test_mutants.py
    that finds it."""

    def __init__(self, file, old, new, found_by=None):
        self.file = file
        self.old = old
        self.new = new
        self.found_by = found_by

    def apply(self, folder):
        path = folder / self.file
        text = path.read_text()
        assert text.count(self.old) == 1, f"{self.file} has {text.count(self.old)} times what the mutant is to replace: {self.old}"
        path.write_text(text.replace(self.old, self.new))


class Language:
    """Says how a till is built and run.

    `build` are commands, which run where the sources are; `{here}` is that folder, in them as in `run`, and `{root}` is
    the folder of the project. If `built`, mutants are made from the result of the build, otherwise from the sources.
    `few_calls`: a sale has so few calls that somebody outside could notice, that the power is cut at each of them.
    `noted_in`: so many calls note a sale before it is sent: the folder is made, the file is made, written and flushed,
    and the folder is flushed. `hurry` makes its pauses short, as a mutant; power_cut does that if they are system calls
    of their own. `modes`: the till can say who may read what it makes.
    """

    def __init__(self, sources, build, run, few_calls, mutants, noted_in=5, built=False, hurry=None,
                 modes=True):
        self.sources = sources
        self.build = build
        self.run = run
        self.few_calls = few_calls
        self.mutants = mutants
        self.noted_in = noted_in
        self.built = built
        self.hurry = hurry
        self.modes = modes

    def make(self, folder, mutant=None):
        """Returns the till's command, built from a copy of its sources in `folder`."""
        folder.mkdir()
        for name in self.sources:
            shutil.copy(ROOT / "examples" / name, folder)
        changes = [change for change in (self.hurry, mutant) if change]
        for change in changes if not self.built else []:
            change.apply(folder)
        for command in self.build:
            done = subprocess.run([word.format(here=folder, root=ROOT) for word in command], cwd=folder,
                                  capture_output=True, text=True, timeout=BUILD_LIMIT_S)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        for change in changes if self.built else []:
            change.apply(folder)
        return [word.format(here=folder, root=ROOT) for word in self.run]


LANGUAGES = {
    "python": Language(
        ["python/sales_gateway.py", "python/till.py"],
        [],
        ["/usr/bin/python3", "{here}/till.py"],
        True,
        {
            "notes nothing": Mutant(
                "sales_gateway.py",
                "refusal, answer, pause = None, None, FIRST_PAUSE_S",
                "refusal, answer, pause = None, None, FIRST_PAUSE_S; self._remove(name)",
                "power cuts"),
            "a new key each time": Mutant(
                "sales_gateway.py",
                'self._ask("POST", "/v1/sell", key, body)',
                'self._ask("POST", "/v1/sell", str(uuid.uuid4()), body)',
                "power cuts"),
            "forgets before it prints": Mutant(
                "sales_gateway.py",
                "self._print(self.receipt(sale_id))",
                "self._remove(name); self._print(self.receipt(sale_id))",
                "power cuts"),
            "takes silence for a no": Mutant(
                "sales_gateway.py",
                'if answer and answer.outcome == "not_sold":',
                'if not answer or answer.outcome == "not_sold":',
                "cut lines"),
        },
    ),
    "c": Language(
        ["c/sales_gateway.h", "c/till.c"],
        [["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", "till", "till.c", "-lcurl"]],
        ["{here}/till"],
        True,
        {
            "notes nothing": Mutant(
                "sales_gateway.h",
                "for (int left = tries - 1;",
                "unlink(path); for (int left = tries - 1;",
                "power cuts"),
            "a new key each time": Mutant(
                "sales_gateway.h",
                'int cancel = sg_is(wanted, "cancel");',
                'int cancel = sg_is(wanted, "cancel"); char other[64]; sprintf(other, "%d", getpid()); key = other;',
                "power cuts"),
            "forgets before it prints": Mutant(
                "sales_gateway.h",
                "char* receipt = sg_is(",
                "if (sg_known(&a)) { unlink(path); } char* receipt = sg_is(",
                "power cuts"),
            "takes silence for a no": Mutant(
                "sales_gateway.h",
                "const char* decision = NULL;",
                'const char* decision = NULL; if (left < SG_TRIES - 1) { strcpy(a.outcome, "not_sold"); break; }',
                "cut lines"),
        },
    ),
    "shell": Language(
        ["shell/sales_gateway.sh", "shell/till.sh"],
        [],
        ["sh", "{here}/till.sh"],
        False,
        {
            "notes nothing": Mutant(
                "sales_gateway.sh",
                """sg_ask /v1/sell -H 'Content-Type: application/json' --data-binary "@$sg_path\"""",
                """sg_text=$(cat "$sg_path"); rm "$sg_path"
    sg_ask /v1/sell -H 'Content-Type: application/json' --data-binary "$sg_text\"""",
                "power cuts"),
            "a new key each time": Mutant(
                "sales_gateway.sh",
                """printf 'Idempotency-Key: %s\\n%s\\n' "$sg_key\"""",
                """printf 'Idempotency-Key: %s\\n%s\\n' "$$-$sg_key\"""",
                "power cuts"),
            "forgets before it prints": Mutant(
                "sales_gateway.sh",
                'if sg_receipt "$sg_sold"; then',
                'rm -f "$sg_path"; if sg_receipt "$sg_sold"; then',
                "power cuts"),
            "takes silence for a no": Mutant(
                "sales_gateway.sh",
                "        sg_decision=\n",
                "        sg_decision=\n        [ -n \"$sg_status\" ] || sg_outcome=not_sold\n",
                "cut lines"),
        },
    ),
    "csharp": Language(
        ["csharp/SalesGateway.cs", "csharp/Till.cs"],
        [["mcs", "-warnaserror", "-warn:4", "-out:till.exe", "-r:System.Net.Http.dll", "SalesGateway.cs", "Till.cs"]],
        ["mono", "{here}/till.exe"],
        False,
        {
            "notes nothing": Mutant(
                "SalesGateway.cs",
                "answer = Send(saleKey, wanted, body);",
                "Remove(path); answer = Send(saleKey, wanted, body);",
                "power cuts"),
            "a new key each time": Mutant(
                "SalesGateway.cs",
                'Ask("/v1/sell", saleKey, body);',
                'Ask("/v1/sell", Guid.NewGuid().ToString(), body);',
                "power cuts"),
            "forgets before it prints": Mutant(
                "SalesGateway.cs",
                "print(Receipt(result.SaleId));",
                "{ Remove(path); print(Receipt(result.SaleId)); }",
                "power cuts"),
            "takes silence for a no": Mutant(
                "SalesGateway.cs",
                "var outcome = Outcome(answer);",
                'if (answer == null) { Remove(path); return new Result { Key = saleKey, Outcome = "not_sold" }; } '
                "var outcome = Outcome(answer);",
                "cut lines"),
        },
        hurry=Mutant("SalesGateway.cs", "LongestPauseMs = 5000;", "LongestPauseMs = 1;"),
        modes=False,
    ),
    "pascal": Language(
        ["pascal/SalesGateway.pas", "pascal/Till.pas"],
        [["fpc", "-O2", "-Sew", "-otill", "Till.pas"]],
        ["{here}/till"],
        True,
        {
            "notes nothing": Mutant(
                "SalesGateway.pas",
                "for Tried := 1 to Rounds do begin",
                "for Tried := 1 to Rounds do begin DeleteFile(Path + Wanted);",
                "power cuts"),
            "a new key each time": Mutant(
                "SalesGateway.pas",
                "Result := Ask('/v1/sell', Key, Order);",
                "Result := Ask('/v1/sell', IntToStr(FpGetPid), Order);",
                "power cuts"),
            "forgets before it prints": Mutant(
                "SalesGateway.pas",
                "Print(Receipt(Result.SaleId));",
                "DeleteFile(Path + Wanted); Print(Receipt(Result.SaleId));",
                "power cuts"),
            "takes silence for a no": Mutant(
                "SalesGateway.pas",
                "if MatchStr(Result.Outcome,",
                "if Result.Status = 0 then Result.Outcome := 'not_sold'; if MatchStr(Result.Outcome,",
                "cut lines"),
        },
    ),
    # Its compiler comes from the npm registry, once.
    "typescript": Language(
        [],
        [["{root}/tests/tills/typescript/build.sh", "{root}/build/tills/typescript"],
         ["sh", "-c", "cd '{root}/build/tills/typescript' && cp till.js sales_gateway.js package.json '{here}'"]],
        ["node", "{here}/till.js"],
        False,
        {
            "notes nothing": Mutant(
                "sales_gateway.js",
                "answer = await this.send(key, wanted, body);",
                "await this.remove(this.file(key, wanted)); answer = await this.send(key, wanted, body);",
                "power cuts"),
            "a new key each time": Mutant(
                "sales_gateway.js",
                'this.ask("POST", "/v1/sell", key, body);',
                'this.ask("POST", "/v1/sell", randomUUID(), body);',
                "power cuts"),
            "forgets before it prints": Mutant(
                "sales_gateway.js",
                "await this.print(",
                "await this.remove(file); await this.print(",
                "power cuts"),
            "takes silence for a no": Mutant(
                "sales_gateway.js",
                'answer?.outcome === "not_sold"',
                '(!answer && (answer = {outcome: "not_sold", body: Buffer.from("{}")})) || answer?.outcome === "not_sold"',
                "cut lines"),
        },
        built=True,
        hurry=Mutant("sales_gateway.js", "LONGEST_PAUSE_MS = 5_000;", "LONGEST_PAUSE_MS = 1;"),
    ),
}
