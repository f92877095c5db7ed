// What products of all types of numbers share: the rows of a kernel, as many as the registers hold; the columns of A and the rows of A that
// are packed at a time, so that a panel of B stays in the first cache and A in the second; and the memory for both.
#if LANES == 8 || defined(__aarch64__)
#define HIGH 8
#else
#define HIGH 4
#endif
enum { DEEP = 256, ROWS = 128, WORK = DEEP * 4096 + DEEP * ROWS * 8 };
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
