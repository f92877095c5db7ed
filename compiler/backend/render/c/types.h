// A real is a number that is the same for all lanes; a wide has one number for each lane of a block: as many as a vector of the
// processor holds. Functions of both kinds end in _s (scalar) and _w (wide).
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

// What a call of the library gets.
typedef struct { word entry, times; } call;
typedef struct { word buffer; char *at; word stride; } moving; // a lane buffer of the first block, and the bytes from one block to the next
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
  word block, blocks; // the first block of lanes, and how many
  word first, lanes;  // the number of the first lane of all, and how many there are
  word group; // lanes that may read of each other
} context;

// The buffers and lanes of a block. Copies of the last lane fill the last block. To read the addresses of some thousand blocks from memory
// would take longer than what a small model computes on one.
static void place(context *c, word width) {
  for (word i = 0; i < c->moved; i++)
    ((void **)c->buffer)[c->moving[i].buffer] = c->moving[i].at + c->block * c->moving[i].stride;
  for (word l = 0; l < width; l++) {
    const word lane = c->block * width + l;
    c->lane[l] = c->first + (lane < c->lanes ? lane : c->lanes - 1);
  }
}

// What a lane has of a lane buffer, the n-th of them: element e is at e·width.
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
#else // GCC 12 took a function whose loops it had interchanged for one that writes nothing, and left out the call: it shall not look into them
#define STATEMENT static __attribute__((noipa)) void
#define UNFUSED __attribute__((optimize("fp-contract=off")))
#endif
#define INLINE static inline __attribute__((always_inline))

#if LANES == 8 // adding to a vector of zeros would take an instruction: it changes −0
INLINE wide splat(real x) { return (wide){x, x, x, x, x, x, x, x}; }
#elif LANES == 4
INLINE wide splat(real x) { return (wide){x, x, x, x}; }
#else
INLINE wide splat(real x) { return (wide){x, x}; }
#endif
// The product of the lower half of each word and of a number below 2³². Processors have it as one instruction, which GCC does not find.
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

// A mask is a truth value for each lane. AVX-512 has registers for it; GCC, which knows it as a vector of 0 and −1, would not use them well.
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
#if LANES > 2 // halves first: GCC takes numbers out of long vectors one by one
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

// Elements that dynamic indices name: truncated and kept in 0…limit−1; NaN means 0.
INLINE long at_s(real x, long limit) { return x > 0 ? x < limit ? (long)x : limit - 1 : 0; }
INLINE ints at_w(wide x, long limit) {
  wide top = splat(limit - 1);
  x = select_w(positive(x), x, splat(0));
  return __builtin_convertvector(select_w(lt_w(x, top), x, top), ints);
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
INLINE void scatter_w(wide *b, ints at, wide x) {
  EACH ((real *)b)[at[l] * LANES + l] = x[l];
}

// Buffers of whole numbers hold what is left when the rest is cut off.
INLINE wide i32_w(wide x) {
  EACH x[l] = __builtin_trunc(x[l]);
  return x;
}
INLINE real i32_s(real x) { return __builtin_trunc(x); }
