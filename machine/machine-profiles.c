/* machine-profiles.c: built-in machines, from a small board to a server.
 *
 * Peaks are what a well tuned float32 kernel sustains, taken as 75 % of the
 * vendor's peak on a CPU and 60 % on a GPU; bandwidths are 80 % of the vendor's.
 * Launch is what a queued kernel costs the host; a link is a copy through the
 * driver, so a GPU that shares the host's memory still pays it; that memory is the
 * pool "host". full is the number of spatial points that fill the device: eight
 * vectors per core on a CPU, two warps' worth of work per four lanes on a GPU.
 * double is what of the peak the vendor has of float64: half of it, but for a GPU that is
 * no server's.
 * watts are the vendor's thermal design power where there is one of the device by
 * itself, and idle 15 % of it, which no vendor states. */
#include "config.h"

#include "machine/machine-profiles.h"


const TpMachineProfile tp_machine_profiles[] = {
  { "edge-cpu", "4-core board CPU, 1.5 GHz, 128-bit SIMD (Cortex-A72 class)",
    "gflops=36,gbps=4.5,launch=2us,full=128,memory=4GiB,pool=host" },
  { "laptop-cpu", "4-core laptop CPU, 3 GHz, AVX2 (mobile Core class)",
    "gflops=290,gbps=30,launch=1us,full=256,memory=16GiB,pool=host,watts=28:4" },
  { "desktop-cpu", "8-core desktop CPU, 4.2 GHz, AVX2 (Ryzen 7 class)",
    "gflops=800,gbps=41,launch=1us,full=512,memory=32GiB,pool=host,"
    "watts=105:16" },
  { "server-cpu", "32-core server CPU, 2.3 GHz, AVX-512, 8 channels (Xeon class)",
    "gflops=3500,gbps=164,launch=3us,full=4096,memory=256GiB,pool=host,"
    "watts=250:37.5" },
  { "embedded-gpu", "128-lane GPU on a board, shared memory (Jetson Nano class)",
    "gflops=140,double=0.03125,gbps=20,launch=25us,link=5GB/s+30us,full=2048,memory=4GiB,"
    "pool=host" },
  { "integrated-gpu", "96-unit GPU in a laptop CPU, shared memory (Iris Xe class)",
    "gflops=1240,double=0.03125,gbps=48,launch=12us,link=12GB/s+10us,full=6144,memory=8GiB,"
    "pool=host" },
  { "laptop-gpu", "2048-lane mobile GPU, PCIe 4 x8 (RTX 3050 mobile class)",
    "gflops=3600,double=0.015625,gbps=154,launch=6us,link=12GB/s+12us,full=16384,memory=4GiB,"
    "watts=60:9" },
  { "desktop-gpu", "5888-lane GPU, PCIe 4 x16 (RTX 3070 class)",
    "gflops=12200,double=0.015625,gbps=358,launch=5us,link=22GB/s+10us,full=47104,"
    "memory=8GiB,watts=220:33" },
  { "server-gpu", "14592-lane GPU, HBM, PCIe 5 x16 (H100 PCIe class)",
    "gflops=30700,gbps=1600,launch=4us,link=45GB/s+8us,full=116736,"
    "memory=80GiB,watts=350:52.5" },
};

const int tp_n_machine_profiles = G_N_ELEMENTS (tp_machine_profiles);
