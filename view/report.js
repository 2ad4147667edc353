'use strict';
/* The page of `tplan report`: draws what stands in #data. Everything that comes
 * from a model becomes text or an attribute's value, never markup. What is shown
 * is kept in the address: #plan=2&sort=share&open=3&op=conv1. */
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const main = document.getElementById('report');
  const ROWS_MAX = 3000;
  const state = { plan: 0, sort: 'order', dir: '', open: new Set(), op: '', find: '' };

  // ---- elements ------------------------------------------------------------

  function fill(element, attributes, kids) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
      else if (key === 'style') Object.assign(element.style, value);
      else element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...kids.flat(Infinity).filter((kid) => kid !== null && kid !== undefined));
    return element;
  }
  const h = (tag, attributes, ...kids) => fill(document.createElement(tag), attributes, kids);
  const s = (tag, attributes, ...kids) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, kids);
  const title = (text) => s('title', {}, text);

  // ---- quantities ----------------------------------------------------------

  const three = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2));
  function time(ns) {
    if (ns === null || ns === undefined) return '–';
    const sign = ns < 0 ? '−' : '', t = Math.abs(ns);
    if (t < 1e3) return `${sign}${t.toFixed(0)} ns`;
    if (t < 1e6) return `${sign}${three(t / 1e3)} µs`;
    if (t < 1e9) return `${sign}${three(t / 1e6)} ms`;
    return `${sign}${three(t / 1e9)} s`;
  }
  function bytes(n) {
    if (n === null || n === undefined) return '–';
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let i = 0;
    while (n >= 1024 && i < 4) { n /= 1024; i++; }
    return `${i ? three(n) : n} ${units[i]}`;
  }
  const percent = (x) => (x > 0 && x < 0.001 ? '<0.1 %' : `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %`);
  const signed = (x) => `${x < 0 ? '−' : '+'}${(100 * Math.abs(x)).toFixed(1)} %`;
  const round = (x) => Math.round(x * 100) / 100;
  const colour = (device) => (device < 0 ? 'p' : device % 4);
  const shorten = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
  /* A long name breaks where its parts do: "/features/0/Conv" before the 0. */
  const parts = (name) => name.split(/(?<=[/._:])(?=[^/._:])/).flatMap((part, i) => (i ? [h('wbr', {}), part] : [part]));
  const placeOf = (plan, device) => (device < 0 ? 'host memory' : plan.devices[device].name);

  // ---- the address ---------------------------------------------------------

  function readAddress() {
    const at = new URLSearchParams(location.hash.slice(1));
    const plan = parseInt(at.get('plan') || '1', 10) - 1;
    state.plan = plan >= 0 && plan < data.plans.length ? plan : 0;
    state.sort = at.get('sort') || 'order';
    state.dir = at.get('dir') || '';
    state.op = at.get('op') || '';
    state.find = at.get('find') || '';
    const open = at.get('open') || '';
    state.open = new Set(open.split(',').filter(Boolean).map((x) => parseInt(x, 10) - 1));
  }
  function writeAddress() {
    const at = new URLSearchParams();
    if (state.plan) at.set('plan', state.plan + 1);
    if (state.sort !== 'order') at.set('sort', state.sort);
    if (state.dir) at.set('dir', state.dir);
    if (state.open.size) at.set('open', [...state.open].sort((a, b) => a - b).map((x) => x + 1).join());
    if (state.op) at.set('op', state.op);
    if (state.find) at.set('find', state.find);
    history.replaceState(null, '', `#${at}`);
  }

  // ---- what follows from the data ------------------------------------------

  /* Steps with where they begin, predicted and, where known, measured. */
  function prepare(plan) {
    const found = new Map();
    for (const [name, device, isCopy, ns] of plan.measured ? plan.measured.steps : [])
      found.set(JSON.stringify([name, device, isCopy]), ns);
    let begin = 0, taken = 0, known = 0;
    plan.steps = plan.run.steps.map(([op, tensor, from, to, ns, size], i) => {
      const isCopy = op < 0, device = to < 0 ? 'host' : plan.devices[to].name;
      const key = JSON.stringify([isCopy ? tensor : plan.ops[op].name, device, isCopy ? 1 : 0]);
      const measured = found.get(key);
      const step = { i, op, tensor, from, to, ns, size, isCopy, begin, measured, taken };
      begin += ns;
      if (measured !== undefined) { taken += measured; known++; }
      return step;
    });
    plan.schedule = (plan.run.schedule || []).map(([op, tensor, from, to, ns, size, start]) => (
      { op, tensor, from, to, ns, size, isCopy: op < 0, begin: start })).sort((a, b) => a.begin - b.begin);
    plan.span = Math.max(0, ...plan.schedule.map((step) => step.begin + step.ns));
    plan.predicted = begin;
    plan.taken = taken;
    plan.known = known;
    plan.stepOf = new Map(plan.steps.filter((x) => !x.isCopy).map((x) => [x.op, x]));
    plan.blockOf = [];
    plan.blocks.forEach(([first, n], b) => { for (let i = 0; i < n; i++) plan.blockOf[first + i] = b; });
  }
  const copiesOf = (plan) => plan.steps.filter((x) => x.isCopy);
  const sum = (list, of) => list.reduce((total, x) => total + of(x), 0);
  function stepText(plan, step) {
    const what = step.isCopy
      ? `copy of ${step.tensor}, ${bytes(step.size)}, ${placeOf(plan, step.from)} to ${placeOf(plan, step.to)}`
      : `${plan.ops[step.op].type} ${plan.ops[step.op].name} on ${placeOf(plan, step.to)}`;
    const fused = step.isCopy ? 0 : plan.ops[step.op].group;
    const members = !step.isCopy && fused >= 0 ? plan.ops.filter((op) => op.group === fused).length : 0;
    return `${what}${members > 1 ? `, ${members} ops fused` : ''}: ${time(step.ns)} predicted`
      + (step.measured === undefined ? '' : `, ${time(step.measured)} measured`);
  }

  // ---- parts that several sections use -------------------------------------

  function section(name, note, ...kids) {
    return h('section', {}, h('h2', {}, name), note ? h('p', { class: 'note' }, note) : null, ...kids);
  }
  function legend(entries) {
    return h('ul', { class: 'legend' }, entries.map(([kind, text, ring]) =>
      h('li', {}, h('span', { class: `key b${kind}${ring ? ' ring' : ''}`, 'aria-hidden': 'true' }), text)));
  }
  const deviceKeys = (plan) => plan.devices.map((device, d) => [colour(d), device.name]);
  function table(caption, heads, rows) {
    return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
      h('table', {}, h('caption', {}, caption),
        h('thead', {}, h('tr', {}, heads.map((head) =>
          h('th', { scope: 'col', class: head[1] ? 'n' : null }, head[0])))),
        h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) =>
          i === 0 ? h('th', { scope: 'row' }, cell) : h('td', { class: heads[i][1] ? 'n' : null }, cell)))))));
  }
  function facts(list) {
    return h('dl', { class: 'facts' }, list.filter(Boolean).map(([name, value, more, isMain]) =>
      h('div', { class: isMain ? 'main' : null }, h('dt', {}, name),
        h('dd', {}, value, more ? h('small', {}, ` ${more}`) : null))));
  }
  function decades(low, high) {
    const list = [];
    for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e++) list.push(10 ** e);
    return list;
  }
  /* About n round values from 0 to high. */
  function ticks(high, n, base) {
    const rough = high / n, power = base ** Math.floor(Math.log(rough) / Math.log(base));
    const factors = base === 10 ? [1, 2, 5, 10] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
    const step = power * factors.find((f) => f * power >= rough);
    const list = [];
    for (let x = 0; x <= high * 1.0001 && step > 0; x += step) list.push(x);
    return list;
  }
  const path = (points) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${round(x)} ${round(y)}`).join('');

  // ---- verdict -------------------------------------------------------------

  const interval = (plan) => (plan.low_ns !== null && plan.low_ns < plan.high_ns ? `${time(plan.low_ns)} to ${time(plan.high_ns)}` : '');
  function verdict(plan) {
    const rows = [['this plan', plan.cost, 'p']];
    plan.devices.forEach((device, d) => rows.push([`all on ${device.name}`, device.single, colour(d)]));
    if (plan.measured && plan.measured.median_ns)
      rows.splice(1, 0, ['this plan, measured', plan.measured.median_ns, 'p']);
    const longest = Math.max(...rows.map((row) => row[1] || 0), 1);
    const copies = copiesOf(plan);
    const ratio = (ns) => (ns !== plan.cost && plan.cost > 0 ? `, ${(ns / plan.cost).toFixed(2)} ×` : '');
    const chart = h('div', { class: 'bars' }, rows.map(([name, ns, kind]) => [
      h('span', {}, name),
      h('div', { class: 'track' }, ns === null ? null : h('div', { class: `b${kind}`, style: { width: `${round(100 * ns / longest)}%` } })),
      h('span', { class: ns === null ? 'soft' : null }, ns === null ? 'cannot run all of it' : `${time(ns)}${ratio(ns)}`),
    ]));
    return section(plan.simulated ? 'Verdict (simulated machine)' : 'Verdict', null,
      facts([
        ['predicted', time(plan.cost), interval(plan) && `90 %: ${interval(plan)}`, true],
        plan.measured && plan.measured.median_ns && ['measured', time(plan.measured.median_ns),
          `median of ${plan.measured.runs}; predicted ${signed(plan.cost / plan.measured.median_ns - 1)}`, true],
        plan.measured && plan.measured.preempted > 0.05 && !plan.simulated && ['disturbed', `${percent(plan.measured.preempted)} of the runs`,
          'another process took a processor'],
        ['proof', plan.proof],
        ['ops', plan.ops.length, plan.groups ? `in ${plan.groups} fused groups and alone` : ''],
        ['copies', copies.length || 'none', copies.length
          ? `${bytes(sum(copies, (x) => x.size))}, ${time(sum(copies, (x) => x.ns))}` : ''],
        plan.estimated > 0 && ['estimated times', `${plan.estimated} of ${plan.ops.length} ops`],
      ]), chart);
  }

  // ---- timeline ------------------------------------------------------------

  function lanesOf(plan, kind) {
    const lanes = new Map();
    plan.devices.forEach((device, d) => lanes.set(`d${d}`, device.name));
    if (kind === 'scheduled') {
      for (const { from, to } of plan.schedule.filter((step) => step.isCopy))
        lanes.set(`l${from},${to}`, from < 0 ? `to ${placeOf(plan, to)}` : `from ${placeOf(plan, from)}`);
      return lanes;
    }
    for (const { from, to } of copiesOf(plan)) {
      const [a, b] = [Math.min(from, to), Math.max(from, to)];
      lanes.set(`l${a},${b}`, a === plan.host || b === plan.host
        ? `link to ${placeOf(plan, a === plan.host ? b : a)}` : `${placeOf(plan, a)} ⇄ ${placeOf(plan, b)}`);
    }
    return lanes;
  }
  function laneOf(step, kind) {
    if (!step.isCopy) return `d${step.to}`;
    return kind === 'scheduled' ? `l${step.from},${step.to}` : `l${Math.min(step.from, step.to)},${Math.max(step.from, step.to)}`;
  }
  /* What a lane shows; steps too short to be seen, one behind the other, are one. */
  function bars(plan, lane, kind, x) {
    const list = [];
    for (const step of kind === 'scheduled' ? plan.schedule : plan.steps) {
      const begin = kind === 'measured' ? step.taken : step.begin;
      const ns = kind === 'measured' ? step.measured : step.ns;
      if (laneOf(step, kind) !== lane || !(ns > 0)) continue;
      const bar = { step, begin: x(begin), end: Math.max(x(begin + ns), x(begin) + 0.6), n: 1 };
      const last = list[list.length - 1], isShort = bar.end - bar.begin < 1;
      if (last && last.isShort && isShort && bar.begin - last.end < 0.3) {
        last.end = Math.max(last.end, bar.end);
        last.n++;
      } else list.push({ ...bar, isShort });
    }
    return list;
  }
  function timeline(plan, width) {
    const total = Math.max(plan.predicted, plan.known ? plan.taken : 0, 1);
    const kinds = [...(plan.schedule.length ? ['scheduled'] : []), 'predicted', ...(plan.known ? ['measured'] : [])];
    const lanes = new Map(kinds.map((kind) => [kind, [...lanesOf(plan, kind)]]));
    const names = kinds.flatMap((kind) => lanes.get(kind).map(([, name]) => name)), lane = 26, isNarrow = width < 560;
    const left = isNarrow ? 4 : 16 + Math.min(174, Math.max(...names.map((name) => 7 * name.length)));
    const x = (ns) => left + (width - left - 8) * ns / total;
    const kids = [];
    let y = 6;
    for (const kind of kinds) {
      kids.push(s('text', { x: left, y: y + 12, class: 'soft' },
        kind === 'scheduled' ? `schedule, if engines work at once: ${time(plan.span)}`
          : kind === 'predicted' ? `${plan.schedule.length ? 'one thing after the other' : 'predicted'}: ${time(plan.predicted)}`
          : isNarrow ? `measured one by one: ${time(plan.taken)}`
            : `measured: steps waited for one by one, ${time(plan.taken)} in all`));
      y += 20;
      for (const [id, name] of lanes.get(kind)) {
        if (isNarrow) y += 18;
        kids.push(s('text', isNarrow ? { x: left, y: y - 5 } : { x: left - 8, y: y + 17, 'text-anchor': 'end' },
          shorten(name, isNarrow ? 60 : 27), title(name)));
        kids.push(s('line', { x1: left, x2: width - 8, y1: y + lane - 2, y2: y + lane - 2, class: 'axis' }));
        kids.push(...bars(plan, id, kind, x).map((bar) => s('rect', {
          x: round(bar.begin), y, width: round(bar.end - bar.begin), height: lane - 4, rx: bar.end - bar.begin > 6 ? 2 : 0,
          class: `f${bar.step.isCopy ? 'c' : colour(bar.step.to)} ${bar.end - bar.begin > 3 ? 'step' : ''} ${
            !bar.step.isCopy && plan.ops[bar.step.op].name === state.op ? 'here' : ''}`,
          onclick: bar.step.isCopy ? null : () => {
            state.op = plan.ops[bar.step.op].name;
            state.find = '';
            writeAddress();
            render();
          },
        }, title(bar.n > 1 ? `${bar.n} short steps` : stepText(plan, bar.step)))));
        y += lane + 2;
      }
      y += 8;
    }
    let free = -Infinity;
    for (const tick of ticks(total, isNarrow ? 4 : 8, 10)) {
      kids.unshift(s('line', { x1: round(x(tick)), x2: round(x(tick)), y1: 26, y2: y, class: 'grid' }));
      const isLast = x(tick) > width - 40;
      if (x(tick) - (isLast ? 32 : 0) < free) continue;
      free = x(tick) + 64;
      kids.push(s('text', { x: round(x(tick)), y: y + 14, 'text-anchor': tick ? (isLast ? 'end' : 'middle') : 'start', class: 'soft' }, time(tick)));
    }
    return section('Timeline',
      `${plan.schedule.length ? 'By the schedule each engine does one thing at a time, as soon as what it needs is there; below,' : 'Steps follow each other:'
      } one waits for the one before. Point at a step to read it, click to find it in the table of ops.`,
      legend([...deviceKeys(plan), ...(copiesOf(plan).length ? [['c', 'copies']] : [])]),
      s('svg', { viewBox: `0 0 ${width} ${y + 22}`, role: 'img', 'aria-label':
        `Timeline of ${plan.steps.length} steps on ${lanes.get('predicted').length} lanes, ${time(plan.predicted)} predicted` }, kids),
      plan.known && plan.known < plan.steps.length
        ? h('p', { class: 'note' }, `${plan.known} of ${plan.steps.length} steps were measured: run --profile --top 0 tells all.`) : null);
  }

  // ---- the graph -----------------------------------------------------------

  function typesOf(ops) {
    const seen = [...new Set(ops.map((op) => op.type))];
    return seen.slice(0, 4).join(', ') + (seen.length > 4 ? ', …' : '');
  }
  /* Blocks, the ops of open ones, and copies, in the order they run. */
  function listRows(plan) {
    const copies = new Map();
    let last = -1;
    for (const step of plan.steps) {
      if (!step.isCopy) last = Math.max(last, plan.blockOf[step.op]);
      else copies.set(last, [...(copies.get(last) || []), step]);
    }
    const rows = (copies.get(-1) || []).map((step) => ({ step }));
    plan.blocks.forEach(([first, n, times], b) => {
      const ops = plan.ops.slice(first, first + n);
      rows.push({ block: b, first, n, times, ops });
      if (state.open.has(b) && n > 1) ops.slice(0, 500).forEach((op, i) => rows.push({ op, index: first + i }));
      for (const step of copies.get(b) || []) rows.push({ step });
    });
    return rows;
  }
  function laneBars(plan, ops, longest) {
    return plan.devices.map((device, d) => {
      const mine = ops.filter((op) => op.dev === d), ns = sum(mine, (op) => op.ns);
      return h('span', { class: 'lane' }, mine.length
        ? h('i', { class: `b${colour(d)}`, style: { width: `${round(96 * ns / longest)}%` } }) : null);
    });
  }
  function rowOf(plan, row, longest, again) {
    if (row.step) {
      const { step } = row;
      return h('li', { class: 'copy', title: stepText(plan, step) }, h('span', { class: 'name' }, `⇢ ${step.tensor}`),
        h('span', { class: 'lanes' }, h('span', { class: 'text' },
          `${bytes(step.size)} from ${placeOf(plan, step.from)} to ${placeOf(plan, step.to)}`)),
        h('span', { class: 'time' }, time(step.ns)));
    }
    const ops = row.op ? [row.op] : row.ops, ns = sum(ops, (op) => op.ns);
    const share = h('small', { class: 'soft' }, `  ${plan.cost > 0 && ns > 0 ? percent(ns / plan.cost) : ''}`);
    let name;
    if (row.op) name = `${row.op.type}  ${row.op.name}  ${row.op.shape}`;
    else if (row.n === 1) name = `${ops[0].type}  ${ops[0].name}`;
    else name = `${row.times > 1 ? `${row.times} × ${row.n / row.times}` : row.n} ops: ${typesOf(ops)}`;
    const isOpen = !row.op && state.open.has(row.block);
    const label = !row.op && row.n > 1
      ? h('button', { type: 'button', 'aria-expanded': String(isOpen), 'data-block': row.block + 1, onclick: () => {
        if (isOpen) state.open.delete(row.block); else state.open.add(row.block);
        writeAddress();
        again(row.block);
      } }, name)
      : name;
    return h('li', { class: row.op ? 'child' : null, title: `${name}, from ${ops[0].name}: ${time(ns)}` },
      h('span', { class: 'name' }, label), h('span', { class: 'lanes' }, laneBars(plan, ops, longest)),
      h('span', { class: 'time' }, ns === 0 && ops.some((op) => op.group >= 0) ? 'fused' : time(ns), share));
  }
  /* What is read past the next row, as arcs; each as near as others let it. */
  function arcs(plan, rows) {
    const rowOfOp = new Map(), drawn = new Map(), lanes = [];
    rows.forEach((row, r) => {
      if (row.op) rowOfOp.set(row.index, r);
      else if (row.ops) row.ops.forEach((op, i) => rowOfOp.set(row.first + i, r));
    });
    const order = rows.map((row, r) => r).filter((r) => !rows[r].step);
    const rank = new Map(order.map((r, i) => [r, i]));
    for (const [from, to] of plan.edges) {
      const a = rowOfOp.get(from), b = rowOfOp.get(to);
      if (a === undefined || b === undefined || a >= b) continue;
      const isCut = plan.ops[from].dev !== plan.ops[to].dev;
      drawn.set(a * 1e6 + b, { a, b, isCut: isCut || (drawn.get(a * 1e6 + b) || {}).isCut });
    }
    const list = [...drawn.values()].sort((x, y) => (x.b - x.a) - (y.b - y.a));
    for (const arc of list) {
      arc.lane = rank.get(arc.b) - rank.get(arc.a) === 1 ? 0 : 1;
      while (arc.lane > 0 && (lanes[arc.lane] || []).some((o) => o.a < arc.b && arc.a < o.b)) arc.lane++;
      (lanes[arc.lane] = lanes[arc.lane] || []).push(arc);
    }
    return list.filter((arc) => arc.lane <= 8);
  }
  function gutter(plan, rows, isWide) {
    const list = arcs(plan, rows), deepest = Math.max(0, ...list.map((arc) => arc.lane));
    const width = 22 + 9 * deepest, end = width - 6, middle = (r) => 30 * (r + 1) + 15;
    const kids = list.map(({ a, b, lane, isCut }) => {
      const x = lane === 0 ? end : end - 4 - 9 * lane, y0 = middle(a), y1 = middle(b);
      const r = Math.min(9, (y1 - y0) / 2, Math.max(end - x, 0.1));
      const d = lane === 0 ? `M${end} ${y0}V${y1}`
        : `M${end} ${y0}H${x + r}Q${x} ${y0} ${x} ${y0 + r}V${y1 - r}Q${x} ${y1} ${x + r} ${y1}H${end}`;
      return s('path', { d, class: `thin ${isCut ? 'sc' : 'arc'}` });
    });
    rows.forEach((row, r) => {
      if (!row.step) kids.push(s('circle', { cx: end, cy: middle(r), r: row.op ? 2.5 : 4, class: `f${colour((row.op || row.ops[0]).dev)}` }));
    });
    return isWide ? [width, s('svg', { width, height: 30 * (rows.length + 1), viewBox: `0 0 ${width} ${30 * (rows.length + 1)}`,
      'aria-hidden': 'true', style: { width: `${width}px` } }, kids)] : [0, null];
  }
  function graph(plan, width) {
    const place = h('div', { class: 'ladder' });
    function draw(focus) {
      const rows = listRows(plan);
      const longest = Math.max(1, ...rows.filter((row) => row.ops).map((row) =>
        Math.max(...plan.devices.map((device, d) => sum(row.ops.filter((op) => op.dev === d), (op) => op.ns)))));
      const [room, arcsDrawn] = gutter(plan, rows, width > 600);
      const heads = h('li', { class: 'heads', 'aria-hidden': 'true' }, h('span', {}),
        h('span', { class: 'lanes' }, plan.devices.map((device, d) => h('span', { class: `lane t${colour(d)}` }, device.name))),
        h('span', { class: 'time' }, 'time'));
      place.replaceChildren(...(arcsDrawn ? [arcsDrawn] : []),
        h('ul', { class: 'rows', style: { paddingLeft: `${room}px` } }, heads,
          rows.map((row) => rowOf(plan, row, longest, draw))));
      if (focus !== undefined) place.querySelector(`[data-block="${focus + 1}"]`).focus();
    }
    draw();
    const isFolded = plan.blocks.some(([, n]) => n > 1);
    const made = section('Graph', `In the order it runs; the width of a bar is time, its column the device, red rows are copies${
      width > 600 ? ', arcs lead to who reads what was made' : ''}.${isFolded ? ' Blocks open on a click.' : ''}`, place);
    made.classList.add('long');
    return made;
  }

  // ---- roofline ------------------------------------------------------------

  function kernelsOf(plan) {
    return plan.kernels.map(([op, flops, size]) => {
      const step = plan.stepOf.get(op);
      if (!step || !(flops > 0) || !(size > 0)) return null;
      const ns = step.measured > 0 ? step.measured : step.ns;
      return ns > 0 ? { op, step, x: flops / size, y: flops / ns } : null;
    }).filter(Boolean);
  }
  function roofline(plan, width) {
    const dots = kernelsOf(plan), height = Math.min(360, Math.max(260, width * 0.6));
    const roofs = plan.machine.map((m, d) => ({ ...m, d })).filter((m) => m.gflops > 0 && m.gbps > 0);
    if (!dots.length) return section('Roofline', 'No kernel of this plan computes with reals.');
    const knees = roofs.map((m) => m.gflops / m.gbps);
    const low = 10 ** Math.floor(Math.log10(Math.min(...dots.map((p) => p.x), ...knees)) - 0.001);
    const high = 10 ** Math.ceil(Math.log10(Math.max(...dots.map((p) => p.x), ...knees)) + 0.001);
    const bottom = 10 ** Math.floor(Math.log10(Math.min(...dots.map((p) => p.y))) - 0.001);
    const top = 10 ** Math.ceil(Math.log10(Math.max(...dots.map((p) => p.y), ...roofs.map((m) => m.gflops))) + 0.001);
    const scale = (v, a, b, from, to) => from + (to - from) * Math.log(v / a) / Math.log(b / a);
    const x = (v) => scale(v, low, high, 62, width - 12), y = (v) => scale(v, bottom, top, height - 40, 10);
    const plain = (v) => (v >= 1 ? v.toLocaleString('en') : String(Number(v.toPrecision(1))));
    const kids = [];
    for (const v of decades(low, high)) {
      kids.push(s('line', { x1: x(v), x2: x(v), y1: 10, y2: height - 40, class: 'grid' }));
      kids.push(s('text', { x: x(v), y: height - 24, 'text-anchor': x(v) > width - 32 ? 'end' : 'middle', class: 'soft' }, plain(v)));
    }
    for (const v of decades(bottom, top)) {
      kids.push(s('line', { x1: 62, x2: width - 12, y1: y(v), y2: y(v), class: 'grid' }));
      kids.push(s('text', { x: 56, y: y(v) + 4, 'text-anchor': 'end', class: 'soft' }, plain(v)));
    }
    for (const m of roofs) {
      const knee = m.gflops / m.gbps, start = Math.max(low, bottom / m.gbps);
      kids.push(s('path', { d: path([[x(start), y(start * m.gbps)], [x(knee), y(m.gflops)], [x(high), y(m.gflops)]]),
        class: `line s${colour(m.d)}` }, title(`${plan.devices[m.d].name}: ${three(m.gflops)} GFLOP/s, ${three(m.gbps)} GB/s`)));
    }
    const longest = Math.max(...dots.map((p) => p.step.ns), 1);
    for (const p of dots) {
      const radius = 2.5 + 6 * Math.sqrt(p.step.ns / longest), d = p.step.to;
      const shape = d % 2 === 0 ? s('circle', { cx: round(x(p.x)), cy: round(y(p.y)), r: round(radius) })
        : s('rect', { x: round(x(p.x) - radius), y: round(y(p.y) - radius), width: round(2 * radius), height: round(2 * radius),
          transform: `rotate(45 ${round(x(p.x))} ${round(y(p.y))})` });
      kids.push(fill(shape, { class: `f${colour(d)}`, 'fill-opacity': '0.65' },
        [title(`${stepText(plan, p.step)}; ${three(p.y)} GFLOP/s, ${three(p.x)} FLOP/byte`)]));
    }
    kids.push(s('text', { x: (62 + width) / 2, y: height - 6, 'text-anchor': 'middle', class: 'soft' }, 'FLOP per byte'));
    kids.push(s('text', { x: 12, y: height / 2, 'text-anchor': 'middle', class: 'soft', transform: `rotate(-90 12 ${height / 2})` }, 'GFLOP/s'));
    return section('Roofline', `Each kernel beside the most its device can do; larger is longer. Above the line are convolutions that need fewer operations than are counted (Winograd).${
      roofs.length < plan.devices.length ? ' A device that was never measured has no roof.' : ''}`,
    legend(deviceKeys(plan)),
    s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Roofline with ${dots.length} kernels` }, kids));
  }

  // ---- memory --------------------------------------------------------------

  function memory(plan, width) {
    const n = Math.max(plan.steps.length, 1), height = Math.min(360, Math.max(260, width * 0.6));
    const peaks = plan.devices.map((device) => device.peak || 0);
    const top = Math.max(...peaks, ...plan.run.memory.flat().map((point) => point[1]), 1) * 1.08;
    const x = (step) => 74 + (width - 86) * step / n, y = (size) => height - 40 - (height - 56) * size / top;
    const kids = [];
    for (const tick of ticks(top, 5, 1024)) {
      kids.push(s('line', { x1: 74, x2: width - 12, y1: y(tick), y2: y(tick), class: 'grid' }));
      kids.push(s('text', { x: 68, y: y(tick) + 4, 'text-anchor': 'end', class: 'soft' }, bytes(tick)));
    }
    for (const tick of ticks(n, 6, 10).filter((v) => v === Math.round(v)))
      kids.push(s('text', { x: x(tick), y: height - 24, 'text-anchor': 'middle', class: 'soft' }, tick));
    plan.run.memory.forEach((points, d) => {
      if (!points.length) return;
      const line = [[x(0), y(0)]];
      let last = 0;
      for (const [step, size] of points) {
        line.push([x(step), y(last)], [x(step), y(size)]);
        last = size;
      }
      line.push([x(n), y(last)], [x(n), y(0)]);
      const text = `${plan.devices[d].name}: at most ${bytes(plan.devices[d].peak)}`;
      kids.push(s('path', { d: `${path(line)}Z`, class: `area f${colour(d)}` }));
      const look = points.length > 40 ? 'thin' : d % 2 ? 'line dash' : 'line';
      kids.push(s('path', { d: path(line), class: `${look} s${colour(d)}` }, title(text)));
    });
    kids.push(s('text', { x: (74 + width) / 2, y: height - 6, 'text-anchor': 'middle', class: 'soft' }, 'step'));
    const keys = plan.devices.map((device, d) => [colour(d),
      `${device.name}: peak ${bytes(device.peak)}, and weights ${bytes(device.weights)}${
        device.limit > 0 ? `, limit ${bytes(device.limit)}` : ''}${
        device.reserve > 0 ? ` beside ${bytes(device.reserve)} for kernels` : ''}`]);
    return section('Memory', 'Tensors alive at each step, without constants.', legend(keys),
      s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': keys.map((key) => key[1]).join('; ') }, kids));
  }

  // ---- sweeps --------------------------------------------------------------

  function sweep(it, width) {
    const { points } = it, height = 320;
    if (!points.length) return null;
    const names = [...new Set(points.flatMap((p) => Object.keys(p.single_ns)))];
    const all = points.flatMap((p) => [p.cost_ns, p.low_ns || p.cost_ns, p.high_ns || p.cost_ns, ...Object.values(p.single_ns)]);
    const low = Math.min(...all) / 1.1, high = Math.max(...all) * 1.1;
    const first = points[0].value, last = Math.max(points[points.length - 1].value, first * 1.01);
    const x = (v) => 74 + (width - 96) * Math.log(v / first) / Math.log(last / first);
    const y = (v) => height - 40 - (height - 56) * Math.log(v / low) / Math.log(high / low);
    const kids = [], known = data.plans.length ? data.plans[0].devices.map((device) => device.name) : [];
    const kind = (name) => colour(known.includes(name) ? known.indexOf(name) : names.indexOf(name));
    const ticksY = decades(low, high).flatMap((v) => [v, 2 * v, 5 * v]).concat(decades(low / 10, low).flatMap((v) => [2 * v, 5 * v]));
    for (const v of [...new Set(ticksY)].filter((v) => v >= low && v <= high)) {
      kids.push(s('line', { x1: 74, x2: width - 12, y1: y(v), y2: y(v), class: 'grid' }));
      kids.push(s('text', { x: 68, y: y(v) + 4, 'text-anchor': 'end', class: 'soft' }, time(v)));
    }
    let free = -Infinity;
    for (const { value } of points) {
      if (x(value) < free) continue;
      kids.push(s('text', { x: x(value), y: height - 24, 'text-anchor': 'middle', class: 'soft' }, value));
      free = x(value) + 34;
    }
    for (const v of it.breaks.filter((b) => b >= first && b <= last)) {
      kids.push(s('line', { x1: x(v), x2: x(v), y1: 12, y2: height - 40, class: 'thin sc dash' },
        title(`another plan from ${it.parameter}=${v} on`)));
    }
    const band = points.filter((p) => p.low_ns && p.high_ns);
    const edge = (key) => band.map((p) => [x(p.value), y(p[key])]);
    if (band.length) kids.push(s('path', { d: `${path(edge('high_ns').concat(edge('low_ns').reverse()))}Z`, class: 'area fp' }));
    for (const name of names) {
      const curve = points.filter((p) => p.single_ns[name]);
      kids.push(s('path', { d: path(curve.map((p) => [x(p.value), y(p.single_ns[name])])), class: `line dash s${kind(name)}` }));
    }
    kids.push(s('path', { d: path(points.map((p) => [x(p.value), y(p.cost_ns)])), class: 'line sp' }));
    for (const p of points)
      kids.push(s('circle', { cx: x(p.value), cy: y(p.cost_ns), r: 4, class: 'fp' }, title(`${it.parameter}=${p.value}: ${time(p.cost_ns)}`)));
    kids.push(s('text', { x: (74 + width) / 2, y: height - 6, 'text-anchor': 'middle', class: 'soft' }, it.parameter));
    const heads = [[it.parameter, 1], ['plan', 1], ['90 %', 1], ...names.map((name) => [`all on ${name}`, 1])];
    const rows = points.map((p) => [String(p.value), time(p.cost_ns),
      p.low_ns && p.low_ns < p.high_ns ? `${time(p.low_ns)} to ${time(p.high_ns)}` : '–', ...names.map((name) => time(p.single_ns[name]))]);
    return section(`Crossover over ${it.parameter}${it.simulated ? ' (simulated)' : ''}`,
      it.breaks.length ? `The placement changes at ${it.breaks.join(', ')}.` : 'The placement is the same throughout.',
      legend([['p', 'the plan, with its 90 % interval'], ...names.map((name) => [kind(name), `all on ${name}`, true])]),
      s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Times over ${it.parameter}; the table below has the values` }, kids),
      h('details', {}, h('summary', {}, 'values'), table(`Times over ${it.parameter}`, heads, rows)));
  }

  // ---- the table of ops ----------------------------------------------------

  function columnsOf(plan) {
    const own = (op) => op.costs[op.dev] || [0, 0, 0];
    const cost = (c) => (c === null ? '–' : [`${c[2] ? '~' : ''}${time(c[0])}`, c[1] > 0 ? h('small', {}, ` ±${time(c[1])}`) : null]);
    const share = (op) => (plan.cost > 0 ? op.ns / plan.cost : 0);
    const isInside = (op) => op.group >= 0 && !plan.stepOf.has(op.i);
    /* The best of the other devices. */
    const rival = (op) => op.costs.reduce((best, c, d) =>
      (c !== null && d !== op.dev && (best < 0 || c[0] < op.costs[best][0]) ? d : best), -1);
    const list = [
      { key: 'order', name: '#', n: true, of: (op) => op.i, text: (op) => String(op.i + 1) },
      { key: 'name', name: 'op', of: (op) => op.name, text: (op) => parts(op.name) },
      { key: 'type', name: 'type', kind: 'type', of: (op) => op.type, text: (op) => [op.type, h('small', { class: 'soft under' }, op.shape)] },
      { key: 'device', name: 'device', kind: 'keyed', of: (op) => plan.devices[op.dev].name,
        text: (op) => [h('span', { class: `key b${colour(op.dev)}`, 'aria-hidden': 'true' }), plan.devices[op.dev].name] },
      { key: 'share', name: 'share', n: true, of: share, text: (op) => (op.ns > 0
        ? [h('span', { class: 'share', style: { width: `${round(40 * share(op) / plan.largest)}px` }, 'aria-hidden': 'true' }), percent(share(op))]
        : isInside(op) ? h('span', { class: 'soft' }, 'fused') : '–') },
      { key: 'time', name: 'time here', n: true, of: (op) => own(op)[0], text: (op) => cost(op.costs[op.dev]) },
    ];
    if (plan.devices.length > 1) list.push({ key: 'elsewhere', name: 'elsewhere', n: true,
      of: (op) => (rival(op) < 0 ? -1 : op.costs[rival(op)][0]),
      text: (op) => (rival(op) < 0 ? '–' : [cost(op.costs[rival(op)]),
        plan.devices.length > 2 ? h('span', { class: 'soft' }, ` on ${plan.devices[rival(op)].name}`) : null]) });
    if (plan.known) list.push({ key: 'measured', name: 'kernel took', n: true, of: (op) => (plan.stepOf.get(op.i) || {}).measured || -1,
      text: (op) => time((plan.stepOf.get(op.i) || {}).measured) });
    list.push({ key: 'margin', name: 'margin', n: true, of: (op) => (op.margin === null ? -1 : op.margin), text: (op) => (op.least ? '\u2265 ' : '') + time(op.margin) });
    list.push({ key: 'why', name: 'why', of: (op) => op.why, kind: 'why', text: (op) => op.why });
    return list;
  }
  function sorted(plan, column) {
    const down = state.dir ? state.dir === 'desc' : Boolean(column.n) && column.key !== 'order';
    const wanted = state.find.toLowerCase();
    const list = plan.ops.filter((op) => !wanted
      || [op.name, op.type, op.why, plan.devices[op.dev].name].some((text) => text.toLowerCase().includes(wanted)));
    list.sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      return (x < y ? -1 : x > y ? 1 : a.i - b.i) * (x === y ? 1 : down ? -1 : 1);
    });
    return [list, down];
  }
  function opTable(plan) {
    plan.ops.forEach((op, i) => { op.i = i; });
    plan.largest = Math.max(...plan.ops.map((op) => (plan.cost > 0 ? op.ns / plan.cost : 0)), 1e-9);
    const columns = columnsOf(plan), place = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of ops' });
    const said = h('span', { class: 'soft', role: 'status' });
    function draw(focus) {
      const column = columns.find((c) => c.key === state.sort) || columns[0];
      const [list, down] = sorted(plan, column);
      const heads = columns.map((c) => h('th', { scope: 'col', class: c.n ? 'n' : null,
        'aria-sort': c === column ? (down ? 'descending' : 'ascending') : null },
      h('button', { type: 'button', 'data-sort': c.key, onclick: () => {
        state.dir = c === column ? (down ? 'asc' : 'desc') : '';
        state.sort = c.key;
        writeAddress();
        draw(c.key);
      } }, c.name)));
      const rows = list.slice(0, ROWS_MAX).map((op) => h('tr', { class: op.name === state.op ? 'here' : null },
        columns.map((c) => (c.key === 'name' ? h('th', { scope: 'row' }, c.text(op))
          : h('td', { class: c.n ? 'n' : c.kind || null }, c.text(op))))));
      place.replaceChildren(h('table', { id: `ops${plan.index + 1}` },
        h('caption', {}, 'Ops, with their times alone; ± is half of the 95 % interval, ~ an estimate'),
        h('thead', {}, h('tr', {}, heads)), h('tbody', {}, rows)));
      said.textContent = `${list.length} of ${plan.ops.length} ops${list.length > ROWS_MAX ? `, the first ${ROWS_MAX} shown` : ''}`;
      if (focus) place.querySelector(`[data-sort="${CSS.escape(focus)}"]`).focus();
    }
    const input = h('input', { type: 'search', id: `find${plan.index + 1}`, value: state.find, oninput: (event) => {
      state.find = event.target.value;
      writeAddress();
      draw();
    } });
    draw();
    const note = 'Share: of the whole plan; a fused kernel counts at its first op. '
      + 'Margin: how far the time here may move before the plan changes.';
    const made = section('Ops', note, h('div', { class: 'tools' },
      h('label', { for: `find${plan.index + 1}` }, 'Find'), input, said), place);
    made.classList.add('long');
    return made;
  }

  // ---- the machine ---------------------------------------------------------

  function age(seconds) {
    if (!seconds) return '–';
    const days = (data.made_at - seconds) / 86400;
    const ago = days < 1 / 24 ? 'within the hour' : days < 1 ? `${Math.round(24 * days)} hours ago` : `${Math.round(days)} days ago`;
    return `${new Date(1000 * seconds).toISOString().slice(0, 10)}, ${ago}`;
  }
  function machine(plan) {
    const rows = plan.machine.map((m, d) => [
      [h('span', { class: `key b${colour(d)}`, 'aria-hidden': 'true' }), plan.devices[d].name],
      m.what || '–', m.gflops > 0 ? three(m.gflops) : '–', m.gbps > 0 ? three(m.gbps) : '–', m.launch > 0 ? time(m.launch) : '–',
      m.grade ? `${m.grade}, within ±${(100 * m.spread).toFixed(1)} %` : m.simulated ? 'simulated' : '–',
      `${m.measured} measured, ${m.estimated} estimated`, age(m.measured_at),
      m.stale || m.differs ? h('span', { class: 'bad' }, m.stale || `since the plan: ${m.differs}`) : m.simulated ? 'by definition' : 'holds',
    ]);
    return section('Machine and calibration', null, table('Devices, and the figures that the plan was made by',
      [['device'], ['what'], ['peak GFLOP/s', 1], ['GB/s', 1], ['launch', 1], ['grade'], ['ops'], ['measured'], ['state']], rows));
  }

  // ---- all of it -----------------------------------------------------------

  function comparison() {
    const least = (graphName) => Math.min(...data.plans.filter((plan) => plan.graph === graphName).map((plan) => plan.cost));
    const rows = data.plans.map((plan, p) => [
      h('a', { href: `#plan=${p + 1}`, onclick: (event) => { event.preventDefault(); choose(p, true); } }, plan.name),
      plan.graph, time(plan.cost), interval(plan) || '–', least(plan.graph) > 0 ? `${(plan.cost / least(plan.graph)).toFixed(2)} ×` : '–',
      plan.measured ? time(plan.measured.median_ns) : '–',
      plan.devices.map((device) => `${device.ops} on ${device.name}`).join(', '),
      `${copiesOf(plan).length}, ${time(sum(copiesOf(plan), (x) => x.ns))}`, plan.proof]);
    return section('Plans', null, table('All plans, each against the one of its graph that is predicted to take least',
      [['plan'], ['graph'], ['predicted', 1], ['90 %', 1], ['ratio', 1], ['measured', 1], ['ops'], ['copies'], ['proof']], rows));
  }
  function choose(p, hasFocus) {
    state.plan = p;
    state.open.clear();
    writeAddress();
    render();
    if (hasFocus && data.plans.length > 1) document.getElementById(`tab${p + 1}`).focus();
  }
  function tabs() {
    const n = data.plans.length;
    return h('div', { role: 'tablist', 'aria-label': 'Plans' }, data.plans.map((plan, p) =>
      h('button', { type: 'button', role: 'tab', id: `tab${p + 1}`, 'aria-selected': String(p === state.plan),
        'aria-controls': `panel${p + 1}`, tabindex: p === state.plan ? '0' : '-1',
        onclick: () => choose(p, true),
        onkeydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: n - 1 }[event.key];
          if (step) { event.preventDefault(); choose((p + step) % n, true); }
        } }, plan.name)));
  }
  function panel(plan, p, width, sweeps) {
    const isTwo = width >= 800, half = isTwo ? (width - 16) / 2 - 36 : width;
    const isMany = data.plans.length > 1;
    return h('div', { class: 'panel', id: `panel${p + 1}`, hidden: p !== state.plan,
      role: isMany ? 'tabpanel' : null, 'aria-labelledby': isMany ? `tab${p + 1}` : null },
    verdict(plan), sweeps, timeline(plan, width), graph(plan, width),
    h('div', { class: 'pair' }, roofline(plan, half), memory(plan, half)), opTable(plan), machine(plan));
  }
  function render() {
    const width = Math.max(300, Math.min(1140, main.clientWidth - 38));
    const isMany = data.plans.length > 1;
    const sweeps = data.sweeps.map((it) => sweep(it, width)).filter(Boolean);
    main.replaceChildren(...[isMany ? [comparison(), sweeps, tabs()] : [],
      data.plans.map((plan, p) => panel(plan, p, width, isMany ? [] : sweeps))].flat(2));
    const here = main.querySelector('tr.here');
    if (here) here.scrollIntoView({ block: 'center' });
    document.documentElement.dataset.ready = 'yes';
  }

  let drawnWidth = 0;
  data.plans.forEach((plan, p) => { plan.index = p; prepare(plan); });
  readAddress();
  render();
  drawnWidth = main.clientWidth;
  window.addEventListener('hashchange', () => { readAddress(); render(); });
  window.addEventListener('resize', () => {
    if (Math.abs(main.clientWidth - drawnWidth) < 8) return;
    drawnWidth = main.clientWidth;
    render();
  });
})();
