"""The digest of the figures of a plan, after docs/plan-format.md: for check_plan.py."""
import hashlib

NONE = 2 ** 63 - 1


class Digest:
    def __init__(self):
        self.sum = hashlib.sha256()

    def number(self, value):
        self.sum.update((value & 2 ** 64 - 1).to_bytes(8, "little"))

    def short(self, value):
        size = (value.bit_length() + 7) // 8
        self.sum.update(bytes([size]) + value.to_bytes(size, "little"))

    def text(self, text):
        data = b"" if text is None else text.encode()
        self.number(-1 if text is None else len(data))
        self.sum.update(data)

    def figure(self, figure):
        if not isinstance(figure, list):
            self.short(NONE)
            return self.text(figure)
        time, spread, *rest = figure
        measured = [it for it in rest if it != "estimated"]
        for value in [time, spread, ("estimated" in rest) + 2 * len(measured), *measured]:
            self.short(value)

    def table(self, rows):
        self.short(len(rows))
        for row in rows:
            for figure in row:
                self.figure(figure)


def of_figures(p):
    it, devices = Digest(), p["devices"]
    it.text("figures")
    it.number(len(devices))
    for device in devices:
        it.text(device)
    it.number(p["simulated"])
    for key in ("op_costs", "group_costs", "to_device_costs", "to_host_costs"):
        it.table(p[key])
    host = -1 if p["host"] is None else devices.index(p["host"])
    if host:
        it.number(host)
    for key in ("same_silicon", "own_processors"):
        if p.get(key):
            it.text(key.replace("_", " "))
    mapped = [d for d, is_mapped in enumerate(p.get("mapped", [])) if is_mapped]
    if mapped:
        it.text("mapped")
    for d in mapped:
        it.number(d)
    if p.get("kernels"):
        it.text("kernels")
        for kernel in p["kernels"]:
            it.short(kernel)
    if "factors" in p:
        it.text("errors")
        for pair in zip(p["factors"], p["wholes"]):
            for value in pair:
                it.number(value)
        for value in [*p["covariances"], p["run_variance"], p["wholes_until_us"]]:
            it.number(value)
    if "rates" in p:
        it.text("rates")
        for busy, idle, copy, price, is_per_use, *is_measured in p["rates"]:
            for value in (busy, idle, copy, price, is_per_use + 2 * sum(is_measured)):
                it.number(value)
    if "speeds" in p:
        it.text("speeds")
        for speed in p["speeds"]:
            it.number(speed)
    return it.sum.hexdigest()
