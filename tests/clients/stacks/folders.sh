# Those command lines that show the header as it came use this to tell what they saw. See tests/clients/checks.py.

# answer_of FOLDER: takes the last of the headers on standard input as the answer's.
answer_of() {
    tr -d '\r' | awk -v status="$1/answer-status" -v fields="$1/answer-fields" '
        /^HTTP\// { code = $2; text = ""; inside = 1; next }
        !NF { inside = 0 }
        inside { text = text $0 "\n" }
        END { printf "%s", code > status; printf "%s", text > fields }'
}
