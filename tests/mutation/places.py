"""Finds the places of a C++ file where a mutant can be: clang parses the file, and its tree is walked here."""

import dataclasses
import json
import re
import subprocess

_RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<")}
_EQUALITIES = {"==": "!=", "!=": "=="}
_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "|": "&", "&": "|", "^": "&",
               "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}
_OPPOSITES = {"min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of", "none_of": "any_of",
              "find_if": "find_if_not", "find_if_not": "find_if", "lower_bound": "upper_bound",
              "upper_bound": "lower_bound", "floor": "ceil", "ceil": "floor"}
_CALLEE = re.compile(rf"((?:std::)?(?:ranges::|chrono::)?)({'|'.join(_OPPOSITES)})\b")
_WRAPPERS = {"ParenExpr", "ImplicitCastExpr", "ExprWithCleanups", "MaterializeTemporaryExpr", "CXXBindTemporaryExpr"}
_CALLS = {"CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr"}
_LITERALS = {"IntegerLiteral", "FloatingLiteral", "CharacterLiteral", "UserDefinedLiteral"}
# What stands in a type, in a constant of the language or in the compiler's own code is no place.
_NO_PLACES = {"ConstantExpr", "EnumDecl", "UnaryExprOrTypeTraitExpr", "CXXDefaultInitExpr", "CXXDefaultArgExpr",
              "ClassTemplateSpecializationDecl", "ClassTemplatePartialSpecializationDecl", "CXXNoexceptExpr",
              "FriendDecl", "RequiresExpr", "ConceptDecl", "TypeAliasDecl", "TemplateTypeParmDecl", "CXXDeductionGuide"}


@dataclasses.dataclass
class Mutant:
    begin: int
    end: int
    text: str  # what stands in the place of the source from `begin` to `end`
    function: str
    everywhere: bool  # the place is run once in a process, so that no test alone reaches it
    in_constants: bool  # the compiler may evaluate it
    number: int = 0


@dataclasses.dataclass
class Edit:
    """What the schemata do to a piece of the source, with the mutants that it holds."""
    begin: int
    end: int
    kind: str
    mutants: list = dataclasses.field(default_factory=list)
    in_constants: bool = False  # the compiler may evaluate the code
    texts: tuple = ()
    variable: str = ""  # the constant of the language that it stands in, which the schemata make a variable


def parse(clang, flags, path):
    """Returns the declarations of namespaces that contain `gateway` in their names, as clang's tree has them."""
    command = [clang, *flags, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=gateway", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{path} does not compile:\n{done.stderr}")
    decoder, text, at, trees = json.JSONDecoder(), done.stdout, 0, []
    while match := re.compile(r"\s*(?=\{)").match(text, at):
        tree, at = decoder.raw_decode(text, match.end())
        _locate(tree, [""])
        trees.append(tree)
    return trees


def _locate(node, file):
    """Gives every node the piece of the source that it stands for: clang names a file only where it changes."""

    def place(location):
        if not location:
            return None
        whole = "offset" in location
        for part in [location] if whole else [location.get("spellingLoc", {}), location.get("expansionLoc", {})]:
            file[0] = part.get("file", file[0])
        return (file[0], location["offset"], location["tokLen"]) if whole else None

    at = place(node.get("loc"))
    first, last = (place(node.get("range", {}).get(end)) for end in ("begin", "end"))
    node["at"] = at
    node["file"] = (first or at or (None,))[0]
    node["span"] = (first[1], last[1] + last[2]) if first and last and first[0] == last[0] else None
    for inner in node.get("inner", ()):
        _locate(inner, file)


def core_of(node):
    while node.get("kind") in _WRAPPERS and node.get("inner"):
        node = node["inner"][0]
    return node


def _leaf(node):
    """Returns the statement behind the labels of a case."""
    while node.get("kind") in ("CaseStmt", "DefaultStmt"):
        node = node["inner"][-1]
    return node


def type_of(node):
    kind = node.get("type", {})
    return kind.get("desugaredQualType", kind.get("qualType", "")).removeprefix("const ")


class Finder:
    def __init__(self, source, trees, path):
        self.source, self.path = source, path
        self.edits, self.function = [], ""
        self.in_constants = self.everywhere = False
        self.enumerators = {}
        self.done = set()
        for tree in trees:
            self._learn_enumerators(tree)
        for tree in trees:
            if tree["file"] == path:
                self._walk(tree)
        for match in re.finditer(rb"\bconsteval\b", source):
            self._edit(match.span(), "replace", texts=("constexpr",))

    def _learn_enumerators(self, node):
        if node.get("kind") == "EnumDecl":
            names = [inner for inner in node.get("inner", ()) if inner.get("kind") == "EnumConstantDecl"]
            for one, other in zip(names, names[1:] + names[:1]):
                self.enumerators[one["id"]] = other["name"]
        for inner in node.get("inner", ()):
            self._learn_enumerators(inner)

    # What is written down.

    def _text(self, span):
        return self.source[span[0]:span[1]].decode()

    def _mutant(self, span, text):
        return Mutant(*span, text, self.function, self.everywhere, self.in_constants)

    def _edit(self, span, kind, texts=(), mutants=(), **more):
        """Adds mutants to a piece of the source: each one is a text, or a span and a text."""
        if span is None or (span, kind, tuple(mutants), texts) in self.done:
            return
        self.done.add((span, kind, tuple(mutants), texts))
        made = [self._mutant(*one) if isinstance(one, tuple) else self._mutant(span, one) for one in mutants]
        self.edits.append(Edit(*span, kind, made, self.in_constants, texts, **more))

    # Expressions.

    def _operation(self, node):
        """Returns (left, operator, right) of an expression with two operands, as the source has it."""
        kind, operands = node.get("kind"), node.get("inner", [])
        if kind == "CXXRewrittenBinaryOperator":
            call = self._written(operands[0])
            operands = call["inner"][1 if call["kind"] == "CXXOperatorCallExpr" else 0:] if call else []
        elif kind == "CXXOperatorCallExpr":
            operands = operands[1:]
        elif kind not in ("BinaryOperator", "CompoundAssignOperator"):
            return None
        if len(operands) != 2 or any(one["span"] is None for one in operands) or node["span"] is None:
            return None
        left, right = sorted(operands, key=lambda one: one["span"])
        between = self.source[left["span"][1]:right["span"][0]].decode()
        operator = re.sub(r"//[^\n]*", "", between).strip()
        return (left, operator, right) if re.fullmatch(r"[-+*/%<>=!&|^]+", operator) else None

    def _written(self, node):
        """Returns the call of <=> or == that the compiler made of a comparison."""
        if node.get("opcode") in ("<=>", "=="):
            return node
        if node.get("kind") == "CXXOperatorCallExpr" and self._name(node) in ("operator<=>", "operator=="):
            return node
        return next(filter(None, map(self._written, node.get("inner", ()))), None)

    def _name(self, call):
        for one in call.get("inner", ())[:1]:
            while one.get("inner") and "referencedDecl" not in one:
                one = one["inner"][0]
            return one.get("referencedDecl", {}).get("name", "")
        return ""

    def _with_operator(self, node, operation, other):
        left, _, right = operation
        begin, end = node["span"]
        return f"{self._text((begin, left['span'][1]))} {other} {self._text((right['span'][0], end))}"

    def _has_await(self, node):
        return "co_await" in self._text(node["span"])

    def _condition(self, node, role):
        """`role` says where the truth of the expression goes: `if`, `loop`, `and`, `or`, or a `value`."""
        core = core_of(node)
        span = node["span"]
        if span is None:
            return self._children(core)
        forced = {"if": ("true", "false"), "loop": ("false",), "and": ("true",), "or": ("false",)}.get(role)
        if forced and core.get("kind") != "CXXBoolLiteralExpr":
            self._edit(span, "force", mutants=forced)
        operation = self._operation(core)
        operator = operation and operation[1]
        if core.get("kind") == "BinaryOperator" and operator in ("&&", "||"):
            if role == "value":
                self._edit(span, "force", mutants=("false",) if operator == "&&" else ("true",))
            for side in (operation[0], operation[2]):
                self._condition(side, "and" if operator == "&&" else "or")
        elif operator in _RELATIONS or operator in _EQUALITIES:
            others = _RELATIONS[operator][:1 if forced else 2] if operator in _RELATIONS else (
                () if forced else (_EQUALITIES[operator],))
            if others and not self._has_await(core):
                self._edit(core["span"], "choice",
                           mutants=tuple(self._with_operator(core, operation, one) for one in others))
            for side in (operation[0], operation[2]):
                self._walk(side)
        elif core.get("kind") == "UnaryOperator" and core.get("opcode") == "!":
            if not forced:
                self._edit(span, "negate", mutants=(self._text((core["span"][0] + 1, core["span"][1])),))
            inner = core["inner"][0]
            inner_core = core_of(inner)
            if inner_core.get("kind") == "BinaryOperator" and inner_core.get("opcode") in ("&&", "||"):
                self._condition(inner, "none")
            else:
                self._children(inner_core)
        else:
            if not forced and role == "value":
                literal = {"true": "false", "false": "true"}.get(self._text(span))
                self._edit(span, "negate", mutants=(literal or f"!({self._text(span)})",))
            self._own_mutants(core)
            self._children(core)

    def _own_mutants(self, node):
        """What can be exchanged in an expression that is no condition."""
        kind, span = node.get("kind"), node["span"]
        if span is None:
            return
        if kind == "DeclRefExpr" and node.get("referencedDecl", {}).get("kind") == "EnumConstantDecl":
            other = self.enumerators.get(node["referencedDecl"]["id"])
            name = node["referencedDecl"]["name"]
            text = self._text(span)
            if other and other != name and text.endswith(name):
                self._edit(span, "choice", mutants=(text[:len(text) - len(name)] + other,))
        elif kind in _LITERALS:
            text = self._text(span)
            if kind == "UserDefinedLiteral" and text.startswith('"'):
                return
            more = {"UserDefinedLiteral": "2 * {}", "CharacterLiteral": "static_cast<char>({} + 1)"}
            self._edit(span, "choice", mutants=(more.get(kind, "{} + 1").format(text),))
        elif kind in _CALLS or kind in ("BinaryOperator", "CompoundAssignOperator"):
            if self._has_await(node):
                return
            operation = self._operation(node)
            other = operation and _ARITHMETIC.get(operation[1])
            if other and "basic_string" not in type_of(node) and not type_of(node).endswith("*"):
                self._edit(span, "choice", mutants=(self._with_operator(node, operation, other),))
            callee = _CALLEE.match(self._text(span))
            if callee and kind != "BinaryOperator":
                self._edit(span, "choice",
                           mutants=(callee[1] + _OPPOSITES[callee[2]] + self._text(span)[callee.end():],))
        elif kind == "UnaryOperator" and node.get("opcode") == "-":
            self._edit(span, "choice", mutants=(self._text((span[0] + 1, span[1])),))

    # Statements.

    def _is_expression(self, node):
        kind = node.get("kind") or "Stmt"
        return not kind.endswith(("Stmt", "Decl")) and node.get("type") is not None

    def _statement_end(self, end):
        match = re.compile(rb"\s*;").match(self.source, end)
        return match and match.end()

    def _is_droppable(self, node):
        kind = node.get("kind")
        if kind in ("BreakStmt", "ContinueStmt"):
            return True
        if kind in ("ReturnStmt", "CoreturnStmt"):
            operand = next((one for one in node.get("inner", ()) if one.get("kind")), None)
            is_void = operand is None or type_of(operand) == "void"
            return is_void or kind == "CoreturnStmt" and operand["span"] is None
        if kind == "CXXForRangeStmt":
            return True
        return self._is_expression(node) and core_of(node).get("kind") != "CStyleCastExpr"

    def _statement(self, node):
        if not node.get("kind"):
            return
        span = node["span"]
        if self._is_droppable(node) and span is not None:
            end = span[1] if self.source[span[1] - 1:span[1]] == b"}" and node["kind"] == "CXXForRangeStmt" else (
                self._statement_end(span[1]))
            if node["kind"] == "CXXForRangeStmt" and not end:
                end = span[1]
            if end:
                self._edit((span[0], end), "drop", mutants=("",))
        if self._is_expression(node):
            core = core_of(node)
            self._own_mutants(core)
            self._children(core)
        else:
            self._walk(node)

    def _if(self, node):
        inner = list(node["inner"])
        if node.get("hasInit"):
            self._statement(inner.pop(0))
        if node.get("hasVar"):
            variable = inner.pop(0)
            condition = inner.pop(0)
            self._walk(variable)
            declared = variable["inner"][0]
            if variable["span"]:
                end = variable["span"][1] - (self._text(variable["span"])[-1:] == ";")
                self._edit((variable["span"][0], end), "force_variable", texts=(declared["name"],), mutants=("false",))
        else:
            condition = inner.pop(0)
            if node.get("isConstexpr"):
                pass
            else:
                self._condition(condition, "if")
        for branch in inner:
            self._statement(branch)

    def _switch(self, node):
        *before, condition, body = node["inner"]
        for one in before:
            self._statement(one)
        self._walk(condition)
        groups = []

        def labels(case, group):
            if case.get("kind") != "CaseStmt":
                return
            constant = case["inner"][0]
            if constant["span"]:
                group.append(self._text(constant["span"]))
            labels(case["inner"][-1], group)

        for statement in body.get("inner", ()):
            group = []
            labels(statement, group)
            if group:
                groups.append(group)
        if len(groups) > 1 and condition["span"]:
            swaps = [(label, following[0]) for group, following in zip(groups, groups[1:] + groups[:1])
                     for label in group]
            self._edit(condition["span"], "switch", texts=tuple(f"{one}, {other}" for one, other in swaps),
                       mutants=tuple(f"{one} goes to {other}" for one, other in swaps))
        statements = body.get("inner", [])
        ends_function = node["span"] and self.source[node["span"][1]:].startswith(b"\n}")
        for statement, following in zip(statements, [*statements[1:], None]):
            # Without its break a group goes on with the next one: that changes nothing where there is none, or where
            # it does nothing.
            leaf, other = _leaf(statement), following and _leaf(following)
            is_needless = leaf.get("kind") in ("BreakStmt", "ReturnStmt") and not leaf.get("inner") and (
                other.get("kind") == leaf["kind"] and not other.get("inner") if other else
                leaf["kind"] == "BreakStmt" or ends_function)
            if not is_needless:
                self._case(statement)

    def _case(self, node):
        if node.get("kind") in ("CaseStmt", "DefaultStmt"):
            self._case(node["inner"][-1])
        else:
            self._statement(node)

    def _for_range(self, node):
        *_, body = node["inner"]
        for one in node["inner"][:2]:
            for variable in one.get("inner", ()):
                if variable.get("name", "").startswith("__range"):
                    self._children(variable)
        self._statement(body)

    # Declarations.

    def _variable(self, node):
        span, at = node["span"], node["at"]
        token = node.get("constexpr") and span and at and re.search(rb"\bconstexpr\b", self.source[span[0]:at[1]])
        before = self.in_constants, self.everywhere
        in_function, in_class = bool(self.function), self.in_class
        if token and in_function and self.in_constants:
            return
        known = len(self.edits)
        static = in_class or not in_function or node.get("storageClass") == "static" or bool(token)
        self.everywhere = self.everywhere or static
        if token:
            self.in_constants = False
        self._children(node)
        self.in_constants, self.everywhere = before
        if token and len(self.edits) > known:
            begin = span[0] + token.start()
            text = "const" if not in_function or node.get("storageClass") == "static" else "static const"
            text = "inline const" if in_class else text
            for edit in self.edits[known:]:
                edit.variable = node["name"]
            self._edit((begin, begin + len("constexpr")), "constant", texts=(text, node["name"]))

    in_class = False

    def _walk(self, node):
        kind = node.get("kind")
        if not kind or kind in _NO_PLACES or node.get("isImplicit"):
            return
        if node["file"] not in (None, self.path):
            return
        if kind == "StaticAssertDecl":
            end = node["span"] and self._statement_end(node["span"][1])
            return self._edit((node["span"][0], end), "replace", texts=("",)) if end else None
        if kind in ("FunctionTemplateDecl", "ClassTemplateDecl", "VarTemplateDecl"):
            declared = [one for one in node["inner"] if one.get("kind", "").endswith(("MethodDecl", "FunctionDecl",
                                                                                   "RecordDecl", "VarDecl",
                                                                                   "ConstructorDecl"))]
            return self._walk(declared[0]) if declared else None
        if kind in ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"):
            if node["span"] and node["at"] and b"consteval" in self.source[node["span"][0]:node["at"][1]]:
                return None  # only the compiler runs it, for a static_assert
            before = self.function, self.in_constants, self.in_class
            self.function, self.in_constants, self.in_class = node.get("name", ""), bool(node.get("constexpr")), False
            if not node.get("explicitlyDefaulted"):
                self._children(node)
            self.function, self.in_constants, self.in_class = before
        elif kind == "CXXRecordDecl":
            before = self.function, self.in_class
            self.function, self.in_class = node.get("name", self.function), True
            self._children(node)
            self.function, self.in_class = before
        elif kind in ("FieldDecl", "ParmVarDecl"):
            before, self.in_constants = self.in_constants, True
            self._children(node)
            self.in_constants = before
        elif kind == "VarDecl":
            self._variable(node)
        elif kind == "LambdaExpr":
            before, self.everywhere = (self.everywhere, self.in_class), False
            self.in_class = False
            *captures, body = node["inner"][1:]
            for inner in captures:  # the name of a variable that is captured is no expression in the source
                if inner["span"] and re.search(rb"[={(]\s*$", self.source[:inner["span"][0]]):
                    self._walk(inner)
            self._walk(body)
            self.everywhere, self.in_class = before
        elif kind == "CompoundStmt":
            for inner in node.get("inner", ()):
                self._statement(inner)
        elif kind == "IfStmt":
            self._if(node)
        elif kind == "SwitchStmt":
            self._switch(node)
        elif kind in ("CaseStmt", "DefaultStmt"):
            self._case(node)
        elif kind == "CXXForRangeStmt":
            self._for_range(node)
        elif kind == "ForStmt":
            begin, _, condition, step, body = node["inner"]
            self._walk(begin)
            if condition.get("kind"):
                self._condition(condition, "loop")
            if step.get("kind"):
                self._children(step)
            self._statement(body)
        elif kind == "WhileStmt":
            *variable, condition, body = node["inner"]
            for one in variable:
                self._walk(one)
            if not variable and core_of(condition).get("kind") != "CXXBoolLiteralExpr":
                self._condition(condition, "loop")
            self._statement(body)
        elif kind == "DoStmt":
            body, condition = node["inner"]
            self._statement(body)
            self._condition(condition, "loop")
        elif kind in ("CoreturnStmt", "CoawaitExpr", "CoroutineBodyStmt"):
            if node.get("inner"):
                self._walk(node["inner"][0])
        elif kind == "ConditionalOperator":
            condition, *branches = node["inner"]
            if condition["span"]:
                self._condition(condition, "if")
            for branch in branches:
                self._walk(branch)
        elif self._is_expression(node) and type_of(node) == "bool" and node.get("valueCategory") == "prvalue":
            self._condition(node, "value")
        else:
            self._own_mutants(node)
            self._children(node)

    def _children(self, node):
        for inner in node.get("inner", ()):
            self._walk(inner)


def find(clang, flags, path, root):
    source = (root / path).read_bytes()
    return source, Finder(source, parse(clang, flags, str(root / path)), str(root / path)).edits
