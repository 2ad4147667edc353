#!/bin/sh
# The arrows of docs/HACKING.md: which folder may include which.
cd "$top_srcdir" || exit 99
allowed ()
{
  case $1 in
    ir) echo 'ir include' ;;
    codegen) echo 'codegen ir include' ;;
    planner) echo 'planner ir include' ;;
    runtime) echo 'runtime codegen ir include' ;;
    calib) echo 'calib runtime codegen ir include' ;;
    view) echo 'view ir include' ;;
    cli) echo 'cli view calib runtime planner codegen ir include' ;;
  esac
}
echo 1..7
n=0
for folder in ir codegen planner runtime calib view cli; do
  n=$((n + 1))
  bad=$(grep -Hn '^#include "[a-z]*/' "$folder"/*.[ch] | while IFS= read -r line; do
    target=$(printf '%s\n' "$line" | sed 's/.*#include "\([a-z]*\)\/.*/\1/')
    case " $(allowed "$folder") " in
      *" $target "*) ;;
      *) printf '# %s\n' "$line" ;;
    esac
  done)
  if [ -z "$bad" ]; then echo "ok $n - $folder"; else printf '%s\nnot ok %d - %s\n' "$bad" "$n" "$folder"; fi
done
