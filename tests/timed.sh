#!/bin/sh
# timed.sh FILE COMMAND...: runs it and adds a line to FILE: the seconds of processor time
# that it and its children took, and the test's name. For `make check-times`.
file=$1; shift
"$@"
status=$?
name=$(printf '%s\n' "$@" | sed -n '/^--test-name$/{n;p;q}')
times > "$file.$$" # in a pipe it would be of a shell without children
awk -v name="${PWD##*/}/$name" '
  NR == 2 { for (i = 1; i <= 2; i++) { split ($i, t, "m"); sum += 60 * t[1] + t[2] } printf "%8.2f %s\n", sum, name }' \
  "$file.$$" >> "$file"
rm -f "$file.$$"
exit $status
