#!/bin/sh
# Who waits at a terminal is told that the program is at work: here one that waits for a
# table that another writes to, until the test has seen it. With TPLAN_TEST_FULL, that
# nothing is silent for long while it measures, plans and runs networks (NETWORKS).
. "$(dirname "$0")/common.sh"
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }
"$TPLAN" calibrate -q --devices ref > .out 2> .err; say $? "a cost table"

# wait_with OPTION...: holds the table until something is said, or the program ends.
wait_with ()
{
  "$python" - "$TPLAN" "$TPLAN_COST" "$@" > .out 2> .err <<'PY'
import os, pty, sqlite3, subprocess, sys
tplan, table, *options = sys.argv[1:]
held = sqlite3.connect(table, isolation_level=None)
held.execute("PRAGMA journal_mode = DELETE")
held.execute("BEGIN EXCLUSIVE")
terminal, end = pty.openpty()
child = subprocess.Popen([tplan, "cost", "show", *options], stdin=end, stdout=end, stderr=end)
os.close(end)
said = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        part = b""
    if not part:
        break
    said += part
    if held.in_transaction:
        held.execute("ROLLBACK")
sys.stdout.write(repr(said))
sys.exit(child.wait())
PY
}
wait_with; code=$?
[ $code -eq 0 ] && out_has "^b'.r.x1b.Kcost: [0-9]* s.r" && out_has 'x1b.K.*DEVICE'; say $? "it says its name and how long, and takes it away"
wait_with --quiet; code=$?
[ $code -eq 8 ] && ! out_has 'cost: '; say $? "not where it is to be quiet"
try 0 cost show && ! err_has 'cost: '; say $? "and not where there is nothing to wait for"

# Every command that takes a model says so again and again: all at once wait for one that
# nobody writes.
mkfifo awaited.json
cat > commands <<'END'
bench
calibrate
convert
explain
info
optimize
pareto
run
sweep
try
END
"$python" - "$TPLAN" > .out 2> .err <<'PY'
import os, pty, select, subprocess, sys
BEATS = 3
PATIENCE_S = 60  # with a machine that has much else to do
tplan = sys.argv[1]
waiting = []
with open("commands") as file:
    for name in file.read().split():
        extra = ["-o", "converted.json"] if name == "convert" else ["--dim", "N=1,2"] if name == "sweep" else []
        terminal, end = pty.openpty()
        child = subprocess.Popen([tplan, name, "awaited.json", *extra], stdin=end, stdout=end, stderr=end)
        os.close(end)
        waiting.append((name, terminal, child))
for name, terminal, child in waiting:
    said, beat = b"", b"\x1b[K%s: " % name.encode()
    while said.count(beat) < BEATS and select.select([terminal], [], [], PATIENCE_S)[0]:
        try:
            said += os.read(terminal, 4096)
        except OSError:
            break
    print(name, "beats" if said.count(beat) >= BEATS else f"says no more than {said}")
    child.kill()
    child.wait()
PY
while read -r name; do out_has "^$name beats$"; say $? "$name: it says so again and again"; done < commands

# never_silent ARGUMENT...: for no longer than 2 s on a terminal, nor 10 s elsewhere.
never_silent ()
{
  for kind in 'terminal 2' 'pipe 10'; do
    "$python" "$top_srcdir/tests/cli/check_silence.py" ${kind#* } ${kind% *} "$TPLAN" "$@" > .out 2> .err
    say $? "$(head -n 1 .out)"
  done
}
# of_network MODEL: all that measures, compiles, runs or draws.
of_network ()
{
  never_silent try -f "$1.json"
  never_silent calibrate "$1.json" --time-limit 15s
  never_silent calibrate "$1.json" --level tune --time-limit 15s
  never_silent calibrate "$1.json" --dim N=1,2 --time-limit 15s
  never_silent optimize -f "$1.json"
  never_silent optimize -f "$1.json" --verify
  never_silent bench "$1.json" --time-limit 12s
  never_silent run "$1.plan.json" --duration 12s
  never_silent run "$1.plan.json" --check
  never_silent run "$1.plan.json" --check-ops
  never_silent report -f "$1.plan.json" --measure
  never_silent view -f "$1.plan.json" --full -o "$1.svg"
  never_silent convert -f "$1.json" -o "$1.onnx"
  never_silent sweep "$1.json" --dim N=1,2,4
  never_silent pareto "$1.json" --devices cpu --watts cpu=65:10
}
# of_large MODEL: all that only reads, thinks and writes.
of_large ()
{
  never_silent info "$1.json"
  never_silent optimize -f "$1.json" --devices $sims -o "$1.plan.json"
  never_silent check "$1.plan.json"
  never_silent explain "$1.plan.json"
  never_silent report -f "$1.plan.json" -o "$1.html"
  never_silent view -f "$1.plan.json" -o "$1.svg"
  never_silent convert -f "$1.json" -o "$1.onnx"
}
if [ -z "${TPLAN_TEST_FULL:-}" ]; then
  n=$((n + 1)); echo "ok $n - networks # SKIP it takes minutes: TPLAN_TEST_FULL"
else
  for name in ${NETWORKS:-squeezenet1_1 resnet50}; do
    model=$top_builddir/examples/$name.json
    [ -f "$model" ] || continue
    ln -sf "$model" "$name.json"
    of_network "$name"
  done
  PYTHONPATH=$top_srcdir/bench "$python" -c 'import scale; scale.write_graph ("large.json", 300000, False)'
  of_large large
fi
finish
