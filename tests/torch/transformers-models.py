"""Exports small models of Hugging Face's transformers with random weights, and
compares what tplan makes of them with what torch does.

  transformers-models.py [--devices LIST] [MODEL...]     speaks TAP

$TPLAN is the program. Needs torch 1.13 and transformers 4.30; opset 16."""
import argparse
import os
import sys
import warnings

import torch
import transformers

import compare

N_TOKENS = 16
WIDE = {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128}
DEEP = {"vocab_size": 99, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 128, "decoder_ffn_dim": 128}
GPT = {"vocab_size": 99, "n_embd": 64, "n_layer": 2, "n_head": 4}
T5 = {"vocab_size": 99, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2,
      "num_heads": 4}
PATCHES = {**WIDE, "image_size": 32, "patch_size": 8}
FOUR = {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1]}
HEADS = {"num_attention_heads": [1, 2, 3, 4], "decoder_hidden_size": 16}
SWIN = {"image_size": 64, "patch_size": 4, "embed_dim": 16, "depths": [2, 2],
        "num_heads": [2, 4], "window_size": 4}
WAVES = {**WIDE, "conv_dim": [32, 32, 32], "conv_stride": [5, 2, 2],
         "conv_kernel": [10, 3, 3], "num_conv_pos_embeddings": 16,
         "num_conv_pos_embedding_groups": 4}
DISENTANGLED = {**WIDE, "relative_attention": True}

# The class without "Model" or a head: what its configuration says, and the side
# of the pictures it is given (0: it is given words).
MODELS = {
    "Albert": ({**WIDE, "embedding_size": 32}, 0),
    "Bart": (DEEP, 0),
    "Bert": (WIDE, 0),
    "Bloom": ({"vocab_size": 99, "hidden_size": 64, "n_layer": 2, "n_head": 4}, 0),
    "CLIPText": (WIDE, 0),
    "Camembert": (WIDE, 0),
    "CodeGen": ({**GPT, "rotary_dim": 8}, 0),
    "ConvBert": ({**WIDE, "embedding_size": 64}, 0),
    "Deberta": ({**DISENTANGLED, "pos_att_type": "c2p|p2c"}, 0),
    "DebertaV2": ({**DISENTANGLED, "pos_att_type": ["c2p", "p2c"]}, 0),
    "DistilBert": ({"vocab_size": 99, "dim": 64, "n_layers": 2, "n_heads": 4,
                    "hidden_dim": 128}, 0),
    "Electra": ({**WIDE, "embedding_size": 32}, 0),
    "Funnel": ({"vocab_size": 99, "block_sizes": [1, 1], "num_decoder_layers": 1,
                "d_model": 64, "n_head": 4, "d_head": 16, "d_inner": 128}, 0),
    "GPT2": (GPT, 0),
    "GPTJ": ({**GPT, "rotary_dim": 8}, 0),
    "GPTNeo": ({"vocab_size": 99, "hidden_size": 64, "num_layers": 2,
                "num_heads": 4, "attention_types": [[["global", "local"], 1]]}, 0),
    "GPTNeoX": (WIDE, 0),
    "LayoutLM": (WIDE, 0),
    "Llama": (WIDE, 0),
    "MPNet": (WIDE, 0),
    "MobileBert": ({**WIDE, "embedding_size": 32, "true_hidden_size": 64,
                    "intra_bottleneck_size": 64}, 0),
    "Nystromformer": ({**WIDE, "num_landmarks": 4,
                       "segment_means_seq_len": N_TOKENS}, 0),
    "OPT": ({"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 2,
             "num_attention_heads": 4, "ffn_dim": 128, "word_embed_proj_dim": 64}, 0),
    "RoFormer": (WIDE, 0),
    "Roberta": (WIDE, 0),
    "SqueezeBert": ({**WIDE, "embedding_size": 64}, 0),
    "T5": (T5, 0),
    "XGLM": ({"vocab_size": 99, "d_model": 64, "num_layers": 2,
              "attention_heads": 4, "ffn_dim": 128}, 0),
    "Beit": (PATCHES, 32),
    "CLIPVision": (PATCHES, 32),
    "ConvNext": (FOUR, 64),
    "ConvNextV2": (FOUR, 64),
    "DPT": ({**PATCHES, "num_hidden_layers": 4, "backbone_out_indices": [0, 1, 2, 3],
             "neck_hidden_sizes": [8, 16, 24, 32], "fusion_hidden_size": 16}, 32),
    "DeiT": (PATCHES, 32),
    "EfficientFormer": ({"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 2],
                         "dim": 32, "num_attention_heads": 2, "key_dim": 8,
                         "resolution": 2}, 64),
    "GLPN": ({**FOUR, **HEADS}, 64),
    "MobileNetV1": ({"depth_multiplier": 0.25}, 64),
    "MobileViT": ({"image_size": 64, "hidden_sizes": [32, 48, 64],
                   "neck_hidden_sizes": [8, 16, 24, 32, 48, 64, 96]}, 64),
    "PoolFormer": (FOUR, 64),
    "RegNet": ({**FOUR, "embedding_size": 8, "groups_width": 8}, 64),
    "ResNet": ({**FOUR, "embedding_size": 8}, 64),
    "Segformer": ({**FOUR, **HEADS, "num_encoder_blocks": 4}, 64),
    "Swin": (SWIN, 64),
    "Swinv2": (SWIN, 64),
    "ViT": (PATCHES, 32),
    "Van": (FOUR, 64),
    "Yolos": ({**WIDE, "image_size": [64, 64], "patch_size": 16,
               "num_detection_tokens": 5}, 64),
    "AST": ({**WIDE, "max_length": 64, "num_mel_bins": 32}, -1),
    "Hubert": (WAVES, -1),
    "Wav2Vec2": (WAVES, -1),
    "Whisper": ({**DEEP, "num_mel_bins": 20, "max_source_positions": 50,
                 "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
                 "decoder_start_token_id": 3}, -1),
}
# Models that are not called NameModel.
CLASSES = {"DPT": "DPTForDepthEstimation", "GLPN": "GLPNForDepthEstimation",
           "GPT2": "GPT2LMHeadModel",
           "Segformer": "SegformerForSemanticSegmentation"}


class Plain(torch.nn.Module):
    """The first output of a model, inputs by place."""

    def __init__(self, inner, names):
        super().__init__()
        self.inner = inner
        self.names = names

    def forward(self, *values):
        y = next(iter(self.inner(**dict(zip(self.names, values)), return_dict=True).values()))
        return y[0] if isinstance(y, (tuple, list)) else y


def make_inputs(name, side):
    words = torch.randint(4, 99, (1, N_TOKENS))
    if name == "AST":
        return {"input_values": torch.randn(1, 64, 32)}
    if name == "Whisper":
        return {"input_features": torch.randn(1, 20, 100), "decoder_input_ids": words}
    if side < 0:
        return {"input_values": torch.randn(1, 2000)}
    if side > 0:
        return {"pixel_values": torch.randn(1, 3, side, side)}
    inputs = {"input_ids": words, "attention_mask": torch.ones_like(words)}
    if name == "T5":
        inputs["decoder_input_ids"] = words
    return inputs


def export(name, folder):
    torch.manual_seed(1)
    options, side = MODELS[name]
    config = getattr(transformers, name + "Config")(**options)
    config.use_cache = False
    model = getattr(transformers, CLASSES.get(name, name + "Model"))(config)
    inputs = make_inputs(name, side)
    plain = Plain(model.eval(), list(inputs)).eval()
    values = tuple(inputs.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = plain(*values).detach().numpy()
        torch.onnx.export(plain, values, os.path.join(folder, "model.onnx"),
                          opset_version=16, input_names=list(inputs), output_names=["y"])
    return {key: value.numpy() for key, value in inputs.items()}, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("models", nargs="*")
    given = parser.parse_args()
    transformers.logging.set_verbosity_error()
    names = given.models or list(MODELS)
    tap = compare.Tap()
    for name in names:
        tap.say(compare.try_model(name, lambda folder: export(name, folder),
                                  given.devices.split(",")),
                f"{name} agrees with torch")
    print(f"1..{tap.n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
