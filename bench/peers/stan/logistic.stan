data { int N; int D; matrix[N, D] x; array[N] int y; }
parameters { vector[D] b; }
model { b ~ normal(0, 1); y ~ bernoulli_logit_glm(x, 0, b); }
