#' Bayesian models in the language 'ppl'
#'
#' [ppl_sample()] draws from the posterior of a model that is written in the language 'ppl' or in Stan's; [ppl_fit()]
#' from that of a formula. Both return a [ppl_run].
#'
#' @references Luo, R., Zhang, Q., Yang, Y. and Wang, J. (2020). Replica-Exchange Nose-Hoover Dynamics for Bayesian
#'   Learning on Large Datasets. Advances in Neural Information Processing Systems 33.
#' @keywords internal
"_PACKAGE"
