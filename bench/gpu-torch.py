#!/usr/bin/env python3
"""Times torch on the GPU: the products and networks of gpu.sh, for its report.

usage: gpu-torch.py [--quick] [--cpu]

Prints one line of JSON per figure, so that what ends it loses one. float32
twice: "fp32" with TF32 off everywhere, "default" as torch comes. device_ns is by
events on the GPU; whole_ns from inputs in pageable host memory to outputs there, by
the clock, which is what a run of tplan is.
"""
import json
import os
import statistics
import sys
import time

ROUNDS = 11
QUICK = "--quick" in sys.argv
DEVICE = "cpu" if "--cpu" in sys.argv else "cuda"


def import_torch():
    try:
        import torch
    except ImportError:
        print("torch is not installed", file=sys.stderr)
        sys.exit(77)
    if DEVICE == "cuda" and not torch.cuda.is_available():
        print("torch %s sees no GPU" % torch.__version__, file=sys.stderr)
        sys.exit(77)
    return torch


torch = import_torch()
from torch import nn  # noqa: E402


class Block(nn.Module):
    """Of ResNet: 1x1, 3x3, 1x1, each with its normalization, and a way round."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.round = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.round = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                                       nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.body(x) + self.round(x))


def make_resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
              nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, count, stride in (64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2):
        for i in range(count):
            layers.append(Block(inputs, width, stride if i == 0 else 1))
            inputs = 4 * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000)]
    model = nn.Sequential(*layers).eval()
    assert sum(p.numel() for p in model.parameters()) == 25557032
    return model, lambda n: (torch.randn(n, 3, 224, 224),)


def make_bert():
    import torch_bert
    model, inputs = torch_bert.make()
    return model, lambda n: tuple(x.repeat(n, *[1] * (x.dim() - 1)) for x in inputs)


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def time_device(call):
    """Median of nanoseconds."""
    times = []
    for _ in range(ROUNDS):
        if DEVICE == "cuda":
            begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e6)
        else:
            start = time.perf_counter_ns()
            call()
            times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def time_whole(call):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        call()
        wait()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def set_mode(mode, defaults):
    tf32 = [torch.backends.cuda.matmul, torch.backends.cudnn]
    for flag, default in zip(tf32, defaults):
        flag.allow_tf32 = default if mode == "default" else False


def say(**figure):
    print(json.dumps(figure), flush=True)


def time_products(mode):
    for n in (64, 256) if QUICK else (256, 512, 1024, 2048, 4096):
        a, b = torch.randn(n, n, device=DEVICE), torch.randn(n, n, device=DEVICE)
        for _ in range(3):
            a @ b
        wait()
        took = time_device(lambda: a @ b)
        say(kind="product", mode=mode, n=n, device_ns=int(took), gflops=round(2 * n ** 3 / took, 1))


def time_copy():
    n = 1 << (20 if QUICK else 26)
    a = torch.randn(n, device=DEVICE)
    b = torch.empty_like(a)
    took = time_device(lambda: b.copy_(a))
    say(kind="copy", bytes=8 * n, device_ns=int(took), gbps=round(8 * n / took, 1))


def to_host(result):
    return [x.cpu() for x in (result if isinstance(result, tuple) else (result,))]


def time_network(mode, name, make, batches):
    model, make_inputs = make()
    model = model.to(DEVICE)
    for batch in batches:
        host = make_inputs(batch)
        inputs = tuple(x.to(DEVICE) for x in host)
        for _ in range(3):
            model(*inputs)
        wait()
        say(kind="network", mode=mode, network=name, batch=batch,
            device_ns=int(time_device(lambda: model(*inputs))),
            whole_ns=int(time_whole(lambda: to_host(model(*[x.to(DEVICE) for x in host])))))


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "cpu"
    defaults = [torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32]
    say(kind="torch", version=torch.__version__, device=name,
        tf32_by_default={"products": defaults[0], "convolutions": defaults[1]})
    networks = [("resnet50", make_resnet50, (1,) if QUICK else (64, 1, 8)),
                ("bert_base", make_bert, (1,) if QUICK else (1, 8, 64))]
    with torch.no_grad():
        time_copy()
        for mode in "fp32", "default":
            set_mode(mode, defaults)
            time_products(mode)
            for network in networks:
                time_network(mode, *network)


if __name__ == "__main__":
    main()
