#!/bin/sh
# Do calibrations agree on what copies take? Calibrates DEVICE alone, without a
# model, N times from nothing, and prints each time of a copy, and how far bases and
# slopes lie from their medians. Aims at 20 % for both, and for the residual at
# sizes that are not fitted.
#
# usage: links.sh TPLAN [N] [DEVICE]     6 of opencl:0
#                                        OPTIONS=: more for `tplan calibrate`
#
# WORK=DIR keeps what is measured there: what DIR has is not measured again, so
# that it may be stopped and go on.
set -eu
tplan=$1 times=${2:-6} device=${3:-opencl:0}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
work=${WORK:-$folder}
mkdir -p "$work"
TPLAN_COST=$folder/cost.db TPLAN_SYSTEM_COST=$folder/none.db
export TPLAN_COST TPLAN_SYSTEM_COST
for i in $(seq "$times"); do
  [ -e "$work/$i.json" ] && continue
  rm -f "$folder"/cost.db*
  "$tplan" calibrate -q --devices="$device" ${OPTIONS:-} > /dev/null
  "$tplan" cost export > "$work/$i.json~"
  mv "$work/$i.json~" "$work/$i.json"
done
${PYTHON3:-python3} - "$work" "$times" "$device" <<'PYTHON'
import json, statistics, sys

folder, times, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = [next(d for d in json.load(open(f"{folder}/{i + 1}.json"))["devices"] if d["name"] == name)
        for i in range(times)]
for way in ("to_device", "to_host"):
    for row in rows:
        points = [point.split(":") for point in row[way + "_points"].split()]
        print("%-9s %6.1f us + %.4f ns a byte, residual %4.1f %% %s" % (
            way, row[way + "_base_ns"] / 1e3, row[way + "_per_byte_ns"], 100 * row[way + "_residual"],
            " ".join("%.4g:%.1f" % (float(n), float(ns) / 1e3) for n, ns in points)))
for way in ("to_device", "to_host"):
    for part in ("base_ns", "per_byte_ns"):
        values = [row[f"{way}_{part}"] for row in rows]
        middle = statistics.median(values)
        apart = max(abs(value / middle - 1) for value in values) if middle > 0 else 0
        print("%s %s: median %.4g, apart by %.1f %%" % (way, part, middle, 100 * apart))
print("residual at most %.1f %%" % (100 * max(row[way + "_residual"] for row in rows
                                             for way in ("to_device", "to_host"))))
PYTHON
