#!/bin/sh
# bench/flight.sh from end to end on two devices of PoCL, with small sizes: what it says of
# a pipeline follows from its sittings. How fast one is nobody asks. Part of
# `make check-full`.
. "$top_srcdir/tests/cli/common.sh"
flight=$top_srcdir/bench/flight.sh
TPLAN_CALIBRATE_MOST=0.2 TPLAN_CALIBRATE_WAIT=0 ROWS=16 SITTINGS=3 ROUNDS=2 FLIGHT=3 PAIRS=pthread,basic
export TPLAN_CALIBRATE_MOST TPLAN_CALIBRATE_WAIT ROWS SITTINGS ROUNDS FLIGHT PAIRS
if ! POCL_DEVICES="pthread basic" "$TPLAN" devices -q 2> /dev/null | grep -q '^opencl:1 *ready'; then
  echo "1..0 # SKIP no two devices of PoCL"; exit 0
fi

# measure VARIABLE=VALUE...: the script with these.
measure () { env "$@" "$flight" "$TPLAN" > .out 2> .err; }

"$flight" > .out 2> .err; [ $? -eq 2 ] && err_has '^usage: '; say $? "who names no program is told what to name"
measure PAIRS=none,basic; [ $? -eq 1 ] && err_has '^towers on none,basic: tplan: '; say $? "a pair that is not there is told, and none is left"

measure FORMAT=json WORK="$work/kept" && out_has '"verdict"' && err_has '^machine: .* 3 in flight$'; say $? "a pipeline is measured"
cp .out first
cat "$work"/kept/pthread,basic-towers.sitting-? > sittings
awk 'function near (a, b) { return a <= b * 1.001 + 0.0015 && b <= a * 1.001 + 0.0015 }
     function at (key) { match (row, "\"" key "\": [0-9.]+"); return substr (row, RSTART + length (key) + 4, RLENGTH - length (key) - 4) + 0 }
     FNR == NR { row = $0; next }
     { r = $3 / $4; n++; sum += r; if (n == 1 || r < least) least = r; if (r > most) most = r
       disturbed += $5; if ($1 != at("busy") || !near($4 / 1e6, at("predicted_ms"))) bad = 1 }
     END { exit !(!bad && n == 3 && at("sittings") == 3 && at("disturbed") == disturbed && near(least, at("least")) && near(most, at("most")) &&
                  near(sum - least - most, at("ratio")) && at("ratio") > 0 &&
                  near(at("ratio") * at("predicted_ms"), at("flight_ms"))) }' first sittings
say $? "its row is what the sittings say"
measure FORMAT=json WORK="$work/kept" && cmp -s .out first; say $? "what is kept is not measured again"
measure WORK="$work/kept" && out_has '^towers  *pthread,basic  *[12]  .*[0-3]/3  *\(within 15 %\|apart\|disturbed\|no pipeline\)$'
say $? "as a table, too"
finish
