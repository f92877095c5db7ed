// Functions of Stan's library that are written in Stan.
functions {
  // The forward algorithm. log_omega[k, t] is the log density of observation t in state k, Gamma[j, k] the
  // probability of a change from j to k, and rho[k] that of state k at the beginning.
  real hmm_marginal(matrix log_omega, matrix Gamma, vector rho) {
    int K = rows(log_omega);
    int T = cols(log_omega);
    array[T, K] real forward;
    for (k in 1:K) forward[1, k] = log(rho[k]) + log_omega[k, 1];
    for (t in 2:T) {
      for (k in 1:K) {
        array[K] real from;
        for (j in 1:K) from[j] = forward[t - 1, j] + log(Gamma[j, k]);
        forward[t, k] = log_sum_exp(from) + log_omega[k, t];
      }
    }
    return log_sum_exp(forward[T]);
  }

  // The probability of each state at each time, by the forward and the backward algorithm.
  matrix hmm_hidden_state_prob(matrix log_omega, matrix Gamma, vector rho) {
    int K = rows(log_omega);
    int T = cols(log_omega);
    array[T, K] real forward;
    array[T, K] real backward;
    matrix[K, T] p;
    for (k in 1:K) forward[1, k] = log(rho[k]) + log_omega[k, 1];
    for (t in 2:T) {
      for (k in 1:K) {
        array[K] real from;
        for (j in 1:K) from[j] = forward[t - 1, j] + log(Gamma[j, k]);
        forward[t, k] = log_sum_exp(from) + log_omega[k, t];
      }
    }
    for (k in 1:K) backward[T, k] = 0;
    for (i in 1:(T - 1)) {
      for (k in 1:K) {
        array[K] real to;
        for (j in 1:K) to[j] = log(Gamma[k, j]) + log_omega[j, T - i + 1] + backward[T - i + 1, j];
        backward[T - i, k] = log_sum_exp(to);
      }
    }
    for (t in 1:T) for (k in 1:K) p[k, t] = exp(forward[t, k] + backward[t, k] - log_sum_exp(forward[T]));
    return p;
  }

  // The Kalman filter: column t of y is F' * theta[t] with errors of covariance V, theta[t] is G * theta[t - 1] with
  // errors of covariance W, and theta[0] has mean m0 and covariance C0.
  real gaussian_dlm_obs_lpdf(matrix y, matrix F, matrix G, matrix V, matrix W, vector m0, matrix C0) {
    int n = rows(G);
    int r = rows(y);
    real lp = 0;
    vector[n] m = m0;
    matrix[n, n] C = C0;
    for (t in 1:cols(y)) {
      vector[n] a = G * m;
      matrix[n, n] R = G * C * G' + W;
      matrix[r, r] Q = F' * R * F + V;
      matrix[n, r] A = R * F * inverse(Q);
      matrix[n, n] J = identity_matrix(n) - A * F';
      vector[r] e = col(y, t) - F' * a;
      lp += multi_normal_lpdf(e | rep_vector(0, r), Q);
      m = a + A * e;
      C = J * R * J' + A * V * A'; // Joseph's form, which stays positive definite
    }
    return lp;
  }

  real gaussian_dlm_obs_lpdf(matrix y, matrix F, matrix G, vector V, matrix W, vector m0, matrix C0) {
    return gaussian_dlm_obs_lpdf(y | F, G, diag_matrix(V), W, m0, C0);
  }

  matrix symmetrize_from_lower_tri(matrix a) {
    int n = rows(a);
    matrix[n, n] s;
    for (i in 1:n) for (j in 1:n) s[i, j] = i < j ? a[j, i] : a[i, j];
    return s;
  }
}
