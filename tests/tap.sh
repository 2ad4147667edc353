# tap.sh: TAP from shell, and a folder that goes with the test. Sourced.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
n=0

# say STATUS NAME: one line of TAP; what the last command said (.out, .err or log) comes
# with a failure.
say ()
{
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $n - $2"
  else
    cat "$work/.out" "$work/.err" "$work/log" 2> /dev/null | tail -n 20 | sed 's/^/# /'
    echo "not ok $n - $2"
  fi
}

finish () { echo "1..$n"; }
