#!/bin/sh
# Ordinary mistakes and what is said of them; test-hints.sh tries what is suggested.
. "$(dirname "$0")/common.sh"
. "$top_srcdir/tests/cli/mistakes.sh"

# What depends neither on the run nor on how tplan was built.
normalise ()
{
  tail -n 1 .err | sed "s/[0-9a-f]\{64\}/SHA256/g
    s/there are '[^:]*opencl[^ ]*'sim:PROFILE'/there are KINDS/
    s/there are '.*'sim:PROFILE'/there are KINDS/"
}

while read -r line; do
  case $line in ''|'#'*) continue ;; esac
  read -r wanted
  eval "set -- $line"
  "$TPLAN" "$@" > .out 2> .err
  code=$?
  [ "$code $(normalise)" = "$wanted" ] && [ ! -s .out ]
  status=$?
  [ "$status" -eq 0 ] || echo "wanted: $wanted" >> .err
  say "$status" "tplan $line"
done < "$top_srcdir/tests/cli/mistakes.list"
[ "$n" -ge 100 ]; say $? "ordinary mistakes: $n"

finish
