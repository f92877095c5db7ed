// The functions above for numbers that all lanes share, and in single precision.
#define SHARED(f) \
  INLINE real f##_s(real x) { return f##_w(x); } \
  INLINE single f##_fs(single x) { return (single)f##_w(x); } \
  INLINE singles f##_fw(singles x) { return (singles)f##_w(x); }
EVERY(SHARED)

// Noise: the words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) with the seed as key and (pair of points, step, site, lane) as
// counter. A block has two words of 64 bits, one for each point of the pair.
struct block { words half[2]; };
INLINE block philox4x32(unsigned c0, unsigned c1, unsigned c2, unsigned c3, word key) {
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
  for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    word p0 = (word)c0 * 0xD2511F53u, p1 = (word)c2 * 0xCD9E8D57u;
    c0 = (unsigned)(p1 >> 32) ^ c1 ^ k0;
    c1 = (unsigned)p1;
    c2 = (unsigned)(p0 >> 32) ^ c3 ^ k1;
    c3 = (unsigned)p0;
  }
  block b;
  b.half[0] = (word)c1 << 32 | c0, b.half[1] = (word)c3 << 32 | c2;
  return b;
}
INLINE block words_at(const context *c, word site, word number, word lane) {
  return philox4x32((unsigned)number, (unsigned)c->step, (unsigned)(c->step >> 32 << 24 | site), (unsigned)lane, c->seed);
}
SLOW block philox(const context *c, word site, word pair) { return words_at(c, site, pair, c->lane); }

// (k + ½)·2⁻⁵², k the upper 52 bits.
INLINE wide uniform_w(words x) { return __longlong_as_double(x >> 12 | 0x3ff0000000000000ll) - (1 - 0x1p-53); }
INLINE wide normal_w(words x) { return normquantile_w(uniform_w(x)); }
SLOW real common_s(const context *c, word site) { return uniform_w(words_at(c, site, 0, 0xffffffff).half[0]); } // 2³²−1 is the number of no lane: all lanes share the result

// normal_fw returns normal noise of single precision. Point 64·group + 32·half + 16·second + j is computed from words
// 2·half and 2·half + 1 of block j of the group by Box and Muller's transform; group_f computes all points of a group
// in the same way.
SLOW singles normal_fw(const context *c, word site, word point) {
  words w = words_at(c, site, (point >> 6 << 4) + (point & 15), c->lane).half[point >> 5 & 1];
  single radius = sqrtf(-2 * log_of_part((single)(int)(((unsigned)w >> 8) + 1) * 0x1p-24f));
  single u = (single)(int)(w >> 40) * 0x1p-24f;
  int second = point >> 4 & 1, quarter = (int)(4 * u + 0.5f);
  single r = (u - 0.25f * (single)quarter) * 6.2831853f, z = r * r;
  single sine = r * (z * (z * (z * -1.9515296e-4f + 8.3321609e-3f) - 0.16666655f) + 1);
  single cosine = z * (z * (z * (z * 2.443e-5f - 1.388731e-3f) + 4.166664e-2f) - 0.5f) + 1;
  single x = (quarter + second) & 1 ? cosine : sine;
  return radius * ((quarter + second) & 2 ? -x : x);
}

// shuffle_w returns the row at a position of a shuffled sequence of rows; runtime/noise/shuffle.go describes the
// method.
INLINE unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x85EBCA6Bu;
  x = (x ^ x >> 13) * 0xC2B2AE35u;
  return x ^ x >> 16;
}
INLINE wide whole(wide x, real limit) { return x > 0 ? floor(fmin(x, limit)) : 0; }
SLOW wide shuffle_w(const context *c, word rows, wide key, wide position) {
  wide q = whole(position, 0x1p53 - 1), epoch = floor(q / (real)rows); // all exact
  word x = (word)(q - epoch * (real)rows), e = (word)epoch;
  block b = philox4x32((unsigned)(word)whole(key, 0x1p32 - 1), (unsigned)e, (unsigned)(e >> 32), (unsigned)rows,
                       (word)(unsigned)c->seed | ~c->seed >> 32 << 32);
  unsigned k[16] = {(unsigned)b.half[0], (unsigned)(b.half[0] >> 32), (unsigned)b.half[1], (unsigned)(b.half[1] >> 32)};
  int width = rows > 4 ? 64 - __clzll(rows - 1) : 2, shift = width / 2, rounds = shift == 1 ? 16 : 8;
  for (int r = 4; r < rounds; r++) k[r] = k[r - 4] + 0x9E3779B9u;
  unsigned low = (1u << shift) - 1, high = (1u << (width - shift)) - 1;
  do {
    unsigned l = (unsigned)x & low, h = (unsigned)(x >> shift);
    for (int r = 0; r < rounds; r += 2) {
      l ^= mix(h ^ k[r]) & low;
      h ^= mix(l ^ k[r + 1]) & high;
    }
    x = (word)h << shift | l;
  } while (x >= rows);
  return (wide)x;
}
// addressed_w returns uniform noise at the given lane, step and point instead of the context's.
SLOW wide addressed_w(const context *c, word site, wide lane, wide step, wide point) {
  word s = (word)whole(step, 0x1p40 - 1), p = (word)whole(point, 0x1p32 - 1);
  block b = philox4x32((unsigned)(p >> 1), (unsigned)s, (unsigned)(s >> 32 << 24 | site), (unsigned)(word)whole(lane, 0x1p32 - 1), c->seed);
  return uniform_w(b.half[p & 1]);
}
INLINE real addressed_s(const context *c, word site, real lane, real step, real point) { return addressed_w(c, site, lane, step, point); }
INLINE real shuffle_s(const context *c, word rows, real key, real position) { return shuffle_w(c, rows, key, position); }
