/* facts.h: what a measurement depends on and what can be looked up without
 * opening a device: CPU, threads, codegen, drivers. Lines "key=value". */
#ifndef TP_CALIB_FACTS_H
#define TP_CALIB_FACTS_H

#include <glib.h>

/* A key of facts, and of what tells of a machine: its processor. */
#define TP_FACT_PROCESSOR "cpu"

/* What is so now for device @name. */
char *tp_facts_gather (const char *name, int n_threads);
/* The same and "file:PATH=size:time" for every library of drivers and compilers
 * now mapped into this process: call it with the device open. */
char *tp_facts_gather_opened (const char *name, int n_threads);
/* The value of @key in @facts; NULL: there is none. The caller frees. */
char *tp_facts_find (const char *facts, const char *key);
/* @facts without the files of drivers: as tp_facts_gather () has them. */
char *tp_facts_dup_lasting (const char *facts);
/* What the CPU of @facts is called; "" if they do not say. */
char *tp_facts_dup_cpu_of (const char *facts);
/* NULL: what @stored says still holds; else which fact differs, for people. */
char *tp_facts_compare (const char *stored, const char *now);

/* Single-precision vector lanes and clock of the CPU, by guess. */
void tp_facts_guess_cpu (int *out_lanes, double *out_ghz);

/* What one processor of this machine could do at best, in single precision: two fused
 * multiply-adds on every lane at twice the nominal clock, and no less than 5 GHz. What is
 * not said, as where /proc is missing or other processors have no name for it, is
 * taken for the most there is. */
double tp_facts_bound_gflops (void);
/* By the text of /proc/cpuinfo. */
double tp_facts_bound_gflops_by (const char *cpuinfo);

#endif
