// A real is a number that is the same for all lanes; a wide has one number for each of the eight lanes of a block. Functions of both
// kinds end in _s (scalar) and _w (wide).
#pragma GCC diagnostic ignored "-Wpsabi" // vectors wider than the machine's are passed in memory: all such functions are static
typedef double real;
typedef float singles __attribute__((vector_size(32)));
typedef double wide __attribute__((vector_size(64)));
typedef long long ints __attribute__((vector_size(64))); // comparisons of wide: 0 or −1
typedef unsigned long long word;
typedef unsigned long long words __attribute__((vector_size(64)));

// What a call of the library gets.
typedef struct { word entry, times; } call;
typedef struct {
  words lane;          // numbers of the block's lanes, part of the address of noise
  void *const *buffer; // by buffer number: real[size] if shared, else wide[size]
  word seed, step;
  const call *schedule;
  word calls;
} context;

#define LANES 8
#define EACH for (int l = 0; l < LANES; l++)
#define INF __builtin_inf()
#define NAN __builtin_nan("")
#define STATEMENT static __attribute__((noinline)) void
#define SLOW static __attribute__((noinline, const))
#ifdef __clang__
#define UNFUSED
#else
#define UNFUSED __attribute__((optimize("fp-contract=off")))
#endif
#define INLINE static inline __attribute__((always_inline))

INLINE wide splat(real x) { return (wide){} + x; }
INLINE wide bits(ints x) { return (wide)x; }
INLINE wide select_w(ints m, wide a, wide b) { return bits((m & (ints)a) | (~m & (ints)b)); }
INLINE real select_s(long long m, real a, real b) { return m ? a : b; }
INLINE wide truth_w(ints m) { return select_w(m, splat(1), splat(0)); }
INLINE real truth_s(long long m) { return m ? 1 : 0; }
INLINE int any(ints m) {
  long long x = 0;
  EACH x |= m[l];
  return x != 0;
}

// Elements that dynamic indices name: truncated and kept in 0…limit−1; NaN means 0.
INLINE long at_s(real x, long limit) { return x > 0 ? x < limit ? (long)x : limit - 1 : 0; }
INLINE ints at_w(wide x, long limit) {
  wide top = splat(limit - 1);
  x = select_w(x > 0, x, splat(0));
  return __builtin_convertvector(select_w(x < top, x, top), ints);
}

// Elements that differ from lane to lane: of shared and of lane buffers.
INLINE wide gather_s(const real *b, ints at) {
  wide x;
  EACH x[l] = b[at[l]];
  return x;
}
INLINE wide gather_w(const wide *b, ints at) {
  wide x;
  EACH x[l] = ((const real *)b)[at[l] * LANES + l];
  return x;
}
INLINE void scatter(wide *b, ints at, wide x) {
  EACH ((real *)b)[at[l] * LANES + l] = x[l];
}

// Buffers of narrower types hold what the type can.
INLINE wide f32_w(wide x) { return __builtin_convertvector(__builtin_convertvector(x, singles), wide); }
INLINE real f32_s(real x) { return (float)x; }
INLINE wide i32_w(wide x) {
  EACH x[l] = __builtin_trunc(x[l]);
  return x;
}
INLINE real i32_s(real x) { return __builtin_trunc(x); }
