#!/bin/sh
# The pages: links lead somewhere, commands and options that are shown exist, and what
# is shown of made-up machines is what they say.
. "$top_srcdir/tests/tap.sh"
HOME=$work XDG_CONFIG_HOME=$work XDG_STATE_HOME=$work LC_ALL=C.UTF-8
export HOME XDG_CONFIG_HOME XDG_STATE_HOME LC_ALL
unset TPLAN_DEVICES TPLAN_THREADS TPLAN_COST
tplan=$top_builddir/cli/tplan
cd "$top_srcdir" || exit 99
pages=$(find . -name '*.md' ! -path './_*' ! -path './.git/*' ! -path './build*' | sed 's,^\./,,' | sort)
[ "$(echo "$pages" | wc -l)" -ge 20 ]; say $? "there are pages"

# plain FILE: without blocks and spans of code.
plain () { awk '/^ *```/ { inside = !inside; next } !inside && !/^    / { gsub (/`[^`]*`/, ""); print }' "$1"; }
# anchors FILE: what headings are called in links: small letters, dashes, no signs.
anchors ()
{
  awk '/^ *```/ { inside = !inside; next } !inside && /^#+ /' "$1" | sed 's/^#* //' | tr 'A-Z' 'a-z' \
    | sed 's/[^a-z0-9 _-]//g; s/ /-/g' | awk '{ print seen[$0]++ ? $0 "-" seen[$0] - 1 : $0 }'
}
for page in $pages; do
  : > "$work/log"
  { plain "$page" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//'
    grep -oE '(src|srcset|href)="[^"]+"' "$page" | sed 's/.*="//; s/"$//'; } > "$work/links"
  while IFS= read -r link; do
    case $link in http:* | https:* | mailto:*) continue ;; esac
    file=${link%%#*} anchor=
    case $link in *'#'*) anchor=${link#*#} ;; esac
    if [ -z "$file" ]; then file=$page; else file=$(dirname "$page")/$file; fi
    if [ ! -e "$file" ]; then echo "$link: no such file" >> "$work/log"
    elif [ -n "$anchor" ] && ! anchors "$file" | grep -qx -e "$anchor"; then echo "$link: no such heading" >> "$work/log"; fi
  done < "$work/links"
  [ ! -s "$work/log" ]; say $? "links of $page lead somewhere"
done

# ---- commands --------------------------------------------------------------------
"$tplan" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' > "$work/verbs"
for page in README.md docs/start.md docs/read-a-plan.md docs/cpu-or-gpu.md docs/faq.md docs/calibration.md docs/planner.md; do
  : > "$work/log"
  # In blocks a command begins a line, in the text it stands in backquotes.
  { sed -n 's/^    \(\$ \)\{0,1\}\(tplan [a-z].*\)/\2/p; s/^\$ \(tplan [a-z].*\)/\1/p' "$page" | sed 's/   .*//'
    tr '\n' ' ' < "$page" | grep -oE '`tplan [a-z][^`]*`' | tr -d '`'; } > "$work/commands"
  while read -r _ verb words; do
    grep -qx -e "$verb" "$work/verbs" || { echo "tplan $verb: no such command" >> "$work/log"; continue; }
    "$tplan" --complete "$verb" -- | sed '1d; s/=\{0,1\}	.*//' > "$work/options"
    for option in $(echo "$words" | grep -oE -e '(^| )--[a-z-]+'); do
      grep -qx -e "$option" "$work/options" || echo "tplan $verb: no option $option" >> "$work/log"
    done
  done < "$work/commands"
  [ -s "$work/commands" ] && [ ! -s "$work/log" ]; say $? "commands of $page exist"
done

# ---- what is shown -----------------------------------------------------------------
# What these pages have in blocks, line by line.
shown () { awk '/^```/ { inside = !inside; next } inside' "$1"; }
simulated="--dim N=32 --devices sim:laptop-cpu,sim:laptop-gpu"
"$tplan" optimize -q examples/mlp.json $simulated -o "$work/plan.json" > "$work/said" 2> "$work/log" \
  && "$tplan" check "$work/plan.json" > "$work/checked" 2>> "$work/log" && sed "s,^$work/,," "$work/checked" >> "$work/said" \
  && "$tplan" explain "$work/plan.json" >> "$work/said" 2>> "$work/log" \
  && "$tplan" optimize -q examples/mlp.json $simulated --mem-limit sim:laptop-gpu=900K >> "$work/said" 2>> "$work/log" \
  && "$tplan" sweep examples/mlp.json --dim N=1..128 --devices sim:laptop-cpu,sim:laptop-gpu >> "$work/said" 2>&1
say $? "the simulated examples run"
tr -s ' ' < "$work/said" > "$work/squeezed"
for page in README.md docs/read-a-plan.md docs/cpu-or-gpu.md; do
  # A table may be shown without its last columns, and is as wide as its rows.
  shown "$page" | tr -s ' ' | sed 's/ *$//' > "$work/shown"
  : > "$work/log"
  while IFS= read -r line; do
    grep -qF -e "$line" "$work/squeezed" || echo "not said: $line" >> "$work/log"
  done < "$work/shown"
  [ -s "$work/shown" ] && [ ! -s "$work/log" ]; say $? "what $page shows is said"
done

# The device of a third kind, which is a file of examples.
(cd examples && "$tplan" optimize -q "$top_builddir/examples/squeezenet1_1.json" --devices sim:laptop-cpu,sim:integrated-gpu,sim:npu.conf) > "$work/said" 2> "$work/log"
shown docs/planner.md | tr -s ' ' > "$work/shown"
[ "$(grep -c . "$work/said")" -ge 4 ] && grep -q 'sim:npu.conf (' "$work/said" && sed 4q "$work/said" | sed 1d | tr -s ' ' | grep -vxF -f "$work/shown" > "$work/log"
[ ! -s "$work/log" ]; say $? "examples/npu.conf gives what docs/planner.md shows"

# ---- graphs that are shown -----------------------------------------------------------
# The whole one, with the file it names; and the ops of a group, all on one device.
block () { awk -v n="$1" '/^```json/ { i++; on = 1; next } /^```/ { on = 0 } on && i == n' docs/graph-format.md; }
block 1 | sed 's/"cpu"/"ref"/' > "$work/shown.json"
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (10, 256), }"
  head -c 10240 /dev/zero; } > "$work/w2.npy"
"$tplan" optimize -q "$work/shown.json" --devices ref > "$work/said" 2> "$work/log"
grep -q '^placement  *4 ops on' "$work/said"; say $? "the graph of docs/graph-format.md is planned"
{ echo '{ "format": "tplan-graph/1", "outputs": ["y"], "inputs": [{"name": "x", "shape": [64, 1024]}],'
  echo '"initializers": [{"name": "w", "shape": [513], "fill": 1}],'; block 3 | sed 's/opencl:0/sim:laptop-gpu/g; s/"cpu"/"sim:laptop-cpu"/g'; echo '}'; } > "$work/group.json"
"$tplan" optimize -q "$work/group.json" --devices sim:laptop-cpu,sim:laptop-gpu --pin '*=sim:laptop-cpu' > "$work/said" 2> "$work/log"
grep -q '^cost  *140 us' "$work/said"; say $? "its group costs what it says"
finish
