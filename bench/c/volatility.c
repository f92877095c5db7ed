// Stochastic volatility, non-centred: theta is mu, logit of (1 + phi)/2, log s, z[T]; data are y[T].
enum { T = 1000 };

static __attribute__((noinline)) void density(const double *const *data, v8 *work, const v8 *theta, v8 *out) {
  const double *y = data[0];
  const v8 mu = theta[0], s = vexp(theta[2]), *z = theta + 3;
  const v8 e = vexp(-vabs(theta[1])), up = pick(less(theta[1], splat(0)), e, splat(1)) / (1 + e), phi = 2 * up - 1, root = vsqrt(1 - phi * phi);
  v8 *h = work, *pull = work + T; // h − mu, and the derivative of the log likelihood by h
  v8 lp = -vabs(theta[1]) - 2 * vlog1p(e); // logistic: log phi′ up to log 2, which the uniform law's density takes away
  v8 squares = splat(0), levels = splat(0), first = s / root;
  for (int t = 0; t < T; t++) h[t] = t == 0 ? first * z[0] : phi * h[t - 1] + s * z[t];
  for (int t = 0; t < T; t++) {
    v8 w = y[t] * y[t] * vexp(-(mu + h[t]));
    levels += h[t];
    lp -= 0.5 * w;
    squares += z[t] * z[t];
    pull[t] = 0.5 * w - 0.5;
  }
  v8 back = splat(0), gmu = splat(0), gphi = splat(0), gs = splat(0);
  for (int t = T - 1; t > 0; t--) {
    back = pull[t] + phi * back;
    gmu += pull[t];
    gphi += back * h[t - 1];
    gs += back * z[t];
    out[4 + t] = back * s - z[t];
  }
  back = pull[0] + phi * back;
  gmu += pull[0];
  out[4] = back * first - z[0];
  gs += back * z[0] / root;
  gphi += back * h[0] * phi / (root * root);
  out[0] = lp - 0.5 * (squares + levels + T * mu) - T * LOG_2PI - 0.02 * mu * mu - 1.6094379124341003746 - 0.5 * LOG_2PI
    - 2 * s * s + theta[2] + 2 * 0.69314718055994530942 - 0.5 * LOG_2PI;
  out[1] = gmu - 0.04 * mu;
  out[2] = gphi * 2 * up * (1 - up) + (1 - 2 * up);
  out[3] = gs * s - 4 * s * s + 1;
}
