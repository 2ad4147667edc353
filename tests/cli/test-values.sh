#!/bin/sh
# --value: an input that has one value in all runs is a constant of the model.
. "$(dirname "$0")/common.sh"

cat > net.json <<'JSON'
{ "format": "tplan-graph/1", "name": "net", "opset": 17,
  "inputs": [{"name": "x", "shape": ["N", 2]}, {"name": "form", "shape": [2], "dtype": "int64"},
             {"name": "b", "shape": [], "dtype": "bool"}, {"name": "z", "shape": ["K"]}],
  "outputs": ["y", "v"],
  "initializers": [{"name": "two", "shape": [], "fill": 2}],
  "ops": [
    {"type": "Mul", "inputs": ["x", "two"], "outputs": ["d"]},
    {"type": "Where", "inputs": ["b", "d", "x"], "outputs": ["w"]},
    {"type": "Reshape", "inputs": ["w", "form"], "outputs": ["y"]},
    {"type": "Mul", "inputs": ["z", "two"], "outputs": ["v"]} ] }
JSON
# floats FILE: of an .npy, in one line.
floats ()
{
  header=$(od -An -tu2 -j8 -N2 "$1")
  echo $(od -An -v -tf4 -w4 -j$((header + 10)) "$1")
}
shape () { grep -a -o "'shape': ([^)]*)" "$1"; }

try 3 run net.json -d ref && err_has "form"; say $? "a shape has to be known"
try 0 run net.json -d ref -q -n 1 -o got --value form=1,-1 --value x=1,2,3.5,-4e1 --value b=true --value z=1,2,3
say $? "values of all types"
[ "$(floats got/y.npy)" = "2 4 7 -80" ]; say $? "are what was said"
[ "$(shape got/y.npy)" = "'shape': (1, 4)" ] && [ "$(floats got/v.npy)" = "2 4 6" ]; say $? "and make shapes"
try 0 run net.json -d ref -q -n 1 -fo got --value form=4,1 --value x=1,2,3,4 --value b=0 --value z=5 \
  && [ "$(floats got/y.npy)" = "1 2 3 4" ]; say $? "the other way"
try 0 optimize net.json -d ref -q -o plan.json --value form=1,2 --value b=1 --value x=3,4 --dim K=2 \
  && grep -q '"values": \["form=1,2", "b=1", "x=3,4"\]' plan.json; say $? "a plan says so"
try 0 check plan.json; say $? "and is good"
try 0 run plan.json -q -n 1 -fo got && [ "$(floats got/y.npy)" = "6 8" ]; say $? "and runs so"
try 2 run plan.json --value b=0 && err_has 'a plan, which --value cannot change'; say $? "a plan stays as it is"
try 2 run net.json -d ref --value form=1,2,3 && err_has "value 'form=1,2,3': 3 numbers do not fill the shape of the input, \[2\]$"
say $? "too many"
try 2 run net.json -d ref --value x=1,2,3 && err_has "3 numbers do not fill .*, \[N, 2\]$" \
  && try 2 run net.json -d ref --dim N=4 --value x=1 && err_has "1 number does not fill .*, \[N=4, 2\]$"; say $? "no whole rows"
try 2 run net.json -d ref --value b=1,0 && err_has "2 numbers do not fill .*, \[\]$"; say $? "more than one"
try 2 run net.json -d ref --value form=1,x && err_has "no list of numbers"; say $? "no number"
try 2 run net.json -d ref --value b=2 && err_has "no list of numbers"; say $? "no truth value"
try 2 run net.json -d ref --value form=1.5,2 && err_has "no list of numbers"; say $? "no integer"
try 2 run net.json -d ref --value q=1 && err_has "with an input of the graph"; say $? "no input"
try 2 run net.json -d ref --value b=1 --value b=0 && err_has "that has no value yet"; say $? "twice"
echo "1..$n"
