#!/bin/sh
# Drivers that hang, crash or end the process when they are first met: named, left
# out, and the rest goes on.
. "$G_TEST_SRCDIR/driver-common.sh"
echo "$fake" > "$work/vendors/bad.icd"
# Enough for the good driver on a machine that hardly gets to run. Who has to wait
# for that waits beside the others, each in a folder of its own with what it finds.
TPLAN_DRIVER_TIMEOUT=20
export TPLAN_DRIVER_TIMEOUT

# enter NAME: where what comes does no harm.
enter ()
{
  mkdir "$1" && cp mlp.json "$1" && cd "$1" || exit 99
  XDG_CACHE_HOME=$PWD/cache
}
# keep NAME ARGUMENT...: the exit status, .out and .err of it, until it is judged.
keep ()
{
  name=$1; shift
  "$TPLAN" "$@" > "$name.out" 2> "$name.err"
  echo $? > "$name.code"
}
# judge CODE NAME: what was kept of it becomes .out and .err.
judge ()
{
  cp "$2.out" .out && cp "$2.err" .err && read -r code < "$2.code" && [ "$code" -eq "$1" ] \
    || { echo "exit status ${code:-none}, not $1" >> .err; return 1; }
}

meet () { enter "$1" && TEST_DRIVER=$2 keep devices devices --format=csv; }

# What was bad is not met again by those who only plan; `devices` tries anew.
turn_good ()
{
  enter better && export TEST_DRIVER="hang platforms"
  keep bad devices
  keep plan optimize mlp.json -o plan.json --driver-timeout=1h
  keep run run plan.json -n 1 --driver-timeout=1h
  export TEST_DRIVER=
  keep mended devices --format=csv
}
# One that was good, and is not any more.
turn_bad ()
{
  enter worse && export TEST_DRIVER=
  keep good devices
  export TEST_DRIVER="hang platforms"
  keep worse optimize mlp.json -o plan.json --driver-timeout=1
  keep again devices
  keep without optimize mlp.json -o plan.json
}

whats="hang-load hang-platforms hang-devices hang-context
       exit-load exit-platforms exit-devices exit-context
       crash-load crash-platforms crash-devices crash-context"
(turn_good) &
(turn_bad) &
for what in $whats; do
  case $what in
    hang-*) (meet $what "hang ${what#*-}") & ;;
    *) (meet $what "${what%-*} ${what#*-}") ;;
  esac
done
wait

# The good driver's device is there, and the bad driver is told of.
for what in $whats; do
  judge 0 $what/devices; say $? "devices: $what"
  out_has '^opencl:0,ready'; say $? "  the other is there"
  ! out_has '^opencl:1'; say $? "  this one is not"
  err_has 'bad.icd'; say $? "  and is named"
done
judge 0 better/bad; say $? "hangs once more"
judge 0 better/plan; say $? "optimize does without it"
err_has 'bad.icd'; say $? "  and says so"
judge 0 better/run; say $? "run does without it"
judge 0 better/mended; say $? "a driver that was mended"
! err_has 'bad.icd'; say $? "  is met anew"
judge 0 worse/good && ! err_has 'bad.icd'; say $? "a driver that is good"
judge 6 worse/worse; say $? "  hangs"
err_has 'tplan devices'; say $? "  which says who finds out"
judge 0 worse/again && err_has 'bad.icd'; say $? "  who does"
judge 0 worse/without; say $? "  and leaves it out"

# What was found is believed where only we can have written it, and nobody waits for a
# file that has no end.
export TEST_DRIVER=
enter planted
mkdir vendors && cp "$OCL_ICD_VENDORS/good.icd" vendors
OCL_ICD_VENDORS=$PWD/vendors
known=$XDG_CACHE_HOME/tplan/drivers
try 0 devices && sed 's/^fault=.*/fault=was planted/' "$known" > planted; say $? "a list of drivers"
plant () { rm -rf "$XDG_CACHE_HOME" && mkdir -p "${known%/*}" && chmod 700 "${known%/*}" && cp planted "$known"; }
run () { try 0 run -n 1 --warmup=0 --devices=opencl:0 --timeout=60 mlp.json && ! err_has 'was planted'; }
plant; try 6 run --devices=opencl:0 mlp.json && err_has 'was planted'; say $? "  of ours is believed"
(ulimit -n 300 && run); say $? "  not under other limits: a driver may fail for lack of a stack"
plant; (ulimit -n 300 && try 0 devices) && sed -i 's/^fault=.*/fault=was planted/' "$known"
run; say $? "  nor without those that it failed under"
plant; chmod 777 "${known%/*}"
run; say $? "  not in a folder that others can write to"
plant; rm "$known"; ln -s "$PWD/planted" "$known"
run; say $? "  nor by a link"
plant; rm "$known"; mkfifo "$known"
run; say $? "  a pipe is not waited for"
plant; chown 65534 "$known" 2> /dev/null
[ "$(stat -c %u "$known")" != 65534 ] || run; say $? "  nor of another user"

# A file whose name has control characters, brackets or bytes of no text is a driver too.
enter named
name=$(printf 'a[b]\001\t\177\377%%.icd')
mkdir vendors && cp "$OCL_ICD_VENDORS/good.icd" "vendors/$name"
OCL_ICD_VENDORS=$PWD/vendors
known=$XDG_CACHE_HOME/tplan/drivers
try 0 devices && ! err_has CRITICAL; say $? "a driver with an odd name"
sed 's/^fault=.*/fault=was planted/' "$known" > planted && cp planted "$known"
try 6 run --devices=opencl:0 mlp.json && err_has 'was planted'; say $? "  is known again"
cd "$work" || exit 99
XDG_CACHE_HOME=$work/cache OCL_ICD_VENDORS=$work/vendors

# Nothing is left behind where the whole command is given up: its file is its mark.
export TEST_DRIVER="hang platforms"
is_gone () { for _ in $(seq 600); do pgrep -f "$1" > /dev/null || return 0; sleep 0.1; done; return 1; }
try 5 optimize mlp.json -o "$work/given-up.json" --timeout=0.2 --driver-timeout=1h; say $? "--timeout ends it"
is_gone "$work/given-up.json"; say $? "  and the child with it"
try 2 devices --driver-timeout=often; say $? "a time that is none"

# A driver alone: without it there is no OpenCL device.
rm "$work/vendors/good.icd"
export TEST_DRIVER="exit devices"
try 6 calibrate --devices=opencl:0; say $? "calibrate with no driver left"
err_has 'bad.icd'; say $? "  names it"
try 6 calibrate --devices=ref,opencl:0; say $? "calibrate with ref beside it"
finish
