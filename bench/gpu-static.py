#!/usr/bin/python3
"""How good the OpenCL C for GPUs is as far as compilers can tell: no GPU runs.

  gpu-static.py GPU-SOURCE [NEST[=SCHEDULE]...]

Compiles what bench/gpu-source prints with clang 15 and libclc (see
debian-packages-bench) for AMD and NVIDIA GPUs; registers and spills of the latter
only with ptxas on the PATH. One row of Markdown per kernel and GPU:

  regs, spill  registers of an item; bytes of it in memory
  local        bytes of local memory of a group
  groups       per compute unit, by registers, local memory and items
  fma          multiply-adds in the innermost loop that has most of them, and
  of all       their share of its instructions
  local/fma    bytes that an item reads from local memory per multiply-add, and
  global/fma   from global memory, in that loop; what neighbours read as well is
               counted for each of them, though the hardware reads it once

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
                       for c, d in loops)]


def count(lines, patterns):
    return sum(n * sum(1 for line in lines if re.search(p, line))
               for p, n in patterns)


def describe_loop(loops, is_instruction, fma, local_reads, global_reads):
    best = max(loops, key=lambda loop: count(loop, fma), default=[])
    body = [line for line in best if is_instruction(line)]
    n = count(body, fma)
    if n == 0:
        return ["-"] * 4
    return [str(n), "%.0f %%" % (100.0 * n / len(body)),
            "%.2f" % (count(body, local_reads) / n),
            "%.3f" % (count(body, global_reads) / n)]


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
        yield name, [str(value["NumVgprs"]), str(value["ScratchSize"]),
                     str(value["LDSByteSize"]),
                     str(amd_groups(chip, items[name], value["NumVgprs"],
                                    value["LDSByteSize"]))] + describe_loop(
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
    run(COMMON + ["-target", "nvptx64--nvidiacl", "-Dcl_khr_fp64", "-Xclang",
                  "-mlink-builtin-bitcode", "-Xclang",
                  CLC + "/nvptx64--nvidiacl.bc", "-Xclang", "-target-cpu",
                  "-Xclang", min(chip, "sm_75"), "-o", path, source])
    with open(path) as file:
        text = file.read()
    for name, body in re.findall(r"^\.entry (\w+)\((.*?)^}", text.replace(
            ".visible ", ""), re.M | re.S):
        used = ptxas(chip, path, name)
        loops = find_loops(body.splitlines(), r"bra(?:\.uni)?\s+(\S+);")
        row = ["?"] * 4
        if used is not None:
            row = [str(n) for n in used] + [
                str(nvidia_groups(chip, items[name], used[0], used[2]))]
        words = {1: "", 2: "v2.", 4: "v4."}
        space = r"ld\.%s(\.nc)?\.%%s[fub](32|64)"
        yield name, row + describe_loop(
            loops, lambda line: re.match(r"^\t[@a-z]", line),
            [(r"\bfma\.rn\.f32", 1)], sizes(space % "shared", words),
            sizes(space % "global", words))


# ---- the table -------------------------------------------------------------

def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    nests = sys.argv[2:] or run([program]).split()
    print("| nest | kernel | GPU | items | regs | spill | local | groups | fma "
          "| of all | local/fma | global/fma |")
    print("| --- " * 12 + "|")
    with tempfile.TemporaryDirectory() as work:
        for nest in nests:
            text = run([program] + nest.split("=", 1))
            source = os.path.join(work, "kernels.cl")
            with open(source, "w") as file:
                file.write(text)
            items = {name: int(n) for n, name in re.findall(
                r"size \((\d+), 1, 1\)\)\)\nvoid (\w+)", text)}
            for chip in list(AMD) + list(NVIDIA):
                compile_for = amd if chip in AMD else nvidia
                for name, row in compile_for(chip, source, items):
                    print("| %s |" % " | ".join([nest.split("=")[0],
                                                 re.sub("_[0-9a-f]*$", "", name),
                                                 chip, str(items[name])] + row))


main()
