#!/bin/sh
# g_assert () is nothing at all where G_DISABLE_ASSERT is defined: what it holds
# changes nothing, and the code is whole without it. A call inside may only be
# one whose name says that it asks: is, has, get, a macro, or one of $pure.
cd "$top_srcdir" || exit 99
pure='sizeof strlen strcmp strncmp memcmp tp_expr_arity instr_of'
files=$(ls ./*/*.c ./*/*.h ./*/*/*.c ./*/*/*.h)
with=$(grep -lE '(^|[^a-z_])g_assert \(' $files)
# Prints "file:line: problem" for each assertion of the files given.
judge ()
{
  awk -v pure=" $pure " '
    function check (text,   rest, name) {
      if (text ~ /\+\+|--/) print place ": counts: " text
      rest = text
      gsub (/[=!<>]=/, " ", rest)
      if (rest ~ /=/) print place ": assigns: " text
      while (match (rest, /[A-Za-z_][A-Za-z0-9_]* *\(/)) {
        name = substr (rest, RSTART, RLENGTH)
        sub (/ *\($/, "", name)
        rest = substr (rest, RSTART + RLENGTH)
        if (name !~ /^[A-Z][A-Z0-9_]*$/ && name !~ /(^|_)(is|has|get)_/ && !index (pure, " " name " "))
          print place ": calls " name " (): " text
      }
    }
    FNR == 1 { depth = 0 }
    {
      line = $0
      gsub (/"([^"\\]|\\.)*"/, "\"\"", line)
      gsub (/\047([^\047\\]|\\.)*\047/, "0", line)
      sub (/\/\*.*/, "", line)
      if (depth == 0) {
        if (!match (line, /(^|[^A-Za-z0-9_])g_assert \(/)) next
        line = substr (line, RSTART + RLENGTH); depth = 1; inside = ""
        place = FILENAME ":" FNR
      }
      for (i = 1; i <= length (line) && depth > 0; i++) {
        c = substr (line, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth > 0) inside = inside c
      }
      if (depth == 0) check (inside)
    }' "$@"
}
say ()
{
  n=$((n + 1))
  if [ -z "$2" ]; then echo "ok $n - $1"; else printf '%s\n' "$2" | sed 's/^/# /'; echo "not ok $n - $1"; fi
}
echo 1..3
n=0
say "no assertion changes anything" "$(judge $with)"

# The judge itself: each line but the last two is one to refuse.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'C'
g_assert (++n < 3);
  g_assert (a[n--] == 0);
g_assert (a >= 0 && (fd = open_it) >= 0);
g_assert (a >= 0
          && ftruncate (fd, 0) == 0);
g_assert (sum += 1);
g_assert (a <= b && c != d && e == '=' && strcmp (f, "g (h = 1)") == 0);
g_assert (tp_tensor_is_constant (t) && MAX (a, b) >= (gsize) strlen (c));
C
refused=$(judge "$sample" | wc -l)
if [ "$refused" = 5 ]; then bad=; else bad="$refused of 5 refused"; fi
say "what changes something is refused" "$bad"

bad=
for file in $with; do
  if grep -q '#include <CL/' "$file" && ! echo '#include <CL/cl.h>' | ${CC:-cc} -fsyntax-only -x c - 2>/dev/null; then
    continue
  fi
  message=$(${CC:-cc} -std=gnu11 -fsyntax-only -DG_DISABLE_ASSERT -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Werror \
    -I. -I"$top_builddir" -I"$top_builddir/schedule" $CHECK_CFLAGS -DTP_MODULE_DIR='"."' -DTP_PROGRAM_DIR='"."' -DTP_LIBRARY_DIR='"."' "$file" 2>&1) || bad="$bad$message
"
done
say "all compiles without assertions" "$bad"
