"""Exports small models with random weights by the exporter that torch has today
(torch.export, opset 18), and compares what tplan makes of them with what torch
does: language models and encoders of transformers 5, transformers and autoencoders
of diffusers, networks of timm.

  exporter-models.py [--devices LIST] [MODEL...]     speaks TAP

$TPLAN is the program. What is not installed is left out."""
import argparse
import contextlib
import importlib
import logging
import os
import sys
import warnings

import torch

import compare

N_TOKENS = 16
WIDE = {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128}
GROUPED = {**WIDE, "num_key_value_heads": 2}
HEADS = {**GROUPED, "head_dim": 16}
MARKS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
STATES = {**WIDE, "state_size": 8}
PATCHES = {**WIDE, "image_size": 32, "patch_size": 8}
DEEP = {"vocab_size": 99, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 128, "decoder_ffn_dim": 128}
FOUR = {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]}
SMALL = {"block_out_channels": (16, 32), "norm_num_groups": 8}
CODER = {**SMALL, "down_block_types": ("DownEncoderBlock2D",) * 2,
         "up_block_types": ("UpDecoderBlock2D",) * 2}


def words():
    ids = torch.randint(4, 99, (1, N_TOKENS))
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def ids():
    return {"input_ids": words()["input_ids"]}


def both():
    return {**words(), "decoder_input_ids": words()["input_ids"]}


def image(side):
    return lambda: {"pixel_values": torch.randn(1, 3, side, side)}


def sound(*shape, name="input_values", **more):
    return lambda: {name: torch.randn(1, *shape),
                    **{key: words()["input_ids"] for key in more}}


# The name of a class less "Model": what its configuration says, inputs.
TRANSFORMERS = {
    **dict.fromkeys(("Llama", "Mistral", "Qwen2", "Phi", "StableLm", "Olmo2", "Cohere",
                     "Granite", "Ernie4_5", "Exaone4", "DiffLlama", "Lfm2"), (GROUPED, words)),
    **dict.fromkeys(("Qwen3", "Gemma", "Gemma2", "Gemma3Text", "Helium"), (HEADS, words)),
    "Phi3": ({**GROUPED, **MARKS}, words),
    "SmolLM3": ({**GROUPED, **MARKS}, words),
    "Glm": ({**HEADS, **MARKS}, words),
    "Mamba": (STATES, words),
    "Mamba2": ({**STATES, "num_heads": 8, "head_dim": 16, "n_groups": 1}, words),
    "RecurrentGemma": (GROUPED, words),
    "ModernBert": ({**WIDE, **MARKS, "cls_token_id": 1, "sep_token_id": 2}, words),
    "Bert": (WIDE, words),
    "XLMRoberta": (WIDE, words),
    "Deberta": (WIDE, words),
    "Esm": ({**WIDE, "pad_token_id": 1, "mask_token_id": 2}, words),
    "CLIPText": (WIDE, ids),
    "SiglipText": (WIDE, ids),
    "T5": ({"vocab_size": 99, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2,
            "num_heads": 4}, both),
    "Bart": (DEEP, both),
    "Whisper": ({**DEEP, **MARKS, "num_mel_bins": 20, "max_source_positions": 50,
                 "decoder_start_token_id": 3},
                sound(20, 100, name="input_features", decoder_input_ids=True)),
    "Moonshine": ({**WIDE, **{f"{side}_num_{what}": n for side in ("encoder", "decoder")
                              for what, n in (("hidden_layers", 2), ("attention_heads", 4))}},
                  sound(4000, decoder_input_ids=True)),
    "Wav2Vec2Bert": ({**WIDE, "feature_projection_input_dim": 32},
                     sound(50, 32, name="input_features")),
    "Dac": ({"encoder_hidden_size": 8, "decoder_hidden_size": 64, "n_codebooks": 2,
             "downsampling_ratios": [2, 4], "upsampling_ratios": [4, 2], "codebook_size": 16},
            sound(1, 2000)),
    "PatchTST": ({"num_input_channels": 3, "context_length": 32, "d_model": 32, "ffn_dim": 64,
                  "num_hidden_layers": 2, "num_attention_heads": 4, "patch_length": 4},
                 sound(32, 3, name="past_values")),
    "ViT": (PATCHES, image(32)),
    "Dinov2WithRegisters": (PATCHES, image(32)),
    "DINOv3ViT": (PATCHES, image(32)),
    "SiglipVision": (PATCHES, image(32)),
    "ConvNextV2": (FOUR, image(64)),
    "Swinv2": ({"image_size": 64, "patch_size": 4, "embed_dim": 16, "depths": [2, 2],
                "num_heads": [2, 4], "window_size": 4}, image(64)),
    "VideoMAE": ({**PATCHES, "num_frames": 4, "tubelet_size": 2},
                 lambda: {"pixel_values": torch.randn(1, 4, 3, 32, 32)}),
}


def latent(**shapes):
    return lambda: {key: torch.tensor([3.0]) if key == "timestep" else torch.randn(1, *shape)
                    for key, shape in shapes.items()}


DIFFUSERS = {
    "UNet2DConditionModel": (
        {**SMALL, "sample_size": 16, "layers_per_block": 1, "cross_attention_dim": 32,
         "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"), "attention_head_dim": 8,
         "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D")},
        latent(sample=(4, 16, 16), timestep=(), encoder_hidden_states=(8, 32))),
    "SD3Transformer2DModel": (
        {"sample_size": 8, "in_channels": 4, "num_layers": 2, "attention_head_dim": 8,
         "num_attention_heads": 4, "joint_attention_dim": 32, "caption_projection_dim": 32,
         "pooled_projection_dim": 64, "out_channels": 4},
        latent(hidden_states=(4, 8, 8), encoder_hidden_states=(7, 32),
               pooled_projections=(64,), timestep=())),
    "AutoencoderKL": ({**CODER, "sample_size": 32}, latent(sample=(3, 32, 32))),
    "VQModel": (CODER, latent(sample=(3, 16, 16))),
}

TIMM = ("botnet26t_256", "cait_xxs24_224", "coatnet_nano_rw_224", "convmixer_768_32",
        "crossvit_tiny_240", "davit_tiny", "dla34", "dpn48b", "eca_nfnet_l0", "edgenext_xx_small",
        "efficientvit_b0", "fastvit_t8", "focalnet_tiny_srf", "ghostnetv2_100", "halonet26t",
        "hrnet_w18_small", "inception_next_atto", "lambda_resnet26t", "levit_128s",
        "mambaout_femto", "maxvit_tiny_rw_224", "mobilenetv4_conv_small",
        "mobilevitv2_050", "mvitv2_tiny", "poolformerv2_s12", "pvt_v2_b0", "res2net50_14w_8s",
        "swiftformer_xs", "tiny_vit_5m_224", "tnt_s_patch16_224",
        "xcit_nano_12_p16_224")


class Plain(torch.nn.Module):
    """The first output of a model, inputs by place."""

    def __init__(self, inner, names):
        super().__init__()
        self.inner = inner
        self.names = names

    def forward(self, *values):
        y = self.inner(**dict(zip(self.names, values))) if self.names else self.inner(*values)
        while not isinstance(y, torch.Tensor):
            y = next(iter(y.values() if hasattr(y, "values") else y))
        return y


def find(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def make_transformer(library, name):
    options, make_inputs = TRANSFORMERS[name]
    config = getattr(library, name + "Config")(**options)
    config.use_cache = False
    return getattr(library, name + "Model")(config), make_inputs()


def make_diffuser(library, name):
    options, make_inputs = DIFFUSERS[name]
    return getattr(library, name)(**options), make_inputs()


def make_timm(library, name):
    model = library.create_model(name, pretrained=False)
    return model, {"": torch.randn(1, *model.default_cfg["input_size"])}


LIBRARIES = (("transformers", TRANSFORMERS, make_transformer), ("diffusers", DIFFUSERS, make_diffuser),
             ("timm", TIMM, make_timm))


def export(make, folder):
    torch.manual_seed(1)
    model, inputs = make()
    names = [] if "" in inputs else list(inputs)
    plain = Plain(model.eval(), names).eval()
    inputs = {key or "x": value for key, value in inputs.items()}
    values = tuple(inputs.values())
    with torch.no_grad(), warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        y = plain(*values).numpy()
        torch.onnx.export(plain, values, os.path.join(folder, "model.onnx"), dynamo=True,
                          opset_version=18, external_data=False, input_names=list(inputs),
                          output_names=["y"], verbose=False)
    return {key: value.numpy() for key, value in inputs.items()}, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    tap = compare.Tap()
    for library_name, models, make in LIBRARIES:
        library = find(library_name)
        for name in models if library else ():
            if given.models and name not in given.models:
                continue
            tap.say(compare.try_model(
                        name, lambda folder: export(lambda: make(library, name), folder),
                        given.devices.split(",")), f"{name} agrees with torch")
    print(f"1..{tap.n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
