#!/bin/sh
# `tplan report`: one page that needs nothing else, whatever ops are called; in a
# browser, where there is one, it draws without complaint, sorts and opens.
. "$(dirname "$0")/common.sh"
python=$(command -v python3)
check=$top_srcdir/tests/cli/check_report.py

# good FILE [DOM]: what check_report.py says.
good ()
{
  [ -n "$python" ] || return 0
  "$python" "$check" "$@"
}
size () { wc -c < "$1"; }

try 0 optimize -q -d $sims mlp.json -o mlp.plan.json
try 0 report mlp.plan.json && err_has '^wrote mlp.report.html$' && good mlp.report.html; say $? "beside the plan"
try 2 report mlp.plan.json && err_has 'exists: give -f'; say $? "never over another file"
try 0 report mlp.plan.json -o - && mv .out stdout.html && good stdout.html; say $? "to stdout"
try 2 report mlp.plan.json -o page.pdf && err_has '.html'; say $? "a suffix that is none"
try 2 view mlp.plan.json -o page.html && err_has 'tplan report --help'; say $? "who asks view for a page is told"
try 3 report mlp.json -o x.html && err_has 'is a model, and this takes plans'; say $? "a model is no plan"
try 2 report -o x.html; say $? "no plan"
[ ! -f x.html ]; say $? "no page where there is an error"

# What was measured, and what a sweep says.
"$TPLAN" run --profile --top 0 --format json mlp.plan.json > run.json 2> /dev/null
"$TPLAN" sweep mlp.json --dim N=1,2,4..64 -d $sims --format json > sweep.json 2> /dev/null
try 0 report mlp.plan.json --run run.json --sweep sweep.json -o all.html && good all.html \
  && grep -q '"measured":{"steps":\[\["' all.html && grep -q '"parameter":"N"' all.html
say $? "a run and a sweep"
try 0 report mlp.plan.json --measure -o measured.html && good measured.html && grep -q '"measured":{"steps":\[\["' measured.html
say $? "measures by itself"
try 0 optimize -q -d sim:laptop-gpu mlp.json -o other.json
try 3 report other.json --run run.json -o x.html && err_has 'run.json: it is a run of none of these'; say $? "a run of another plan"
try 0 report mlp.plan.json other.json --run run.json -o two.html && good two.html && grep -q '>other.json: ' two.html
say $? "two plans"
try 0 optimize -q -d $sims --objective makespan mlp.json -o span.json
try 0 report span.json -o span.html && good span.html && grep -q '"schedule":\[\[' span.html && ! grep -q '"schedule"' two.html
say $? "the schedule of a plan for makespan"
try 3 report mlp.plan.json --run sweep.json -o x.html && err_has "no 'tplan-run/1'"; say $? "a sweep is no run"
try 3 report mlp.plan.json --sweep run.json -o x.html && err_has "no 'tplan-sweep/1'"; say $? "a run is no sweep"
echo '{"format": "tplan-run/1", "graph": 5, "profile": [[], {"name": 1}], "predicted_ns": "x"}' > odd.json
try 3 report mlp.plan.json --run odd.json -o x.html; say $? "a run of anything"
echo '{"format": "tplan-sweep/1", "points": [1, {"value": -1}, {"value": "x", "cost_ns": 1}], "breakpoints": {}}' > odd.json
try 0 report mlp.plan.json --sweep odd.json -o odd.html && good odd.html; say $? "a sweep of nothing"
echo '{' > odd.json
try 3 report mlp.plan.json --run odd.json -o x.html && err_has '^tplan: odd.json:'; say $? "a run that is no JSON"
try 3 report mlp.plan.json --run absent.json -o x.html && err_has 'absent.json'; say $? "a run that is not there"

try 0 optimize -q -d $sims --pin 'fc2=sim:laptop-gpu' mlp.json -o pinned.json && try 0 report pinned.json -o pinned.html \
  && good pinned.html && grep -q '\[-1,"[a-z0-9]*",0,1,[0-9]*,[0-9]*\]' pinned.html && grep -q 'pinned to sim:laptop-gpu' pinned.html
say $? "copies and reasons"

# Times are those of the other commands.
wanted=$(sed -n 's/.*"best_single_ns": *\([0-9]*\).*/\1/p' mlp.plan.json)
[ -n "$wanted" ] && grep -q "\"single\":$wanted[,}]" mlp.report.html; say $? "the best single device is the plan's"
"$TPLAN" sweep mlp.json --dim N=4,64 -d $sims --format json > .out 2> .err
[ "$(json best_single_ns)" -gt 0 ] && out_has "\"single_ns\"" && grep -A3 '"single_ns"' .out | grep -q ": $(json best_single_ns),\{0,1\}$"
say $? "and of sweeps"

# A device that is real: the machine of the page is that of the cost table.
try 0 calibrate -q mlp.json --devices ref; try 0 optimize -q -d ref mlp.json -o ref.json
try 0 report ref.json -o ref.html && good ref.html && grep -q '"measured_at":[0-9]' ref.html; say $? "a measured device"
TPLAN_COST=$work/empty.db try 0 report ref.json -o bare.html && good bare.html && grep -q '"stale":"not measured' bare.html
say $? "another cost table"

# Names from strangers.
cat > evil.json <<'JSON'
{ "format": "tplan-graph/1", "name": "</title><script>alert(1)</script>", "opset": 17,
  "inputs":  [{"name": "\"><img src=x onerror=alert(2)>", "dtype": "float32", "shape": [4, 16]}],
  "outputs": ["</script><img src=x onerror=alert(3)>"],
  "ops": [
    {"name": "</script><img src=//x.org onerror=alert(4)>", "type": "Relu", "inputs": ["\"><img src=x onerror=alert(2)>"], "outputs": ["<!-- <script>"]},
    {"name": "__proto__", "type": "Relu", "inputs": ["<!-- <script>"], "outputs": ["a\u2028b\u202e&amp;"]},
    {"name": "javascript:alert(5)//\u0000\u0007]]>", "type": "Relu", "inputs": ["a\u2028b\u202e&amp;"], "outputs": ["</script><img src=x onerror=alert(3)>"]} ] }
JSON
sed -i 's/\\u0000//' evil.json
try 0 optimize -q -d $sims evil.json -o evil.plan.json && try 0 report evil.plan.json -o evil.html && good evil.html \
  && ! grep -q '<img' evil.html && [ "$(grep -c '<script' evil.html)" -eq 2 ]
say $? "no markup comes from names"

# Every example.
for model in "$top_srcdir"/examples/*.json "$top_builddir"/examples/*.json; do
  grep -q tplan-graph "$model" || continue
  name=$(basename "$model" .json)
  try 0 optimize -q -f -d sim:desktop-cpu,sim:integrated-gpu "$model" -o big.json && try 0 report -f big.json -o $name.html \
    && good $name.html && [ "$(size $name.html)" -lt 2000000 ]
  say $? "$name: $(size $name.html) bytes"
  echo $name >> examples
done

# browse FILE#STATE: what a browser makes of it, in .dom; what it says, in .said.
browse ()
{
  timeout 600 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
    --user-data-dir="$work/chromium" --enable-logging=stderr --virtual-time-budget=5000 \
    --dump-dom "file://$work/$1" > .dom 2> .said || return 1
  sed -n '/CONSOLE/p' .said > .out
  [ ! -s .out ] && grep -q 'data-ready="yes"' .dom
}
# rows: names of ops in the table, in their order.
rows () { tr '\n' ' ' < .dom | sed 's/<wbr>//g; s/<tr/\n<tr/g' | sed -n 's/.*<td class="n">[0-9]*<\/td><th scope="row">\([^<]*\)<.*/\1/p' | tr '\n' ' '; }
shows () { [ "$1" = "$2" ] || { echo "# got '$1', not '$2'"; return 1; }; }

if ! command -v chromium > /dev/null; then
  n=$((n + 1)); echo "ok $n - in a browser # SKIP no chromium"
  finish
  exit 0
fi
browse all.html && good all.html .dom; say $? "a browser draws it"
browse all.html && shows "$(rows)" "fc1 relu fc2 soft "; say $? "in the order they run"
browse 'all.html#sort=name&dir=desc' && shows "$(rows)" "soft relu fc2 fc1 "; say $? "sorted by name"
browse 'all.html#find=matmul' && shows "$(rows)" "fc2 "; say $? "only what is looked for"
browse 'two.html#plan=2' && grep -q 'id="tab2" aria-selected="true"' .dom && good two.html .dom; say $? "the second plan"
browse evil.html && good evil.html .dom && ! grep -q '<img' .dom && grep -q '&lt;img src=//x.org onerror=alert(4)&gt;' .dom
say $? "names are text there, too"
if [ -f resnet50.html ]; then
  browse resnet50.html && ! grep -q 'class="child"' .dom && browse 'resnet50.html#open=1,2' && grep -q 'class="child"' .dom \
    && good resnet50.html .dom
  say $? "a block opens"
fi
# Every example in a frame of one page.
{
  echo '<pre id="said"></pre><script>const names = ['
  sed "s/.*/'&',/" examples
  cat <<'HTML'
];
const frames = names.map((name) => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.src = name + '.html';
  return frame;
});
onload = () => setTimeout(() => {
  said.textContent = frames.map((frame, i) => {
    const page = frame.contentDocument, n = page.querySelectorAll('svg').length;
    return (page.documentElement.dataset.ready === 'yes' && n >= 3 ? 'drawn: ' : 'NOT drawn: ') + names[i] + ', ' + n + ' drawings';
  }).join(String.fromCharCode(10));
  document.documentElement.dataset.ready = 'yes';
}, 2000);
</script>
HTML
} > frames.html
browse frames.html && [ "$(grep -c '^\(<.*>\)*drawn: ' .dom)" -eq "$(wc -l < examples)" ]; say $? "every example is drawn: $(wc -l < examples)"
browse odd.html; say $? "a sweep of nothing is drawn as nothing"

# fits FILE WIDTH: in a window so wide, nothing runs out of the page or its drawing, but what is
# in a box that scrolls, nothing is cut off, and no label is written over another; on a screen no such box has to scroll, and a
# name may end in an ellipsis.
fits ()
{
  cat > frame.html <<HTML
<iframe id="frame" src="$1" style="width: $2px; height: 740px; border: 0"></iframe><pre id="said"></pre>
<script>
frame.onload = () => setTimeout(() => {
  const page = frame.contentDocument, wrong = [];
  const out = (it, box) => it.getBoundingClientRect().right > box + 1 || it.getBoundingClientRect().left < -1;
  if (page.documentElement.scrollWidth > $2) wrong.push('the page scrolls');
  for (const it of page.body.querySelectorAll('*')) {
    if (it.closest('.scroll') || it.closest('svg') !== null && it.tagName !== 'svg') continue;
    if (out(it, $2)) wrong.push('out of the page: ' + it.textContent);
    const style = getComputedStyle(it);
    if (style.overflowX !== 'visible' && !($2 > 1000 && style.textOverflow === 'ellipsis') && it.scrollWidth > it.clientWidth + 1) wrong.push('cut off: ' + it.textContent);
  }
  for (const box of $2 > 1000 ? page.querySelectorAll('.scroll') : [])
    if (box.scrollWidth > box.clientWidth + 1) wrong.push('scrolls by ' + (box.scrollWidth - box.clientWidth) + ': ' + box.getAttribute('aria-label'));
  for (const drawing of page.querySelectorAll('svg')) {
    const texts = [...drawing.querySelectorAll('text')].map((it) => [it.textContent, it.getBoundingClientRect()]);
    for (const [i, [name, box]] of texts.entries()) {
      if (box.right > drawing.getBoundingClientRect().right + 1 || box.left < -1) wrong.push('out of its drawing: ' + name);
      for (const [other, at] of texts.slice(0, i))
        if (Math.min(box.right, at.right) - Math.max(box.left, at.left) > 1 && Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top) > 3)
          wrong.push('over ' + other + ': ' + name);
    }
  }
  const n = page.querySelectorAll('svg text').length;
  said.textContent = ['seen: ' + n + ' labels, ' + frame.clientWidth + ' px'].concat(wrong.map((it) => 'WRONG ' + it.slice(0, 60))).join(String.fromCharCode(10));
}, 1000);
</script>
HTML
  timeout 600 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
    --user-data-dir="$work/chromium" --window-size=1400,900 --virtual-time-budget=6000 --dump-dom "file://$work/frame.html" 2> .said \
    | sed -n '/id="said">/,/<\/pre>/p' | sed '/<script>/,$d; s/<[^>]*>//g' > .out
  out_has "seen: [1-9][0-9]* labels, $2 px" && ! out_has WRONG
}
# With names of devices as long as they are, of ops as long as they may be.
if [ -f resnet50.html ]; then
  try 0 optimize -q -f -d sim:desktop-cpu,sim:integrated-gpu "$top_builddir/examples/resnet50.json" -o big.json \
    && "$TPLAN" run -q --profile --top 0 --repeat 1 --format json big.json > run.json && try 0 report big.json --run run.json -o wide.html
  say $? "a large plan that ran"
fi
for page in wide.html all.html two.html ref.html odd.html pinned.html resnet50.html bert_base.html; do
  [ -f "$page" ] || continue
  fits $page 360; say $? "$page: on a phone"
  fits $page 1200; say $? "$page: on a screen"
done
finish
