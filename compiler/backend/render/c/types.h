// A real is a number that all lanes share. A wide has one number for each lane of a block; a block has as many lanes as
// a vector register holds numbers. Names of functions end in _s for reals (scalar) and in _w for wides.
#pragma GCC diagnostic ignored "-Wpsabi" // all functions of vectors are static
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif
typedef double real;
typedef double wide __attribute__((vector_size(8 * LANES)));
typedef long long ints __attribute__((vector_size(8 * LANES)));
typedef unsigned long long word;
typedef unsigned long long words __attribute__((vector_size(8 * LANES)));

// The arguments of a call of the compiled library.
typedef struct { word entry, times; } call;
typedef struct { word buffer; char *at; word stride; } moving; // address of a lane buffer's first block, and the bytes from one block to the next
typedef struct {
  word lane[8];        // numbers of the block's lanes, part of the address of noise
  void *const *buffer; // by buffer number: real[size] if shared, else wide[size]
  word seed, step;
  const call *schedule;
  word calls;
  word part, turn;
  void *work; // memory for large products
  const moving *moving;
  word moved;
  word block, blocks; // the first block of lanes, and the number of blocks
  word first, lanes;  // the number of the first lane, and the number of lanes
  word group; // number of lanes in a group; the lanes of a group may read each other's buffers
} context;

// place sets the addresses of the lane buffers and the lane numbers of block c->block. Copies of the last lane fill the
// last block. The addresses are computed: reading those of thousands of blocks from memory would take longer than
// evaluating a small model.
static void place(context *c, word width) {
  for (word i = 0; i < c->moved; i++)
    ((void **)c->buffer)[c->moving[i].buffer] = c->moving[i].at + c->block * c->moving[i].stride;
  for (word l = 0; l < width; l++) {
    const word lane = c->block * width + l;
    c->lane[l] = c->first + (lane < c->lanes ? lane : c->lanes - 1);
  }
}

// of_lane returns the address of a lane's element 0 in the n-th lane buffer; element e is e·width numbers further.
static const double *of_lane(const context *c, word buffer, word n, word size, word lane, word width) {
  return (const double *)(c->moving[n].at + lane / width * c->moving[n].stride) + lane % width;
}

#define EACH for (int l = 0; l < LANES; l++)
#define INF __builtin_inf()
#define NAN __builtin_nan("")
#define SLOW static __attribute__((noinline, const))
#ifdef __clang__
#define STATEMENT static __attribute__((noinline)) void
#define UNFUSED
#else // noipa: GCC 12 omitted the call of a function whose loops it had interchanged, as if it wrote nothing
#define STATEMENT static __attribute__((noipa)) void
#define UNFUSED __attribute__((optimize("fp-contract=off")))
#endif
#define INLINE static inline __attribute__((always_inline))

#if LANES == 8 // adding x to a vector of zeros would need an instruction, because it changes −0
INLINE wide splat(real x) { return (wide){x, x, x, x, x, x, x, x}; }
#elif LANES == 4
INLINE wide splat(real x) { return (wide){x, x, x, x}; }
#else
INLINE wide splat(real x) { return (wide){x, x}; }
#endif
// low_times multiplies the lower half of each word by a number below 2³². Processors have one instruction for this,
// which GCC does not find.
INLINE words low_times(words x, word by) {
  words y = (words){} + by;
#if defined(__clang__) || !defined(__x86_64__)
  return (x & 0xffffffff) * y;
#else
  typedef int halves __attribute__((vector_size(8 * LANES)));
#if LANES == 8
  return (words)__builtin_ia32_pmuludq512_mask((halves)x, (halves)y, (ints)y, -1);
#elif defined(__AVX2__)
  return (words)__builtin_ia32_pmuludq256((halves)x, (halves)y);
#elif LANES == 2
  return (words)__builtin_ia32_pmuludq128((halves)x, (halves)y);
#else
  return (x & 0xffffffff) * y;
#endif
#endif
}
INLINE wide bits(ints x) { return (wide)x; }

// A mask has a truth value for each lane. AVX-512 has mask registers; GCC represents a comparison as a vector of 0 and
// −1 and makes little use of these registers.
#if defined(__AVX512DQ__) && defined(__AVX512VL__) && !defined(__clang__)
#define MASKS
typedef unsigned char mask;
#define COMPARE(name, operator, code) \
  INLINE mask name##_w(wide x, wide y) { return __builtin_ia32_cmppd512_mask(x, y, code, -1, 4); } \
  INLINE long name##_s(real x, real y) { return x operator y; }
INLINE wide select_w(mask m, wide a, wide b) { return __builtin_ia32_blendmpd_512_mask(b, a, m); }
INLINE int any(mask m) { return m != 0; }
#else
typedef ints mask;
#define COMPARE(name, operator, code) \
  INLINE mask name##_w(wide x, wide y) { return x operator y; } \
  INLINE long name##_s(real x, real y) { return x operator y; }
INLINE wide select_w(mask m, wide a, wide b) { return bits((m & (ints)a) | (~m & (ints)b)); }
INLINE int any(mask m) {
#if LANES > 2 // halves first, because GCC extracts the elements of long vectors one by one
  typedef long long half __attribute__((vector_size(4 * LANES)));
  union { ints all; half part[2]; } u = {m};
  half x = u.part[0] | u.part[1];
  for (int l = 1; l < LANES / 2; l++) x[0] |= x[l];
  return x[0] != 0;
#else
  return (m[0] | m[1]) != 0;
#endif
}
#endif
COMPARE(lt, <, 17) COMPARE(le, <=, 18) COMPARE(eq, ==, 0) COMPARE(ne, !=, 4)
INLINE real select_s(long long m, real a, real b) { return m ? a : b; }
INLINE wide truth_w(mask m) { return select_w(m, splat(1), splat(0)); }
INLINE real truth_s(long long m) { return m ? 1 : 0; }
INLINE mask positive(wide x) { return lt_w(splat(0), x); }
INLINE mask negative(wide x) { return lt_w(x, splat(0)); }
INLINE mask not_w(wide x) { return eq_w(x, splat(0)); }
INLINE long not_s(real x) { return x == 0; }
INLINE mask isfinite_w(wide x) { return eq_w(x - x, splat(0)); }
INLINE long isfinite_s(real x) { return x - x == 0; }

// at_s and at_w convert dynamic indices to integers: truncated and limited to 0…limit−1. NaN becomes 0.
INLINE long at_s(real x, long limit) { return x > 0 ? x < limit ? (long)x : limit - 1 : 0; }
INLINE ints at_w(wide x, long limit) {
  wide top = splat(limit - 1);
  x = select_w(positive(x), x, splat(0));
  return __builtin_convertvector(select_w(lt_w(x, top), x, top), ints);
}

// gather_s reads element at[l] of a shared buffer for each lane l; gather_w and scatter_w read and write lane l of
// element at[l] of a lane buffer.
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
INLINE void scatter_w(wide *b, ints at, wide x) {
  EACH ((real *)b)[at[l] * LANES + l] = x[l];
}

// Values of integer buffers are truncated.
INLINE wide i32_w(wide x) {
  EACH x[l] = __builtin_trunc(x[l]);
  return x;
}
INLINE real i32_s(real x) { return __builtin_trunc(x); }
