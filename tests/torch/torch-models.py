"""Exports torchvision models with random weights, and compares what tplan makes
of them with what torch does.

  torch-models.py [--full] [--devices LIST] [MODEL...]     speaks TAP

$TPLAN is the program. Needs torch 1.13 and torchvision 0.14; opset 16."""
import argparse
import os
import sys
import warnings

import torch
import torchvision

import compare

# Name: shape of the input, options. Small pictures where the model allows them:
# the ops are the same.
MODELS = {
    "squeezenet1_1": ((1, 3, 96, 96), {}),
    "vgg11": ((1, 3, 224, 224), {}),
    "googlenet": ((1, 3, 96, 96), {"init_weights": False, "aux_logits": False}),
    "inception_v3": ((1, 3, 139, 139), {"init_weights": False, "aux_logits": False}),
    "shufflenet_v2_x1_0": ((1, 3, 96, 96), {}),
    "mnasnet1_0": ((1, 3, 96, 96), {}),
    "mobilenet_v2": ((1, 3, 96, 96), {}),
    "mobilenet_v3_small": ((1, 3, 96, 96), {}),
    "efficientnet_b0": ((1, 3, 96, 96), {}),
    "regnet_y_400mf": ((1, 3, 96, 96), {}),
    "resnet50": ((1, 3, 96, 96), {}),
    "resnext50_32x4d": ((1, 3, 96, 96), {}),
    "densenet121": ((1, 3, 96, 96), {}),
    "convnext_tiny": ((1, 3, 64, 64), {}),
    "vit_b_16": ((1, 3, 64, 64), {"image_size": 64}),
    "lraspp_mobilenet_v3_large": ((1, 3, 96, 96), {"weights_backbone": None}),
    "deeplabv3_resnet50": ((1, 3, 65, 65), {"weights_backbone": None}),
    "r2plus1d_18": ((1, 3, 8, 32, 32), {}),
}
QUICK = ["squeezenet1_1", "mobilenet_v3_small", "shufflenet_v2_x1_0"]
AT_LEAST = 18                 # of all models


class Plain(torch.nn.Module):
    """The first output of a model that gives several by name."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        y = self.inner(x)
        return y["out"] if isinstance(y, dict) else y


def find_builder(name):
    for place in (torchvision.models, torchvision.models.segmentation,
                  torchvision.models.video):
        if hasattr(place, name):
            return getattr(place, name)
    raise KeyError(name)


def make_model(name, options):
    torch.manual_seed(1)
    model = find_builder(name)(weights=None, **options)
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.data.uniform_(0.8, 1.2)
            module.bias.data.normal_(0, 0.1)
    for parameter in model.parameters():
        if not parameter.any():  # a head of zeros would give zeros, come what may
            parameter.data.normal_(0, 0.1)
    return Plain(model).eval()


def export(name, folder):
    shape, options = MODELS[name]
    model = make_model(name, options)
    x = torch.randn(shape)
    path = os.path.join(folder, "model.onnx")
    # With gradients: without them torch takes a short cut it cannot export.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = model(x).detach().numpy()
        torch.onnx.export(model, x, path, opset_version=16, input_names=["x"],
                          output_names=["y"])
    return {"x": x.numpy()}, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    names = given.models or (list(MODELS) if given.full else QUICK)
    tap = compare.Tap()
    n_good = 0
    for name in names:
        is_good = compare.try_model(name, lambda folder: export(name, folder),
                                    given.devices.split(","))
        n_good += is_good
        if not (given.full and not given.models):
            tap.say(is_good, f"{name} agrees with torch")
    if given.full and not given.models:
        tap.say(n_good >= AT_LEAST, f"{n_good} of {len(names)} agree with torch, at least {AT_LEAST}")
    print(f"1..{tap.n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
