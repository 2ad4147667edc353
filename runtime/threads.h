/* threads.h: how many threads to use: what the caller asks, else the
 * environment, else what the kernel would let this process have. */
#ifndef TP_RUNTIME_THREADS_H
#define TP_RUNTIME_THREADS_H

/* How many threads: option, TPLAN_THREADS, OMP_NUM_THREADS, affinity mask, then
 * cgroup cpu.max. */
int tp_threads_count (int wanted);
/* Of processors, by the last two. */
int tp_threads_count_processors (void);

#endif
