#!/bin/sh
# The manual and --help tell of the same commands and options; the pages have
# no mistakes that groff sees, on paper and on a terminal.
. "$top_srcdir/tests/tap.sh"
tplan=$top_builddir/cli/tplan
man=$top_srcdir/docs/man
main=$top_builddir/cli/tplan.1
HOME=$work
export HOME

# Long options of a help text: where a line begins with one, and those that
# stand in a row at its end.
help_options ()
{
  "$tplan" "$1" --help | grep -E '^ +(-[a-z], )?--?[a-z]' \
    | grep -oE '(^|[ ,])--[a-z-]+' | tr -d ' ,' | sort -u
}
page_options ()
{
  sed 's/\\-/-/g; s/\\f[BIR]/ /g' "$1" | sed -n '/^\.TP/{n;p;}' \
    | grep -oE '(^|[ ,])--[a-z-]+' | tr -d ' ,' | sort -u
}

"$tplan" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' > "$work/commands"
[ -s "$work/commands" ]; say $? "tplan --help lists commands"
page_options "$main" > "$work/common"
: > "$work/all"
while read -r command; do
  page=$man/tplan-$command.1
  help_options "$command" > "$work/help"
  cat "$work/help" >> "$work/all"
  if [ ! -f "$page" ]; then echo "# no $page"; say 1 "$command has a page"; continue; fi
  page_options "$page" > "$work/page"
  sort -u "$work/page" "$work/common" > "$work/known"
  missing=$(comm -23 "$work/help" "$work/known")
  extra=$(comm -13 "$work/help" "$work/page")
  [ -z "$missing$extra" ] || echo "# not in the page:" $missing "; not in --help:" $extra
  [ -z "$missing$extra" ]; say $? "tplan-$command.1 has the options of tplan $command"
  grep -q "tplan..$command (1)" "$main"; say $? "tplan.1 names $command"
done < "$work/commands"
sort -u "$work/all" > "$work/used"
echo --version >> "$work/used"
extra=$(sort "$work/used" | comm -13 - "$work/common")
[ -z "$extra" ] || echo "# no command has:" $extra
[ -z "$extra" ]; say $? "tplan.1 has no option that no command has"
for page in "$man"/*.1; do
  command=$(basename "$page" .1); command=${command#tplan-}
  grep -qx "$command" "$work/commands"
  say $? "$(basename "$page") is of a command"
done

passes=$("$tplan" convert "$top_srcdir/examples/mlp.json" -o "$work/o.json" --after '?' 2>&1 \
  | sed 's/.*there are //; s/,//g')
told=$(sed -n '/^\.SH PASSES/,/^\.SH DEV/p' "$main" | sed 's/\\-/-/g' | sed -n '/^\.TP/{n;s/^\.B //;p;}')
[ -n "$passes" ] && [ "$(echo $told)" = "$passes" ]; say $? "tplan.1 lists the passes: $passes"

if command -v groff > /dev/null; then
  for page in "$main" "$man"/*.1; do
    { groff -ww -man -t -z "$page"; groff -ww -man -t -z -Tutf8 "$page"; } > "$work/warnings" 2>&1
    sed 's/^/# /' "$work/warnings"
    [ ! -s "$work/warnings" ]; say $? "groff has nothing to say of $(basename "$page")"
  done
else
  n=$((n + 1)); echo "ok $n - pages # SKIP no groff"
fi

finish
