#!/usr/bin/env bash
set -euo pipefail
. "$(dirname "$0")/folders.sh"

base=$1
shift
for folder in "$@"; do
    fields=()
    while read -r field; do fields+=("${field/: /:}"); done <"$folder/fields"
    body=(--ignore-stdin)
    input=/dev/null
    if [ -e "$folder/body" ]; then
        body=()
        input=$folder/body
    fi
    http --pretty=none --print=hb "${body[@]}" "$(<"$folder/method")" "$base$(<"$folder/path")" "${fields[@]}" \
        <"$input" >"$folder/answer"
    answer_of "$folder" <"$folder/answer"
    # The body begins after the first empty line.
    length=$(sed -n '1,/^\r*$/p' "$folder/answer" | wc -c)
    tail -c +$((length + 1)) "$folder/answer" >"$folder/answer-body"
done
