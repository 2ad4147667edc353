#!/usr/bin/python3
"""check_silence.py LIMIT_S terminal|pipe COMMAND...: runs it and ends with 0 where it did,
or had no time for all of it (4), and was never silent for longer; says what the longest
silence was, and when it began.

Time in which this watcher had no processor itself is not held against the command."""
import os
import pty
import select
import subprocess
import sys
import time

TICK_S = 0.05

limit_s, kind, *command = sys.argv[1:]
if kind == "terminal":
    heard, end = pty.openpty()
    child = subprocess.Popen(command, stdin=end, stdout=end, stderr=end)
else:
    heard, end = os.pipe()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=end, stderr=end)
os.close(end)

begin = before = time.monotonic()
silence_s, longest_s, longest_at, n_said = 0.0, 0.0, 0.0, 0
while True:
    ready, _, _ = select.select([heard], [], [], TICK_S)
    now = time.monotonic()
    silence_s += min(now - before, 2 * TICK_S)
    before = now
    if silence_s > longest_s:
        longest_s, longest_at = silence_s, now - begin - silence_s
    if not ready:
        continue
    try:
        part = os.read(heard, 65536)
    except OSError:  # a terminal whose other end is closed
        part = b""
    if not part:
        break
    silence_s = 0.0
    n_said += 1
code = child.wait()
print(f"{kind}: {now - begin:.1f} s in all, said something {n_said} times, longest silence {longest_s:.1f} s, "
      f"from {longest_at:.1f} s on: {' '.join(command[1:])}")
is_good = code in (0, 4)
if not is_good:
    print(f"exit status {code}")
sys.exit(not is_good or longest_s > float(limit_s))
