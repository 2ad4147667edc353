#!/bin/sh
# Names of strangers: whatever a model, plan or table holds, what is printed and
# drawn is lines of valid UTF-8 without anything that steers a terminal.
. "$(dirname "$0")/common.sh"
echo x | LC_ALL=C grep -qP 'x' 2> /dev/null && printf '\303' | sed 's/x/\x1b/' > /dev/null \
  || { echo "1..0 # SKIP needs GNU grep and sed"; exit 0; }

# Good files have this wherever a name can stand; as many bytes replace it.
place=placeholdernameA
# For sed: escapes; C1; DEL; ends of lines; direction marks; what cannot be seen;
# no UTF-8.
cat > names <<'END'
\x1b]0;title\x07abcde
\xc2\x9b2Jabcdefghijkl
abc\x7f\x7f\x7fabcdefghij
abcdefg\nforged\nh
abc\xe2\x80\xa8forged\xe2\x80\xa9a
\xe2\x80\xaeabcdefghijklm
\xe2\x81\xa6abc\xd8\x9cabcdefgh
\xf3\xa0\x80\x81\xef\xbb\xbfabcdefghi
abc\xff\xfe\x9b\xc2abcdefghi
END
# The same, as JSON can say it, in one name.
escaped='\\u001b]0;title\\u0007\\u009b2J\\u007f\\nforged\\n\\u2028forged\\u202e\\u2066\\u061c\\udb40\\udc01\\ufeff'

# fit FILE: what may be printed.
fit ()
{
  iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1 && ! grep -qx forged "$1" && ! LC_ALL=C grep -qP \
    '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f\xad]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xf3\xa0' "$1"
}

# shows ARGUMENT...: runs tplan, which may succeed or refuse, but not die, and
# prints what is fit.
shows ()
{
  "$TPLAN" "$@" > .out 2> .err
  code=$?
  [ $code -lt 9 ] && fit .out && fit .err && return
  echo "tplan $*: status $code" >> faults
  sed -n l .out .err | head -n 5 >> faults
}

# told NAME: one line of TAP for all since the last.
told ()
{
  cp faults .out && : > .err
  [ ! -s faults ]; say $? "$1"
  : > faults
}
: > faults

# sign PLAN: again, after a change.
sign ()
{
  sed '/^ "sha256": /,$d' "$1" > unsigned
  { cat unsigned; printf ' "sha256": "%s"\n}\n' "$(sha256sum < unsigned | cut -d ' ' -f 1)"; } > "$1"
}

# replaced NAME FILE: "bad." and its suffix, with NAME for the placeholder.
replaced ()
{
  LC_ALL=C sed "s/$place/$1/g" "$2" > "bad.${2##*.}"
}

use_model () # FILE: by every command that reads one
{
  shows info "$1"; shows info --format csv "$1"; shows info --format json "$1"
  for format in table json csv; do
    shows explain --devices $sims --format $format "$1"
    shows run --devices sim:desktop-cpu -n 1 --warmup 0 --trace trace.json --profile -f --format $format "$1"
  done
  [ ! -f trace.json ] || fit trace.json || echo "trace.json of $1" >> faults
  rm -rf made.*
  for suffix in json dot svg; do
    shows optimize -f --devices $sims "$1" -o made.$suffix
    [ ! -f made.$suffix ] || tr -d '\t' < made.$suffix > drawn && fit drawn || echo "made.$suffix of $1" >> faults
  done
  [ ! -f made.json ] || use_plan made.json
  shows convert -f "$1" -o again.json
  shows convert -f "$1" -o again.onnx
  [ ! -f again.json ] || fit again.json || echo "again.json of $1" >> faults
  rm -f again.*
}

# whole FILE...: what was written is fit as well, but for tabs.
whole ()
{
  for file; do
    [ ! -f "$file" ] || { tr -d '\t' < "$file" > drawn && fit drawn; } || echo "$file" >> faults
  done
}

# By those that compare, measure and draw.
use_model_more () # FILE
{
  rm -rf made.* plans
  shows pareto -f --devices $sims "$1" -o made.csv -o made.svg -o made.json --plans=plans
  whole made.csv made.svg made.json
  for format in table json csv; do
    shows sweep --devices $sims --scale=copies=0.5..2 --format $format "$1"
  done
  shows calibrate --cost other.db --devices ref --time-limit 5s "$1"
  for format in table json csv; do
    shows bench --cost other.db --devices ref -n 1 --format $format "$1"
  done
  shows try -f --cost other.db --devices ref --time-limit 1s --bench-limit 0.1s "$1" -o made.json
  whole made.json made.report.html
  shows cost --cost other.db show --all
}

use_plan () # FILE
{
  shows check "$1"; shows check --format json "$1"
  shows check --graph good.json "$1"
  shows explain --graph good.json "$1"
  shows view --graph good.json -f "$1" -o made.dot
  rm -f made.html
  shows report --graph good.json -f "$1" -o made.html
  whole made.html
  shows run --graph good.json -n 1 --warmup 0 "$1"
}

cat > good.json <<JSON
{ "format": "tplan-graph/1", "name": "g$place", "opset": 17,
  "inputs":  [{"name": "x$place", "dtype": "float32", "shape": [2, 16]}],
  "outputs": ["y$place"],
  "initializers": [ {"name": "w$place", "dtype": "float32", "shape": [16, 16], "random": {"seed": 1}} ],
  "ops": [
    {"name": "m$place", "type": "MatMul", "inputs": ["x$place", "w$place"], "outputs": ["t$place"]},
    {"name": "r$place", "type": "Relu", "inputs": ["t$place"], "outputs": ["y$place"]} ] }
JSON
sed "s/\"Relu\"/\"Relu$place\"/" good.json > type.json
sed "s/\"Relu\"/&, \"device\": \"$place\"/" good.json > pin.json
sed "s/\"Relu\"/&, \"attrs\": {\"$place\": 1}/" good.json > attr.json
sed "s/\"shape\": \\[2/\"shape\": [\"$place\"/" good.json > dim.json
sed "s/\"random\"/\"$place\"/" good.json > key.json
sed "s/\"random\": .*/\"file\": \"$place.npy\"} ],/" good.json > file.json
sed "s/\"float32\"/\"$place\"/" good.json > dtype.json
try 0 convert good.json -o good.onnx; say $? "a model to spoil"
try 0 optimize --devices $sims good.json -o made.json && mv made.json good.plan; say $? "a plan to spoil"
try 0 calibrate --devices ref good.json && try 0 cost export -o good.cost
say $? "a table to spoil"
# PK.., one stored member of four bytes.
{ printf 'PK\003\004\024\0\0\0\0\0\0\0\0\0\021\315\202\355\004\0\0\0\004\0\0\0\024\0\0\0%s.npyabcd' $place
  printf 'PK\001\002\024\0\024\0\0\0\0\0\0\0\0\0\021\315\202\355\004\0\0\0\004\0\0\0\024\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0%s.npy' $place
  printf 'PK\005\006\0\0\0\0\001\0\001\0\102\0\0\0\066\0\0\0\0\0'; } > good.npz
printf '\101\0\0\0\0\0\0\0{"%s":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}abcd' $place > good.safetensors

for model in good type pin attr dim key file dtype; do
  replaced "$escaped" $model.json
  use_model bad.json
  told "$model.json, escaped"
done
for model in good dim pin; do
  replaced "$escaped" $model.json
  use_model_more bad.json
  told "$model.json, escaped, compared and measured"
done
# Whoever names a dimension has its name from the model, in a terminal that can write it.
LC_ALL=C.UTF-8; export LC_ALL
dim=$(printf '\033]0;N\007\302\233\nforged\n\342\200\256')
replaced '\\u001b]0;N\\u0007\\u009b\\nforged\\n\\u202e' dim.json
rm -rf made.*
for format in table json csv; do
  shows sweep -f --devices $sims --dim "$dim=1,2" --format $format bad.json -o made.csv -o made.svg -o made.html -o made.json
  whole made.csv made.svg made.html made.json
  shows optimize -f --devices $sims --dim "$dim=1,2" --format $format bad.json -o tiers.json
  whole tiers.json
  shows check --graph bad.json tiers.json
  shows run --graph bad.json -n 1 --warmup 0 --dim "$dim=2" --format $format tiers.json
done
[ -f made.html ] && [ -f tiers.json ] || echo "the dimension was not found" >> faults
told "a dimension of strange name"
replaced "$escaped" good.plan
sign bad.plan
use_plan bad.plan
told "a plan, escaped"
for key in objective graph_name threads version format graph; do
  sed "s/^ \"$key\": .*/ \"$key\": \"$place\",/" good.plan > key.plan
  replaced "$escaped" key.plan
  sign bad.plan
  use_plan bad.plan
done
sed "s/sim:desktop-cpu/$place/g" good.plan > key.plan
replaced "$escaped" key.plan
sign bad.plan
use_plan bad.plan
told "a plan of strange fields, escaped"
sed "s/\"ref\"/\"ref$place\"/; s/\"label\": \"/&$place/; s/\"identity\": \"/&$place/" good.cost > key.cost
replaced "$escaped" key.cost
rm -f other.db
for how in "import bad.cost" list "list --format json" "list --format csv" "show --all" "show --all --format json" \
  "show --all --format csv" export "diff other.db cost.db --all" "diff other.db cost.db --all --format json"; do
  # shellcheck disable=SC2086
  shows cost --cost other.db $how
done
told "a cost table, escaped"

row=0
while IFS= read -r name; do
  row=$((row + 1))
  replaced "$name" good.json
  shows info bad.json
  replaced "$name" good.onnx
  shows info --format json bad.onnx
  shows explain --devices $sims bad.onnx
  shows optimize -f --devices $sims bad.onnx -o made.svg
  [ ! -f made.svg ] || fit made.svg || echo "made.svg of bad.onnx" >> faults
  shows convert -f bad.onnx -o made.json
  for file in good.npz good.safetensors; do
    replaced "$name" $file
    shows run --devices sim:desktop-cpu -n 1 --warmup 0 -i "bad.${file##*.}" good.json
  done
  replaced "$name" good.plan
  sign bad.plan
  shows check --graph good.json bad.plan
  replaced "$name" key.cost
  shows cost --cost other.db import bad.cost
  shows cost --cost other.db list
  whole made.json
  told "in bytes, row $row"
done < names
finish
