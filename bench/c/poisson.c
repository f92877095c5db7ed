// Poisson regression: data are x[N][D], y[N], Σ log y!.
enum { N = 100, D = 10 };

static __attribute__((noinline)) void density(const double *const *data, v8 *rest, const v8 *theta, v8 *out) {
  const double *x = data[0], *y = data[1];
  v8 lp = splat(-data[2][0] - 0.5 * D * LOG_2PI);
  for (int i = 0; i < N; i++) {
    v8 eta = splat(0);
    for (int d = 0; d < D; d++) eta += x[i * D + d] * theta[d];
    v8 rate = vexp(eta);
    lp += y[i] * eta - rate;
    rest[i] = y[i] - rate;
  }
  v8 grad[D];
  for (int d = 0; d < D; d++) {
    lp -= 0.5 * theta[d] * theta[d];
    grad[d] = -theta[d];
  }
  for (int i = 0; i < N; i++)
    for (int d = 0; d < D; d++) grad[d] += x[i * D + d] * rest[i];
  out[0] = lp;
  for (int d = 0; d < D; d++) out[1 + d] = grad[d];
}
