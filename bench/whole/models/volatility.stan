data {
  int T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> s;
  vector[T] z;
}
transformed parameters {
  vector[T] h = s * z;
  h[1] /= sqrt(1 - square(phi));
  h += mu;
  for (t in 2:T)
    h[t] += phi * (h[t - 1] - mu);
}
model {
  mu ~ normal(0, 5);
  s ~ normal(0, 0.5);
  z ~ std_normal();
  y ~ normal(0, exp(h / 2));
}
