#!/bin/sh
# This is a till on the command line, on top of sales_gateway.sh.
#
#     till.sh options [QUERY]      what can be sold: the menu, or what a query such as "family=transit&…" asks for
#     till.sh sell ORDER           finishes what is on disk, then sells ORDER, which is JSON text
#     till.sh settle               only finishes what is on disk; run it at every start
#     till.sh receipt SALE-ID      prints another copy
#
# It exits 0: sold, or nothing is open any more; 1: not sold; 2: not known yet, or something is still open, run settle
# again; 64: wrong usage; 69: no gateway gave what was asked for; 70: the disk does not take the sale, nothing was sent.
# The environment may set SALES_GATEWAY (addresses with commas between them), SALES_GATEWAY_KEY, SALES_GATEWAY_FOLDER
# (of open sales), SALES_GATEWAY_PRINTER (a file or device; else standard output) and SALES_GATEWAY_RECEIPT (its query).
#
# Copyright 2026 The sales-gateway authors. Apache License 2.0.
SG_ADDRESSES=$(printf '%s' "${SALES_GATEWAY:-http://127.0.0.1:8080}" | tr ',' ' ')
SG_KEY=${SALES_GATEWAY_KEY:-demo-key-caixa-01}
SG_FOLDER=${SALES_GATEWAY_FOLDER:-open-sales}
SG_RECEIPT=${SALES_GATEWAY_RECEIPT:-format=text}
printer=${SALES_GATEWAY_PRINTER:-}
# shellcheck source=examples/shell/sales_gateway.sh
. "${0%/*}/sales_gateway.sh"
trap 'rm -f "$sg_body"' EXIT

# Appends the receipt to the printer. A device has it after the write, and a file when it is on the disk.
sg_print() {
    if [ -z "$printer" ]; then cat "$1"; return; fi
    cat "$1" >>"$printer" && if [ -f "$printer" ]; then sync "$printer"; fi
}

paid() {
    printf 'Paid? [y/n] ' >&2
    read -r answer && case $answer in [yY]*) true ;; *) false ;; esac
}

report() {
    case $sg_outcome:$sg_printed in
        sold:no) echo "sold $sg_key $sg_sale_id (receipt not printed yet: run settle)" ;;
        sold:*) echo "sold $sg_key $sg_sale_id" ;;
        not_sold:*) printf '%s\n' "not_sold $sg_key $sg_sale_id $sg_detail" ;;
        *)
            echo "pending $sg_key -"
            echo "It is not known yet whether this is sold ($sg_detail): run settle again" >&2 ;;
    esac
}

case ${1:-}:$# in
    options:[12]) sg_options "${2:-}" || { echo "It did not work: $sg_detail" >&2; exit 69; } ;;
    receipt:2) sg_receipt "$2" || { echo "It did not work: ${sg_detail:-the printer does not take it}" >&2; exit 69; } ;;
    settle:1) sg_settle report || exit 2 ;;
    sell:2)
        sg_settle report
        if ! sg_sell "$2" paid; then
            echo "$sg_detail. Make room on the disk or mend it, then sell again." >&2
            exit 70
        fi
        report
        case $sg_outcome in not_sold) exit 1 ;; pending) exit 2 ;; esac ;;
    *)
        sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
        exit 64 ;;
esac
