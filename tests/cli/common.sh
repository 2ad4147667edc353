# common.sh: TAP from shell, a private home, and a small model. Sourced.
. "$top_srcdir/tests/tap.sh"
HOME=$work
XDG_CONFIG_HOME=$work/config
XDG_STATE_HOME=$work/state
XDG_CACHE_HOME=$work/cache
TPLAN_COST=$work/cost.db
export HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME TPLAN_COST
unset TPLAN_DEVICES TPLAN_THREADS TPLAN_SYSTEM_COST NO_COLOR
cd "$work" || exit 99

# try CODE ARGUMENT...: runs tplan; .out and .err hold what it printed.
try ()
{
  wanted=$1; shift
  "$TPLAN" "$@" > "$work/.out" 2> "$work/.err"
  code=$?
  [ "$code" -eq "$wanted" ] || { echo "exit status $code, not $wanted" >> "$work/.err"; return 1; }
}

out_has () { grep -q -e "$1" "$work/.out"; }
err_has () { grep -q -e "$1" "$work/.err"; }

# verbs: all that print data, as the program itself lists them: "run", "cost list", ...
# What only says on stderr what it did has no data.
verbs ()
{
  "$TPLAN" --help | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p' | while read -r verb; do
    "$TPLAN" "$verb" --help | grep -q -e '--format=' || continue
    # A verb that has verbs offers them in place of a file.
    inner=$("$TPLAN" --complete "$verb" '' | sed -n '1!p' | tr -d '\t')
    "$TPLAN" "$verb" --help | sed -n '1p' | grep -q VERB || inner=
    if [ -z "$inner" ]; then echo "$verb"; else echo "$inner" | sed "s/^/$verb /"; fi
  done | grep -vx -e 'cost forget' -e 'cost import'
}
# none_left FILE: no verb is absent from FILE, which has one command a line.
none_left ()
{
  verbs > .verbs
  : > .out
  while read -r verb; do grep -q "^$verb\( \|\$\)" "$1" || echo "never tried: $verb" >> .out; done < .verbs
  [ "$(wc -l < .verbs)" -ge 19 ] && [ ! -s .out ]
}

# json KEY: the number, word or string behind the first "KEY": of .out.
json () { sed -n "s/^ *\"$1\": *\"\\{0,1\\}\\([^\",]*\\)\"\\{0,1\\},\\{0,1\\}\$/\\1/p" "$work/.out" | head -n 1; }

cat > mlp.json <<'JSON'
{ "format": "tplan-graph/1", "name": "mlp", "opset": 17, "dims": {"N": 4},
  "inputs":  [{"name": "x", "dtype": "float32", "shape": ["N", 16]}],
  "outputs": ["probs"],
  "initializers": [
    {"name": "w1", "dtype": "float32", "shape": [16, 32], "random": {"seed": 1, "std": 0.2}},
    {"name": "b1", "dtype": "float32", "shape": [32], "fill": 0.1},
    {"name": "w2", "dtype": "float32", "shape": [32, 8], "random": {"seed": 2, "std": 0.2}} ],
  "ops": [
    {"name": "fc1", "type": "Gemm", "inputs": ["x", "w1", "b1"], "outputs": ["h0"]},
    {"name": "relu", "type": "Relu", "inputs": ["h0"], "outputs": ["h"]},
    {"name": "fc2", "type": "MatMul", "inputs": ["h", "w2"], "outputs": ["logits"]},
    {"name": "soft", "type": "Softmax", "inputs": ["logits"], "outputs": ["probs"], "attrs": {"axis": -1}} ] }
JSON
sims=sim:desktop-cpu,sim:laptop-gpu
