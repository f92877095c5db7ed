// Logistic regression, by blocks of rows that stay in the nearest cache: data are x[N][D], y[N].
enum { N = 10000, D = 20, ROWS = 50 };

static __attribute__((noinline)) void density(const double *const *data, v8 *rest, const v8 *theta, v8 *out) {
  v8 lp = splat(-0.5 * D * LOG_2PI), grad[D];
  for (int d = 0; d < D; d++) {
    lp -= 0.5 * theta[d] * theta[d];
    grad[d] = -theta[d];
  }
  for (int i0 = 0; i0 < N; i0 += ROWS) {
    const double *x = data[0] + i0 * D, *y = data[1] + i0;
    for (int i = 0; i < ROWS; i++) {
      v8 eta = splat(0), odd = splat(0);
      for (int d = 0; d < D; d += 2) {
        eta += x[i * D + d] * theta[d];
        odd += x[i * D + d + 1] * theta[d + 1];
      }
      eta += odd;
      v8 e = vexp(-vabs(eta));
      lp += y[i] * eta - vmax(eta, splat(0)) - vlog1p(e);
      rest[i] = y[i] - pick(less(eta, splat(0)), e, splat(1)) / (1 + e);
    }
    v8 g[D];
    for (int d = 0; d < D; d++) g[d] = grad[d];
    for (int i = 0; i < ROWS; i++)
      for (int d = 0; d < D; d++) g[d] += x[i * D + d] * rest[i];
    for (int d = 0; d < D; d++) grad[d] = g[d];
  }
  out[0] = lp;
  for (int d = 0; d < D; d++) out[1 + d] = grad[d];
}
