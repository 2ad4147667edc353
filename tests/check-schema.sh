#!/bin/sh
# docs/schema/graph.schema.json and the reader agree: both take the examples,
# the networks made at build time and the graphs of the tests, and both refuse
# what is spoilt in a way that a schema can tell.
set -u
python=
for it in python3 /usr/bin/python3; do
  [ -n "$python" ] || { "$it" -c 'import jsonschema' 2> /dev/null && python=$it; }
done
[ -n "$python" ] || { echo "1..0 # SKIP no python3 with jsonschema"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME
exec "$python" - "$top_srcdir" "$top_builddir" "$work" <<'PY'
import copy, glob, json, subprocess, sys
import jsonschema

source, build, work = sys.argv[1:]
with open(f"{source}/docs/schema/graph.schema.json") as file:
    schema = json.load(file)
checker = jsonschema.validators.validator_for(schema)
count = 0


def say(good, name, *why):
    global count
    count += 1
    for text in () if good else why:
        print("#", text)
    print("ok" if good else "not ok", count, "-", name)


def reads(path):
    """What tplan says of the graph: exit status and message."""
    done = subprocess.run([f"{build}/cli/tplan", "optimize", "-q", "--devices",
                           "ref", path], capture_output=True, text=True)
    return done.returncode, done.stderr


def complaint(document):
    errors = list(checker(schema).iter_errors(document))
    return errors[0].message if errors else None


try:
    checker.check_schema(schema)
    say(True, "the schema is one")
except jsonschema.SchemaError as error:
    say(False, "the schema is one", error.message)

paths = (glob.glob(f"{source}/examples/*.json") + glob.glob(f"{build}/examples/*.json")
         + glob.glob(f"{source}/tests/plans/*.json"))
for path in sorted(set(paths)):
    with open(path) as file:
        document = json.load(file)
    if document.get("format") == "tplan-graph/1":
        why = complaint(document)
        say(why is None, path.split("/")[-1], why)

with open(f"{source}/examples/mlp.json") as file:
    mlp = json.load(file)


def spoil(name, *steps):
    """Sets, at a path of keys, a value (or removes it: no value)."""
    document = copy.deepcopy(mlp)
    for path, *value in steps:
        place = document
        for key in path[:-1]:
            place = place[key]
        if value:
            place[path[-1]] = value[0]
        else:
            del place[path[-1]]
    path = f"{work}/{name.replace(' ', '-')}.json"
    with open(path, "w") as file:
        json.dump(document, file)
    status, message = reads(path)
    say(complaint(document) is not None and status == 3, name,
        f"schema: {complaint(document)}", f"tplan: {status} {message}")


INIT, OP = ("initializers", 0), ("ops", 0)
spoil("no format", (("format",),))
spoil("another format", (("format",), "tplan-graph/2"))
spoil("no ops", (("ops",),))
spoil("an unknown key", (("author",), "me"))
spoil("a name that is a number", (("name",), 5))
spoil("an opset that is text", (("opset",), "17"))
spoil("an opset of 0", (("opset",), 0))
spoil("a dimension of 0", (("dims", "N"), 0))
spoil("a dimension that is text", (("dims", "N"), "64"))
spoil("an input without a shape", (("inputs", 0, "shape"),))
spoil("an input without a name", (("inputs", 0, "name"),))
spoil("an input of rank 9", (("inputs", 0, "shape"), [1] * 9))
spoil("an input of negative extent", (("inputs", 0, "shape"), [-1, 784]))
spoil("an unknown element type", (("inputs", 0, "dtype"), "float8"))
spoil("an unknown key of an input", (("inputs", 0, "unit"), "m"))
spoil("an initializer without a value", (INIT + ("random",),))
spoil("an initializer with two values", (INIT + ("fill",), 0))
spoil("an initializer without a shape", (INIT + ("shape",),))
spoil("an initializer of negative extent", (INIT + ("shape",), [-1, 256]))
spoil("a seed below 0", (INIT + ("random", "seed"), -1))
spoil("a random value without a seed", (INIT + ("random",), {"std": 1}))
spoil("a key without a file", (INIT + ("key",), "w"))
spoil("data of text", (INIT + ("random",),), (INIT + ("data",), ["a"]))
spoil("outputs that repeat", (("outputs",), ["probs", "probs"]))
spoil("an op without a type", (OP + ("type",),))
spoil("an op without outputs", (OP + ("outputs",),))
spoil("an unknown key of an op", (OP + ("color",), "red"))
spoil("attributes in a list", (OP + ("attrs",), [1]))
spoil("an attribute that is an object", (OP + ("attrs",), {"alpha": {}}))
spoil("a pin to no device", (OP + ("device",), []))
spoil("a pin that is a number", (OP + ("device",), 0))
spoil("a negative cost", (OP + ("cost",), {"cpu": -1}))
spoil("a cost of text", (OP + ("cost",), {"cpu": "1 ms"}))
spoil("inputs that are no list", (OP + ("inputs",), "x"))
print(f"1..{count}")
PY
