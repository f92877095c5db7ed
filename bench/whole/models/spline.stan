data {
  int N, K;
  matrix[N, K] basis;
  vector[N] y;
}
parameters {
  real first;
  real<lower=0> tau, sigma;
  vector[K - 1] steps;
}
transformed parameters {
  vector[K] b = first + tau * append_row(0, cumulative_sum(steps));
}
model {
  tau ~ std_normal();
  sigma ~ std_normal();
  first ~ normal(0, 5);
  steps ~ std_normal();
  y ~ normal(basis * b, sigma);
}
