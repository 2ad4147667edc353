#!/bin/sh
# The programs in examples/ do what they say, and tell of mistakes; they are C++ too.
. "$top_srcdir/tests/tap.sh"
HOME=$work
TPLAN_COST=$work/cost.db
unset TPLAN_DEVICES
export HOME TPLAN_COST
examples=$top_builddir/examples
tplan=$top_builddir/cli/tplan
model=$top_srcdir/examples/mlp.json

"$tplan" optimize -q "$model" --devices ref --dim N=2 -o "$work/plan.json" > "$work/log" 2>&1
say $? "a plan to run"
"$tplan" optimize -q "$model" --devices ref --dim N=1,4,8 -o "$work/tiers.json" > "$work/log" 2>&1
say $? "plans for some sizes"

"$examples/embed" "$model" ref > "$work/log" 2>&1 && grep -q '^run 4: ' "$work/log"
say $? "embed"
sed 's/"dims": {[^}]*},\{0,1\}//' "$model" > "$work/open.json"
"$examples/embed" "$work/open.json" ref > "$work/log" 2>&1
[ $? -eq 1 ] && grep -q "dimension 'N' has no value" "$work/log"; say $? "embed: a dimension that is left open"
"$examples/embed" "$work/open.json" N=3 ref > "$work/log" 2>&1 && grep -q '^ref: 6 ops' "$work/log"; say $? "embed: N=3"
"$examples/serve" "$work/plan.json" 3 5 > "$work/log" 2>&1 \
  && [ "$(grep -c '^thread [012]: 5 requests' "$work/log")" -eq 3 ]
say $? "serve: every thread has done its requests"
for pair in 1:1 3:4 4:4 5:8; do
  size=${pair%:*}
  "$examples/batch" "$work/tiers.json" N "$size" > "$work/log" 2>&1 \
    && grep -qx "plan for ${pair#*:} rows" "$work/log" && [ "$(grep -c '^row ' "$work/log")" -eq "$size" ]
  say $? "batch: $size rows on the plan for ${pair#*:}"
done
"$examples/batch" "$work/tiers.json" N 8 | grep '^row 2:' > "$work/eight"
"$examples/batch" "$work/tiers.json" N 3 | grep '^row 2:' > "$work/log"
[ -s "$work/log" ] && cmp -s "$work/eight" "$work/log"; say $? "batch: a row is the same in every batch"
"$examples/batch" "$work/tiers.json" N 9 > "$work/log" 2>&1
[ $? -eq 1 ] && grep -q 'none for 9 or more' "$work/log"; say $? "batch: none for 9 rows"
"$examples/buffers" "$model" ref > "$work/log" 2>&1 && grep -q '^2 tensors in one block' "$work/log"
say $? "buffers"
"$examples/async" "$work/plan.json" 7 > "$work/log" 2>&1 \
  && grep -qx '7 runs' "$work/log" && grep -q '^longest of ' "$work/log"
say $? "async"

# int_file FILE DTYPE BYTES SHAPE NUMBER...: an .npy; numbers are below 65536.
int_file ()
{
  file=$1 bytes=$3
  { printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': ($4), }"
    shift 4
    for number in "$@"; do
      printf "\\$(printf %03o $((number % 256)))\\$(printf %03o $((number / 256)))"
      head -c $((bytes - 2)) /dev/zero
    done; } > "$file"
}
# best_words FILE WORDS: the place of the greatest of each row of floats.
best_words ()
{
  od -An -v -tf4 -w4 -j128 "$1" | awk -v n="$2" '{ at = (NR - 1) % n
    if (at == 0 || $1 > most) { most = $1; best = at }
    if (at == n - 1) print best }'
}
# What decode writes, all of it read at once by references and without caches, is followed
# by itself.
prompt="17 23 1999 4 0"
decoder=$examples/decoder_mini.json
for device in ref cpu; do
  if ! "$tplan" devices 2> /dev/null | grep -q "^ *$device  *ready"; then
    n=$((n + 1)); echo "ok $n - decode on $device # SKIP there is no $device"; continue
  fi
  "$examples/decode" "$decoder" 8 "$(echo $prompt | tr ' ' ',')" $device > "$work/written" 2> "$work/log" \
    && [ "$(sort -u "$work/written" | wc -l)" -gt 4 ] && grep -q ' tokens a second$' "$work/log"
  say $? "decode on $device: 8 tokens"
  set -- $prompt $(cat "$work/written")
  int_file "$work/ids.npy" '<i8' 8 "1, $#" "$@"
  int_file "$work/last.npy" '<i4' 4 1, $(($# - 1))
  "$tplan" run "$decoder" -d ref -q -n 1 --warmup 0 -f --dim S=$# --dim P=$# -o "$work/at-once" \
    --input input_ids="$work/ids.npy" --input seqlens_k="$work/last.npy" > "$work/log" 2>&1 \
    && best_words "$work/at-once/logits.npy" 2000 | sed -n 5,12p > "$work/log" && cmp -s "$work/log" "$work/written"
  say $? "decode on $device: as all at once"
done
"$examples/decode" "$model" 1 0 ref > "$work/log" 2>&1
[ $? -eq 1 ] && grep -q "state 'present" "$work/log"; say $? "decode: no decoder"
for program in embed serve buffers async decode; do
  case $program in decode) more="1 0" ;; *) more= ;; esac
  "$examples/$program" none.json $more > "$work/log" 2>&1
  [ $? -eq 1 ] && grep -q 'none.json' "$work/log"; say $? "$program: no such file"
  "$examples/$program" > "$work/log" 2>&1; [ $? -eq 2 ]; say $? "$program: usage"
done
if command -v "${CXX:-c++}" > /dev/null; then
  for program in embed serve batch buffers async decode; do
    "${CXX:-c++}" -x c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only -I"$top_srcdir/include" \
      $(pkg-config --cflags glib-2.0) "$top_srcdir/examples/$program.c" > "$work/log" 2>&1
    say $? "$program.c is C++"
  done
else
  n=$((n + 1))
  echo "ok $n - C++ # SKIP there is no ${CXX:-c++}"
fi
finish
