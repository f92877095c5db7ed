// Noise: the words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) with the seed as key and (pair of points, step, site, lane) as
// counter. A block has two words of 64 bits, one for each point of the pair.
typedef struct { words half[2]; } block;

INLINE block philox4x32(words c0, words c1, words c2, words c3, word k0, word k1) {
  const words low = (words){} + 0xffffffff;
  for (int round = 0; round < 10; round++) {
    words p0 = low_times(c0, 0xD2511F53), p1 = low_times(c2, 0xCD9E8D57);
    c0 = (p1 >> 32) ^ c1 ^ k0;
    c1 = p1 & low;
    c2 = (p0 >> 32) ^ c3 ^ k1;
    c3 = p0 & low;
    k0 = (k0 + 0x9E3779B9) & 0xffffffff;
    k1 = (k1 + 0xBB67AE85) & 0xffffffff;
  }
  return (block){{c1 << 32 | c0, c3 << 32 | c2}};
}

static __attribute__((noinline, pure)) block philox(const context *c, word site, word pair) {
  words c0 = (words){} + (pair & 0xffffffff), c1 = (words){} + (c->step & 0xffffffff), c2 = (words){} + (c->step >> 32 << 24 | site), c3;
  EACH c3[l] = c->lane[l];
  return philox4x32(c0, c1, c2, c3, c->seed & 0xffffffff, c->seed >> 32);
}

// common_word returns the word of point 0 on lane 2³²−1, the number of no lane: all lanes share the noise computed from
// it.
static __attribute__((noinline, pure)) word common_word(const context *c, word site) {
  words zero = (words){};
  return philox4x32(zero, zero + (c->step & 0xffffffff), zero + (c->step >> 32 << 24 | site), zero + 0xffffffff, c->seed & 0xffffffff, c->seed >> 32).half[0][0];
}

// (k + ½)·2⁻⁵², k the upper 52 bits.
INLINE wide uniform_w(words x) { return (wide)(x >> 12 | 0x3ff0000000000000) - (1 - 0x1p-53); }
INLINE real common_s(const context *c, word site) { return uniform_w((words){} + common_word(c, site))[0]; }
INLINE wide normal_w(words x) { return normquantile_w(uniform_w(x)); }

// shuffle_w returns the row at a position of a shuffled sequence of rows; runtime/noise/shuffle.go describes the
// method.
INLINE words mix(words x) {
  const words low = (words){} + 0xffffffff;
  x = (x ^ x >> 16) * 0x85EBCA6B & low;
  x = (x ^ x >> 13) * 0xC2B2AE35 & low;
  return x ^ x >> 16;
}
INLINE wide whole(wide x, real limit) { return floor_w(select_w(positive(x), minimum_w(x, splat(limit)), splat(0))); }
static __attribute__((noinline, pure)) wide shuffle_w(const context *c, word rows, wide key, wide position) {
  wide q = whole(position, 0x1p53 - 1), epoch = floor_w(q / splat(rows)); // all exact
  words x = __builtin_convertvector(q - epoch * splat(rows), words), e = __builtin_convertvector(epoch, words);
  block b = philox4x32(__builtin_convertvector(whole(key, 0x1p32 - 1), words), e & 0xffffffff, e >> 32, (words){} + (rows & 0xffffffff),
                       c->seed & 0xffffffff, ~c->seed >> 32);
  words k[16] = {b.half[0] & 0xffffffff, b.half[0] >> 32, b.half[1] & 0xffffffff, b.half[1] >> 32};
  int width = rows > 4 ? 64 - __builtin_clzll(rows - 1) : 2, shift = width / 2, rounds = shift == 1 ? 16 : 8;
  for (int r = 4; r < rounds; r++) k[r] = (k[r - 4] + 0x9E3779B9) & 0xffffffff;
  word low = (1ull << shift) - 1, high = (1ull << (width - shift)) - 1;
  for (mask walking = eq_w(splat(0), splat(0)); any(walking); walking = le_w(splat(rows), __builtin_convertvector(x, wide))) {
    words before = x, l = x & low, h = x >> shift;
    for (int r = 0; r < rounds; r += 2) {
      l ^= mix(h ^ k[r]) & low;
      h ^= mix(l ^ k[r + 1]) & high;
    }
    x = (words)select_w(walking, bits((ints)(h << shift | l)), bits((ints)before));
  }
  return __builtin_convertvector(x, wide);
}
// addressed_w returns uniform noise at the given lane, step and point instead of the context's.
static __attribute__((noinline, pure)) wide addressed_w(const context *c, word site, wide lane, wide step, wide point) {
  words s = __builtin_convertvector(whole(step, 0x1p40 - 1), words), p = __builtin_convertvector(whole(point, 0x1p32 - 1), words);
  block b = philox4x32(p >> 1, s & 0xffffffff, s >> 32 << 24 | site, __builtin_convertvector(whole(lane, 0x1p32 - 1), words),
                       c->seed & 0xffffffff, c->seed >> 32);
  words odd = (words){} - (p & 1);
  return uniform_w((b.half[1] & odd) | (b.half[0] & ~odd));
}
INLINE real addressed_s(const context *c, word site, real lane, real step, real point) {
  return addressed_w(c, site, splat(lane), splat(step), splat(point))[0];
}
static __attribute__((noinline, pure)) real shuffle_s(const context *c, word rows, real key, real position) { return shuffle_w(c, rows, splat(key), splat(position))[0]; }
