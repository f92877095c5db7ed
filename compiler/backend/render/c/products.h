// Definitions for the products of all number types. A kernel has HIGH rows of the result, as many as the registers
// hold, or LOW rows. A panel has at most DEEP columns of A, and ROWS of its rows are packed at a time, so that a panel
// of B stays in the first-level cache and the packed rows of A in the second-level cache.
#if LANES == 8 || defined(__aarch64__)
#define HIGH 8
#define LOW 4
#elif LANES == 4
#define HIGH 6
#define LOW 4
#else
#define HIGH 4
#define LOW 2
#endif
enum {
  DEEP = 256,
  ROWS = 16 * HIGH,
  WORK = DEEP * 4096 + DEEP * (ROWS + HIGH) * 8,
  FEW = 16,  // if A has at most FEW rows, packing B takes longer than it saves
  THIN = 64, // the largest distance between columns of A, in numbers, for which A is read in place
};
#define LINE(text) _Pragma(#text)
#define TURNS(n) LINE(GCC unroll n)
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) ({ \
  typedef __typeof__(__builtin_choose_expr(sizeof(a[0]) == 8, (long long)0, 0)) whole; \
  typedef whole which __attribute__((vector_size(sizeof(a)))); \
  __builtin_shuffle(a, b, (which){__VA_ARGS__}); })
#endif
INLINE long least(long a, long b) { return a < b ? a : b; }
// height returns the number of rows of the next kernel, HIGH or LOW, if `left` rows remain. It is chosen so that the
// last kernel computes few unneeded rows.
INLINE long height(long left) { return left <= LOW || (left > HIGH && left <= 2 * LOW) ? LOW : HIGH; }
