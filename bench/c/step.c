// A step of RENHD on the mixture: BADODAB with noisy gradients (see infer/dynamics/nosehoover.go), diagonal metric, tempered energy. in: step size,
// friction, inverse temperature, scale[2]; out: theta[2], momentum[2], force[2], thermostat, log density. work: the number of the step.
// Noise is that of package noise: Philox4x32-10, normals by Wichura's AS 241.
enum { K = 5, KICK = (1 << 20) + 5, FORCE = (1 << 20) + 4, MASS = 10 };
typedef unsigned long long u8 __attribute__((vector_size(64)));

static inline u8 times32(u8 x, unsigned long long by) { // of the lower halves
#ifdef __AVX512F__
  return (u8)_mm512_mul_epu32((__m512i)x, _mm512_set1_epi64(by));
#else
  return (x & 0xffffffff) * by;
#endif
}

static inline v8 poly(v8 x, const double *c) {
  v8 y = splat(c[7]);
  for (int k = 6; k >= 0; k--) y = y * x + c[k];
  return y;
}

static const double tables[6][8] = {
  {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
    4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
  {1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
    2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
  {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
    1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
  {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
    1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
  {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
    2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
  {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
    7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

static inline v8 quantile(v8 p) {
  v8 q = p - 0.5, r = 0.180625 - q * q, x = q * poly(r, tables[0]) / poly(r, tables[1]);
  mask out = less(splat(0.425), vabs(q)), low = less(q, splat(0));
  if (!any(out)) return x;
  v8 s = vsqrt(-vlog(pick(low, p, 1 - p))), y = poly(s - 1.6, tables[2]) / poly(s - 1.6, tables[3]);
  mask far = less(splat(5), s);
  if (any(far)) y = pick(far, poly(s - 5, tables[4]) / poly(s - 5, tables[5]), y);
  return pick(out, pick(low, -y, y), x);
}

// normals gives the two of a site.
static inline void normals(unsigned long long step, unsigned long long site, v8 *n) {
  const u8 lane = {0, 1, 2, 3, 4, 5, 6, 7}, low = (u8){} + 0xffffffff;
  u8 c0 = (u8){}, c1 = (u8){} + (step & 0xffffffff), c2 = (u8){} + (step >> 32 << 24 | site), c3 = lane;
  unsigned k0 = 1, k1 = 0; // the seed
  for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
    u8 p0 = times32(c0, 0xD2511F53), p1 = times32(c2, 0xCD9E8D57);
    c0 = (p1 >> 32) ^ c1 ^ k0;
    c2 = (p0 >> 32) ^ c3 ^ k1;
    c1 = p1 & low, c3 = p0 & low;
  }
  n[0] = quantile((v8)((c1 << 32 | c0) >> 12 | 0x3ff0000000000000) - (1 - 0x1p-53));
  n[1] = quantile((v8)((c3 << 32 | c2) >> 12 | 0x3ff0000000000000) - (1 - 0x1p-53));
}

static __attribute__((noinline)) void density(const double *const *data, v8 *work, const v8 *in, v8 *out) {
  const double *center = data[1], *inverse = data[3];
  unsigned long long *step = (unsigned long long *)work;
  const v8 h = in[0], half = 0.5 * h, friction = in[1], beta = in[2], sx = in[3], sy = in[4];
  v8 x = out[0], y = out[1], px = out[2], py = out[3], xi = out[6], kick[2], force[2];
  normals(*step, KICK, kick);
  normals(*step, FORCE, force);
  ++*step;
  px += half * sx * beta * out[4];
  py += half * sy * beta * out[5];
  x += half * sx * px;
  y += half * sy * py;
  xi += 0.5 / MASS * h * h * (0.5 * (px * px + py * py) - 1);
  mask tiny = less(vabs(xi), splat(1e-9));
  v8 safe = pick(tiny, splat(1), xi), keep = vexp(-xi);
  v8 spread = vsqrt(friction * (pick(tiny, splat(2), -vexpm1(-2 * safe) / safe)));
  px = keep * px + spread * kick[0];
  py = keep * py + spread * kick[1];
  xi += 0.5 / MASS * h * h * (0.5 * (px * px + py * py) - 1);
  x += half * sx * px;
  y += half * sy * py;

  v8 term[K], dx[K], dy[K], top = splat(-__builtin_inf());
  for (int k = 0; k < K; k++) {
    dx[k] = center[2 * k] - x;
    dy[k] = center[2 * k + 1] - y;
    term[k] = data[2][k] - 0.5 * inverse[k] * (dx[k] * dx[k] + dy[k] * dy[k]);
    top = vmax(top, term[k]);
  }
  v8 sum = splat(0), gx = splat(0), gy = splat(0);
  for (int k = 0; k < K; k++) {
    v8 w = vexp(term[k] - top);
    sum += w;
    w *= inverse[k];
    gx += w * dx[k];
    gy += w * dy[k];
  }
  v8 scale = 1 / sum, fx = gx * scale + 0.5 * force[0], fy = gy * scale + 0.5 * force[1]; // noise of variance ¼
  out[0] = x, out[1] = y;
  out[2] = px + half * sx * beta * fx;
  out[3] = py + half * sy * beta * fy;
  out[4] = fx, out[5] = fy;
  out[6] = xi;
  out[7] = top + vlog(sum);
}
