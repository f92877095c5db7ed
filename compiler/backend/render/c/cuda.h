// CUDA: a thread computes one lane, and LANES consecutive threads (a warp, or a half, quarter, … of one) compute a
// block of lanes. A number that varies with the lane (wide) is a plain number of the thread. The memory of a block is
// [element][lane]; a cell is an element for all lanes, and used as a number it is that of the thread's lane. With
// CUDASIM the same text is C++ for the processor, which executes the lanes of a block one after the other.
#ifdef CUDASIM
#include <math.h>
#include <string.h>
static int current_lane;
#define LANE current_lane
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __align__(n) alignas(n)
#define __clzll __builtin_clzll
#define __dmul_rn(x, y) ((x) * (y)) // compiled without contraction
#define __dadd_rn(x, y) ((x) + (y))
static inline double __longlong_as_double(long long x) {
  double y;
  memcpy(&y, &x, 8);
  return y;
}
#else
#define LANE (threadIdx.x % LANES)
#define __builtin_fabs fabs
#define __builtin_fmax fmax
#define __builtin_sqrt sqrt
#define __builtin_sqrtf sqrtf
#define __builtin_copysign(x, y) copysign((double)(x), y)
#endif
#define INLINE static __forceinline__
#define SLOW static __noinline__
#define STATEMENT static __noinline__ void
#define UNFUSED
#define ROLLED _Pragma("unroll 1") // otherwise the compiler unrolls the loop and takes up to thirty times as long
#define restrict __restrict__
#undef INF
#undef NAN
#define INF __longlong_as_double(0x7ff0000000000000ll)
#define NAN __longlong_as_double(0x7ff8000000000000ll)
typedef double real;
typedef double wide;
typedef float single;
typedef float singles;
typedef long long ints;
typedef long long mask; // 0 or −1
typedef long long mask_f;
typedef unsigned long long word;
typedef unsigned long long words;

template <class T> struct __align__(LANES * sizeof(T)) warp {
  T lane[LANES];
  __forceinline__ operator T() const { return lane[LANE]; }
  __forceinline__ warp &operator=(T x) {
    lane[LANE] = x;
    return *this;
  }
  __forceinline__ warp &operator=(const warp &x) { return *this = T(x); } // assigns this lane's number only, as in a = b = x
  __forceinline__ warp &operator+=(T x) { return *this = T(*this) + x; }
};
typedef warp<double> cell;
typedef warp<float> cell_f;

// The arguments of a call. Each block of lanes has its own lane buffers, and each running warp its own scratch memory.
struct call { word entry, times; };
struct context {
  void *const *buffer; // by buffer number; a buffer has the elements of all blocks or of all warps
  word seed, step;
  const call *schedule;
  word calls, lane, block, warp, lanes, group;
};

// of_lane returns the address of a lane's element 0 in a lane buffer; element e is e·width numbers further.
static const double *of_lane(const context *c, word buffer, word n, word size, word lane, word width) {
  return (const double *)c->buffer[buffer] + lane / width * size * width + lane % width;
}

// Functions in both precisions, for numbers that all lanes share and for numbers of one lane: first those of the
// library, then others.
#define LIBRARY(f) \
  SLOW wide f##_w(wide x) { return f(x); } \
  SLOW real f##_s(real x) { return f(x); } \
  SLOW singles f##_fw(singles x) { return f(x); } \
  SLOW single f##_fs(single x) { return f(x); }
#define LIBRARY2(f) \
  SLOW wide f##_w(wide x, wide y) { return f(x, y); } \
  SLOW real f##_s(real x, real y) { return f(x, y); } \
  SLOW singles f##_fw(singles x, singles y) { return f(x, y); } \
  SLOW single f##_fs(single x, single y) { return f(x, y); }
EVERY(LIBRARY)
EVERY(LIBRARY2)
#define FORM(s, T) \
  INLINE mask lt_##s(T x, T y) { return -(mask)(x < y); } \
  INLINE mask le_##s(T x, T y) { return -(mask)(x <= y); } \
  INLINE mask eq_##s(T x, T y) { return -(mask)(x == y); } \
  INLINE mask ne_##s(T x, T y) { return -(mask)(x != y); } \
  INLINE mask not_##s(T x) { return -(mask)(x == 0); } \
  INLINE mask isfinite_##s(T x) { return -(mask)(x - x == 0); } \
  INLINE T select_##s(mask m, T a, T b) { return m ? a : b; } \
  INLINE T truth_##s(mask m) { return m ? T(1) : T(0); } \
  INLINE T abs_##s(T x) { return fabs(x); } \
  INLINE T sqrt_##s(T x) { return sqrt(x); } \
  INLINE T floor_##s(T x) { return floor(x); } \
  INLINE T ceil_##s(T x) { return ceil(x); } \
  INLINE T round_##s(T x) { return round(x); } \
  INLINE T i32_##s(T x) { return trunc(x); } \
  INLINE T sign_##s(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; } \
  INLINE T maximum_##s(T x, T y) { return y < x || x != x ? x : y; } \
  INLINE T minimum_##s(T x, T y) { return x < y || x != x ? x : y; } \
  INLINE T mulzero_##s(T x, T y) { return x == 0 ? T(0) : x * y; } \
  INLINE T mulzeroadd_##s(T x, T y, T z) { return x == 0 ? z : x * y + z; } \
  INLINE T exp_##s(T x) { return exp(x); } \
  SLOW T mod_##s(T x, T y) { /* the remainder with the sign of y */ \
    T r = fmod(x, y); \
    return r != 0 && (r < 0) != (y < 0) ? r + y : r; \
  }
FORM(w, double) FORM(s, double) FORM(fw, float) FORM(fs, float)

INLINE wide splat(real x) { return x; }
INLINE singles splat_f(single x) { return x; }
INLINE singles singles_from(wide x) { return (singles)x; }
INLINE wide wide_from(singles x) { return x; }
INLINE mask mask_from(mask_f m) { return m; }
INLINE mask_f mask_f_from(mask m) { return m; }
INLINE int any(mask m) { return m != 0; }
INLINE mask positive(wide x) { return lt_w(0, x); }
INLINE mask negative(wide x) { return lt_w(x, 0); }
INLINE wide like(wide x, wide sign) { return copysign(x, sign); }

// at_s and at_w convert dynamic indices to integers: truncated and limited to 0…limit−1. NaN becomes 0. Local arrays
// hold the numbers of one lane.
INLINE long at_s(real x, long limit) { return x > 0 ? x < limit ? (long)x : limit - 1 : 0; }
INLINE long at_w(wide x, long limit) { return at_s(x, limit); }
INLINE wide gather_s(const real *b, ints at) { return b[at]; }
INLINE wide gather_w(const cell *b, ints at) { return b[at]; }
INLINE wide gather_w(const wide *b, ints at) { return b[at]; }
INLINE singles gather_fs(const single *b, ints at) { return b[at]; }
INLINE singles gather_fw(const cell_f *b, ints at) { return b[at]; }
INLINE singles gather_fw(const singles *b, ints at) { return b[at]; }
INLINE void scatter_w(cell *b, ints at, wide x) { b[at] = x; }
INLINE void scatter_w(wide *b, ints at, wide x) { b[at] = x; }
INLINE void scatter_fw(cell_f *b, ints at, singles x) { b[at] = x; }
INLINE void scatter_fw(singles *b, ints at, singles x) { b[at] = x; }

// A number whose sums and products are rounded individually: fused multiply-adds would change the noise that devices
// draw.
template <class T> struct rounded {
  T x;
  __forceinline__ rounded(T x) : x(x) {}
  __forceinline__ operator T() const { return x; }
};
typedef rounded<double> unfused;
#define ROUNDED(sign, f) \
  template <class T> INLINE rounded<T> operator sign(rounded<T> a, rounded<T> b) { return f(a.x, b.x); } \
  template <class T, class N> INLINE rounded<T> operator sign(rounded<T> a, N b) { return f(a.x, T(b)); } \
  template <class T, class N> INLINE rounded<T> operator sign(N a, rounded<T> b) { return f(T(a), b.x); }
#define MINUS_RN(x, y) __dadd_rn(x, -(y))
#define OVER_RN(x, y) ((x) / (y))
ROUNDED(+, __dadd_rn) ROUNDED(-, MINUS_RN) ROUNDED(*, __dmul_rn) ROUNDED(/, OVER_RN)

