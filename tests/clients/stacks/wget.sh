#!/usr/bin/env bash
set -euo pipefail
. "$(dirname "$0")/folders.sh"

base=$1
shift
for folder in "$@"; do
    method=$(<"$folder/method")
    arguments=(--server-response --content-on-error --tries=1)
    if [ "$method" = HEAD ]; then arguments+=(--spider); else arguments+=(--method="$method"); fi
    while read -r field; do arguments+=(--header="$field"); done <"$folder/fields"
    [ ! -e "$folder/body" ] || arguments+=(--body-file="$folder/body")
    : >"$folder/answer-body"
    status=0
    wget --no-config -nv -O "$folder/answer-body" "${arguments[@]}" "$base$(<"$folder/path")" 2>"$folder/said" || status=$?
    # Status 6 is a 401, and 8 is another answer of 400 or more; anything else that is not 0 went wrong.
    case $status in 0 | 6 | 8) ;; *) cat "$folder/said" >&2; exit 1 ;; esac
    # Two blanks stand before each line of a header, and before no other line.
    sed -n 's/^  //p' "$folder/said" | answer_of "$folder"
done
