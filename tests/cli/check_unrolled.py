#!/usr/bin/env python3
"""Recurrent networks, unrolled: all steps of a layer have its weights, so they are on one device.  Drawn by seed,
planned on three devices: one choice for each layer proves them least, however many steps there are.

usage: check_unrolled.py TPLAN FOLDER CHECKER [ROUNDS]"""
import json
import random
import subprocess
import sys

DEVICES = ["sim:server-cpu", "sim:server-gpu", "sim:server-gpu:1"]
N_STEPS = 20


class Network:
    """A decoder that looks at its encoder before every step."""

    def __init__(self, seed):
        self.rng, self.ops = random.Random(seed), []
        states = self.add("encoder", ["words"], 200, 300, 300)
        keys, last, words = self.add("score", [states], 3, 5, 2), states, []
        for i in range(N_STEPS):
            look = self.add(f"attention{i}", [keys, last, states], 3, 8, 10)
            last = self.add(f"cell{i}", [look, last], 25, 40, 30, together="cell")
            word = self.add(f"join{i}", [last, look], 0.3, 2, 6)
            words.append(self.add(f"decoder{i}", [word], 27, 28, 5, together="decoder"))
        self.add("stack", words, 3, 3, 3)

    def draw(self, us):
        return int(1e3 * us * self.rng.lognormvariate(0, 0.5))

    def add(self, name, inputs, *times, together=None):
        op = {"name": name, "type": "Layer", "inputs": inputs, "outputs": [name], "shapes": [[1]],
              "cost": {device: self.draw(us) for device, us in zip(DEVICES, times)}}
        self.ops.append(op if together is None else {**op, "colocation": together})
        return name

    def as_graph(self):
        copies = {name: {device: {"to": self.draw(5), "from": self.draw(5)} for device in DEVICES[1:]}
                  for name in ["words", *(op["name"] for op in self.ops)]}
        return {"format": "tplan-graph/1", "inputs": [{"name": "words", "shape": [1]}], "outputs": ["stack"],
                "ops": self.ops, "copies": copies}


def main(tplan, folder, checker, rounds=8):
    plans = []
    for seed in range(int(rounds)):
        path, plan = f"{folder}/unrolled{seed}.json", f"{folder}/unrolled{seed}.plan.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(Network(seed).as_graph(), file)
        subprocess.run([tplan, "optimize", path, "--devices", ",".join(DEVICES), "-o", plan], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([tplan, "check", plan], check=True, stdout=subprocess.DEVNULL)
        with open(plan, encoding="utf-8") as file:
            found = json.load(file)
        assert found["bound_ns"] == found["cost_ns"], (path, found["bound_ns"], found["cost_ns"])
        plans.append(plan)
    subprocess.run([sys.executable, checker, *plans], check=True)


main(*sys.argv[1:])
