data {
  int N, D;
  matrix[N, D] x;
  array[N] int y;
}
parameters {
  vector[D] b;
}
model {
  b ~ std_normal();
  y ~ bernoulli_logit_glm(x, 0, b);
}
