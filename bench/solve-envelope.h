/* solve-envelope.h: how long all plans take, as one thing changes. */
#ifndef TP_BENCH_SOLVE_ENVELOPE_H
#define TP_BENCH_SOLVE_ENVELOPE_H

/* Prints a row for each network of @directory and each thing, by made-up machines. */
void bench_solve_envelopes (const char *directory);

#endif
