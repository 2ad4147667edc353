#!/bin/sh
# Who waits at a terminal is told that the program is at work: here one that waits for a
# table that another writes to, until the test has seen it.
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
finish
