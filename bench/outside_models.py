"""Models that were not made for tplan, with random weights: torchvision's, some of transformers', recurrent ones.
For outside.py."""
import contextlib
import fnmatch
import importlib.util
import pathlib
import sys

import torch
import torchvision
import transformers
from torch._subclasses.fake_tensor import unset_fake_temporarily

TESTS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "torch"
# Boxes hang on values, two pictures; others differ from those that stay by their sizes alone.
LEFT_OUT = ("quantized*", "*rcnn*", "retina*", "ssd*", "fcos*", "raft*", "*_large", "*_[bls]", "*_h_14", "*_l_*", "*_base", "*_small",
            "efficientnet_b[1-7]", "efficientnet_v2_[ml]", "regnet_?_*", "densenet1[06]*", "densenet2*", "*101*", "*152", "vgg1[39]*",
            "mnasnet0_75", "mnasnet1_0", "shufflenet*_5", "shufflenet*2_0", "wide*", "resnet34", "mc3_18")
KEPT = ("mobilenet_v3_large", "regnet_x_400mf", "regnet_y_400mf", "vit_b_16", "mvit_v1_b", "mvit_v2_s", "lraspp_mobilenet_v3_large")
REAL = ("convnext", "maxvit", "mvit", "regnet")  # what they are to look like they compute with tensors
WORDS = 16
WIDE = {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 128}
# More of transformers than tests/torch exports to ONNX, and some in the sizes that their configurations have.
DECODER = {**WIDE, "num_key_value_heads": 4, "pad_token_id": 0}
MORE = {name: DECODER for name in (
    "Mistral", "Qwen2", "Qwen3", "Gemma", "Gemma2", "Phi", "Phi3", "StableLm", "Olmo", "Cohere", "Granite", "Starcoder2", "Ernie",
    "Nezha", "XLMRoberta", "Data2VecText", "RemBert", "Persimmon")}
SIDES = {"vocab_size": 99, "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
         "decoder_attention_heads": 4, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "max_position_embeddings": 64,
         "pad_token_id": 0}
MORE.update({name: SIDES for name in ("Blenderbot", "Pegasus", "MBart", "Marian")})
MORE.update({"FNet": WIDE, "BioGpt": WIDE, "Mamba": {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 4},
             "Falcon": {"vocab_size": 99, "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4},
             "Mpt": {"vocab_size": 99, "d_model": 64, "n_layers": 4, "n_heads": 4},
             "XLNet": {"vocab_size": 99, "d_model": 64, "n_layer": 4, "n_head": 4, "d_inner": 128},
             "MT5": {"vocab_size": 99, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4}})
FULL = ("Bert", "GPT2", "DistilBert", "Electra", "OPT", "T5", "ViT", "DeiT", "Swin", "ConvNext", "MobileBert", "Segformer")


class Language(torch.nn.Module):
    """Words, recurrent layers, words."""

    def __init__(self, kind, **options):
        super().__init__()
        self.embedding = torch.nn.Embedding(1000, 128)
        self.layers = kind(128, 128, **options)
        self.dropout = torch.nn.Dropout(0.2)
        self.decoder = torch.nn.Linear(128 * (2 if options.get("bidirectional") else 1), 1000)

    def forward(self, words):
        return self.decoder(self.dropout(self.layers(self.embedding(words))[0]))


class Translator(torch.nn.Module):
    """An encoder, and a decoder that looks at it before every word (Bahdanau et al., 2014)."""

    def __init__(self, kind):
        super().__init__()
        self.source, self.target = torch.nn.Embedding(1000, 128), torch.nn.Embedding(1000, 128)
        self.encoder, self.cell = torch.nn.GRU(128, 128, num_layers=2), kind(256, 128)
        self.score, self.decoder = torch.nn.Linear(128, 128), torch.nn.Linear(256, 1000)

    def forward(self, words):
        states, last = self.encoder(self.source(words))
        keys, state, results = self.score(states), last[1], []
        for word in self.target(words):
            weights = torch.softmax((keys * state).sum(-1, keepdim=True), 0)
            context = (weights * states).sum(0)
            state = self.cell(torch.cat([word, context], -1), state)
            results.append(self.decoder(torch.cat([state, context], -1)))
        return torch.stack(results)


RECURRENT = {"lstm": lambda: Language(torch.nn.LSTM, num_layers=2), "gru": lambda: Language(torch.nn.GRU, num_layers=2),
             "rnn": lambda: Language(torch.nn.RNN, num_layers=3), "deep-lstm": lambda: Language(torch.nn.LSTM, num_layers=8),
             "both-ways-lstm": lambda: Language(torch.nn.LSTM, num_layers=2, bidirectional=True),
             "gru-translator": lambda: Translator(torch.nn.GRUCell), "rnn-translator": lambda: Translator(torch.nn.RNNCell)}


def exported():
    """The models that tests/torch exports: {name: (sizes, side of pictures)}."""
    sys.path.insert(0, str(TESTS))
    spec = importlib.util.spec_from_file_location("exported", TESTS / "transformers-models.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names():
    pictures = [it for it in torchvision.models.list_models()
                if it in KEPT or not any(fnmatch.fnmatch(it, left_out) for left_out in LEFT_OUT)]
    return [*RECURRENT, *exported().MODELS, *MORE, *pictures, *(f"{it}-full" for it in FULL)]


def make_picture(name, batch, mode):
    options = {"weights_backbone": None} if hasattr(torchvision.models.segmentation, name) else {}
    options |= {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    with unset_fake_temporarily() if name.startswith(REAL) else contextlib.nullcontext():
        module = torchvision.models.get_model(name, weights=None, **options)
    side = 299 if name == "inception_v3" else 224
    shape = [batch, 3, side, side]
    if hasattr(torchvision.models.video, name):
        shape = [batch, 3, 16] + [224 if name.startswith(("mvit", "s3d")) else 112] * 2
    return fake(module, mode), {"input" if name.startswith("lraspp") else "x": torch.rand(shape)}


def make_transformer(name, batch, mode):
    """Made of real numbers, as some compute with them what they are to look like."""
    tests, full = exported(), name.removesuffix("-full")
    options, side = tests.MODELS.get(full, (MORE.get(full), 0))
    with unset_fake_temporarily():
        config = getattr(transformers, f"{full}Config")(**({} if full != name else options))
        config.use_cache = False
        module = transformers.AutoModel.from_config(config, attn_implementation="eager")
        if full != name and module.main_input_name == "pixel_values":
            side = config.image_size if hasattr(config, "image_size") else 224
        inputs = tests.make_inputs(full, side)
        if module.config.is_encoder_decoder and "decoder_input_ids" not in inputs:
            inputs["decoder_input_ids"] = inputs["input_ids"]
    return fake(module, mode), {key: mode.from_tensor(it.repeat(batch, *[1] * (it.dim() - 1))) for key, it in inputs.items()}


def fake(module, mode):
    """With tensors that take no memory; what several layers have in common they have still."""
    made = {}
    for owner in module.modules():
        for name, it in owner._parameters.items():
            if it is not None:
                owner._parameters[name] = made.setdefault(
                    id(it), torch.nn.Parameter(mode.from_tensor(it.detach()), it.requires_grad))
        owner._buffers.update({name: mode.from_tensor(it) for name, it in owner._buffers.items() if it is not None})
    return module


def make(name, batch, mode):
    """(module, inputs by name), in @mode, a FakeTensorMode."""
    if name in RECURRENT:
        return RECURRENT[name](), {"words": torch.randint(1000, (WORDS, batch))}
    if name in torchvision.models.list_models():
        return make_picture(name, batch, mode)
    return make_transformer(name, batch, mode)
