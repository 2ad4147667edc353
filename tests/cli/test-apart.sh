#!/bin/sh
# A run says when processors are not as they were when kernels were timed, tells
# undisturbed runs apart, and keeps nothing of the others.
. "$(dirname "$0")/common.sh"
TPLAN_CALIBRATE_WAIT=0; export TPLAN_CALIBRATE_WAIT

if [ "$(nproc)" -lt 2 ] || ! "$TPLAN" devices 2> /dev/null | grep -q '^cpu  *ready'; then
  echo "1..0 # SKIP needs two processors and the cpu device"; exit 0
fi
try 0 calibrate mlp.json --devices cpu --threads 2 && try 0 cost export && cp .out near.json
say $? "calibrate"
# As if a cache line had gone there and back in 1 ns.
sed 's/"handover_ns": [0-9]*/"handover_ns": 1/' near.json > far.json
TPLAN_COST=$work/far.db; export TPLAN_COST
# On a busy machine the other thread may not be up when it looks first, so nothing to wait for.
waits () {
  for i in 1 2 3 4 5 6 7 8; do
    try 0 run mlp.json --devices cpu --threads 2 -n 12 --wait 0.3 --format json || return 1
    err_has '^waiting for processors' && [ "$(json apart_runs)" = 12 ] && return 0
  done
  return 1
}
try 0 cost import far.json && waits; say $? "run"
[ "$(json apart_runs)" = 12 ] && [ "$(json calm_runs)" = 0 ] && [ "$(json calm_median_ns)" = null ]; say $? "none is undisturbed"
err_has 'times are longer than foretold$' && err_has 'is not kept'; say $? "it says so"
try 0 run mlp.json --devices cpu --threads 2 -n 12 --format csv; say $? "without waiting"
! err_has '^waiting'; say $? "says nothing of it"
try 0 run mlp.json --devices cpu --threads 1 -n 12 --format json && [ "$(json apart_runs)" = 0 ]; say $? "one thread needs no other"
# As if what fills a core had taken 30 times as long as it does; of where processors are
# nothing is known, so a busy machine takes no part.
sed 's/"contention": [0-9]*/"contention": 20000/; s/"\(handover_ns\|crowding\)": [0-9]*/"\1": 0/' near.json > company.json
TPLAN_COST=$work/company.db
is_calmer ()
{
  for i in 1 2 3 4 5 6 7 8; do
    try 0 run mlp.json --devices cpu --threads 2 -n 12 || return 1
    err_has 'times are shorter than foretold' && return 0
  done
  return 1
}
try 0 cost import company.json && is_calmer; say $? "figures of others' company"
# All figures of a table are told at one clock, whatever it was when the later ones were taken.
clocks () { try 0 cost export && cp .out clocks.json && sed -n 's/.*"fma_ns": \([0-9]*\).*/\1/p' clocks.json | sort -u; }
sed 's/"fma_ns": [0-9]*/"fma_ns": 700000/; s/"\(handover_ns\|crowding\|contention\)": [0-9]*/"\1": 0/' near.json > slow.json
sed "s/\([ [[]\)32\([],]\)/\148\2/g" mlp.json > wide.json
TPLAN_COST=$work/slow.db
try 0 cost import slow.json && try 0 calibrate wide.json --devices cpu --threads 2 && [ "$(clocks)" = 700000 ]
say $? "figures to come are told at the clock of those that are there"
TPLAN_COST=$work/own.db
(
  TPLAN_SYSTEM_COST=$work/slow.db; export TPLAN_SYSTEM_COST
  sed "s/\([ [[]\)32\([],]\)/\164\2/g" mlp.json > wider.json
  try 0 calibrate wider.json --devices cpu --threads 2 && [ "$(clocks)" = 700000 ] || exit 1
  try 0 run wider.json --devices cpu --threads 2 -n 12 --format json && [ "$(json clock)" != null ]
)
say $? "and at that of the system's table"
# Of where processors are this table knows nothing, so a busy machine takes no part.
TPLAN_COST=$work/told.db
try 0 cost import slow.json; say $? "figures of a slow clock"
# As if the clock had been a hundredth of what it is: times are a hundredth of what they would be then.
is_told ()
{
  awk -v clock="$(json clock)" -v median="$(json median_ns)" -v calm="$(json calm_median_ns)" '
    BEGIN { exit !(clock > 20 && calm > median * clock / 4 && calm < median * clock * 4) }'
}
is_faster ()
{
  for i in 1 2 3 4 5 6 7 8; do
    try 0 run mlp.json --devices cpu --threads 2 -n 12 --format json || return 1
    [ "$(json calm_median_ns)" != null ] && is_told && return 0
  done
  return 1
}
is_faster; say $? "a run is told at the clock of the figures"
err_has 'times are shorter than foretold$'; say $? "it says that the clock was another"
try 0 run mlp.json --devices cpu --threads 2 -n 12 && { ! out_has undisturbed || out_has 'told at the clock of calibrating'; }
say $? "for people, too"
# A plan without ops on the cpu has processors as well: here they are near however far.
if "$TPLAN" devices 2> /dev/null | grep -q '^opencl:0  *ready'; then
  TPLAN_COST=$work/opencl.db
  try 0 calibrate mlp.json --devices opencl:0 --threads 2 && try 0 cost export && cp .out opencl.json
  say $? "calibrate a device whose threads take all processors"
  sed 's/"\(handover_ns\|crowding\)": [0-9]*/"\1": 10000000/' opencl.json > anywhere.json
  TPLAN_COST=$work/anywhere.db
  is_here ()
  {
    for i in 1 2 3 4 5 6 7 8; do
      try 0 run mlp.json --devices opencl:0 --threads 2 -n 12 --format json || return 1
      [ "$(json apart_runs)" = 0 ] && return 0
    done
    return 1
  }
  try 0 cost import anywhere.json && is_here; say $? "its processors are looked at"
else
  echo "# no OpenCL device: what its runs say of processors is not tried"
fi
TPLAN_COST=$work/far.db
try 0 run mlp.json --devices $sims -n 12 --wait 1h --format json && [ "$(json apart_runs)" = 0 ] && [ "$(json calm_runs)" = 12 ]
say $? "nobody disturbs what is simulated"
try 2 run mlp.json --devices cpu --wait long; say $? "a time that is none"
finish
