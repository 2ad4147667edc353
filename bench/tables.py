"""What peers.py measured, as a file for spreadsheets, for readers, or as a picture."""
import csv
import html
import math

WIDTH, LEFT, LINE, MARGIN = 900, 220, 18, 30
COLOURS = ["#2563eb", "#d97706", "#059669", "#7c3aed"]
TICKS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]


def write_csv(path, title, rows, peers):
    """A line for each network: seconds, floors in parts of them, ratios with half of the rounds."""
    columns = [f"{peer}_{what}" for peer in peers for what in ("ratio", "low", "high")]
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["network", "seconds", "flops", "bytes", *columns, "differs", "run"])
        for row in rows:
            spans = [it for peer in peers for it in (row["ratios"].get(peer) or ("", "", ""))]
            out.writerow([row["name"], *[f"{it:.6g}" if isinstance(it, float) else it
                             for it in (row["seconds"], *row["floors"], *spans)], row["differs"], title])


def write_markdown(path, title, rows, peers):
    def cell(span):
        return f"{span[0]:.2f} ({span[1]:.2f} to {span[2]:.2f})" if span else "-"

    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{title}\n\n| network | time | FLOPs | bytes | {' | '.join(peers)} |\n|{'---|' * (4 + len(peers))}\n")
        for row in rows:
            file.write(f"| {row['name']} | {row['seconds'] * 1e3:.3g} ms | {row['floors'][0]:.2f} | {row['floors'][1]:.2f} | "
                       f"{' | '.join(cell(row['ratios'].get(peer)) for peer in peers)} |\n")


def write_svg(path, title, rows, peers):
    """A line for each network and peer: half of the rounds, and the median as a dot; left of 1 tplan wins."""
    values = [it for row in rows for span in row["ratios"].values() for it in span]
    least, most = min([0.5, *values]), max([1.5, *values])

    def x(value):
        part = math.log(value / least) / math.log(most / least)
        return LEFT + part * (WIDTH - LEFT - MARGIN)

    height = MARGIN * 2 + LINE * (len(rows) + 2)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>', f"<title>{html.escape(title)}</title>"]
    bottom = MARGIN + LINE * len(rows)
    for tick in [it for it in TICKS if least <= it <= most]:
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{MARGIN}" y2="{bottom}" stroke="{"#444" if tick == 1 else "#ddd"}"/>'
                   f'<text x="{x(tick):.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>')
    for i, row in enumerate(rows):
        y = MARGIN + LINE * (i + 0.5)
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{html.escape(row["name"])}</text>')
        for peer, (middle, low, high) in row["ratios"].items():
            k = peers.index(peer)
            at = y + (k - (len(peers) - 1) / 2) * 6
            out.append(f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{at:.1f}" y2="{at:.1f}" stroke="{COLOURS[k % 4]}" stroke-width="2"/>'
                       f'<circle cx="{x(middle):.1f}" cy="{at:.1f}" r="3" fill="{COLOURS[k % 4]}"/>')
    for k, peer in enumerate(peers):
        out.append(f'<text x="{LEFT + 160 * k}" y="{bottom + 34}" fill="{COLOURS[k % 4]}">time of tplan / {html.escape(peer)}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*out, "</svg>\n"]))


KINDS = {".csv": write_csv, ".md": write_markdown, ".svg": write_svg}


def find_fault(paths):
    """A path that is of no kind; None: all are."""
    return next((path for path in paths if not path.endswith(tuple(KINDS))), None)


def write(paths, title, rows, peers):
    for path in paths:
        KINDS["." + path.rsplit(".", 1)[-1]](path, title, rows, peers)
