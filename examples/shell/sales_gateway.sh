# This is a client of the sales gateway for tills. Copy and source it: it needs a POSIX shell, curl and GNU's sync.
#
#     SG_ADDRESSES='http://192.168.1.2:8080' SG_KEY=… SG_FOLDER=open-sales SG_RECEIPT=format=text
#     sg_print() { lp "$1"; }                 # prints a file; succeeds as soon as the printer has it
#     sg_settle report                        # at every start: finishes what is on disk
#     sg_sell '{"family":"tv","produto":"TV Mensal","valor":4990,"cpf":"529.982.247-25"}'
#     [ "$sg_outcome" = sold ]                # and the receipt has been printed
#
# A sale is a file in the folder before the gateway hears of it, and until its receipt is printed. After a crash or a
# power cut the next sg_settle goes on with it under the same key, so it is sold once. If the folder is empty, nothing
# is open. It belongs to one running program, which makes one call at a time.
#
# Answers go through the file sg_body, which your script removes at the end: trap 'rm -f "$sg_body"' EXIT. These
# variables say what became of a sale: sg_key, sg_outcome (sold, not_sold or pending), sg_sale_id, sg_printed (yes or
# no: whether its receipt is on paper) and sg_detail, a sentence that explains the outcome.
#
# Copyright 2026 The sales-gateway authors. Apache License 2.0.
# shellcheck shell=sh disable=SC2034,SC2153  # who sources this reads and sets these

SG_CONNECT_S=5
SG_CALL_S=40                                            # longer than the wait that the gateway is asked for
SG_WAIT='Prefer: wait=25'
SG_PAUSES='0.2 0.4 0.8 1.6 3.2 5 5 5 5 5 5 0'           # in seconds, with one after each round over the addresses
SG_LONGEST_PAUSE_S=5
sg_body=
sg_cr=$(printf '\r')

# --- what a till does ---

# sg_options [QUERY]: prints as JSON what can be sold: the menu, or what a query asks for.
sg_options() {
    sg_get "/v1/options${1:+?$1}" && cat "$sg_body"
}

# sg_sell ORDER [PAID]: sells ORDER, JSON text. Where it has "confirm":"manual", the command PAID is run once the sale
# is held; it succeeds if the money is there. sg_sell fails if the sale could not be noted on disk: then nothing was
# sent, and sg_detail says why, and what a person has to remove.
sg_sell() {
    sg_key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n' | sed 's/\(.\{8\}\)\(....\)\(....\)\(....\)/\1-\2-\3-\4-/')
    sg_line=$(printf '%s' "$1" | tr '\r\n' '  ')
    if ! sg_why=$(sg_note "$SG_FOLDER/$sg_key.sell" 2>&1); then
        sg_detail="Nothing was sent: $sg_why$(sg_take_back "$SG_FOLDER/$sg_key.sell")"
        return 1
    fi
    sg_carry "$sg_key.sell" "${2:-false}"
    return 0
}

# sg_settle [REPORT]: carries every sale on disk to its end, and runs the command REPORT after each; a held sale without
# a note that it was paid is cancelled. It fails if something is still open.
sg_settle() {
    sg_open=0 sg_all_pauses=$SG_PAUSES
    for sg_file in "$SG_FOLDER"/*.sell "$SG_FOLDER"/*.confirm "$SG_FOLDER"/*.cancel; do
        [ -e "$sg_file" ] || continue
        sg_carry "${sg_file##*/}" false || continue
        ${1:-:}
        [ ! -e "$sg_path" ] || sg_open=$((sg_open + 1))
        [ "$sg_outcome" != pending ] || SG_PAUSES=0  # one round for each further sale: nobody waits for all
    done
    SG_PAUSES=$sg_all_pauses
    [ $sg_open -eq 0 ]
}

# sg_receipt SALE-ID: prints another copy, which says that it is one.
sg_receipt() {
    sg_get "/v1/sales/$1/receipt?$SG_RECEIPT" && sg_print "$sg_body"
}

# --- the law ---

# sg_carry NAME PAID: calls until there is an outcome. It fails if the file was never whole: then nothing was sent.
sg_carry() {
    sg_path=$SG_FOLDER/$1 sg_key=${1%.*} sg_wanted=${1##*.}
    sg_sale_id=- sg_printed=no sg_refusal='' sg_on_disk=yes
    if [ ! -s "$sg_path" ] || [ -n "$(tail -c 1 "$sg_path")" ]; then
        rm -f "$sg_path"
        return 1
    fi
    for sg_pause in $SG_PAUSES; do
        sg_send
        sg_decision=
        case $sg_wanted:$sg_outcome in
            *:sold | *:not_sold) break ;;
            sell:held) if "$2"; then sg_decision=confirm; else sg_decision=cancel; fi ;;
            *:)
                # The sale is cancelled by its key, so that no copy of it that is still under way can be sold later.
                if sg_is_refused; then
                    [ "$sg_wanted" = sell ] || break  # only a person can change that, such as a wrong key
                    sg_decision=cancel sg_refusal=$(sg_explain)
                fi ;;
        esac
        if [ -z "$sg_decision" ]; then
            sg_rest
        elif sg_why=$(mv "$sg_path" "$SG_FOLDER/$sg_key.$sg_decision" 2>&1 && sync "$SG_FOLDER" 2>&1); then
            sg_wanted=$sg_decision sg_path=$SG_FOLDER/$sg_key.$sg_decision
        else
            sg_on_disk=no
            break
        fi
    done
    sg_detail=${sg_refusal:-$(sg_explain)}
    [ $sg_on_disk = yes ] || sg_detail="the decision could not be noted on disk: $sg_why" sg_outcome=pending
    case $sg_outcome in
        sold)
            # Prints first, then removes the file: a crash in between leads to a copy, which the gateway marks as one.
            sg_sold=$sg_sale_id
            if sg_receipt "$sg_sold"; then sg_printed=yes; rm -f "$sg_path"; fi
            sg_outcome=sold sg_sale_id=$sg_sold sg_detail='' ;;
        not_sold) rm -f "$sg_path" ;;
        *) sg_outcome=pending sg_sale_id=- ;;
    esac
}

# Makes the call that the file's name says. A repetition is the same call to the gateway.
sg_send() {
    if [ "$sg_wanted" = cancel ]; then
        sg_ask /v1/cancel -X POST
        return
    fi
    sg_ask /v1/sell -H 'Content-Type: application/json' --data-binary "@$sg_path"
    if [ "$sg_wanted:$sg_outcome" = confirm:held ]; then sg_ask "/v1/sales/$sg_sale_id/confirm" -X POST; fi
}

# The gateway itself, and no other server, refuses this, now and later.
sg_is_refused() {
    case $sg_type in application/problem+json*) ;; *) return 1 ;; esac
    case $sg_outcome:$sg_status in :408 | :425 | :429) return 1 ;; :4??) ;; *) return 1 ;; esac
}

# sg_rest: waits as long as the gateway asks for, or else for sg_pause; it does not wait after the last try.
sg_rest() {
    [ "$sg_pause" != 0 ] || return 0
    case $sg_retry_after in
        '' | *[!0-9]*) ;;
        ? | ??) sg_pause=$sg_retry_after ;;
        *) sg_pause=$SG_LONGEST_PAUSE_S ;;
    esac
    case $sg_outcome:$sg_pause in pending:0*) sg_pause=1 ;; esac
    [ "${sg_pause%.*}" -le $SG_LONGEST_PAUSE_S ] || sg_pause=$SG_LONGEST_PAUSE_S
    sleep "$sg_pause"
}

# Prints the `detail` of the last answer's JSON, or whatever else can be said about the answer.
sg_explain() {
    sg_said='no gateway answered'
    if [ -n "$sg_status" ]; then
        sg_said=$(grep -oE '"detail":"(\\.|[^"\\])*"' "$sg_body" | sed '1!d; s/^"detail":"//; s/"$//; s/\\\(.\)/\1/g')
        case $sg_outcome in not_sold) sg_else='cancelled by its key' ;; *) sg_else="HTTP status $sg_status" ;; esac
    fi
    printf '%s\n' "${sg_said:-$sg_else}"
}

# --- the folder ---

# sg_note FILE: puts sg_line on the disk, not only into its cache, before the first byte leaves.
sg_note() (
    umask 077
    set -C  # FILE must be new
    [ -d "$SG_FOLDER" ] || mkdir -m 700 "$SG_FOLDER" || exit
    printf '%s\n' "$sg_line" >"$1" && sync "$1" "$SG_FOLDER" "$SG_FOLDER/.."
)

# sg_take_back FILE: empties the order on the disk, so it is never sent, even if its name stays; else says what a person
# has to do.
sg_take_back() {
    { [ ! -e "$1" ] || { true >"$1" && sync "$1"; }; } 2>/dev/null ||
        printf '; remove %s, also if a power cut brings it back, or it is sold later' "$1"
    rm -f "$1" 2>/dev/null
}

# --- the network ---

# sg_get PATH: leaves the answer's body in the file sg_body; or it fails and sg_detail says why.
sg_get() {
    sg_ask "$1"
    if [ "$sg_status" = 200 ]; then return 0; fi
    sg_detail=$(sg_explain)
    return 1
}

# sg_ask PATH [OPTION...]: asks the addresses in a round up to the first useful answer; else keeps the last one's.
sg_ask() {
    for sg_address in $SG_ADDRESSES; do
        sg_call "$@"
        if [ -n "$sg_outcome" ] || sg_is_refused || { [ $# -eq 1 ] && [ "$sg_status" = 200 ]; }; then return 0; fi
        SG_ADDRESSES="${SG_ADDRESSES#"$sg_address"} $sg_address"  # the one that answers comes first the next time
        SG_ADDRESSES=${SG_ADDRESSES# }
    done
}

# sg_call PATH [OPTION...]: makes one call with curl's options; a GET if there are none. It sets from the answer
# sg_status, sg_outcome, sg_sale_id, sg_retry_after and the file sg_body; there is no status if no whole answer came.
# Redirects are not followed.
sg_call() {
    sg_url=${sg_address%/}$1 sg_status='' sg_outcome='' sg_retry_after='' sg_sale_id=- sg_sized=no sg_whole=no sg_type=''
    : "${sg_body:=$(mktemp)}"
    : >"$sg_body"
    shift
    # The terminal's key is not among curl's arguments, which everybody on the machine can read.
    sg_head=$(
        printf 'Authorization: Bearer %s\nExpect:\n' "$SG_KEY" |
            if [ $# -eq 0 ]; then cat; else cat - && printf 'Idempotency-Key: %s\n%s\n' "$sg_key" "$SG_WAIT"; fi |
            curl -q -s -g --noproxy '*' --connect-timeout $SG_CONNECT_S --max-time $SG_CALL_S \
                -H @- -D - -o "$sg_body" "$@" "$sg_url"
    ) || return 0
    while IFS=: read -r sg_name sg_value; do
        sg_value=${sg_value# } sg_value=${sg_value%"$sg_cr"}
        case $sg_name in
            HTTP/*) sg_status=${sg_name#* } sg_status=${sg_status%% *} ;;
            [Ss]ale-[Ii]d) sg_sale_id=$sg_value ;;
            [Ss]ale-[Oo]utcome) case $sg_value in sold | not_sold | held | pending) sg_outcome=$sg_value ;; esac ;;
            [Rr]etry-[Aa]fter) sg_retry_after=$sg_value ;;
            [Cc]ontent-[Tt]ype) sg_type=$sg_value ;;
            [Cc]ontent-[Ll]ength | [Tt]ransfer-[Ee]ncoding) sg_sized=yes ;;  # curl has then looked whether all came
            "$sg_cr") sg_whole=yes ;;
        esac
    done <<HEAD
$sg_head
HEAD
    if [ $sg_sized$sg_whole != yesyes ] || [ ! -s "$sg_body" ]; then sg_status='' sg_outcome='' sg_sale_id=-; fi
}
