// Noise: the words of Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) with the seed as key and (pair of points, step, site, lane) as
// counter. A block has two words of 64 bits, one for each point of the pair.
typedef struct { words half[2]; } block;

static __attribute__((noinline, pure)) block philox(const context *c, word site, word pair) {
  const words low = (words){} + 0xffffffff;
  words c0 = (words){} + (pair & 0xffffffff), c1 = (words){} + (c->step & 0xffffffff), c2 = (words){} + (c->step >> 32 << 24 | site), c3;
  EACH c3[l] = c->lane[l];
  word k0 = c->seed & 0xffffffff, k1 = c->seed >> 32;
  for (int round = 0; round < 10; round++) {
    words p0 = c0 * 0xD2511F53, p1 = c2 * 0xCD9E8D57; // of numbers below 2³²
    c0 = (p1 >> 32) ^ c1 ^ k0;
    c1 = p1 & low;
    c2 = (p0 >> 32) ^ c3 ^ k1;
    c3 = p0 & low;
    k0 = (k0 + 0x9E3779B9) & 0xffffffff;
    k1 = (k1 + 0xBB67AE85) & 0xffffffff;
  }
  return (block){{c1 << 32 | c0, c3 << 32 | c2}};
}

// (k + ½)·2⁻⁵², k the upper 52 bits.
INLINE wide uniform_w(words x) { return (wide)(x >> 12 | 0x3ff0000000000000) - (1 - 0x1p-53); }
INLINE wide normal_w(words x) { return normquantile_w(uniform_w(x)); }
