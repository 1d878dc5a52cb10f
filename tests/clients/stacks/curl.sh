#!/usr/bin/env bash
set -euo pipefail
. "$(dirname "$0")/folders.sh"

base=$1
shift
arguments=()
for folder in "$@"; do
    method=$(<"$folder/method")
    [ ${#arguments[@]} -eq 0 ] || arguments+=(--next)
    arguments+=(-sS -H "@$folder/fields" -D "$folder/header" "$base$(<"$folder/path")")
    if [ "$method" = HEAD ]; then
        arguments+=(--head -o /dev/null)
    else
        arguments+=(-X "$method" -o "$folder/answer-body")
    fi
    [ ! -e "$folder/body" ] || arguments+=(--data-binary "@$folder/body")
    : >"$folder/answer-body"
done
curl "${arguments[@]}"
for folder in "$@"; do
    answer_of "$folder" <"$folder/header"
done
