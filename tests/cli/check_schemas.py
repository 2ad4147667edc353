"""check_schemas.py SCHEMAS DOCUMENT...: TAP. Each document is what its schema says,
every key that occurs in one is described, and no schema is without a document.
NEVER_TRIED: what of the program no document is of."""
import copy
import glob
import json
import os
import sys

import jsonschema

folder, *paths = sys.argv[1:]
count = 0


def say(good, name, *why):
    global count
    count += 1
    for text in () if good else why:
        print("#", text)
    print("ok" if good else "not ok", count, "-", name)


def walk(schema, where=""):
    """Every schema in a schema, with where it stands."""
    if isinstance(schema, dict):
        yield where, schema
        for key in ("items", "additionalProperties"):
            yield from walk(schema.get(key), f"{where}/{key}")
        for key in ("properties", "$defs"):
            for name, inner in schema.get(key, {}).items():
                yield from walk(inner, f"{where}/{name}")
        for key in ("anyOf", "prefixItems"):
            for i, inner in enumerate(schema.get(key, [])):
                yield from walk(inner, f"{where}/{key}{i}")


def close(schema):
    """Keys that may be added later are none that there are now."""
    closed = copy.deepcopy(schema)
    for _, inner in walk(closed):
        if "properties" in inner:
            inner.setdefault("additionalProperties", False)
    return closed


schemas, files = {}, {}
for path in sorted(glob.glob(f"{folder}/*.schema.json")):
    name = os.path.basename(path)
    with open(path) as file:
        schema = json.load(file)
    files[name] = schema
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
        wrong = None
    except jsonschema.SchemaError as error:
        wrong = error.message
    say(wrong is None, f"{name} is a schema", wrong)
    if schema["title"] == "tplan-graph/1":
        continue  # tests/check-schema.sh
    dumb = [f"{where}/{key}" for where, inner in walk(schema)
            for key, value in inner.get("properties", {}).items()
            if "description" not in value]
    say(not dumb, f"{name} describes its keys", *dumb)
    schemas[schema["title"]] = [name, schema, 0]


def resolve(schema):
    """With the files it refers to put in."""
    inner = copy.deepcopy(schema)
    for _, it in walk(inner):
        inside = it.get("items")
        if isinstance(inside, dict) and inside.get("$ref") in files:
            it["items"] = files[inside["$ref"]]
            inner.setdefault("$defs", {}).update(it["items"].get("$defs", {}))
    return close(inner)


for known in schemas.values():
    known[1] = resolve(known[1])

for path in paths:
    try:
        with open(path) as file:
            document = json.load(file)
    except ValueError as error:
        say(False, path, error)
        continue
    known = schemas.get(document.get("format"))
    if known is None:
        say(False, path, f"no schema of {document.get('format')}")
        continue
    known[2] += 1
    errors = list(jsonschema.Draft202012Validator(known[1]).iter_errors(document))
    say(not errors, f"{path} is what {known[0]} says",
        *(f"{error.json_path}: {error.message[:300]}" for error in errors[:5]))

for name, _, uses in schemas.values():
    say(uses > 0, f"{name} was held against something")
never = os.environ["NEVER_TRIED"]
say(not never, "every command was tried", *never.splitlines())
print(f"1..{count}")
