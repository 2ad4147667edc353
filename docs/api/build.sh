#!/bin/sh
# build.sh SOURCE FOLDER: the reference of libtplan, FOLDER/html and FOLDER/man/man3,
# of the header in the tree SOURCE. Warnings go to stderr. Status 77: no Doxygen.
set -eu
if ! command -v doxygen > /dev/null; then
  echo "no reference is made: there is no doxygen (apt-get install doxygen)" >&2
  exit 77
fi
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$1"
rm -rf "$out/html" "$out/man"
{ cat docs/api/Doxyfile; echo "OUTPUT_DIRECTORY = \"$out\""; } | doxygen -
# A page for each field of a struct would be in the way of others' pages.
find "$out/man/man3" -type f ! -name '[tT]plan*' ! -name 'TPLAN_*' -exec rm {} +
