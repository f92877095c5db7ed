// Gaussian process regression: theta is log rho, log alpha, log sigma; data are x[N], y[N]. ∂log N(y; 0, K) = ½ tr((aaᵀ − K⁻¹) ∂K), a = K⁻¹ y
// (Rasmussen & Williams, Gaussian Processes for Machine Learning, 5.9), with K⁻¹ from the inverse of the Cholesky factor.
enum { N = 100 };
#define AT(i, j) ((i) * ((i) + 1) / 2 + (j)) // lower triangles, by rows

static __attribute__((noinline)) void density(const double *const *data, v8 *work, const v8 *theta, v8 *out) {
  const double *x = data[0], *y = data[1];
  const v8 rho = vexp(theta[0]), alpha = vexp(theta[1]), sigma = vexp(theta[2]);
  const v8 alpha2 = alpha * alpha, per = -0.5 / (rho * rho);
  v8 *k = work, *l = k + AT(N, 0), *w = l + AT(N, 0), a[N], z[N], logdet = splat(0), quad = splat(0);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) k[AT(i, j)] = alpha2 * vexp(per * ((x[i] - x[j]) * (x[i] - x[j])));
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      v8 s = k[AT(i, j)], odd = splat(0);
      int m = 0;
      for (; m + 1 < j; m += 2) {
        s -= l[AT(i, m)] * l[AT(j, m)];
        odd -= l[AT(i, m + 1)] * l[AT(j, m + 1)];
      }
      if (m < j) s -= l[AT(i, m)] * l[AT(j, m)];
      l[AT(i, j)] = (s + odd) * w[AT(j, j)];
    }
    v8 s = k[AT(i, i)] + sigma;
    for (int m = 0; m < i; m++) s -= l[AT(i, m)] * l[AT(i, m)];
    l[AT(i, i)] = vsqrt(s);
    w[AT(i, i)] = 1 / l[AT(i, i)];
    logdet += vlog(s);
  }
  for (int j = 0; j < N; j++) // w = l⁻¹, four rows' worth of latency hidden by going along columns
    for (int i = j + 1; i < N; i++) {
      v8 s = splat(0), odd = splat(0);
      int m = j;
      for (; m + 1 < i; m += 2) {
        s -= l[AT(i, m)] * w[AT(m, j)];
        odd -= l[AT(i, m + 1)] * w[AT(m + 1, j)];
      }
      if (m < i) s -= l[AT(i, m)] * w[AT(m, j)];
      w[AT(i, j)] = (s + odd) * w[AT(i, i)];
    }
  for (int i = 0; i < N; i++) {
    v8 s = splat(0);
    for (int j = 0; j <= i; j++) s += w[AT(i, j)] * y[j];
    z[i] = s;
    quad += s * s;
  }
  for (int j = 0; j < N; j++) {
    v8 s = splat(0);
    for (int i = j; i < N; i++) s += w[AT(i, j)] * z[i];
    a[j] = s;
  }
  v8 drho = splat(0), dalpha = splat(0), dsigma = splat(0);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      v8 s = splat(0), odd = splat(0);
      int m = i;
      for (; m + 1 < N; m += 2) {
        s += w[AT(m, i)] * w[AT(m, j)];
        odd += w[AT(m + 1, i)] * w[AT(m + 1, j)];
      }
      if (m < N) s += w[AT(m, i)] * w[AT(m, j)];
      v8 g = (a[i] * a[j] - s - odd) * (i == j ? 0.5 : 1);
      if (i == j) dsigma += g;
      g *= k[AT(i, j)];
      dalpha += g;
      drho += g * ((x[i] - x[j]) * (x[i] - x[j]));
    }
  // Gamma(25, 4), half-normal(2), half-normal(1), and the logarithms' Jacobian
  out[0] = -0.5 * (quad + logdet + N * LOG_2PI) + 25 * theta[0] - 4 * rho + 25 * 1.386294361119890619 - 54.78472939811232
    - 0.125 * alpha2 + theta[1] - 0.5 * sigma * sigma + theta[2] - LOG_2PI + 2 * 0.69314718055994530942 - 0.69314718055994530942;
  out[1] = drho * (-2 * per) + 25 - 4 * rho;
  out[2] = 2 * dalpha - 0.25 * alpha2 + 1;
  out[3] = dsigma * sigma - sigma * sigma + 1;
}
