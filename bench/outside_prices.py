"""What drawn graphs have in common: their devices, and times and copies as docs/graph-format.md wants them.
For outside.py."""
import math

DEVICES = ["sim:server-cpu", "sim:server-gpu", "sim:server-gpu:1"]
SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4}


def size_of(spec):
    return math.prod(spec["shape"]) * SIZES.get(spec["dtype"], 1)


def price(graph, times, rng, rate=lambda rng: rng.uniform(3, 50), unit=1):
    """Writes times and copies down, half of all graphs with spreads.  @rate draws gigabytes per second of copies, which
    take a whole number of @unit nanoseconds."""
    spread = rng.choice([0, 0.05])

    def figure(time):
        return [time, int(time * rng.random() * spread)] if spread else time
    devices = DEVICES[:len(times[0])]
    for op, row in zip(graph["ops"], times):
        op["cost"] = {device: figure(time) for device, time in zip(devices, row) if time is not None}
    ways = [(rate(rng), math.exp(rng.uniform(-3, 2))) for _ in range(2 * len(devices))]
    graph["copies"] = {}
    state = {it for spec in graph["state"] for it in (spec["name"], spec.get("next"))}
    specs = graph["inputs"] + [{"name": it, "shape": shape, "dtype": dtype} for op in graph["ops"]
                               for it, shape, dtype in zip(op["outputs"], op["shapes"], op["dtypes"])]
    for spec in (it for it in specs if it["name"] not in state):
        prices = [figure(int(size_of(spec) / gbps + 1e3 * us) // unit * unit) for gbps, us in ways]
        graph["copies"][spec["name"]] = {device: {"to": prices[2 * d], "from": prices[2 * d + 1]}
                                         for d, device in enumerate(devices) if d}
