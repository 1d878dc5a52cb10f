#!/usr/bin/env bash
# This makes the font of the console, gateway/console/pages/fonts/inter.woff2, out of Debian's package of Inter. Only
# what the pages show stays in it: Latin and the Latin-1 supplement, a few further signs, figures of equal width, and
# the weights from 400 to 700. It is called only when the pages need another sign: the file that it makes is committed.
# The package is that of Debian 12; later ones name the font's file otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. deploy/packages.sh
require_packages "${font_packages[@]}"

source=/usr/share/fonts/truetype/inter-vf/Inter-roman.var.ttf
target=gateway/console/pages/fonts/inter.woff2
# Dashes, spaces, quotation marks, bullet, ellipsis, arrows, euro and minus.
signs=U+0020-007E,U+00A0-00FF,U+2009,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D
signs+=,U+2022,U+2026,U+202F,U+2190,U+2192,U+20AC,U+2212
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

/usr/bin/python3 -m fontTools.varLib.instancer "$source" wght=400:700 --no-recalc-timestamp -q -o "$folder/weights.ttf"
# The names that stay are the font's, its copyright's and its licence's (0, 13 and 14).
/usr/bin/python3 -m fontTools.subset "$folder/weights.ttf" --unicodes="$signs" \
    --layout-features=kern,ccmp,locl,tnum,calt --name-IDs=0,1,2,5,13,14 --no-hinting \
    --flavor=woff2 --output-file="$target"
ls -l "$target"
