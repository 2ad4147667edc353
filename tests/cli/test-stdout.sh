#!/bin/sh
# What is printed and gets nowhere is an error, for every command, and never lands in
# a file that the command opens.
. "$(dirname "$0")/common.sh"
[ -c /dev/full ] || { echo "1..0 # SKIP no /dev/full"; exit 0; }

# full NAME ARGUMENT...: status 1 and a reason where the disk is full, or nothing open.
full ()
{
  name=$1; shift
  "$TPLAN" "$@" > /dev/full 2> .err
  code=$?
  [ $code -eq 1 ] || echo "exit status $code" >> .err
  [ $code -eq 1 ] && err_has 'stdout'; say $? "$name on a full disk"
  "$TPLAN" "$@" >&- 2> .err
  code=$?
  [ $code -eq 1 ] || echo "exit status $code" >> .err
  [ $code -eq 1 ] && err_has 'stdout'; say $? "$name with stdout closed"
}

try 0 optimize --devices $sims mlp.json -o p.json; say $? "a plan"
try 0 calibrate --devices ref mlp.json; say $? "a table"
quick="-n 1 --warmup=0"

# What each command is tried with; one that is not here fails.
arguments ()
{
  case $1 in
  try) echo "-f -o t.json --devices ref mlp.json" ;;
  calibrate) echo "--devices ref --dim N=3 mlp.json" ;;
  optimize) echo "--devices $sims mlp.json" ;;
  run) echo "$quick --devices ref mlp.json" ;;
  bench) echo "-n 9 p.json" ;;
  check | explain | view) echo "p.json" ;;
  report) echo "p.json -o -" ;;
  sweep) echo "--devices $sims --dim N=1,2 mlp.json" ;;
  pareto) echo "--devices $sims mlp.json" ;;
  info) echo "mlp.json" ;;
  convert) echo "-f mlp.json -o c.json" ;; # says nothing
  machine) echo "show sim:desktop-cpu" ;;
  cost) echo "list" ;;
  devices | ops) ;;
  *) return 1 ;;
  esac
}

full "--help" --help
full "-h" -h
full "help" help
full "--version" --version
full "--complete" --complete 1 tplan ""
"$TPLAN" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' > verbs
[ "$(wc -l < verbs)" -ge 17 ]; say $? "commands are listed"
while read -r verb; do
  arguments "$verb" > with || { say 1 "$verb has no case here"; continue; }
  # shellcheck disable=SC2046
  [ "$verb" = convert ] || full "$verb" "$verb" $(cat with)
  full "$verb --help" "$verb" --help
  full "help $verb" help "$verb"
done < verbs
for format in json csv; do
  full "info --format $format" info --format $format mlp.json
  full "explain --format $format" explain --format $format p.json
done
full "cost export" cost export

# With nothing open at all a plan is written as ever, and nothing into it.
"$TPLAN" optimize --devices $sims mlp.json -o bare.json <&- >&- 2>&-
[ $? -eq 1 ] && try 0 check bare.json; say $? "a plan is whole with all three closed"
"$TPLAN" convert -f mlp.json -o c.json >&- 2> .err; say $? "who says nothing needs no stdout"
finish
