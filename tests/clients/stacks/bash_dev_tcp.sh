#!/usr/bin/env bash
# This is a till without any HTTP library: it is bash with the few lines that RFC 9112 needs.
set -euo pipefail
. "$(dirname "$0")/folders.sh"

address=${1#http://}
shift
connect() { exec 3<>"/dev/tcp/${address%:*}/${address#*:}"; }
connect
for folder in "$@"; do
    method=$(<"$folder/method")
    {
        printf '%s %s HTTP/1.1\r\nHost: %s\r\n' "$method" "$(<"$folder/path")" "$address"
        while read -r field; do printf '%s\r\n' "$field"; done <"$folder/fields"
        [ ! -e "$folder/body" ] || printf 'Content-Length: %s\r\n' "$(stat -c %s "$folder/body")"
        printf '\r\n'
        [ ! -e "$folder/body" ] || cat "$folder/body"
    } >&3
    length=0
    closes=no
    : >"$folder/header"
    while IFS= read -r line <&3 && line=${line%$'\r'} && [ -n "$line" ]; do
        echo "$line" >>"$folder/header"
        case ${line,,} in
            'content-length: '*) length=${line#*: } ;;
            'connection: close') closes=yes ;;
        esac
    done
    : >"$folder/answer-body"
    [ "$method" = HEAD ] || head -c "$length" <&3 >"$folder/answer-body"
    answer_of "$folder" <"$folder/header"
    if [ $closes = yes ]; then connect; fi
done
