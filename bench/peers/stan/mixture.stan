data { int K; vector[K] level; array[K] vector[2] center; vector[K] inverse; }
parameters { vector[2] x; }
model {
  vector[K] term;
  for (k in 1:K) term[k] = level[k] - 0.5 * inverse[k] * squared_distance(x, center[k]);
  target += log_sum_exp(term);
}
