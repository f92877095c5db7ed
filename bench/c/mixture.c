// Five modes in the plane: data are weight[K], center[K][2], scale[K].
enum { K = 5 };

static __attribute__((noinline)) void density(const double *const *data, v8 *constant, const v8 *theta, v8 *out) {
  const double *center = data[1], *inverse = data[3]; // data[2]: log weight − 2 log scale, data[3]: 1/scale²
  v8 term[K], dx[K], dy[K], top = splat(-__builtin_inf());
  for (int k = 0; k < K; k++) {
    dx[k] = center[2 * k] - theta[0];
    dy[k] = center[2 * k + 1] - theta[1];
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
  v8 scale = 1 / sum;
  out[0] = top + vlog(sum);
  out[1] = gx * scale;
  out[2] = gy * scale;
}
