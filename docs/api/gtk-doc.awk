# gtk-doc.awk: the comments of include/tplan.h, which are gtk-doc's, as Doxygen
# reads them. What is said of a member of an enum goes beside the member.

# Names of arguments within a sentence.
function inline (text,  done)
{
  while (match (text, /@[a-z_]+/))
    {
      done = done substr (text, 1, RSTART - 1) "@p " substr (text, RSTART + 1, RLENGTH - 1)
      text = substr (text, RSTART + RLENGTH)
    }
  done = done text
  gsub (/%TPLAN/, "#TPLAN", done)
  gsub (/%/, "", done)
  gsub (/#G/, "G", done)
  return done
}

# The rest of a line after what says whom it is about.
function get_text (line)
{
  sub (/^ \* @[A-Za-z_]+: */, "", line)
  sub (/^ \* */, "", line)
  return inline(line)
}

/^\/\* ----/ { next }
/^\/\* tplan\.h:/ { sub (/^\/\* tplan\.h:/, "/** @file tplan.h\n *"); in_plain = 1; print; next }
/^\/\* [A-Z]/ { sub (/^\/\*/, "/**"); in_plain = 1 }
/^\/\*\*$/ { in_block = 1; in_head = 0; print; next }

in_block && /^ \* [A-Za-z_]+:$/ { in_head = 1; next }
in_block && in_head && /^ \* @TPLAN_/ {
  member = $2
  gsub (/[@:]/, "", member)
  said[member] = get_text($0)
  next
}
in_block && in_head && /^ \* @/ {
  member = $2
  gsub (/[@:]/, "", member)
  print " * @param " member " " get_text($0)
  member = ""
  next
}
in_block && in_head && member != "" && /^ \*   / {
  said[member] = said[member] " " get_text($0)
  next
}
in_block && /^ \*$/ { in_head = 0; member = "" }
in_block || in_plain {
  $0 = inline($0)
  sub (/^ \* Returns:/, " * @return")
  sub (/^ \* Thread:/, " * @par Thread\n *")
  sub (/^ \*   #TPLAN_ERROR/, " *   - #TPLAN_ERROR")
}

!in_block && /^  TPLAN_[A-Z0-9_]+,$/ {
  member = $1
  sub (/,/, "", member)
  if (member in said)
    $0 = $0 " /**< " said[member] " */"
  member = ""
}
/^  [^ ].*[;,] +\/\* / { sub (/\/\* /, "/**< "); in_member = 1 }
in_member { $0 = inline($0) }

{ print }
/\*\/$/ { in_block = in_plain = in_member = 0 }
