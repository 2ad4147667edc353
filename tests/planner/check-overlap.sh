#!/bin/sh
# What groups could gain if they overlapped (bench/overlap-gap.py): its MIP finds what
# trying everything finds on small problems, and of a network the bound that tplan proves.
# Wants scipy, of PYTHON_SCIPY. Part of `make check-full`.
set -u
python=${PYTHON_SCIPY:-$(command -v /usr/bin/python3 || command -v python3 || true)}
[ -n "$python" ] || { echo "1..0 # SKIP no python3"; exit 0; }
"$python" -c 'import scipy.optimize' 2> /dev/null || { echo "1..0 # SKIP no scipy: name a Python that has it in PYTHON_SCIPY"; exit 0; }
gap=$top_srcdir/bench/overlap-gap.py
machines=sim:laptop-cpu+sim:server-cpu,sim:server-gpu
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
n=0
say () # STATUS WHAT
{
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
    sed 's/^/# /' "$work/out"; echo "not ok $n - $2"; fi
}
seed=$(date +%s)
"$python" "$gap" --try "$seed" 100 > "$work/out" 2>&1; say $? "as by trying everything, seed $seed"
TPLAN_COST=$work/cost.db "$python" "$gap" "$top_builddir/cli/tplan" "$top_builddir/bench/overlap-groups" $machines \
  "$top_builddir/examples/mobilenet_v2.json" "$top_builddir/examples/bert_mini.json" > "$work/out" 2>&1; say $? "what is offered costs what tplan says"
echo "1..$n"
