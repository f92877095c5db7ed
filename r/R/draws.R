# Converts draws to the formats of other packages.

# layout_of describes the variables of a group of a run: lists with name, shape, dims and label.
layout_of <- function(run, group) {
  layout <- tryCatch(
    jsonlite::fromJSON(file.path(run$path, "layout.json"), simplifyVector = FALSE),
    error = function(e) ppl_stop("run", paste0("The run in ", run$path, " cannot be read: ", conditionMessage(e)))
  )
  layout[[group]]
}

groups_of <- function(run) {
  keys <- names(jsonlite::fromJSON(file.path(run$path, ".zmetadata"), simplifyVector = FALSE)$metadata)
  sub("/.zgroup$", "", grep("/.zgroup$", keys, value = TRUE))
}

own_group <- function(run) if ("posterior" %in% groups_of(run)) "posterior" else "prior"

# read_variables returns the arrays of a group by name. Their axes are draws, chains, and those of the variable, with
# the labels of the data as dimnames.
read_variables <- function(run, group) {
  folder <- file.path(run$path, group)
  names <- list.files(folder)
  dims <- lapply(names, function(v) {
    jsonlite::fromJSON(file.path(folder, v, ".zattrs"))[["_ARRAY_DIMENSIONS"]]
  })
  names(dims) <- names
  is_axis <- vapply(names, function(v) identical(dims[[v]], v), TRUE)
  coordinates <- lapply(stats::setNames(nm = names[is_axis]), function(v) read_array(file.path(folder, v)))
  order <- vapply(layout_of(run, group), `[[`, "", "name")
  values <- names[!is_axis]
  values <- c(intersect(order, values), setdiff(values, order))
  lapply(stats::setNames(nm = values), function(v) {
    x <- read_array(file.path(folder, v))
    own <- dims[[v]][-(1:2)]
    x <- aperm(x, c(2, 1, seq_along(own) + 2L))
    labels <- lapply(seq_along(own), function(k) as.character(or(coordinates[[own[k]]], seq_len(dim(x)[k + 2]))))
    dimnames(x) <- c(list(NULL, NULL), labels)
    x
  })
}

# elements reshapes an array to draws × chains × elements, in the order of the summary: the last axis varies fastest.
elements <- function(name, x) {
  own <- length(dim(x)) - 2L
  if (own == 0) {
    return(array(x, c(dim(x), 1), list(NULL, NULL, name)))
  }
  labels <- dimnames(x)[-(1:2)]
  places <- do.call(expand.grid, c(rev(labels), stringsAsFactors = FALSE))
  places <- if (nrow(places) > 0) do.call(paste, c(rev(unname(as.list(places))), sep = ",")) else character()
  flat <- aperm(x, c(1, 2, rev(seq_len(own) + 2L)))
  array(flat, c(dim(x)[1:2], length(places)), list(NULL, NULL, if (length(places)) paste0(name, "[", places, "]")))
}

bind_elements <- function(parts) {
  size <- dim(parts[[1]])[1:2]
  names <- unlist(lapply(parts, function(p) dimnames(p)[[3]]), use.names = FALSE)
  array(unlist(lapply(parts, as.vector), use.names = FALSE), c(size, length(names)), list(NULL, NULL, names))
}

#' Draws as 'posterior' has them
#'
#' Elements have the labels of the data in their names, such as `r_Subject[308,Days]`, as 'tidybayes' reads them.
#'
#' @param x A [ppl_run].
#' @param group Such as `"posterior"`, `"prior"` or `"sample_stats"`.
#' @param ... Not used.
#' @return Draws in the form that the name says.
#' @examples
#' \dontrun{
#' posterior::summarise_draws(as_draws_array(fit))
#' }
#' @name as_draws_array.ppl_run
#' @importFrom posterior as_draws_array
#' @export
as_draws_array.ppl_run <- function(x, group = own_group(x), ...) {
  parts <- read_variables(x, group)
  if (length(parts) == 0) {
    ppl_stop("run", paste0("The run in ", x$path, " has no group ", group, "."))
  }
  posterior::as_draws_array(bind_elements(Map(elements, names(parts), parts)))
}

#' @rdname as_draws_array.ppl_run
#' @importFrom posterior as_draws
#' @export
as_draws.ppl_run <- function(x, ...) as_draws_array.ppl_run(x, ...)

#' @rdname as_draws_array.ppl_run
#' @importFrom posterior as_draws_df
#' @export
as_draws_df.ppl_run <- function(x, ...) posterior::as_draws_df(as_draws_array.ppl_run(x, ...))

#' @rdname as_draws_array.ppl_run
#' @importFrom posterior as_draws_matrix
#' @export
as_draws_matrix.ppl_run <- function(x, ...) posterior::as_draws_matrix(as_draws_array.ppl_run(x, ...))

#' @rdname as_draws_array.ppl_run
#' @importFrom posterior as_draws_list
#' @export
as_draws_list.ppl_run <- function(x, ...) posterior::as_draws_list(as_draws_array.ppl_run(x, ...))

#' @rdname as_draws_array.ppl_run
#' @importFrom posterior as_draws_rvars
#' @export
as_draws_rvars.ppl_run <- function(x, group = own_group(x), ...) {
  parts <- lapply(read_variables(x, group), function(p) {
    own <- dim(p)[-(1:2)]
    values <- array(p, c(prod(dim(p)[1:2]), or(own, 1L)), c(list(NULL), or(dimnames(p)[-(1:2)], list(NULL))))
    posterior::rvar(values, dimnames = dimnames(p)[-(1:2)], nchains = dim(p)[2])
  })
  posterior::as_draws_rvars(parts)
}

#' @importFrom posterior as_draws_array
#' @export
posterior::as_draws_array

#' @export
posterior::as_draws

#' @export
posterior::as_draws_df

#' @export
posterior::as_draws_matrix

#' @export
posterior::as_draws_list

#' @export
posterior::as_draws_rvars

# one_of returns the named variable, or the only one.
one_of <- function(parts, of, what) {
  if (is.null(of) && length(parts) == 1) {
    return(parts[[1]])
  }
  if (is.null(of)) {
    found <- paste(names(parts), collapse = ", ")
    ppl_stop("usage", paste0("The run has several ", what, ", ", found, ": name one by `of`."))
  }
  if (!of %in% names(parts)) {
    found <- paste(names(parts), collapse = ", ")
    ppl_stop("usage", paste0("The run has no ", what, " of ", of, "; it has ", found, "."))
  }
  parts[[of]]
}

# as_rows reshapes an array to a matrix with a row for each draw, chain after chain, and a column for each element.
as_rows <- function(x, name) {
  x <- elements(name, x)
  names <- dimnames(x)[[3]]
  matrix(x, prod(dim(x)[1:2]), dim(x)[3], dimnames = list(NULL, names))
}

#' Log likelihood, predictions and fitted values
#'
#' Generic functions as 'rstantools' has them. For other objects they call the functions of that package.
#'
#' @param object A [ppl_run].
#' @param of The observed array, if there are several.
#' @param newdata New rows: what the model reads, not what it observes. Without them the data of the run are drawn
#'   again.
#' @param seed The seed; that of the run by default.
#' @param ... Passed on.
#' @return A matrix with a row for each draw, one chain after the other, and a column for each row of the data. Those of
#'   `posterior_epred()` are expected values of the outcome at the parameters of each draw; of an outcome that is a
#'   category, or has columns, an array whose third axis has the probabilities of the categories, or the columns.
#' @examples
#' \dontrun{
#' yrep <- posterior_predict(fit)
#' bayesplot::ppc_dens_overlay(y, yrep[1:50, ])
#' }
#' @export
log_lik <- function(object, ...) UseMethod("log_lik")

#' @export
log_lik.default <- function(object, ...) rstantools::log_lik(object, ...)

#' @rdname log_lik
#' @rawNamespace S3method(rstantools::log_lik, ppl_run)
#' @export
log_lik.ppl_run <- function(object, of = NULL, ...) {
  as_rows(log_lik_of(object, of), "log_lik")
}

log_lik_of <- function(run, of) {
  if (!"log_likelihood" %in% groups_of(run)) {
    ppl_stop("run", "The run has no log likelihood of rows.")
  }
  parts <- read_variables(run, "log_likelihood")
  one_of(Filter(function(p) length(dim(p)) > 2 || length(parts) == 1, parts), of, "log likelihoods")
}

#' @rdname log_lik
#' @export
posterior_predict <- function(object, ...) UseMethod("posterior_predict")

#' @export
posterior_predict.default <- function(object, ...) rstantools::posterior_predict(object, ...)

#' @rdname log_lik
#' @rawNamespace S3method(rstantools::posterior_predict, ppl_run)
#' @export
posterior_predict.ppl_run <- function(object, newdata = NULL, of = NULL, seed = NULL, ...) {
  if (is.null(newdata)) {
    call_ppl("predict", object$path, "--quiet", flags(seed = seed))
    return(as_rows(one_of(read_variables(object, "posterior_predictive"), of, "replicates"), "y"))
  }
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  given <- data_arguments(newdata, folder, read_by(object))
  call_ppl("predict", object$path, "--quiet", "--csv", flags(seed = seed), given)
  as_rows(one_of(read_variables(object, "predictions"), of, "predictions"), "y")
}

#' @rdname log_lik
#' @export
posterior_epred <- function(object, ...) UseMethod("posterior_epred")

#' @export
posterior_epred.default <- function(object, ...) rstantools::posterior_epred(object, ...)

#' @rdname log_lik
#' @param new_levels What becomes of groups that the run does not know: their effects are drawn (`"sample"`), have
#'   their mean (`"zero"`), or are an error (`"refuse"`).
#' @rawNamespace S3method(rstantools::posterior_epred, ppl_run)
#' @export
posterior_epred.ppl_run <- function(object, newdata = NULL, of = NULL, new_levels = "sample", ...) {
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  given <- if (!is.null(newdata)) data_arguments(newdata, folder, read_by(object))
  call_ppl("predict", object$path, "--quiet", "--csv", "--expected", "--new-levels", new_levels, given)
  drawn <- one_of(read_variables(object, "predictions"), of, "predictions")
  if (length(dim(drawn)) == 4) { # an axis for rows, and one for categories or for columns of the outcome
    return(array(drawn, c(prod(dim(drawn)[1:2]), dim(drawn)[3:4]), c(list(NULL), dimnames(drawn)[3:4])))
  }
  as_rows(drawn, "y")
}

# read_by maps the names of a run's data to the type "[" of an array, in the form that types_of returns.
read_by <- function(run) {
  parts <- unlist(lapply(c("observed_data", "constant_data", "observed", "constant"), layout_of, run = run), FALSE)
  names <- unique(vapply(parts, `[[`, "", "name"))
  if (length(names) == 0) NULL else stats::setNames(rep("[", length(names)), names)
}

need_replicates <- function(run) {
  if (!"posterior_predictive" %in% groups_of(run)) {
    call_ppl("predict", run$path, "--quiet")
  }
}

#' @export
predict.ppl_run <- function(object, newdata = NULL, ...) {
  drawn <- posterior_predict.ppl_run(object, newdata, ...)
  quantiles <- t(apply(drawn, 2, stats::quantile, c(0.025, 0.5, 0.975), names = FALSE))
  data.frame(
    mean = colMeans(drawn), sd = apply(drawn, 2, stats::sd), q2.5 = quantiles[, 1], q50 = quantiles[, 2],
    q97.5 = quantiles[, 3], row.names = NULL
  )
}

#' Leave-one-out cross-validation
#'
#' Calls [loo::loo()] with the log likelihood and the relative effective sizes of a run.
#'
#' @param x A [ppl_run].
#' @param of The observed array, if there are several.
#' @param ... What else `loo::loo()` takes.
#' @return An object of class `loo`.
#' @examples
#' \dontrun{
#' loo(fit)
#' }
#' @export
loo <- function(x, ...) UseMethod("loo")

#' @export
loo.default <- function(x, ...) loo::loo(x, ...)

#' @rdname loo
#' @rawNamespace S3method(loo::loo, ppl_run)
#' @export
loo.ppl_run <- function(x, of = NULL, ...) {
  ll <- elements("log_lik", log_lik_of(x, of))
  loo::loo(ll, r_eff = loo::relative_eff(exp(ll)), ...)
}

#' Statistics of the sampler
#'
#' Generic functions as 'bayesplot' has them.
#'
#' @param object A [ppl_run].
#' @param ... Not used.
#' @return A data frame: `Chain`, `Iteration`, `Parameter` and `Value`, or without `Parameter` for `log_posterior()`.
#' @examples
#' \dontrun{
#' bayesplot::mcmc_nuts_energy(nuts_params(fit))
#' }
#' @export
nuts_params <- function(object, ...) UseMethod("nuts_params")

#' @export
nuts_params.default <- function(object, ...) bayesplot::nuts_params(object, ...)

# Maps statistics to their names in Stan.
stan_names <- c(
  acceptance_rate = "accept_stat__", step_size = "stepsize__", tree_depth = "treedepth__", n_steps = "n_leapfrog__",
  diverging = "divergent__", energy = "energy__"
)

#' @rdname nuts_params
#' @rawNamespace S3method(bayesplot::nuts_params, ppl_run)
#' @export
nuts_params.ppl_run <- function(object, ...) {
  parts <- read_variables(object, "sample_stats")
  parts <- parts[intersect(names(stan_names), names(parts))]
  do.call(rbind, unname(Map(function(name, x) {
    cbind(long(x)[c("Chain", "Iteration")], Parameter = factor(stan_names[[name]], unname(stan_names)),
      Value = as.numeric(x))
  }, names(parts), parts)))
}

#' @rdname nuts_params
#' @export
log_posterior <- function(object, ...) UseMethod("log_posterior")

#' @export
log_posterior.default <- function(object, ...) bayesplot::log_posterior(object, ...)

#' @rdname nuts_params
#' @rawNamespace S3method(bayesplot::log_posterior, ppl_run)
#' @export
log_posterior.ppl_run <- function(object, ...) {
  long(read_variables(object, "sample_stats")$lp)
}

# long converts a matrix of draws by chains to a table.
long <- function(x) {
  data.frame(
    Chain = rep(seq_len(dim(x)[2]), each = dim(x)[1]), Iteration = rep(seq_len(dim(x)[1]), dim(x)[2]),
    Value = as.numeric(x)
  )
}
