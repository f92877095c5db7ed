static __attribute__((noinline)) void group_f(const context *c, word site, word group, word lane, single *restrict out) {
  unsigned step = (unsigned)c->step, high = (unsigned)(c->step >> 32 << 24 | site);
#pragma omp simd
  for (int j = 0; j < 16; j++) {
    unsigned a = (unsigned)(group << 4) + j, b = step, d = high, e = (unsigned)lane, k = (unsigned)c->seed, l = (unsigned)(c->seed >> 32);
    for (int round = 0; round < 10; round++) {
      word p = (word)a * 0xD2511F53u, q = (word)d * 0xCD9E8D57u;
      a = (unsigned)(q >> 32) ^ b ^ k, d = (unsigned)(p >> 32) ^ e ^ l, b = (unsigned)q, e = (unsigned)p;
      k += 0x9E3779B9u, l += 0xBB67AE85u;
    }
    unsigned w[4] = {a, b, d, e};
    for (int half = 0; half < 2; half++) {
      single radius = __builtin_sqrtf(-2 * log_of_part((single)(int)((w[2 * half] >> 8) + 1) * 0x1p-24f));
      single u = (single)(int)(w[2 * half + 1] >> 8) * 0x1p-24f;
      int quarter = (int)(4 * u + 0.5f); // the angle is 2 pi u
      single r = (u - 0.25f * (single)quarter) * 6.2831853f, z = r * r;
      single sine = r * (z * (z * (z * -1.9515296e-4f + 8.3321609e-3f) - 0.16666655f) + 1);
      single cosine = z * (z * (z * (z * 2.443e-5f - 1.388731e-3f) + 4.166664e-2f) - 0.5f) + 1;
      single x = quarter & 1 ? cosine : sine, y = quarter & 1 ? sine : cosine;
      out[32 * half + j] = radius * (quarter & 2 ? -x : x);
      out[32 * half + 16 + j] = radius * ((quarter + 1) & 2 ? -y : y);
    }
  }
}
static __attribute__((noinline)) singles normal_fw(const context *c, word site, word point) {
  single some[64];
  singles x;
  EACH {
    group_f(c, site, point >> 6, c->lane[l], some);
    x[l] = some[point & 63];
  }
  return x;
}
