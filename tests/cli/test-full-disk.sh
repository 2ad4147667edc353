#!/bin/sh
# A disk that fills at any moment of a calibration, an import or an output: an error, the
# table stays whole with all it had, and no half of a file is left. On a disk of its own.
if [ -z "${own_mounts:-}" ]; then
  unshare -rm sh -c 'mount -t tmpfs none /mnt' 2> /dev/null \
    || { echo "1..0 # SKIP no file system can be mounted here"; exit 0; }
  own_mounts=1 exec unshare -rm sh "$0"
fi
. "$(dirname "$0")/common.sh"
TPLAN_CALIBRATE_MOST=0.01 TPLAN_CALIBRATE_WAIT=0
export TPLAN_CALIBRATE_MOST TPLAN_CALIBRATE_WAIT

mkdir disk && mount -t tmpfs -o size=2m none disk || exit 99
table=$TPLAN_COST
try 0 calibrate -q --devices ref mlp.json && try 0 cost export -o figures.json; say $? "figures"
try 0 optimize -q --devices ref mlp.json -o p.json; say $? "a plan"

# fill KIB: so much is free then.
fill ()
{
  free=$(df -k --output=avail disk | tail -n 1)
  head -c $(((free - $1) * 1024)) /dev/zero > disk/ballast
}
count () { "$TPLAN" cost show ref --format=csv 2> /dev/null | wc -l; }

if [ -n "${TPLAN_TEST_FULL:-}" ]; then rooms=$(seq 0 4 120); else rooms='0 8 16 20 28 36 44 56'; fi
# walk NAME COMMAND...: with each room; of a table begun on that disk, or of what is in it.
walk ()
{
  name=$1; shift
  bad=0 full=0
  for room in $rooms; do
    rm -f disk/*
    [ "$name" = "a new table" ] || cp "$table" disk/cost.db
    before=$(count)
    fill "$room"
    "$TPLAN" "$@" > .out 2> .err
    code=$?
    rm disk/ballast
    case $code in
      0) ;;
      1) full=$((full + 1)); err_has 'disk is full' || { echo "$room: another error" >> .err; bad=1; } ;;
      *) echo "$room: exit status $code" >> .err; bad=1 ;;
    esac
    { [ $code -eq 0 ] || [ "$(count)" -ge "$before" ]; } && "$TPLAN" cost list > /dev/null 2>> .err \
      || { echo "$room: figures are gone" >> .err; bad=1; }
    "$TPLAN" "$@" > /dev/null 2>> .err || { echo "$room: not with room either" >> .err; bad=1; }
    [ $bad -eq 0 ] || break
  done
  [ $bad -eq 0 ]; say $? "$name: whole after each"
  [ $full -gt 0 ]; say $? "$name: the disk was full $full times"
}
TPLAN_COST=$work/disk/cost.db
walk "a new table" calibrate -q --devices ref mlp.json
sed 's/32]/48]/; s/\[32,/[48,/' mlp.json > other.json
walk "more in a table" calibrate -q --devices ref other.json
walk "a new table" cost import figures.json
walk "a table loses rows" cost forget ref

TPLAN_COST=$table
# What drivers compile goes elsewhere.
if "$TPLAN" devices 2> /dev/null | grep -q '^opencl:0  *ready'; then
  rm -f disk/*
  fill 0
  (XDG_CACHE_HOME=$work/disk; export XDG_CACHE_HOME; unset POCL_CACHE_DIR; try 0 run -n 1 --warmup 0 -d opencl:0 mlp.json)
  status=$?
  [ $status -eq 0 ] && err_has "cache folder '.*/pocl' is on a disk that is full"; say $? "no room in the cache"
  rm -r disk/*
fi
for output in "optimize mlp.json --devices ref -o disk/p.json" "optimize mlp.json --devices ref -o disk/p.json.gz" \
    "optimize mlp.json --devices ref -o disk/p.svg" "convert mlp.json -o disk/m.onnx" "report p.json -o disk/r.html" \
    "machine -o disk/m.svg" "cost export -o disk/c.json"; do
  rm -f disk/*
  fill 0
  # shellcheck disable=SC2086
  try 1 $output && err_has 'No space left'; say $? "$output: no room"
  rm disk/ballast
  [ -z "$(ls -A disk)" ]; say $? "  nothing is left of it"
done
finish
