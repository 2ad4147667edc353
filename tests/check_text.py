"""The text of a plan, after docs/plan-format.md: keys that may be there, and how tplan
writes it, so that a digest holds however the file is laid out."""
import hashlib
import json

# What an object may have that stands under a key, or in a list there; "": the plan.
KEYS = {key: set(names.split()) for key, names in {
    "": """format graph graph_name graph_sha256 dims pins states values outputs no_pass micro_batches streamed no_fuse threads
        exact trust_estimates facts machine objective simulated devices host tensors ops colocations given_groups all_groups claimed_groups
        groups         op_costs group_costs to_device_costs to_host_costs kernels same_silicon own_processors memory_pools mapped factors
        wholes wholes_until_us covariances run_variance costs_sha256 transfers cost_ns cost_low_ns cost_high_ns bound_ns
        tie_price_ns constant_ns best_single best_single_ns estimated_ops peak_bytes weight_bytes memory_limits
        memory_reserves certificate flows tie_flows memory_bound_ns memory_views memory_bounds memory_tree share_unit share_bounds
        share_tree share_room_ns share_prices share_room load_ns load_low_ns load_high_ns load_bound_ns loads load_tree load_weights
        load_flows load_share_units load_shares load_room aims aim_totals aim_cost aim_bound aim_room aim_flows aim_ends rates
        speeds span_ns span_low_ns span_high_ns span_room span_bound_ns op_starts fetch_starts feed_starts op_ends fetch_ends feed_ends span_waists
        span_tree accuracy sha256""",
    "streamed": "from weights",
    "tensors": "tensor bytes producer readers constant streamed output state",
    "ops": "op device time_ns spread_ns margin_ns margin_at_least schedule cheapest pins given",
    "given_groups": "ops given",
    "transfers": "tensor from to bytes time_ns",
    "memory_bounds": "costs prices shares",
    "load_room": """weights load_ns memory_bound_ns memory_views memory_bounds memory_tree share_unit share_room_ns
        share_prices share_room views tree ends""",
    "span_room": """weights paths span_ns memory_bound_ns memory_views memory_bounds memory_tree share_unit share_room_ns
        share_prices share_room""",
    "aim_room": "unfit aim_bound memory_bound_ns memory_views memory_bounds memory_tree ends",
    "ends": """rented without divisor times memory_bound_ns memory_bounds memory_tree share_unit share_room_ns share_prices
        share_room share_bounds share_tree weights bounds""",
    "bounds": "costs unit prices shares",
    "aim_ends": "share_unit share_bounds share_tree rented without divisor",
}.items()}
NAMES = {"dims", "values", "given"}  # whose keys are names of the model's or of devices
ROWS = {"tensors", "given_groups", "ops", "groups", "transfers", "op_costs", "group_costs", "all_groups", "claimed_groups",
        "to_device_costs", "to_host_costs", "flows", "tie_flows", "load_flows", "aim_flows", "bounds", "memory_bounds", "memory_tree", "share_bounds", "share_tree",
        "paths"}  # an element a line
SAME_LINE = {"without", "divisor", "times"}
CONTROL = {f"\\{c}": f"\\u00{ord(x):02x}" for c, x in zip("nrtbf", "\n\r\t\b\f")}


def find_unknown(value, under=""):
    """A key that no plan has; None: all are known."""
    if isinstance(value, list):
        return next((key for it in value for key in [find_unknown(it, under)] if key), None)
    if not isinstance(value, dict):
        return None
    unknown = set() if under in NAMES else value.keys() - KEYS.get(under, set())
    return min(unknown) if unknown else next(
        (key for name, it in value.items() for key in [find_unknown(it, name)] if key), None)


def write(value):
    """On one line; control characters as tplan escapes them."""
    parts = json.dumps(value, ensure_ascii=False).split("\\\\")
    for short, code in CONTROL.items():
        parts = [part.replace(short, code) for part in parts]
    return "\\\\".join(parts)


def write_under(key, value):
    if key in ROWS and value:
        return "[\n  " + ",\n  ".join(map(write, value)) + "]"
    if key == "load_shares":
        return "[" + ",\n  ".join(map(write, value)) + "]"
    if isinstance(value, dict) and key.endswith("_room"):
        return "{\n" + write_keys(value) + "}"
    if key in ("aim_ends", "ends"):
        return "[\n  " + ",\n  ".join("{" + write_keys(end) + "}" for end in value) + "]"
    return write(value)


def write_keys(values):
    lines = [(", " if key in SAME_LINE else ",\n ") + f'"{key}": ' + write_under(key, it)
             for key, it in values.items()]
    return "".join(lines)[2:]


def is_digest(text, plan):
    """Of what stands before its line, as the file is, or as tplan writes it."""
    laid_out = "{\n" + write_keys({key: it for key, it in plan.items() if key != "sha256"}) + ",\n"
    return plan["sha256"] in [hashlib.sha256(it.encode()).hexdigest()
                              for it in (text.rsplit(' "sha256": "', 1)[0], laid_out)]
