#!/usr/bin/python3
"""check_report.py FILE [DOM]: whether a page of `tplan report` is one that HTML
readers take, that names no other place, and whose figures add up. DOM: what a
browser made of it."""
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "input", "img", "link", "hr", "wbr"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.tags = [], [], set(), []
        self.labels, self.inputs, self.text, self.data = set(), set(), [], ""
        self.feed(text)
        self.close()
        self.demand(not self.open, f"never closed: {self.open}")
        self.demand(self.inputs <= self.labels, f"inputs without labels: {self.inputs - self.labels}")

    def demand(self, good, why):
        if not good:
            self.wrong.append(why)

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in at:
            self.demand(at["id"] not in self.ids, f"two have the id {at['id']}")
            self.ids.add(at["id"])
        self.demand(tag not in ("img", "iframe", "link", "object", "base"), f"a <{tag}>")
        self.demand(not any(name.startswith("on") for name in at), f"<{tag}> has a handler: {at}")
        self.demand(tag != "th" or at.get("scope") in ("col", "row"), "a th without scope")
        self.demand(tag != "button" or at.get("type") == "button", "a button without type")
        self.demand(tag != "svg" or at.get("aria-hidden") == "true"
                    or (at.get("role") == "img" and at.get("aria-label")), "an svg without a label")
        if tag == "label":
            self.labels.add(at.get("for"))
        if tag == "input":
            self.inputs.add(at.get("id"))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        self.demand(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.data = self.data or text
        else:
            self.text.append(text)


def check_figures(data, wrong):
    """What the page shows adds up to what the plan says."""
    for plan in data["plans"]:
        steps = plan["run"]["steps"]
        if sum(step[4] for step in steps) != plan["cost"]:
            wrong.append("steps do not add up to the predicted time")
        if sum(op["ns"] for op in plan["ops"]) != sum(step[4] for step in steps if step[0] >= 0):
            wrong.append("ops do not add up to the kernels")
        if [n for block in plan["blocks"] for n in range(block[0], block[0] + block[1])] \
                != list(range(len(plan["ops"]))):
            wrong.append("blocks do not hold every op once")
        for device, points in zip(plan["devices"], plan["run"]["memory"]):
            if max([size for _, size in points], default=0) > device["peak"]:
                wrong.append(f"more memory alive than the peak of {device['name']}")
            if points and points[-1][1] != 0:
                wrong.append(f"memory left alive on {device['name']}")
        check_memory(plan, wrong)


def check_memory(plan, wrong):
    """While an op runs that reads one tensor of another and makes one, the device
    has both."""
    ops, steps = plan["ops"], plan["run"]["steps"]
    place = {step[0]: number for number, step in enumerate(steps) if step[0] >= 0}
    made, read = {}, {}
    for source, reader, size in plan["edges"]:
        made[source] = size
        read.setdefault(reader, []).append((source, size))
    for op, sources in read.items():
        group, device = ops[op]["group"], ops[op]["dev"]
        source, size = sources[0]
        if len(sources) > 1 or op not in place or source not in place or op not in made or group >= 0 \
                or ops[source]["dev"] != device or ops[source]["group"] >= 0:
            continue
        points = plan["run"]["memory"][device]
        alive = [amount for step, amount in points if step <= place[op]][-1:]
        if (alive or [0])[0] < size + made[op]:
            wrong.append(f"{alive} bytes while {ops[op]['name']} reads {size} and makes {made[op]}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page(text)
    wrong = page.wrong
    if re.search(r"(https?:)?//[a-z0-9]", re.sub(r"'http://www\.w3\.org/2000/svg'", "", text.split("<script type")[0] + text.split("</script>")[1])):
        wrong.append("it names another place")
    if "default-src 'none'" not in text.split("<title>")[0]:
        wrong.append("it has no policy")
    if re.search("[\u0000-\u0008\u000b-\u001f\u2028-\u202e\u2066-\u2069]", text):
        wrong.append("it has characters that turn or hide text")
    try:
        check_figures(json.loads(page.data), wrong)
    except ValueError as error:
        wrong.append(f"its data is no JSON: {error}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            dom = Page(file.read())
        wrong += [f"once drawn: {why}" for why in dom.wrong]
        if "svg" not in dom.tags:
            wrong.append("nothing was drawn")
    for why in wrong[:10]:
        print("#", why)
    sys.exit(bool(wrong))


main()
