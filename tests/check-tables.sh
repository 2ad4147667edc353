#!/bin/sh
# What has a table is not listed again: element types stand in ir/dtype.c, and
# what other code asks of an op stands in its record. Passes name the ops they
# rewrite, by tp_node_is(); readers know names that their format gives a meaning.
cd "$top_srcdir" || exit 99
echo 1..4
folders=$(sed -n 's/^\([a-z/]*\):.*/\1/p' tests/layers)
files=$(find $folders -name '*.[ch]' | sort -u)
report ()
{
  if [ -z "$2" ]; then echo "ok $1 - $3"
  else printf '%s\n' "$2" | sed 's/^/# /'; echo "not ok $1 - $3"; fi
}
report 1 "$(grep -nE 'case TPLAN_DTYPE_|switch \(.*dtype|\[TPLAN_DTYPE_' $files |
  grep -v '^ir/dtype\.c:')" "element types are listed once"
# "Constant" is no op but a way to write a tensor down.
report 2 "$(grep -nE 'cmp0? \([^"]*(->|\.)(type|op->name), "' $files |
  grep -vE '^format/|^graph/.*"Constant"')" \
  "no name of an op is compared"
report 3 "$(grep -n 'tp_node_is (' $files |
  grep -vE '^ir/graph\.[ch]:|^graph/pass-')" "passes alone name ops"
# Those who read a list of names without us, in the order of their numbers.
names=$(sed -n 's/.*\[TPLAN_DTYPE_.*\.name = "\([a-z0-9]*\)".*/\1/p' ir/dtype.c)
public=$(sed -n 's/^ *TPLAN_DTYPE_\([A-Z0-9]*\),.*/\1/p' include/tplan.h |
  tr '[:upper:]' '[:lower:]')
bad=
[ -n "$names" ] && [ "$public" = "$names" ] || bad=include/tplan.h
schema=docs/schema/graph.schema.json
listed=$(grep '\["float32", ' $schema | grep -oE '"[a-z0-9]+"[],]' | tr -d '],"')
[ "$listed" = "$names" ] || bad="$bad $schema"
report 4 "$bad" "others list the element types of ir/dtype.c"
