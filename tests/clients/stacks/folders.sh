# How the command lines tell what they saw, for those that show the header as it came. See tests/clients/checks.py.

# answer_of FOLDER: of the headers on standard input, the last one is the answer's.
answer_of() {
    tr -d '\r' | awk -v status="$1/answer-status" -v fields="$1/answer-fields" '
        /^HTTP\// { code = $2; text = ""; inside = 1; next }
        !NF { inside = 0 }
        inside { text = text $0 "\n" }
        END { printf "%s", code > status; printf "%s", text > fields }'
}
