#!/bin/sh
# Plans from which a key is taken that they may do without claim no more than is left.
. "$(dirname "$0")/common.sh"
command -v python3 > /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
for objective in time throughput makespan energy price; do
  python3 "$top_srcdir/tests/cli/check_keys.py" "$TPLAN" "$top_srcdir/docs/schema/plan.schema.json" $objective > .out 2> .err
  say $? "for $objective"
done
finish
