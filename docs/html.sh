#!/bin/sh
# Makes one site of plain HTML: the pages, the READMEs of the folders, the manual.
#
# usage: html.sh SRCDIR BUILDDIR FOLDER
#
# By pandoc; links between pages are turned, files that are linked or shown come along.
set -eu
srcdir=$1 build=$2 folder=$3
command -v pandoc > /dev/null || { echo "html: there is no pandoc: apt-get install pandoc" >&2; exit 1; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd) build=$(cd "$build" && pwd)
cd "$srcdir"
pages=$(find . -name '*.md' ! -path './_*' ! -path './build*' ! -path './.git/*' | sed 's,^\./,,' | sort)

cat > "$folder/tplan.css" <<'CSS'
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
pre { overflow-x: auto; padding: .7rem; border: 1px solid #8886; border-radius: 4px; font-size: .85rem; line-height: 1.35; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: .25rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
nav { font-size: .9rem; }
CSS
cat > "$folder/links.lua" <<'LUA'
function Link (link)
  if not link.target:match ("^%a+:") then
    link.target = link.target:gsub ("%.md$", ".html"):gsub ("%.md#", ".html#")
  end
  return link
end
LUA
# make_page SOURCE FORMAT TARGET TITLE
make_page ()
{
  up=$(echo "$3" | tr -cd / | sed 's,/,../,g')
  mkdir -p "$folder/$(dirname "$3")"
  printf '<nav><a href="%sREADME.html">tplan</a> · <a href="%sdocs/start.html">start</a> · <a href="%sdocs/faq.html">questions</a> · <a href="%sman/tplan.html">manual</a></nav>\n' \
    "$up" "$up" "$up" "$up" > "$folder/nav.html"
  pandoc -f "$2" -t html5 --standalone --lua-filter "$folder/links.lua" --css "${up}tplan.css" \
    --metadata pagetitle="$4" -B "$folder/nav.html" "$1" -o "$folder/$3"
}

for page in $pages; do
  make_page "$page" gfm "${page%.md}.html" "$(sed -n '/^# /{s///p;q;}' "$page")"
  # What is linked or shown and is no page.
  { grep -oE '\]\([^)#]+' "$page" | sed 's/^](//'; grep -oE '(src|srcset)="[^"]+"' "$page" | sed 's/.*="//; s/"$//'; } \
    | grep -vE '^[a-z]+:|\.md$' | while IFS= read -r file; do
      from=$(dirname "$page")/$file
      [ -f "$from" ] || continue
      mkdir -p "$folder/$(dirname "$from")"
      cp "$from" "$folder/$from"
    done
done
for page in "$build/cli/tplan.1" docs/man/*.1; do
  name=$(basename "$page" .1)
  make_page "$page" man "man/$name.html" "$name(1)"
done
# The manual names its pages as NAME(1), and its start lists them.
for page in "$folder"/man/*.html; do
  sed -E 's,<strong>(tplan-[a-z]+)</strong> ?\(1\),<a href="\1.html">\1(1)</a>,g' "$page" > "$page.tmp" && mv "$page.tmp" "$page"
done
rm "$folder/links.lua" "$folder/nav.html"
cp "$folder/README.html" "$folder/index.html"
echo "$folder/index.html: $(find "$folder" -name '*.html' | wc -l) pages"
