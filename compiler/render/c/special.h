// Special functions, each for all lanes at once: ranges that few arguments fall in are looked at only if a lane is there.

// sin πx and its like reduce the argument exactly, so that the poles of the gamma functions are where they belong.
INLINE wide sinpi(wide x) { return sin_w(3.14159265358979323846 * (x - 2 * floor_w(0.5 * x + 0.5))); }
INLINE wide tanpi(wide x) { return tan_w(3.14159265358979323846 * (x - floor_w(x + 0.5))); }

#define POLY(x, c) horner(x, c, sizeof c / sizeof *c)
INLINE wide horner(wide x, const real *c, int n) { // constant first
  wide y = splat(c[n - 1]);
  for (int k = n - 2; k >= 0; k--) y = y * x + c[k];
  return y;
}

// log Γ(x) for 0 ≤ x < 13: recurrence to 2 + z, |z| ≤ ½, so that it is 0 where it should be; log Γ(2+z)/z is the polynomial that
// interpolates it at the 18 Chebyshev nodes of [−½, ½] (computed with mpmath at 60 digits), relative error 6e-17.
SLOW wide lgamma_small(wide x) {
  static const real c[] = {
    0.4227843350984671356, 0.32246703342411322004, -0.067352301053195638653, 0.020580808427783379755,
    -0.0073855510289355447, 0.0028905103308659009277, -0.0011927539009983086944, 0.00050966951965266727797,
    -0.0002231549774629272317, 0.000099457616921571331318, -0.000044923727564247652589, 0.000020506019701747618598,
    -9.4562885151017191737e-6, 4.3828545383846667716e-6, -1.9743106888421067444e-6, 9.2428522251622767419e-7,
    -5.8112777689212461977e-7, 2.7475390051909663921e-7
  };
  wide whole = floor_w(x + 0.5), z = x - whole, up = splat(1);
  mask less = lt_w(whole, splat(2));
  for (int k = 1; k <= 11; k++) {
    mask on = le_w(splat(k + 2), whole);
    if (!any(on)) break;
    up *= select_w(on, x - k, splat(1));
  }
  wide l = log_w(select_w(less, select_w(lt_w(whole, splat(1)), x * (x + 1), x), up));
  return z * POLY(z, c) + select_w(less, -l, l);
}

// log Γ(x) for x ≥ 13: Stirling's series (Abramowitz & Stegun 6.1.41), next term below 2e-18.
SLOW wide lgamma_large(wide x) {
  static const real c[] = {1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156};
  wide r = 1 / x;
  return (x - 0.5) * (log_w(x) - 1) + (0.41893853320467274178 + r * POLY(r * r, c));
}

// log |Γ(x)|: error below 4 ulp for x > 0. Reflection below zero (6.1.17).
SLOW wide lgamma_w(wide x) {
  wide a = abs_w(x), y = splat(0);
  mask small = lt_w(a, splat(13)), low = negative(x);
  if (any(small)) y = lgamma_small(a);
  if (any(~small)) y = select_w(small, y, lgamma_large(a));
  if (any(low)) {
    wide r = -log_w(a) - log_w(abs_w(sinpi(a)) / 3.14159265358979323846) - y;
    y = select_w(low, select_w(eq_w(a, splat(INF)), x, select_w(eq_w(floor_w(a), a), splat(INF), r)), y);
  }
  return y;
}

// ψ(x) (6.3.5, 6.3.18, 6.3.7): recurrence up to 10 as one fraction, then the asymptotic series.
SLOW wide digamma_w(wide x) {
  static const real c[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12};
  mask low = le_w(x, splat(0));
  wide y = select_w(low, 1 - x, x), over = splat(0), under = splat(1); // Σ 1/(y+k) = over/under
  for (int k = 0; k < 10; k++) {
    mask on = lt_w(y, splat(10));
    if (!any(on)) break;
    over = select_w(on, over * y + under, over);
    under *= select_w(on, y, splat(1));
    y += select_w(on, splat(1), splat(0));
  }
  wide r = 1 / y, s = r * r;
  wide v = log_w(y) - 0.5 * r - s * POLY(s, c) - over / under;
  if (any(low)) v = select_w(low, select_w(eq_w(floor_w(x), x), splat(NAN), v - 3.14159265358979323846 / tanpi(x)), v);
  return v;
}

// ψ′(x) (6.4.6, 6.4.12, 6.4.7), likewise.
SLOW wide trigamma_w(wide x) {
  static const real c[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6};
  mask low = le_w(x, splat(0));
  wide y = select_w(low, 1 - x, x), over = splat(0), under = splat(1); // Σ 1/(y+k)² = over/under
  for (int k = 0; k < 10; k++) {
    mask on = lt_w(y, splat(10));
    if (!any(on)) break;
    wide q = y * y;
    over = select_w(on, over * q + under, over);
    under *= select_w(on, q, splat(1));
    y += select_w(on, splat(1), splat(0));
  }
  wide r = 1 / y, s = r * r;
  wide v = r * (1 + 0.5 * r + s * POLY(s, c)) + over / under;
  if (any(low)) {
    wide p = 3.14159265358979323846 / sinpi(x);
    v = select_w(low, select_w(eq_w(floor_w(x), x), splat(INF), p * p - v), v);
  }
  return v;
}

// log Φ(x): log1p(−Φ(−x)) above 0, log Φ to −20, then the asymptotic series (26.2.12). The argument of erfc is rounded, which costs
// x²/2 ulp above 0, where the result is tiny.
SLOW wide lognormcdf_w(wide x) {
  static const real c[] = {1, -3, 15, -105, 945, -10395};
  wide e = 0.5 * erfc_w(abs_w(x) / 1.41421356237309504880);
  wide v = select_w(positive(x), log1p_w(-e), log_w(e));
  mask far = lt_w(x, splat(-20));
  if (any(far)) {
    wide s = 1 / (x * x);
    wide t = -0.5 * x * x - log_w(-x) - 0.91893853320467274178 + log1p_w(-s * POLY(s, c));
    v = select_w(far, t, v);
  }
  return v;
}

// Φ⁻¹(p): PPND16 of Wichura, Algorithm AS 241, Applied Statistics 37 (1988). Products and sums are rounded one by one: what
// devices draw differs only by their logarithms.
SLOW UNFUSED wide normquantile_w(wide p) {
  static const real
    centre[] = {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
      4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
    underCentre[] = {1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
      2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
    middle[] = {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    underMiddle[] = {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
      1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
    tail[] = {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    underTail[] = {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
      7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15};
  wide q = p - 0.5, x = splat(0);
  mask out = ~le_w(abs_w(q), splat(0.425));
  if (any(~out)) {
    wide r = 0.180625 - q * q;
    x = q * POLY(r, centre) / POLY(r, underCentre);
  }
  if (!any(out)) return x;
  wide r = select_w(positive(q), 1 - p, p), s = sqrt_w(-log_w(r)), t = s - 1.6;
  wide y = POLY(t, middle) / POLY(t, underMiddle);
  mask far = lt_w(splat(5), s);
  if (any(far)) {
    t = s - 5;
    y = select_w(far, POLY(t, tail) / POLY(t, underTail), y);
  }
  y = select_w(positive(r), y, select_w(not_w(r), splat(INF), splat(NAN)));
  return select_w(out, like(y, q), x);
}

// W₀(x), the w ≥ −1 with w·eʷ = x, to 3 ulp. Halley's method; below −0.3 for d = w + 1 in 1 + (d − 1)·eᵈ = 1 + e·x, where both
// sides keep their digits (1/e is split into two numbers); above 3 Newton's for w + log w = log x, which does not overflow.
SLOW wide lambertw_w(wide x) {
  mask near = lt_w(x, splat(-0.3)), far = lt_w(splat(3), x);
  wide w = x * (1 + x * (4. / 3)) / (1 + x * (7. / 3 + x * (5. / 6)));
  if (any(~(near | far)))
    for (int k = 0; k < 3; k++) {
      wide e = exp_w(w), r = w * e - x;
      w -= r / (e * (1 + w) - 0.5 * r * (w + 2) / (1 + w));
    }
  if (any(near)) {
    wide s = 2.71828182845904523536 * ((x + 0.36787944117144233) - 1.2428753672788363e-17), p = sqrt_w(2 * s);
    wide d = p * (1 - p * (1. / 3 - p * (11. / 72 - p * (43. / 540))));
    for (int k = 0; k < 2; k++) {
      wide t = expm1_w(d), r = t * (d - 1) + d - s, g = d * (1 + t);
      d -= r * g / (g * g - 0.5 * r * (1 + d) * (1 + t));
    }
    d = select_w(lt_w(splat(0), s), d - 1, select_w(lt_w(x, splat(-0.36787944117144233)), splat(NAN), splat(-1)));
    w = select_w(near, d, w);
  }
  if (any(far)) {
    wide l = log_w(x), v = l - log_w(l);
    for (int k = 0; k < 4; k++) v *= (1 + l - log_w(v)) / (1 + v);
    w = select_w(far, select_w(eq_w(x, splat(INF)), x, v), w);
  }
  return w;
}
