#!/bin/sh
# Does calibrating survive company? Measures MODELs in turns on the machine as it
# is and beside two processes that spin and one that streams memory, all of nice
# 0, and prints how the figures differ.
#
# usage: noise.sh TPLAN MODEL...        ROUNDS=3: each quiet and busy
#                                       OPTIONS=: more for `tplan calibrate`
#
# WORK=DIR keeps what is measured there: what DIR has is not measured again, so
# that it may be stopped and go on. PIECES=N: no more than so many calibrations,
# and without the others nothing is compared.
#
# Each calibration tells times at its own clock (docs/calibration.md): "at one clock"
# is what is left of the differences where these are made the same.
#
# "of the time": so much of the time of all kernels is in those that differ by no more.
#
# Aims: busy against quiet: 5 % in the median kernel, 15 % in 95 of 100; quiet
# against quiet: 2 % and 5 %; links of all runs: within 20 %; of the groups fused
# by figures of a quiet machine, 95 of 100 by those of a busy one. "covered": of the
# differences that lie within the two intervals. Only on a machine that is idle
# otherwise does "quiet" mean what it says. Run as root it also shows what a
# higher priority does; as another user what is left without. A host that moves
# the processors of a virtual machine apart for a while makes what its threads hand
# over to each other take several times as long: a calibration with 1.6 times the
# hand-over of the nearest is told, and only compared where too few are left.
tplan=$1; shift
if [ -n "${WORK:-}" ]; then
  work=$WORK
  mkdir -p "$work" || exit 99
  trash=
else
  work=$(mktemp -d) || exit 99
  trash=$work
fi
company=
disperse ()
{
  if [ -n "$company" ]; then
    kill $company 2> /dev/null
    wait $company 2> /dev/null
  fi
  company=
}
trap 'disperse; rm -rf $trash' EXIT
trap 'exit 130' INT TERM

gather ()
{
  for i in 1 2; do
    sh -c 'while :; do :; done' & company="$company $!"
  done
  dd if=/dev/zero of=/dev/null bs=64M 2> /dev/null & company="$company $!"
  sleep 1
}

TPLAN_SYSTEM_COST=$work/none.db
export TPLAN_SYSTEM_COST
# measure KIND ROUND MODEL...: a calibration from nothing, and plans by it
measure ()
{
  kind=$1 round=$2 name=$work/$1-$2
  shift 2
  rm -f "$name.db"*
  TPLAN_COST=$name.db; export TPLAN_COST
  [ $kind = busy ] && gather
  began=$(date +%s)
  "$tplan" calibrate $OPTIONS "$@" > "$name.txt" 2>&1 ||
    { cat "$name.txt"; exit 1; }
  ended=$(date +%s)
  [ $kind = busy ] && disperse
  for model; do
    "$tplan" optimize -q $OPTIONS -o "$work/plan.json" -f "$model" > /dev/null || exit 1
    cat "$work/plan.json"
  done > "$name.plans"
  "$tplan" cost export > "$name.json~" && mv "$name.json~" "$name.json" || exit 1
  echo "== $kind $round: $((ended - began)) s; load of the last minute $(cut -d' ' -f1 /proc/loadavg)"
  tail -n 3 "$name.txt"
}

left=${PIECES:-1000}
for round in $(seq "${ROUNDS:-3}"); do
  for kind in quiet busy; do
    [ -e "$work/$kind-$round.json" ] && continue
    [ $((left -= 1)) -ge 0 ] || exit 0
    measure $kind $round "$@"
  done
done
${PYTHON3:-python3} - "$work" "${ROUNDS:-3}" <<'PYTHON'
import itertools, json, statistics, sys

folder, rounds = sys.argv[1], int(sys.argv[2])
runs = {kind: [json.load(open(f"{folder}/{kind}-{i + 1}.json"))
               for i in range(rounds)] for kind in ("quiet", "busy")}

APART, ENOUGH = 1.6, {"quiet": 2, "busy": 1}

def get_handover(run):
    return statistics.median(entry["handover_ns"] for device in run["devices"]
                             for entry in device["entries"])

least = min(get_handover(run) for kind in runs for run in runs[kind])
for kind in runs:
    print("processors, there and back: %s %s" % (
        kind, " ".join("%.0f ns" % get_handover(run) for run in runs[kind])))
    near = [run for run in runs[kind] if get_handover(run) <= APART * least]
    if len(near) < len(runs[kind]):
        print("%d of %d %s calibrations are of processors far from each other%s" % (
            len(runs[kind]) - len(near), len(runs[kind]), kind,
            "" if len(near) >= ENOUGH[kind] else ", and compared all the same"))
    if len(near) >= ENOUGH[kind]:
        runs[kind] = near

SETTLED, FAILED = 0, 2

def entries(run, is_settled):
    return {(device["name"], entry["digest"], entry["schedule"]): entry
            for device in run["devices"] for entry in device["entries"]
            if entry["state"] == SETTLED
            or (entry["state"] != FAILED and not is_settled)}

def shared(device, pairs, is_settled):
    """Figures of one kernel in two calibrations, and how much slower the clock was
    that the second tells its times at."""
    for a, b in pairs:
        a, b = entries(a, is_settled), entries(b, is_settled)
        for key in a.keys() & b.keys():
            if key[0] == device:
                clock = b[key]["fma_ns"] / a[key]["fma_ns"] if a[key]["fma_ns"] else 1
                yield a[key], b[key], clock or 1

def tell(what, device, apart, n_pairs, more=""):
    if apart:
        apart.sort()
        print("%-16s %-10s %5d kernels: median %5.1f %%, 95 of 100 %5.1f %%,"
              " largest %6.1f %%%s" % (
                  what, device, len(apart) / n_pairs, 100 * statistics.median(apart),
                  100 * apart[int(0.95 * (len(apart) - 1))], 100 * apart[-1], more))

def tell_share(device, apart):
    """@apart: (differs by, time) of each kernel."""
    total, below = sum(time for _, time in apart), 0
    for differs, time in sorted(apart):
        below += time
        if below >= 0.95 * total:
            print("%-16s %-10s 95 %% of the time of all kernels is in those within %5.1f %%"
                  % ("  of the time", device, 100 * differs))
            break

SIZES = (("below 1 us", 0, 1e3), ("1 to 5 us", 1e3, 5e3), ("5 to 50 us", 5e3, 5e4),
         ("above", 5e4, float("inf")))

def compare(what, pairs, is_settled=False):
    for device in sorted({d["name"] for d in runs["quiet"][0]["devices"]}):
        found = [(x["median_ns"], y["median_ns"] / x["median_ns"], clock,
                  abs(y["median_ns"] / clock - x["median_ns"]) <= x["half_ns"] + y["half_ns"])
                 for x, y, clock in shared(device, pairs, is_settled)]
        if not found:
            continue
        covered = sum(is_covered for *_, is_covered in found)
        tell(what, device, [abs(ratio - 1) for _, ratio, *_ in found], len(pairs))
        tell("  at one clock", device, [abs(ratio / clock - 1) for _, ratio, clock, _ in found],
             len(pairs), ", covered %3.0f %%" % (100 * covered / len(found)))
        tell_share(device, [(abs(ratio / clock - 1), x) for x, ratio, clock, _ in found])
        for name, low, high in SIZES:
            tell("    " + name, device, [abs(ratio / clock - 1) for x, ratio, clock, _ in found
                                         if low <= x < high], len(pairs))

def compare_all(is_settled):
    compare("quiet and quiet", list(itertools.combinations(runs["quiet"], 2)), is_settled)
    compare("quiet and busy", list(itertools.product(runs["quiet"], runs["busy"])), is_settled)
    compare("busy and busy", list(itertools.combinations(runs["busy"], 2)), is_settled)

print("clock, the time of a chain of multiply-adds: %s" % ", ".join(
    "%s %s" % (kind, " ".join("%d" % max(entry["fma_ns"] for device in run["devices"]
                                         for entry in device["entries"]) for run in runs[kind]))
    for kind in runs))
compare_all(False)
print("of those settled in both (the others are said to be provisional):")
compare_all(True)

def groups(name):
    text, at, found = open(name).read(), 0, set()
    decoder, n = json.JSONDecoder(), 0
    while at < len(text):
        plan, at = decoder.raw_decode(text, at)
        found |= {(n, tuple(group)) for group in plan["groups"]}
        while at < len(text) and text[at].isspace():
            at += 1
        n += 1
    return found

taken = {kind: [groups(f"{folder}/{kind}-{i + 1}.plans") for i in range(rounds)]
         for kind in runs}
for other in ("quiet", "busy"):
    shares = [len(a & b) / len(a) for a in taken["quiet"] if a
              for b in taken[other] if a is not b]
    if shares:
        print("fusion: of %d groups taken when quiet, %s takes %.1f %% (least %.1f %%)"
              % (len(taken["quiet"][0]), "another quiet one" if other == "quiet"
                 else "a busy one", 100 * statistics.mean(shares), 100 * min(shares)))
for device in runs["quiet"][0]["devices"]:
    if device["is_host"]:
        continue
    for part in ("base_ns", "per_byte_ns"):
        for way in ("to_device", "to_host"):
            values = [d[f"{way}_{part}"] for run in runs["quiet"] + runs["busy"]
                      for d in run["devices"] if d["name"] == device["name"]]
            middle = statistics.median(values)
            print("%s %s %s: %s; apart by %.0f %%" % (
                device["name"], way, part,
                " ".join("%.3g" % value for value in values),
                100 * max(abs(value / middle - 1) for value in values)))
PYTHON
