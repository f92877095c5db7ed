// What products of all types of numbers share. A kernel has HIGH rows of the result, as many as the registers hold, or LOW ones. A panel has
// at most DEEP columns of A, and ROWS of its rows are packed at a time, so that a panel of B stays in the first cache and A in the second.
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
  FEW = 16,  // rows of A for which packing B takes longer than it saves
  THIN = 64, // numbers from one column of A to the next that are near each other
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
// The rows of the next kernel, of those that are left: such that the last has few that nobody needs.
INLINE long height(long left) { return left <= LOW || (left > HIGH && left <= 2 * LOW) ? LOW : HIGH; }
