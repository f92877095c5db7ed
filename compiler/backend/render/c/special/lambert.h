// W₀(x), the w ≥ −1 with w·eʷ = x, to 3 ulp. Halley's method; below −0.3 for d = w + 1 in 1 + (d − 1)·eᵈ = 1 + e·x,
// where both sides keep their digits (1/e is split into two numbers); above 3 Newton's method for w + log w = log x,
// which does not overflow.
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
