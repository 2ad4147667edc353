#!/bin/sh
# Completion: what the program offers for a line, and that bash, zsh and fish
# really complete by it.
. "$(dirname "$0")/common.sh"
files=$top_srcdir/docs/completion
mkdir bin && ln -s "$TPLAN" bin/tplan
PATH=$work/bin:$PATH
try 0 optimize mlp.json --devices $sims -o plan.json || exit 99

# offers WORD...: what may stand for the last one, in one line.
offers () { "$TPLAN" --complete "$@" 2> .err | sed '1d; s/	.*//' | tr '\n' ' ' | sed 's/ $//'; }
# same NAME WANTED GOT
same () { [ "$2" = "$3" ] || echo "# wanted '$2', got '$3'"; [ -n "$2" ] && [ "$2" = "$3" ]; say $? "$1"; }

# ---- as the program says elsewhere ----------------------------------------------
commands=$("$TPLAN" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
same "all commands" "$(echo $commands help)" "$(offers '' | sed 's/ --.*//')"
for command in $commands; do
  "$TPLAN" "$command" --help | grep -E '^ +(-[a-z], )?--?[a-z]' | grep -oE '(^|[ ,])--[a-z-]+=?' | tr -d ' ,' | sort -u > .help
  "$TPLAN" --complete "$command" -- | sed '1d; s/	.*//' | sort > .offered
  diff .help .offered > .out; say $? "all options of $command"
  # Whatever is no number or time has values to choose from.
  while read -r option; do
    case $option in *=N | *=TIME | *=X | *=D | *=DIR | --limit=* | --part=*) continue ;; esac
    case "$command $option" in 'cost --state=OUT=IN' | 'cost --outputs=NAME,...' | 'cost --kernel=KERNEL') continue ;; esac # of no model
    said=$("$TPLAN" --complete "$command" mlp.json --devices ref "${option%%=*}=" 2> .err)
    [ "$said" != words ] && [ ! -s .err ]; say $? "$command offers values for $option"
  done <<OPTIONS
$("$TPLAN" "$command" --help | grep -oE -e '--[a-z-]+=[A-Z=]+[^ ]*')
OPTIONS
done
known () { "$TPLAN" "$@" 2>&1 | sed -n 's/.*there are //p' | sed 's/,//g; s/ and / /'; }
refused () { "$TPLAN" "$@" 2>&1 | sed -n "s/.* is none of //p" | sed 's/ (did.*//; s/, / /g' | tr ' ' '\n' | sort | xargs; }
sorted () { offers "$@" | tr ' ' '\n' | sort | xargs; }
same "verbs of cost" "$(known cost '?')" "$(offers cost '')"
same "verbs of machine" "$(known machine '?')" "$(offers machine '')"
same "fusion rules" "$(known optimize mlp.json -d ref --no-fuse '?')" "$(offers optimize --no-fuse '')"
same "passes" "$(known convert mlp.json -o o.json --after '?')" "$(offers convert --after '')"
same "formats" "$(refused ops --format '?')" "$(sorted ops --format '')"
same "orders of explain" "$(refused explain plan.json --sort '?')" "$(sorted explain --sort '')"
same "orders of run" "$(refused run plan.json --sort '?')" "$(sorted run --sort '')"
same "colours" "$(refused ops --color '?')" "$(sorted ops --color '')"
for value in $(offers optimize --level '') $(offers optimize --stale '') $(offers optimize --objective ''); do
  case $value in
    estimate | measure) try 0 optimize mlp.json -d ref --level $value ;;
    warn) try 0 optimize mlp.json -d ref --stale $value ;;
    fail) try 0 optimize mlp.json -d ref --stale $value ;;
    *) try 0 optimize mlp.json -d ref --objective $value --watts ref=9 --price ref=1/h ;;
  esac
  say $? "$value is taken"
done
ops=$("$TPLAN" explain plan.json --format csv | sed '1d; s/,.*//')
same "op names of a plan" "$(echo $ops)" "$(offers explain plan.json '')"
same "op names of a model, for --pin" "$(for op in $ops; do echo "$op="; done | xargs)" "$(offers optimize mlp.json --pin '')"
same "where an op may go" "fc1=sim:desktop-cpu fc1=sim:laptop-gpu" "$(offers optimize mlp.json -d $sims -p fc1=)"
try 0 optimize mlp.json -d $sims --pin "$(offers optimize mlp.json -d $sims --pin fc1= | sed 's/ .*//')"; say $? "and what is offered is taken"
same "dimensions" "N=" "$(offers optimize mlp.json --dim '')"
same "dimensions of a plan's model" "N=" "$(offers optimize plan.json --dim '')"
made=$("$TPLAN" explain plan.json --format csv | sed '1d; s/,.*//' | wc -l)
case " $(offers optimize mlp.json --devices cpu,ref,) " in *,cpu\ * | *,ref\ *) false ;; *sim:*) ;; *) false ;; esac; say $? "a device that is named is not offered again"
same "tensors that ops make" "$made" "$(offers optimize mlp.json --outputs '' | wc -w)"
same "inputs" "x=" "$(offers run plan.json -i '')"
same "files behind an input" "files --input=x=" "$("$TPLAN" --complete run plan.json --input=x=a)"
same "models that have a rate" "mlp= other=" "$(offers optimize mlp.json other.json --rate '')"
same "the next of them" "mlp=3/s,other=" "$(offers optimize mlp.json other.json --rate mlp=3/s,)"
cp mlp.json other.json; "$TPLAN" optimize mlp.json other.json -q -d ref -o both.json > .out 2> .err
same "graphs planned together" "mlp other" "$(offers explain both.json --part '')"
same "simulated devices" "$("$TPLAN" devices --format csv | sed -n 's/,simulated.*//p' | grep sim:server | xargs)" "$(offers optimize -d sim:server)"
same "devices behind a comma" "--devices=ref,sim:edge-cpu" "$(offers optimize --devices=ref,sim:edge)"
offers optimize -d '' | grep -qw ref; say $? "devices of this machine"
same "commands to have help of" "explain" "$(offers help exp)"

# ---- mistakes are passed over -----------------------------------------------------
for line in "" "frobnicate x" "optimize --no-such-option= " "optimize none.json --pin x" "optimize . --pin x" \
    "optimize --limit nodes=x mlp.json --pin zz" "explain plan.json fc1 " "optimize plan.json --pin" "run -"; do
  set -f; set -- $line; set +f
  "$TPLAN" --complete "$@" > .out 2> .err && [ ! -s .err ] && head -n 1 .out | grep -qE '^(words|files)'
  say $? "completes '$line' in silence"
done
# What a terminal would obey is not offered.
sed 's/"fc1"/"f\\u001b[2Jc\\n1"/' mlp.json > odd.json
same "no control characters of a model's names" "relu= fc2= soft=" "$(offers optimize odd.json --pin '')"
mkfifo pipe
same "a pipe is not waited for" "words" "$("$TPLAN" --complete optimize pipe --pin '')"

# ---- in the shells -----------------------------------------------------------------
# A line, a tab behind it, and what it is then.
cat > lines <<'LINES'
tplan exp|tplan explain
tplan run --check-|tplan run --check-ops
tplan run --format=j|tplan run --format=json
tplan run --format j|tplan run --format json
tplan optimize mlp.json --pin rel|tplan optimize mlp.json --pin relu=
tplan optimize mlp.json --pin=relu=re|tplan optimize mlp.json --pin=relu=ref
tplan optimize mlp.json --dim |tplan optimize mlp.json --dim N=
tplan run plan.json -i |tplan run plan.json -i x=
tplan run plan.json -i x=val|tplan run plan.json -i x=values.npy
tplan run plan.json --input=x=val|tplan run plan.json --input=x=values.npy
tplan optimize mlp.json -d ref,sim:edge|tplan optimize mlp.json -d ref,sim:edge-cpu
tplan explain plan.json sof|tplan explain plan.json soft
tplan cost exp|tplan cost export
tplan check pl|tplan check plan.json
LINES
echo > values.npy

# The name, then what completes one line of stdin to one line.
in_shell ()
{
  cut -d '|' -f 1 lines | tr '\n' '\001' | tr '\001' '\n' > typed
  shell=$1; shift
  "$@" < typed > completed 2> .err
  cut -d '|' -f 2 lines > wanted
  i=0
  while read -r line; do
    i=$((i + 1))
    same "$shell: $line" "$line" "$(sed -n "${i}s/ *\$//p" completed)"
  done < wanted
}

if command -v bash > /dev/null; then
  # As readline calls it; what it puts in is the word behind the last break.
  cat > complete.bash <<'BASH'
. "$1"
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=${#line}
  COMPREPLY=()
  _tplan tplan
  word=${line##* }
  echo "${line%"${word##*[=:]}"}${COMPREPLY[*]}"
done
BASH
  in_shell bash bash complete.bash "$files/tplan"
else
  n=$((n + 1)); echo "ok $n - bash # SKIP no bash"
fi

if command -v zsh > /dev/null; then
  cat > complete.zsh <<'ZSH'
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
# Until MARK is said by the shell, not by the echo of what is typed.
say () { zpty -w shell "$1; print -r -- '<'ready'>'"; zpty -r -m shell said '*<ready>*' }
say "cd $2; PS1=; stty -echo; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
say 'done-line () { local it=$BUFFER; BUFFER=; zle -I; print -r -- "<line>$it</line>" }; zle -N done-line; bindkey "^X" done-line; bindkey "^I" complete-word'
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\t\x18'
  zpty -r -m shell said '*<line>*</line>*' || exit 1
  print -r -- "${${said##*<line>}%%</line>*}"
done
zpty -d shell
ZSH
  TERM=xterm in_shell zsh timeout 120 zsh -f complete.zsh "$files" "$work"
else
  n=$((n + 1)); echo "ok $n - zsh # SKIP no zsh"
fi

if command -v fish > /dev/null; then
  cat > complete.fish <<'FISH'
source $argv[1]
while read -l line
    set -l word (string replace -r '.* ' '' -- $line)
    set -l start (string sub -l (math (string length -- $line) - (string length -- "$word")) -- $line)
    echo $start(complete -C "$line" | string replace -r '\t.*' '' | string join ' ')
end
FISH
  in_shell fish timeout 120 fish --no-config complete.fish "$files/tplan.fish"
else
  n=$((n + 1)); echo "ok $n - fish # SKIP no fish"
fi
finish
