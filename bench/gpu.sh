#!/bin/sh
# What tplan is worth on this machine's GPU, in one command and at most eight minutes:
# whether every op is right there, what copies and launches cost, products, convolutions
# and rows against the device's peak and bandwidth, what tuning wins, networks on the CPU,
# on the GPU and mixed against their predictions, and torch beside them where python3 has
# it. Installs nothing; docs/gpu.md says what the figures mean.
#
# usage: gpu.sh [--quick] [--time SECONDS] [--device opencl:N] [--only PARTS] [OUT-FOLDER]
#
# Writes gpu.json, rewritten after each step, gpu.log and cost.json (the cost table) to
# OUT-FOLDER, $OUT or ./gpu-report, and goes on from a cost.json that is there. PARTS are
# some of "links conformance schedules products rows torch tune convolutions networks
# check". A step that fails, hangs or has no time left loses itself only. Runs from the
# folder of `make bindist`, or from a build that TPLAN_BUILD names.
set -u
quick=0 seconds=480 device= only= out=${OUT:-gpu-report}
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    --time) seconds=${2:?}; shift ;;
    --device) device=${2:?}; shift ;;
    --only) only=${2:?}; shift ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | grep -v '^set'; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${TPLAN_BUILD:-}" ]; then
  tplan=$TPLAN_BUILD/cli/tplan links=$TPLAN_BUILD/bench/gpu-links examples=$TPLAN_BUILD/examples
  conformance=$TPLAN_BUILD/tests/device/test-conformance schedules=$TPLAN_BUILD/tests/codegen/test-schedule-opencl
  TPLAN_MODULE_DIR=$TPLAN_BUILD/kernel/.libs; export TPLAN_MODULE_DIR
else
  bin=$(dirname "$here")/bin
  tplan=$bin/tplan links=$bin/gpu-links conformance=$bin/test-conformance schedules=$bin/test-schedule-opencl
  examples=$(dirname "$here")/examples
fi
"$tplan" --version > /dev/null || { echo "gpu.sh: $tplan does not run: unpack the folder of \`make bindist', or set TPLAN_BUILD" >&2; exit 1; }
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$work/steps" "$work/cache" "$work/state"
XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state TPLAN_COST=$work/cost.db TPLAN_CALIBRATE_WAIT=1
TPLAN_DRIVER_TIMEOUT=50 # a GPU that sleeps takes long to wake up
export XDG_CACHE_HOME XDG_STATE_HOME TPLAN_COST TPLAN_CALIBRATE_WAIT TPLAN_DRIVER_TIMEOUT
unset TPLAN_DEVICES TPLAN_SYSTEM_COST
begin=$(date +%s)
end=$((begin + seconds - 10)) # what a step leaves to be ended and written takes a while, too
: > "$out/gpu.log"

say () { printf '%s\n' "$*" | tee -a "$out/gpu.log"; }
wants () { case " $only " in '  '|*" $1 "*) return 0 ;; *) return 1 ;; esac; }
left () { echo $((end - $(date +%s))); }
# Standard input as a string of JSON.
quote () { tr -d '\000\r' | awk 'BEGIN { printf "\"" }
  { gsub (/\\/, "\\\\"); gsub (/"/, "\\\""); gsub (/\t/, " "); gsub (/[\001-\037\177]/, ""); printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }
  END { printf "\"" }'; }
# In awk: a share, null where what it is of is not known.
share='function share(x) { return x > 0 ? sprintf ("%.4f", x) : "null" }'
number () { case $1 in ''|*[!0-9.eE+-]*) echo null ;; *) echo "$1" ;; esac; }

# ---- steps ---------------------------------------------------------------------

# What there is so far, as one document that is never half there.
assemble ()
{
  {
    printf '{\n"format": "tplan-gpu/1",\n"version": %s,\n' "$("$tplan" --version | quote)"
    printf '"started_at": %s,\n"seconds": %s,\n"quick": %s,\n"device": %s,\n"complete": %s,\n"steps": {\n' \
      "$begin" "$(($(date +%s) - begin))" "$([ $quick = 1 ] && echo true || echo false)" \
      "$(printf %s "${device:-}" | quote)" "$1"
    comma=
    for step in "$work"/steps/*; do
      [ -f "$step" ] || continue
      printf '%s"%s": ' "$comma" "$(basename "$step" | sed 's/^[0-9]*-//')"
      cat "$step"; comma=,
    done
    printf '},\n"summary": {\n'
    if [ -s "$work/summary" ]; then cat "$work/summary"; fi
    printf '}\n}\n'
  } > "$work/gpu.json" && cp "$work/gpu.json" "$out/.gpu.json" && mv "$out/.gpu.json" "$out/gpu.json"
}

n_steps=100
# step NAME LIMIT COMMAND...: its standard output is the step's result if it is JSON.
# The output also stays in $work/NAME.out.
step ()
{
  name=$1 limit=$2; shift 2
  n_steps=$((n_steps + 1))
  [ "$(left)" -ge "$limit" ] || limit=$(left)
  started=$(date +%s)
  : > "$work/$name.out"; : > "$work/$name.err"
  if [ "$limit" -gt 2 ]; then
    timeout -k 3 "$limit" "$@" < /dev/null > "$work/$name.out" 2> "$work/$name.err"; status=$?
  else
    echo "no time left" > "$work/$name.err"; status=125
  fi
  took=$(($(date +%s) - started))
  {
    printf '{"status": %d, "seconds": %d' "$status" "$took"
    [ "$status" -eq 124 ] || [ "$status" -eq 137 ] && printf ', "timed_out": true'
    # A document that was cut off has no last line of its own.
    case $(head -c 1 "$work/$name.out")$(tail -n 1 "$work/$name.out") in
      '{}'|'{'*'}'|'[]'|'['*']') printf ', "result": '; cat "$work/$name.out" ;;
      *) if [ -s "$work/$name.out" ]; then printf ', "output": '; tail -c 20000 "$work/$name.out" | quote; fi ;;
    esac
    if [ -s "$work/$name.err" ]; then printf ', "errors": '; tail -c 4000 "$work/$name.err" | quote; fi
    printf '}\n'
  } > "$work/steps/$n_steps-$name"
  echo "== $name: status $status, $took s" >> "$out/gpu.log"
  tail -c 4000 "$work/$name.err" >> "$out/gpu.log"
  assemble false
  return "$status"
}

# ---- the driver -------------------------------------------------------------------

# Containers often have a GPU's driver and no file that names it to the loader.
names='libnvidia-opencl.so.1 libamdocl64.so libigdrcl.so libintelocl.so'
pattern='nvidia-opencl|amdocl|igdrcl|rusticl|mali|adreno'
folders="$(echo "${LD_LIBRARY_PATH:-}" | tr ':' ' ') /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/x86_64-linux-gnu
  /usr/lib/x86_64-linux-gnu/nvidia/current /usr/lib64 /usr/lib64/nvidia /usr/lib /usr/lib/nvidia /usr/local/cuda/lib64
  /usr/local/cuda/compat /usr/lib/wsl/lib /run/opengl-driver/lib /opt/intel/oneapi/compiler/latest/lib
  /usr/lib/x86_64-linux-gnu/intel-opencl $(ls -d /opt/rocm*/lib /opt/rocm*/opencl/lib /opt/amdgpu*/lib/* 2> /dev/null)"

# The first library of @names, by ldconfig, then in @folders.
find_library ()
{
  for name in $names; do
    found=$( { ldconfig -p || /sbin/ldconfig -p; } 2> /dev/null | awk -v name="$name" 'index ($1, name) == 1 && /x86-64/ { print $NF; exit }')
    for folder in $folders; do
      [ -n "$found" ] && break
      found=$(ls "$folder/$name" "$folder/$name".* 2> /dev/null | head -n 1)
    done
    [ -n "$found" ] && { echo "$found"; return; }
  done
}

# Is a GPU's driver that a file names where the loader looks? In containers it may be
# elsewhere, and the file that of the image.
has_known ()
{
  printf '%s\n' "$known" | grep -E "$pattern" | while read -r name; do
    case $name in
      /*) ls "$name" ;;
      *) { ldconfig -p || /sbin/ldconfig -p; } | grep -F "$name (" | grep x86-64
         for folder in $(echo "${LD_LIBRARY_PATH:-}" | tr ':' ' ') /lib /lib64 /usr/lib /usr/lib64; do ls "$folder/$name"; done ;;
    esac 2> /dev/null
  done | grep -q .
}

# Leaves the drivers alone that the loader finds, if one is of a GPU. OCL_ICD_FILENAMES
# is another loader's: ours does not read it.
find_driver ()
{
  vendors=${OCL_ICD_VENDORS:-${OPENCL_VENDOR_PATH:-/etc/OpenCL/vendors}}
  known=$(awk 1 "$vendors"/*.icd 2> /dev/null)
  library= made=false
  if ! has_known; then
    library=$(find_library)
    if [ -n "$library" ]; then
      made=true
      mkdir "$work/vendors" && echo "$library" > "$work/vendors/found.icd"
      OCL_ICD_VENDORS=$work/vendors
      # A driver loads its compiler by name.
      LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
      export OCL_ICD_VENDORS LD_LIBRARY_PATH
    fi
  fi
  printf '{"vendors": %s, "icd_files": %s, "looked_for": %s, "in": %s, "found": %s, "icd_made": %s}\n' \
    "$(printf %s "$vendors" | quote)" "$(printf %s "$known" | quote)" "$(printf %s "$names" | quote)" \
    "$(echo $folders | quote)" "$(printf %s "$library" | quote)" "$made" > "$work/driver.json"
}

# The first device that is of a GPU's driver, else the first of all.
choose_device ()
{
  awk -v pattern="$pattern|NVIDIA|AMD Accelerated|Intel.*Graphics|Mesa|rusticl" '
    /"name": "opencl:/ { split ($0, part, "\""); name = part[4]; if (first == "") first = name }
    /"identity": "opencl;/ && $0 ~ pattern && gpu == "" { gpu = name }
    END { print gpu != "" ? gpu : first }' "$work/devices.out"
}

# ---- the machine -------------------------------------------------------------------

describe_machine ()
{
  smi=$(timeout 20 nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.memory,compute_cap,pcie.link.gen.max,pcie.link.width.max --format=csv,noheader 2> /dev/null)
  printf '{"kernel": %s, "glibc": %s, "processors": %s, "lscpu": %s, "memory": %s, "load": %s, "nvidia_smi": %s, "python3": %s}\n' \
    "$(uname -srm | quote)" "$( (getconf GNU_LIBC_VERSION || ldd --version | head -n 1) 2> /dev/null | quote)" \
    "$(number "$(getconf _NPROCESSORS_ONLN 2> /dev/null)")" \
    "$( (LC_ALL=C lscpu 2> /dev/null || grep -m 1 'model name' /proc/cpuinfo) | head -n 40 | quote)" \
    "$(head -n 1 /proc/meminfo | quote)" "$(quote < /proc/loadavg)" "$(printf %s "$smi" | quote)" \
    "$(python3 --version 2>&1 | quote)"
}

# The peak of the fp32 units by the vendor's figures; empty where unknown.
nominal_gflops ()
{
  units=$(sed -n 's/.*"identity": "opencl;.*units=\([0-9]*\);.*/\1/p' "$work/devices.out" | head -n 1)
  echo "${smi:-}" | head -n 1 | awk -F', *' -v units="${units:-0}" '{
    lanes["6.0"] = 64; lanes["7.0"] = 64; lanes["7.5"] = 64; lanes["8.0"] = 64
    lanes["6.1"] = lanes["8.6"] = lanes["8.7"] = lanes["8.9"] = lanes["9.0"] = 128
    lanes["10.0"] = lanes["10.3"] = lanes["12.0"] = 128
    if (units > 0 && $6 in lanes && $4 + 0 > 0) printf "%.0f", units * lanes[$6] * 2 * $4 / 1000
  }'
}

# ---- whether it is right --------------------------------------------------------------

# Every op on the device, in parts beside each other; what fails is tried again in
# parts of parts, to lose as little as possible and to name all that is wrong.
walk_part () # PART LIMIT
{
  TPLAN_TEST_PART=$1 timeout -k 3 "$2" "$conformance" --seed R02S6cf3d2a1e5b70948c1f6a2d7093b5e84 \
    -p "/conformance/$device" > "$work/walk/$(echo "$1" | tr / -)" 2>&1
  echo "$? $1" >> "$work/walk/status"
}
walk_parts () # LIMIT, parts on standard input
{
  running=0
  while read -r part; do
    [ "$(date +%s)" -lt "$walk_end" ] || { echo "125 $part" >> "$work/walk/status"; continue; }
    walk_part "$part" "$1" &
    running=$((running + 1))
    if [ $running -ge "$jobs" ]; then wait; running=0; fi
  done
  wait
}
walk () # SECONDS
{
  mkdir "$work/walk"; : > "$work/walk/status"
  walk_end=$(($(date +%s) + $1))
  jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1); [ "$jobs" -le 16 ] || jobs=16
  parts=$([ $quick = 1 ] && echo 12 || echo 24)
  seq "$parts" | sed "s|\$|/$parts|" | walk_parts 60
  cp "$work/walk/status" "$work/walk/first"
  awk -v parts="$parts" '$1 != 0 && $1 != 125 { split ($2, at, "/")
    for (i = 0; i < 8; i++) print at[1] + i * parts "/" parts * 8 }' "$work/walk/first" | walk_parts 30
  right=$(grep -c '^0 ' "$work/walk/first")
  units=$(cat "$work"/walk/*-"$parts" | sed -n 's/.*: \([0-9]*\) units$/\1/p' | awk '{ n += $1 } END { print n + 0 }')
  wrong=$(awk -v all="/$((parts * 8))" '$1 != 0 && index ($2, all)' "$work/walk/status" | while read -r code part; do
    case $code in
      124|137) echo "part $part: not done in time"; continue ;;
      125) echo "part $part: no time left to try it"; continue ;;
    esac
    echo "part $part: $(grep -v '^#\|^ok\|^1\.\.' "$work/walk/$(echo "$part" | tr / -)" 2> /dev/null | tail -n 3)"; done)
  printf '{"units": %d, "parts": %d, "right": %d, "not_tried": %d, "wrong": %s}\n' "$units" "$parts" "$right" \
    "$(grep -c '^125 ' "$work/walk/first")" "$(printf %s "$wrong" | quote)"
}

# ---- models ------------------------------------------------------------------------------

product () # N
{
  cat > "$work/sgemm-$1.json" <<JSON
{ "format": "tplan-graph/1", "name": "sgemm-$1", "opset": 17,
  "inputs": [{"name": "a", "dtype": "float32", "shape": [$1, $1]}, {"name": "b", "dtype": "float32", "shape": [$1, $1]}],
  "outputs": ["y"], "ops": [{"name": "op", "type": "MatMul", "inputs": ["a", "b"], "outputs": ["y"]}] }
JSON
}
rows () # NAME TYPE ROWS COLUMNS MORE-INPUTS ATTRS
{
  cat > "$work/$1.json" <<JSON
{ "format": "tplan-graph/1", "name": "$1", "opset": 17,
  "inputs": [{"name": "x", "dtype": "float32", "shape": [$3, $4]}],
  "initializers": [{"name": "s", "dtype": "float32", "shape": [$4], "fill": 1}],
  "outputs": ["y"], "ops": [{"name": "op", "type": "$2", "inputs": ["x"$5], "outputs": ["y"]$6}] }
JSON
}

# Those of ResNet50, each once: channels, filters, side, kernel, step.
resnet50_convolutions='3 64 224 7 2
64 64 56 1 1
64 64 56 3 1
64 256 56 1 1
256 64 56 1 1
256 128 56 1 1
128 128 56 3 2
256 512 56 1 2
128 512 28 1 1
512 128 28 1 1
128 128 28 3 1
512 256 28 1 1
256 256 28 3 2
512 1024 28 1 2
256 1024 14 1 1
1024 256 14 1 1
256 256 14 3 1
1024 512 14 1 1
512 512 14 3 2
1024 2048 14 1 2
512 2048 7 1 1
2048 512 7 1 1
512 512 7 3 1'
# They are one model, a result each; those of one size read the same input.
convolutions_model () # BATCH HOW-MANY
{
  echo "$resnet50_convolutions" | head -n "$2" | awk -v batch="$1" '
    function add(all, one) { return all == "" ? one : all ",\n    " one }
    { name = sprintf ("conv-%dx%d-%d-%d-%d-%d", $4, $4, $1, $2, $3, $5); from = "x-" $1 "-" $3; pad = int ($4 / 2)
      if (!(from in seen)) inputs = add(inputs, sprintf ("{\"name\": \"%s\", \"dtype\": \"float32\", \"shape\": [%d, %d, %d, %d]}", from, batch, $1, $3, $3))
      seen[from] = 1
      outputs = add(outputs, "\"" name "\"")
      weights = add(weights, sprintf ("{\"name\": \"w-%s\", \"dtype\": \"float32\", \"shape\": [%d, %d, %d, %d], \"random\": {\"seed\": %d, \"std\": 0.05}}", name, $2, $1, $4, $4, NR))
      ops = add(ops, sprintf ("{\"name\": \"%s\", \"type\": \"Conv\", \"inputs\": [\"%s\", \"w-%s\"], \"outputs\": [\"%s\"], \"attrs\": {\"kernel_shape\": [%d, %d], \"strides\": [%d, %d], \"pads\": [%d, %d, %d, %d]}}",
        name, from, name, name, $4, $4, $5, $5, pad, pad, pad, pad)) }
    END { printf "{ \"format\": \"tplan-graph/1\", \"name\": \"convolutions\", \"opset\": 17,\n  \"inputs\": [%s],\n  \"initializers\": [%s],\n  \"outputs\": [%s],\n  \"ops\": [%s] }\n",
      inputs, weights, outputs, ops }' > "$work/convolutions.json"
}

# A model all on the device, steps waited for, after its kernels were calibrated.
run_op () # NAME
{
  step "$1" 60 "$tplan" run -q --devices "cpu,$device" --pin "*=$device" --warmup 2 --repeat 5 --profile \
    --format json "$work/$1.json"
}

# What it took, and what was predicted of it: of the step called "op".
op_times () { awk '/"name": "op"/ { on = 1 } on && /"measured_ns"/ { gsub (/[^0-9]/, ""); m = $0 }
  on && /"predicted_ns"/ { gsub (/[^0-9]/, ""); print m, $0; exit }' "$work/$1.out"; }

network () # NAME BATCH SECONDS; once
{
  [ -f "$examples/$1.json" ] && ! grep -qx "$1 $2" "$work/tried" || return
  echo "$1 $2" >> "$work/tried"
  step "calibrate-$1-$2" $(($3 + 15)) "$tplan" calibrate -q --devices "cpu,$device" --dim "N=$2" --time-limit "$3" \
    --format json "$examples/$1.json"
  step "net-$1-$2" 45 "$tplan" bench -q --devices "cpu,$device" --dim "N=$2" --time-limit "$bench_seconds" --format json \
    "$examples/$1.json" && echo "$1 $2" >> "$work/networks"
  tail_of_network "$1" "$2"
}

# (Numbers are printed with %.0f, since %d of mawk ends at 2^31.)
# "name median predicted low high" of each contestant; a plan that is all on one
# device stands for that one too.
contestants () { awk -F'[:,]' '/"(name|device)":/ { gsub (/[" ]/, ""); sub (/,$/, "") }
  /^name:/ { name = substr ($0, 6); on = "" } /^device:/ { on = substr ($0, 8) }
  /"median_ns"/ { m = $2 } /"predicted_ns"/ { p = $2 } /"predicted_low_ns"/ { l = $2 }
  /"predicted_high_ns"/ { print name, m, p, l, $2
    if (name == "plan" && on != "" && on != "null") print on, m, p, l, $2 }' "$work/net-$1-$2.out"; }

# One object of JSON about a network, and a line for people.
tail_of_network ()
{
  contestants "$1" "$2" | awk -v net="$1" -v batch="$2" -v device="$device" -v log_file="$work/line" '
    { m[$1] = $2; p[$1] = $3; low[$1] = $4; high[$1] = $5
      if (best == 0 || $2 < best || ($2 == best && winner == "plan")) { best = $2; winner = $1 } }
    function figure(x) { return x > 0 ? sprintf ("%.0f", x) : "null" }
    END {
      if (!("plan" in m)) exit
      miss = m["plan"] > 0 ? p["plan"] / m["plan"] - 1 : 0
      within = m["plan"] >= low["plan"] && m["plan"] <= high["plan"]
      printf "{\"network\": \"%s\", \"batch\": %d, \"winner\": \"%s\", \"plan_ns\": %s, \"predicted_ns\": %s, \"cpu_ns\": %s, \"device_ns\": %s, \"error\": %.4f, \"within\": %s, \"regret\": %.4f}\n",
        net, batch, winner, figure(m["plan"]), figure(p["plan"]), figure(m["cpu"]), figure(m[device]), miss, within ? "true" : "false", m["plan"] / best - 1
      printf "%-16s batch %3d: plan %9.3f ms (predicted %9.3f, %+.0f %%), cpu %s, %s %s, winner %s, regret %.1f %%\n",
        net, batch, m["plan"] / 1e6, p["plan"] / 1e6, 100 * miss, m["cpu"] ? sprintf ("%.3f ms", m["cpu"] / 1e6) : "cannot",
        device, m[device] ? sprintf ("%.3f ms", m[device] / 1e6) : "cannot", winner, 100 * (m["plan"] / best - 1) > log_file
    }' >> "$work/summary.networks"
  if [ -s "$work/line" ]; then say "$(cat "$work/line")"; rm -f "$work/line"; fi
  summarise
}

list () { if [ -s "$1" ]; then sed '$!s/$/,/' "$1"; fi; }   # lines to members of an array

summarise ()
{
  {
    printf '"peak_gflops": %s,\n"peak_nominal_gflops": %s,\n"bandwidth_gbps": %s,\n' "$(number "$peak")" "$(number "$nominal")" "$(number "$bandwidth")"
    printf '"products": [\n'; list "$work/summary.products"
    printf '],\n"rows": [\n'; list "$work/summary.rows"
    printf '],\n"convolutions": [\n'; list "$work/summary.convolutions"
    printf '],\n"tuned": [\n'; list "$work/summary.tuned"
    printf '],\n"networks": [\n'; list "$work/summary.networks"
    printf '],\n"crossover": {\n'
    # From which batch on the device alone is faster than the CPU alone; of those tried.
    awk -F'[":,{} ]+' '{ net = $3; for (i = 1; i < NF; i++) { if ($i == "batch") b = $(i + 1)
        if ($i == "cpu_ns") c = $(i + 1); if ($i == "device_ns") d = $(i + 1); if ($i == "plan_ns") p = $(i + 1); if ($i == "winner") w = $(i + 1) }
      if (!(net in seen)) { order[++n] = net; seen[net] = 1 }
      if (c != "null" && d != "null" && d + 0 < c + 0 && (!(net in least) || b + 0 < least[net])) least[net] = b + 0 }
      END { for (i = 1; i <= n; i++) printf "\"%s\": %s%s\n", order[i], ((order[i] in least) ? least[order[i]] : "null"), (i < n ? "," : "") }' \
      "$work/summary.networks" 2> /dev/null
    printf '},\n"torch": [\n'; list "$work/summary.torch"
    printf ']\n'
  } > "$work/summary"
  "$tplan" cost export > "$work/cost.json" 2> /dev/null && cp "$work/cost.json" "$out/cost.json"
  assemble false
}

# ---- what is done, the most wanted first --------------------------------------------------

peak= nominal= bandwidth=
for part in products rows convolutions tuned networks torch; do : > "$work/summary.$part"; done
: > "$work/tried"
describe_machine > "$work/machine.json"
step machine 30 cat "$work/machine.json"
find_driver
step driver 10 cat "$work/driver.json"
step devices 60 "$tplan" devices --format json
[ -n "$device" ] || device=$(choose_device)
if [ -z "$device" ]; then
  say "no OpenCL device: looked for $names in $(echo $folders) and by ldconfig; icd files in $vendors: ${known:-none}"
  assemble true
  exit 1
fi
say "$("$tplan" devices -q --format csv | grep "^$device,")"
case $device in *:*) index=${device#*:} ;; esac

if [ $quick = 1 ]; then
  sizes='64 256' long=1024 walk_seconds=40 bench_seconds=2 batch=1 n_convolutions=3
else
  sizes='256 512 1024 2048 4096' long=65536 walk_seconds=60 bench_seconds=4 batch=64 n_convolutions=23
fi
calibrate_limit () { [ $quick = 1 ] && echo 15 || echo "$1"; }

if [ -s "$out/cost.json" ]; then "$tplan" cost import "$out/cost.json" > /dev/null 2>> "$out/gpu.log"; fi

# What there is without a model: peak, bandwidth, launches and links.
constant () # NAME: of the device
{
  awk -v name="\"$device\"" -v key="\"$1\"" 'index ($0, "\"name\": " name) { on = 1 }
    on && index ($0, key) { gsub (/[^0-9.]/, ""); print; exit }' "$work/constants.out"
}
step constants 60 "$tplan" calibrate -q --devices "$device" --time-limit 30 --format json
step constants-cpu 30 "$tplan" calibrate -q --devices cpu --time-limit 15 --format json
peak=$(constant peak_gflops)
bandwidth=$(constant bandwidth_gbps)
nominal=$(nominal_gflops)
say "$device: peak ${peak:-unknown} GFLOP/s measured, ${nominal:-unknown} by the vendor; bandwidth ${bandwidth:-unknown} GB/s"
if wants links; then step links 30 "$links" "$index"; fi
if wants conformance; then
  n_before=$(left)
  [ "$n_before" -gt "$walk_seconds" ] || walk_seconds=$n_before
  walk "$walk_seconds" > "$work/walk.json" 2>> "$out/gpu.log"
  step conformance 10 cat "$work/walk.json"
  say "conformance: $(cut -c 1-400 "$work/walk.json") ($((n_before - $(left))) s)"
fi
if wants schedules; then step schedules 40 "$schedules" -p /schedule-opencl/gpu; fi

products ()
{
  models=
  for n in $sizes; do product "$n"; models="$models $work/sgemm-$n.json"; done
  step calibrate-products 75 "$tplan" calibrate -q --devices "$device" --time-limit "$(calibrate_limit 45)" --format json $models
  for n in $sizes; do
    run_op "sgemm-$n"
    op_times "sgemm-$n" | while read -r measured predicted; do
      awk -v n="$n" -v m="$measured" -v p="$predicted" -v peak="${nominal:-${peak:-0}}" "$share"'
        BEGIN { printf "{\"n\": %d, \"measured_ns\": %.0f, \"calibrated_ns\": %.0f, \"gflops\": %.1f, \"calibrated_gflops\": %.1f, \"of_peak\": %s}\n",
          n, m, p, 2 * n ^ 3 / m, (p > 0 ? 2 * n ^ 3 / p : 0), share(peak > 0 && p > 0 ? 2 * n ^ 3 / p / peak : 0) }' >> "$work/summary.products"
      say "sgemm $n: $(tail -n 1 "$work/summary.products")"
    done
  done
  summarise
}
if wants products; then products; fi

# Rows: what memory bounds. Bytes are those of input and output.
row_ops ()
{
  rows copy Relu $long 1024 '' ''
  rows softmax Softmax $((long / 8)) 1024 '' ', "attrs": {"axis": -1}'
  rows layernorm LayerNormalization $((long / 8)) 768 ', "s"' ', "attrs": {"axis": -1}'
  rows transpose Transpose $((long / 8)) 1024 '' ', "attrs": {"perm": [1, 0]}'
  step calibrate-rows 60 "$tplan" calibrate -q --devices "$device" --time-limit "$(calibrate_limit 30)" --format json \
    "$work/copy.json" "$work/softmax.json" "$work/layernorm.json" "$work/transpose.json"
  for op in copy softmax layernorm transpose; do
    run_op $op
    columns=1024 lines=$((long / 8))
    [ $op = copy ] && lines=$long
    [ $op = layernorm ] && columns=768
    op_times $op | while read -r measured predicted; do
      awk -v op="$op" -v m="$measured" -v p="$predicted" -v bytes="$((2 * 4 * lines * columns))" -v bandwidth="${bandwidth:-0}" "$share"'
        BEGIN { printf "{\"op\": \"%s\", \"bytes\": %.0f, \"measured_ns\": %.0f, \"calibrated_ns\": %.0f, \"gbps\": %.2f, \"calibrated_gbps\": %.2f, \"of_bandwidth\": %s}\n",
          op, bytes, m, p, bytes / m, (p > 0 ? bytes / p : 0), share(bandwidth > 0 && p > 0 ? bytes / p / bandwidth : 0) }' >> "$work/summary.rows"
      say "$op: $(tail -n 1 "$work/summary.rows")"
    done
  done
  summarise
}
if wants rows; then row_ops; fi

convolutions ()
{
  convolutions_model $batch $n_convolutions
  step calibrate-convolutions 50 "$tplan" calibrate -q --devices "$device" --time-limit "$(calibrate_limit 35)" --format json \
    "$work/convolutions.json"
  run_op convolutions
  awk -F'"' '/"profile"/ { on = 1 } on && /"name": "conv/ { name = $4 } on && /"type"/ && $4 != "Conv" { name = "" }
    on && /"measured_ns"/ { gsub (/[^0-9]/, ""); m = $0 }
    on && /"predicted_ns"/ && name != "" { gsub (/[^0-9]/, ""); print name, m, $0; name = "" }' "$work/convolutions.out" |
    awk -v batch=$batch -v peak="${nominal:-${peak:-0}}" "$share"'
      { split ($1, it, "-"); kernel = it[2] + 0; out = int ((it[5] - 1) / it[6]) + 1; ops = 2 * batch * it[3] * it[4] * kernel ^ 2 * out ^ 2
      printf "{\"name\": \"%s\", \"batch\": %d, \"measured_ns\": %.0f, \"calibrated_ns\": %.0f, \"gflops\": %.1f, \"calibrated_gflops\": %.1f, \"of_peak\": %s}\n",
        $1, batch, $2, $3, ($2 > 0 ? ops / $2 : 0), ($3 > 0 ? ops / $3 : 0), share($3 > 0 && peak > 0 ? ops / $3 / peak : 0) }' > "$work/summary.convolutions"
  while IFS= read -r line; do say "convolution: $line"; done < "$work/summary.convolutions"
  summarise
}

# What `calibrate --level tune` wins: of a network that was calibrated, in a time of its own.
tune () # NAME BATCH SECONDS
{
  step "tune-$1" $(($3 + 15)) "$tplan" calibrate -q --level tune --devices "$device" --dim "N=$2" --time-limit "$3" \
    --format json "$examples/$1.json"
  step "tuned-$1" 20 "$tplan" cost tune -q --devices "$device" --dim "N=$2" --format json "$examples/$1.json"
  awk -v net="$1" -v batch="$2" -v device="$device" -F'[:,] *' '
    /"device"/ { on = index ($0, "\"" device "\"") } /"kernels": [0-9]/ && on { kernels = $2 }
    /"gain"/ && on && gain == "" { gain = $2 } /"gain_half_interval"/ && on && half == "" { half = $2 }
    /"correlation"/ && on && correlation == "" { correlation = $2 }
    END { if (gain != "") printf "{\"network\": \"%s\", \"batch\": %d, \"kernels\": %s, \"gain\": %s, \"gain_half_interval\": %s, \"correlation\": %s}\n",
      net, batch, kernels, gain, half, correlation }' "$work/tuned-$1.out" >> "$work/summary.tuned"
  while IFS= read -r line; do say "tuned: $line"; done < "$work/summary.tuned"
  summarise
}

# Torch, where there is one with CUDA: products and networks in its own process.
run_torch ()
{
  python=
  for p in python3 /usr/bin/python3; do
    if timeout 60 "$p" -c 'import torch' > /dev/null 2>&1; then python=$p; break; fi
  done
  if [ -z "$python" ]; then say "torch: skipped: no python3 has it"; return; fi
  step torch "$1" "$python" -B "$here/gpu-torch.py" $([ $quick = 1 ] && echo --quick)
  grep '^{.*}$' "$work/torch.out" > "$work/summary.torch"
  while IFS= read -r line; do say "torch: $line"; done < "$work/summary.torch"
  summarise
}

networks () # "NAME BATCH SECONDS"...
{
  for it; do network $it; done
}
if [ $quick = 1 ]; then
  if wants networks; then networks 'squeezenet1_1 1 5' 'bert_mini 2 5'; fi
  if wants torch; then run_torch 60; fi
  if wants tune; then tune squeezenet1_1 1 15; fi
  if wants convolutions; then convolutions; fi
else
  if wants networks; then networks 'resnet50 64 40'; fi
  if wants torch; then run_torch 90; fi
  if wants tune; then tune resnet50 64 40; fi
  if wants convolutions; then convolutions; fi
  if wants networks; then
    networks 'resnet50 1 20' 'bert_base 1 20' 'resnet50 8 20' 'squeezenet1_1 1 12' 'squeezenet1_1 64 15' \
      'bert_base 8 20' 'mobilenet_v2 1 12' 'mobilenet_v2 64 15' 'vit_b_16 8 20' 'bert_base 64 20' 'squeezenet1_1 8 10' \
      'mobilenet_v2 8 10' 'gru_tagger 1 10'
    # All others, as many as there is time for.
    for size in 1 8 64; do
      for net in "$examples"/*.json; do
        if [ "$(left)" -gt 30 ]; then network "$(basename "$net" .json)" $size 10; fi
      done
    done
  fi
fi
# Whole networks against the references, as long as there is time.
if wants check; then
  for net in bert_mini squeezenet1_1 gru_tagger; do
    step "check-$net" 60 "$tplan" run -q --check --tolerance 1e-3 --warmup 0 --repeat 1 --devices "cpu,$device" --pin "*=$device" \
      --format json "$examples/$net.json"
  done
fi
summarise
assemble true
say "wrote $out/gpu.json, gpu.log and cost.json in $(($(date +%s) - begin)) s"
