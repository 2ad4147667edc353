#!/usr/bin/python3
"""How good the OpenCL C for GPUs is as far as compilers can tell: no GPU runs.

  gpu-static.py [--check] [--rivals] GPU-SOURCE [NEST[=SCHEDULE] | MODEL]...

Compiles what bench/gpu-source prints, for its own nests or for all that a model is
fused to, with clang 15 and libclc (see debian-packages-bench) for AMD and NVIDIA
GPUs; registers and spills of the latter only with ptxas on the PATH. One row of
Markdown per kernel and GPU:

  regs, spill  registers of an item; bytes of it in memory
  local        bytes of local memory of a group
  groups       per compute unit, by registers, local memory and items
  fma          multiply-adds in the innermost loop that has most of them (in all of
               a kernel without loops), and
  of all       their share of its instructions
  local/fma    bytes read from local memory per multiply-add in that loop: by an
               item, and by a wave for all its items together, where what several
               read counts once (this is what 0.5 is asked of, below)
  global/fma   from global memory, likewise; a wave's in pieces of 32 bytes
  binds        which of three levels is slowest, and
  of peak      the share of the fp32 peak that this leaves: a static estimate

The levels: arithmetic is all instructions of the loop at one per lane and clock;
local is the words that the fullest of 32 banks gives; global is the pieces at
what a unit has of the second cache, or each buffer once at what it has of memory,
whichever is slower. Nothing waits for anything, and the first cache keeps nothing.

--check exits with 1 unless no kernel spills, and those of products (sgemm-nn, -nt,
-tn, -tt) have two groups per unit or more, 80 % multiply-adds, at most 0.5 bytes of a
wave from local memory for each and 0.13 of an item from global memory; what does not
hold is said on standard error.

--rivals looks at what calibration measures beside the model's choice, where there is
such: products by contract-waves, among others. What is asked of products is not asked
of these.

An NVIDIA loop is counted in PTX, whose address arithmetic ptxas shrinks further.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

CLANG = os.environ.get("CLANG", "clang-15")
CLC = os.environ.get("CLC", "/usr/lib/clc")
COMMON = [CLANG, "-x", "cl", "-cl-std=CL1.2", "-O3", "-S", "-Xclang",
          "-finclude-default-header", "-nogpulib",
          "-Wno-everything"]

# Per compute unit: registers (of 32 bits, of an item), what they are given in,
# items, bytes of local memory, groups.
NVIDIA = {"sm_75": (65536, 256, 1024, 65536, 16),
          "sm_86": (65536, 256, 1536, 102400, 16),
          "sm_90": (65536, 256, 2048, 233472, 32)}
# Waves of how many items; per SIMD: registers, what they are given in, waves;
# SIMDs and bytes of local memory per unit.
AMD = {"gfx906": (64, 256, 4, 10, 4, 65536),
       "gfx1030": (32, 1024, 8, 16, 2, 65536)}
WITH_MMA = ("sm_86", "sm_90")
# Per unit and clock, by the vendors: lanes, bytes of the second cache, and of memory
# of an RTX 2080 Ti, RTX 3090, H200, Radeon VII and RX 6900 XT. Local memory has 32
# banks of four bytes in all of them.
PEAKS = {"sm_75": (64, 64, 5.9), "sm_86": (128, 64, 6.7), "sm_90": (128, 64, 18.4),
         "gfx906": (64, 64, 9.9), "gfx1030": (64, 64, 2.8)}
PRODUCTS = {"sgemm-nn", "sgemm-nt", "sgemm-tn", "sgemm-tt"}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: %s" % (command[0], done.stderr))
    return done.stdout + done.stderr


def find_loops(lines, branch):
    """Bodies from a label to the branch back to it that hold no other such."""
    at, loops = {}, []
    for i, line in enumerate(lines):
        label = re.match(r"^(\S+):", line)
        if label:
            at[label.group(1)] = i
        back = re.search(branch, line)
        if back and back.group(1) in at:
            loops.append((at[back.group(1)], i))
    return [lines[a:b + 1] for a, b in loops
            if not any(a <= c and d <= b and (a, b) != (c, d)
                       for c, d in loops)] or [lines]


def count(lines, patterns):
    return sum(n * sum(1 for line in lines if re.search(p, line))
               for p, n in patterns)


def describe_loop(loops, is_instruction, fma, local_reads, global_reads):
    """Multiply-adds, instructions, and bytes read from both memories."""
    best = max(loops, key=lambda loop: count(loop, fma), default=[])
    body = [line for line in best if is_instruction(line)]
    return {"fma": count(body, fma), "all": len(body),
            "local": count(body, local_reads), "global": count(body, global_reads)}


def sizes(form, words):
    """Patterns for loads of 1 to 4 words, named by @words."""
    return [(form % w, 4 * n) for n, w in words.items()]


# ---- AMD -------------------------------------------------------------------

def amd_groups(chip, items, vgprs, local):
    wave, registers, grain, waves, simds, memory = AMD[chip]
    per_simd = min(waves, registers // max(grain, -(-vgprs // grain) * grain))
    by_registers = per_simd * simds // -(-items // wave)
    return min(by_registers, memory // max(local, 1)) if local else by_registers


def amd(chip, source, items):
    text = run(COMMON + ["-target", "amdgcn--amdhsa", "-mcpu=" + chip, "-Xclang",
                         "-mlink-builtin-bitcode", "-Xclang",
                         CLC + "/amdgcn--amdhsa.bc", "-o", "-", source])
    for name, body in re.findall(r"^(\w+):[^\n]*; @\1\n(.*?)^; Occupancy:", text,
                                 re.M | re.S):
        if name not in items:
            continue
        value = {key: int(re.search(r"; %s: (\d+)" % key, body).group(1))
                 for key in ("NumVgprs", "ScratchSize", "LDSByteSize")}
        loops = find_loops(body.splitlines(), r"s_c?branch\w* (\S+)")
        words = {1: "dword", 2: "dwordx2", 3: "dwordx3", 4: "dwordx4"}
        used = (value["NumVgprs"], value["ScratchSize"], value["LDSByteSize"])
        yield name, used + (amd_groups(chip, items[name], used[0],
                                       used[2]),), describe_loop(
            loops, lambda line: re.match(r"^\t[a-z]\w*", line),
            [(r"v_(fma|fmac|mac|mad)_f32|v_pk_fma_f32", 1), (r"v_dual_fmac", 1)],
            [(r"ds_read_b32\b", 4), (r"ds_read_b64\b", 8),
             (r"ds_read_b96\b", 12), (r"ds_read_b128\b", 16),
             (r"ds_read2(st64)?_b32", 8), (r"ds_read2(st64)?_b64", 16)],
            sizes(r"(global|flat|buffer)_load_%s ", words))


# ---- NVIDIA ----------------------------------------------------------------

def nvidia_groups(chip, items, registers, local):
    total, grain, threads, memory, groups = NVIDIA[chip]
    warps = -(-items // 32)
    per_warp = -(-registers * 32 // grain) * grain
    return min(groups, threads // items, total // (per_warp * warps),
               memory // (local + 1024))


def ptxas(chip, path, name):
    if shutil.which("ptxas") is None:
        return None
    out = run(["ptxas", "-arch=" + chip, "-v", "-o", os.devnull, path])
    part = out[out.index("'%s'" % name):].split("Compiling entry")[0]
    return [int((re.search(p, part) or ["", "0"])[1])
            for p in (r"Used (\d+) registers", r"(\d+) bytes spill stores",
                      r"(\d+) bytes smem")]


def nvidia(chip, source, items):
    path = source + "." + chip
    # clang 15 knows chips up to sm_86, and ptxas takes them for later ones.
    cpu = ["sm_75"]
    if chip in WITH_MMA:
        cpu = ["sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx70", "-DTP_MMA"]
    run(COMMON + ["-target", "nvptx64--nvidiacl", "-Dcl_khr_fp64", "-Xclang",
                  "-mlink-builtin-bitcode", "-Xclang",
                  CLC + "/nvptx64--nvidiacl.bc", "-Xclang", "-target-cpu",
                  "-Xclang", *cpu, "-o", path, source])
    with open(path) as file:
        text = file.read()
    for name, body in re.findall(r"^\.entry (\w+)\((.*?)^}", text.replace(
            ".visible ", ""), re.M | re.S):
        used = ptxas(chip, path, name)
        loops = find_loops(body.splitlines(), r"bra(?:\.uni)?\s+(\S+);")
        row = None
        if used is not None:
            row = (*used, nvidia_groups(chip, items[name], used[0], used[2]))
        words = {1: "", 2: "v2.", 4: "v4."}
        space = r"ld\.%s(\.nc)?\.%%s[fub](32|64)"
        yield name, row, describe_loop(
            loops, lambda line: re.match(r"^\t[@a-z]", line),
            [(r"\bfma\.rn\.f32", 1)], sizes(space % "shared", words),
            sizes(space % "global", words))


# ---- waves -----------------------------------------------------------------

def read_waves(text):
    """By kernel: what gpu-source says of it: items of a group, traffic, and per
    multiply-add of a wave of 32 or 64 items the bytes and cycles of local memory and
    the bytes of global memory."""
    found = {}
    for part in re.split(r"(?=/\* groups )", text)[1:]:
        groups, items, traffic = re.match(
            r"/\* groups (\d+) items (\d+) traffic ([\d.]+)", part).groups()
        wave = {}
        for line in re.findall(r"/\* wave (\d+) fma (\d+) local (\d+) cycles (\d+) "
                               r"global (\d+)", part):
            n, fma, *memory = [int(word) for word in line]
            if fma > 0:
                wave[n] = [x / (min(n, int(items)) * fma) for x in memory]
        name = re.search(r"^void (\w+)", part, re.M).group(1)
        found[name] = {"items": int(items), "traffic": float(traffic), "wave": wave}
    return found


def find_bound(chip, loop, known):
    """The level that binds, and the share of the peak that it leaves."""
    lanes, cache, memory = PEAKS[chip]
    local, pieces = known["wave"][AMD[chip][0] if chip in AMD else 32][1:]
    clocks = {"arithmetic": loop["all"] / loop["fma"] / lanes, "local": local,
              "global": max(pieces / cache, known["traffic"] / memory)}
    level = max(clocks, key=clocks.get)
    return level, 1 / lanes / clocks[level]


# ---- the table -------------------------------------------------------------

def describe(chip, used, loop, known):
    row = ["?"] * 4 if used is None else [str(n) for n in used]
    if loop["fma"] == 0 or not known["wave"]:
        return row + ["-"] * 6
    wave = known["wave"][AMD[chip][0] if chip in AMD else 32]
    level, share = find_bound(chip, loop, known)
    return row + [str(loop["fma"]), "%.0f %%" % (100 * loop["fma"] / loop["all"]),
                  "%.2f, %.2f" % (loop["local"] / loop["fma"], wave[0]),
                  "%.3f, %.3f" % (loop["global"] / loop["fma"], wave[2]),
                  level, "%.0f %%" % (100 * share)]


def list_faults(chip, nest, used, loop, known):
    """What does not hold."""
    if used is not None and used[1] > 0:
        yield "%d bytes spilled" % used[1]
    if nest not in PRODUCTS or "--rivals" in sys.argv or loop["fma"] == 0 or not known["wave"]:
        return
    if used is not None and used[3] < 2:
        yield "%d groups per unit" % used[3]
    wave = known["wave"][AMD[chip][0] if chip in AMD else 32]
    if loop["fma"] < 0.8 * loop["all"]:
        yield "%.1f %% multiply-adds" % (100 * loop["fma"] / loop["all"])
    if wave[0] > 0.5:
        yield "%.3f bytes from local memory" % wave[0]
    if loop["global"] > 0.13 * loop["fma"]:
        yield "%.3f bytes from global memory" % (loop["global"] / loop["fma"])


def compile_nest(program, nest, work):
    """Of each kernel and chip: name, what is known of it, registers and such, loop."""
    text = run([program] + nest.split("=", 1))
    if not text:
        return # no rival
    source = os.path.join(work, "kernels.cl")
    with open(source, "w") as file:
        file.write(text)
    known = read_waves(text)
    items = {name: it["items"] for name, it in known.items()}
    for chip in list(AMD) + list(NVIDIA):
        compile_for = amd if chip in AMD else nvidia
        for name, used, loop in compile_for(chip, source, items):
            if name.startswith("contract_waves") and chip not in WITH_MMA:
                continue # no other would be given such
            yield chip, name, known[name], used, loop


def main():
    args = [arg for arg in sys.argv[1:] if arg not in ("--check", "--rivals")]
    if not args:
        sys.exit(__doc__)
    program, faults, seen = args[0], [], set()
    nests = args[1:] or run([program]).split()
    nests = [one for nest in nests
             for one in (run([program, nest]).split() if os.path.isfile(nest)
                         else [nest])]
    if "--rivals" in sys.argv[1:]:
        nests = [nest + "=rival" for nest in nests]
    print("| nest | kernel | GPU | items | regs | spill | local | groups | fma "
          "| of all | local/fma: item, wave | global/fma: item, wave | binds "
          "| of peak |")
    print("| --- " * 14 + "|")
    with tempfile.TemporaryDirectory() as work:
        for nest in nests:
            short = os.path.basename(nest.split("=")[0])
            for chip, name, known, used, loop in compile_nest(program, nest, work):
                if (chip, name) in seen:
                    continue
                seen.add((chip, name))
                kernel = re.sub("_[0-9a-f]*$", "", name)
                print("| %s |" % " | ".join([short, kernel, chip,
                                             str(known["items"])]
                                            + describe(chip, used, loop, known)))
                faults += ["%s, %s, %s: %s" % (short, kernel, chip, fault) for fault
                           in list_faults(chip, short, used, loop, known)]
    if "--check" in sys.argv[1:]:
        sys.exit("\n".join(faults) if faults else 0)


main()
