# Models: checking, sampling, optimisation and log densities.

#' A model in the language 'ppl'
#'
#' @param model The text of a model, or the path of a file that ends in `.ppl` or `.stan`.
#' @return An object of class `ppl_model` with `path` and `code`.
#' @examples
#' \dontrun{
#' m <- ppl_model("
#'   data y[N]
#'   mu ~ Normal(0, 10)
#'   y[i in N] ~ Normal(mu, 1)
#' ")
#' ppl_sample(m, data = list(y = c(1.2, 0.7, 2.1)), seed = 1)
#' }
#' @export
ppl_model <- function(model) {
  if (inherits(model, "ppl_model")) {
    return(model)
  }
  if (!is.character(model) || length(model) == 0) {
    ppl_stop("usage", "`model` is the text of a model or the path of a file.")
  }
  text <- paste(model, collapse = "\n")
  if (is_path(text)) {
    if (!file.exists(text)) {
      ppl_stop("usage", paste0("There is no model ", text, "."))
    }
    path <- normalizePath(text)
    return(structure(list(path = path, code = read_text(path)), class = "ppl_model"))
  }
  path <- file.path(scratch(), "model.ppl")
  write_text(located(text), path)
  structure(list(path = path, code = text), class = "ppl_model")
}

is_path <- function(text) !grepl("\n|~|=", text) || grepl("[.](ppl|stan)$", text) && file.exists(text)

read_text <- function(path) paste(readLines(path, warn = FALSE, encoding = "UTF-8"), collapse = "\n")

write_text <- function(text, path) {
  file <- file(path, "wb")
  on.exit(close(file))
  writeLines(enc2utf8(text), file, useBytes = TRUE)
}

# located replaces paths of files in the working directory by absolute paths in the text of a model.
located <- function(text) {
  pattern <- "\\b(from|import)(\\s+)\"([^\"#\n]+)"
  places <- gregexpr(pattern, text, perl = TRUE)
  regmatches(text, places) <- lapply(regmatches(text, places), function(found) {
    vapply(found, function(match) {
      name <- sub(pattern, "\\3", match, perl = TRUE)
      many <- is_pattern(name) && length(Sys.glob(name)) > 0
      if (!file.exists(name) && !many) {
        return(match)
      }
      whole <- if (many) whole_pattern(name) else normalizePath(name, winslash = "/")
      paste0(substr(match, 1, nchar(match) - nchar(name)), whole)
    }, "")
  })
  text
}

#' @export
print.ppl_model <- function(x, ...) {
  cat(x$code, sep = "\n")
  invisible(x)
}

# types_of maps the arrays that a model reads to their types; NULL if they are unknown.
types_of <- function(model) {
  arrays <- tryCatch(
    jsonlite::fromJSON(
      call_ppl("check", model$path, "--json", accept = c(done, wrong), warn = FALSE)$text, simplifyVector = FALSE
    )$arrays,
    ppl_error = function(e) list()
  )
  read <- Filter(function(a) identical(a$role, "data"), arrays)
  if (length(read) == 0) {
    return(NULL)
  }
  stats::setNames(vapply(read, function(a) or(a$type, ""), ""), vapply(read, `[[`, "", "name"))
}

#' Check a model, with its data or without
#'
#' @param model A model, see [ppl_model()].
#' @param data The data, see [ppl_sample()].
#' @return An object of class `ppl_check`: `ok`, whether there are no errors, and `diagnostics`, a data frame.
#' @examples
#' \dontrun{
#' ppl_check("mu ~ Normal(0, sgima)")
#' }
#' @export
ppl_check <- function(model, data = NULL) {
  model <- ppl_model(model)
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  given <- data_arguments(data, folder, if (!is.null(data)) types_of(model))
  answer <- jsonlite::fromJSON(
    call_ppl("check", model$path, "--json", given, accept = c(done, wrong), warn = FALSE)$text, simplifyVector = FALSE
  )
  found <- diagnostics_frame(rapply(answer$diagnostics, readable, "character", how = "replace"))
  structure(list(ok = answer$ok, diagnostics = found[order(found$severity != "error"), ]), class = "ppl_check")
}

#' @export
print.ppl_check <- function(x, ...) {
  text <- if (nrow(x$diagnostics) == 0) "the model is valid" else diagnostic_text(x$diagnostics)
  cat(text, sep = "\n")
  invisible(x)
}

#' Draw from the posterior
#'
#' @param model A model, its text or its path, see [ppl_model()].
#' @param data A data frame, whose columns are the arrays of the model; a named list of vectors and arrays; the path of
#'   a data file; or a list of these. `NA` is missing. A factor keeps its levels and their order, also levels without
#'   rows. Dots in names are underscores in the model.
#' @param draws,chains,warmup Draws to keep of each chain, the number of chains, and iterations of warm-up. Without
#'   `draws` a run continues by itself while the draws are not good enough.
#' @param seed The seed of all randomness: the same seed gives the same draws.
#' @param sampler,device Such as `"nuts"`, and `"host"`; `ppl help samplers` and `ppl help devices` list them.
#' @param threads Threads to use; all cores by default.
#' @param out The directory of the run. By default it is temporary and removed when R ends.
#' @param overwrite Whether a run that is in `out` may be replaced.
#' @param init A named list of values of parameters to begin at, or a run whose last draws to begin at.
#' @param keep Names whose draws alone are kept.
#' @param until Such as `"ess=400"` or `c("rhat=1.01", "time=2h")`: stop when the draws are good enough.
#' @param max_time A limit, such as `"10m"`, or in seconds.
#' @param progress Whether to show progress; by default in interactive sessions.
#' @param ... Settings of the sampler, such as `accept = 0.95`; `ppl help settings` lists them.
#' @return A [ppl_run]. After an interrupt it has the draws so far, and [ppl_resume()] continues.
#' @examples
#' \dontrun{
#' fit <- ppl_sample("growth.ppl", data = growth, seed = 1)
#' summary(fit)
#' }
#' @export
ppl_sample <- function(model, data = NULL, draws = NULL, chains = NULL, warmup = NULL, seed = NULL, sampler = NULL,
                       device = NULL, threads = NULL, out = NULL, overwrite = FALSE, init = NULL, keep = NULL,
                       until = NULL, max_time = NULL, progress = NULL, ...) {
  model <- ppl_model(model)
  settings <- checked_settings(list(...))
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  run <- if (is.null(out)) file.path(scratch(), run_name(model)) else out
  arguments <- c(
    flags(
      draws = draws, chains = chains, warmup = warmup, seed = seed, sampler = sampler, device = device,
      threads = threads, max_time = if (is.numeric(max_time)) paste0(max_time, "s") else max_time
    ),
    if (overwrite) "--overwrite",
    if (!is.null(keep)) repeated("--keep", keep),
    if (!is.null(until)) repeated("--until", until),
    repeated("--set", paste0(names(settings), "=", vapply(settings, plain, ""))[seq_along(settings)]),
    initial(init, folder),
    data_arguments(data, folder, if (!is.null(data)) types_of(model))
  )
  answer <- call_ppl(
    "sample", model$path, "--out", run, "--copy-inputs", "--json", arguments, progress = progress,
    accept = c(done, interrupted)
  )
  sampled(run, answer)
}

run_name <- function(model) paste0(tools::file_path_sans_ext(basename(model$path)), ".run")

# Maps names of arguments in other packages to the names in this package.
other_names <- c(
  iter = "draws", iter_sampling = "draws", iter_warmup = "warmup", cores = "threads", parallel_chains = "threads",
  adapt_delta = "accept", inits = "init", refresh = "progress"
)

checked_settings <- function(settings) {
  if (length(settings) > 0 && (is.null(names(settings)) || any(!nzchar(names(settings))))) {
    ppl_stop("usage", "Settings of the sampler need names, such as accept = 0.95.")
  }
  known <- intersect(names(settings), names(other_names))
  if (length(known) > 0) {
    ppl_stop("usage", paste0("There is no argument `", known[1], "`: it is `", other_names[[known[1]]], "` here."))
  }
  settings
}

# sampled returns a new run, and raises warnings about its draws.
sampled <- function(path, answer) {
  stopped <- answer$exit_code == interrupted
  draws <- if (stopped) draws_kept(path) else 0
  if (stopped && draws == 0) {
    ppl_stop_interrupted("interrupted before every chain had a draw: there are no draws yet")
  }
  run <- ppl_load(path)
  run$interrupted <- stopped
  # An interrupted process omits the summary if it takes more than a moment.
  found <- if (nzchar(trimws(answer$text))) jsonlite::fromJSON(answer$text, simplifyVector = FALSE) else list()
  if (run$interrupted) {
    ppl_warn("sampling", paste("interrupted: the first", draws, "draws of each chain are kept; ppl_resume() adds the",
      "others"))
  }
  for (w in found$warnings) {
    advice <- if (length(w$advice) > 0) w$advice[[1]]$text
    ppl_warn("sampling", for_r(paste(c(w$fact, advice), collapse = " ")))
  }
  run
}

# draws_kept returns the number of draws per chain in a run directory.
draws_kept <- function(path) {
  about <- tryCatch(jsonlite::fromJSON(file.path(path, "run.json")), error = function(e) list())
  min(or(unlist(about$draws_written), 0))
}

initial <- function(init, folder) {
  if (is.null(init)) {
    return(character())
  }
  if (inherits(init, "ppl_run")) {
    return(c("--init", init$path))
  }
  if (is.list(init)) {
    return(c("--init", write_values(init, folder)))
  }
  c("--init", init)
}

write_values <- function(values, folder) {
  path <- file.path(folder, "values.json")
  write_text(jsonlite::toJSON(lapply(values, function(x) if (length(x) == 1 && is.null(dim(x))) {
    jsonlite::unbox(x)
  } else {
    x
  }), digits = NA), path)
  path
}

#' Sample the model of a formula
#'
#' The program writes the model of a formula as text, in the names of 'brms', with priors like those of 'rstanarm' and
#' treatment contrasts, and samples it; `ppl help brms` has a table of the terms that work. `fit$code` is the model.
#'
#' @param formula A formula such as `Reaction ~ Days + (1 + Days | Subject)`, or its text.
#' @param data A data frame.
#' @param family The distribution of the outcome: a name such as `"negbinomial"`, `"binomial(probit)"`, or an object
#'   such as `poisson()`.
#' @param prior Named texts that replace priors, such as `c(b_Days = "Normal(0, 5)")`; `b`, `sd` and `cor` name all of
#'   a class.
#' @param contrasts `"treatment"` or `"sum"`.
#' @param omit Whether rows with missing values are left out, as R does; otherwise they are an error.
#' @param ... What else [ppl_sample()] takes.
#' @return A [ppl_run].
#' @examples
#' \dontrun{
#' fit <- ppl_fit(Reaction ~ Days + (1 + Days | Subject), lme4::sleepstudy, seed = 1)
#' cat(fit$code)
#' }
#' @export
ppl_fit <- function(formula, data, family = "gaussian", prior = NULL, contrasts = "treatment", omit = FALSE, ...) {
  model <- formula_model(formula, data, family, prior, contrasts, omit)
  ppl_sample(model, ...)
}

# formula_model writes the model of a formula to a file, with the data in a file next to it, and returns the model.
formula_model <- function(formula, data, family, prior, contrasts, omit) {
  if (!is.data.frame(data)) {
    ppl_stop("data", paste0("`data` cannot be ", a_class(data), "; give a data frame."))
  }
  text <- if (is.character(formula)) paste(formula, collapse = " ") else formula_text(formula)
  folder <- scratch()
  table <- file.path(folder, "data1.R")
  write_data(data, table, stats::setNames(rep("[", length(names(data))), names(data)))
  answer <- call_ppl(
    "formula", text, "--data", table, "--family", family_text(family), "--contrasts", contrasts,
    if (!is.null(prior)) repeated("--prior", paste0(names(prior), "=", prior)), if (omit) "--omit"
  )
  path <- file.path(folder, "model.ppl")
  write_text(answer$text, path)
  structure(list(path = path, code = answer$text), class = "ppl_model")
}

# formula_text converts a formula to text for the program. Formulas of brms may have several parameters or outcomes.
formula_text <- function(formula) {
  if (inherits(formula, "mvbrmsformula")) {
    parts <- vapply(formula$forms, formula_text, "")
    correlated <- if (is.logical(formula$rescor)) paste0("set_rescor(", formula$rescor, ")")
    return(paste(c(parts, correlated), collapse = " + "))
  }
  if (inherits(formula, "brmsformula")) {
    parts <- vapply(c(list(formula$formula), formula$pforms), formula_text, "")
    fixed <- formula$pfix
    family <- if (!is.null(formula$family)) paste0("family = ", family_text(formula$family))
    nonlinear <- if (isTRUE(attr(formula$formula, "nl"))) "nl = TRUE"
    numbers <- if (length(fixed) > 0) paste(names(fixed), "=", unlist(fixed))
    return(paste0("bf(", paste(c(parts, numbers, family, nonlinear), collapse = ", "), ")"))
  }
  attributes(formula) <- attributes(formula)["class"]
  gsub("\\s+", " ", paste(deparse(formula, width.cutoff = 500L), collapse = " "))
}

family_text <- function(family) {
  if (is.function(family)) {
    family <- family()
  }
  if (is.character(family)) {
    return(family)
  }
  name <- switch(family$family, Gamma = "gamma", "quasipoisson" = , "quasibinomial" = ppl_stop(
    "usage", paste0("`", family$family, "` is not a distribution; take negbinomial or beta_binomial.")
  ), family$family)
  if (grepl("^Negative Binomial", name)) {
    name <- "negbinomial"
  }
  if (is.null(family$link)) name else paste0(name, "(", family$link, ")")
}

#' Find where the posterior density is greatest
#'
#' @inheritParams ppl_sample
#' @param starts,method,iterations The number of points to begin at; `"lbfgs"`, `"adam"`, `"adamw"` or `"sgd"`; and the
#'   most iterations from each point.
#' @param jacobian Whether to find the mode of the unconstrained coordinates instead.
#' @return An object of class `ppl_mode`: `converged`, `message`, `log_density`, and `table`, a data frame with
#'   `variable`, `mode` and `sd`.
#' @examples
#' \dontrun{
#' ppl_optimize("growth.ppl", data = growth)
#' }
#' @export
ppl_optimize <- function(model, data = NULL, seed = NULL, starts = NULL, method = NULL, iterations = NULL,
                         jacobian = FALSE, init = NULL, progress = NULL) {
  model <- ppl_model(model)
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  answer <- call_ppl(
    "optimize", model$path, "--json",
    flags(seed = seed, starts = starts, method = method, iterations = iterations), if (jacobian) "--jacobian",
    initial(init, folder), data_arguments(data, folder, if (!is.null(data)) types_of(model)), progress = progress
  )
  a <- jsonlite::fromJSON(answer$text, simplifyVector = FALSE)
  structure(
    list(
      converged = a$converged, message = or(a$message, ""), log_density = number(a$log_density),
      table = rows_frame(a$parameters)
    ),
    class = "ppl_mode"
  )
}

#' @export
print.ppl_mode <- function(x, ...) {
  found <- if (x$converged) "mode" else paste("no mode:", x$message)
  cat(found, ", log density ", format(x$log_density), "\n", sep = "")
  print(x$table, row.names = FALSE)
  invisible(x)
}

#' Evaluate the log density at values of the parameters
#'
#' @inheritParams ppl_sample
#' @param at A named list of values of the parameters, on their own scale.
#' @param gradient Whether the gradient is computed as well.
#' @return A list: `log_prior`, `log_likelihood`, `log_jacobian`, `rows` and `gradient`.
#' @examples
#' \dontrun{
#' ppl_logprob("x ~ Normal(0, 1)", at = list(x = 0))$log_prior
#' }
#' @export
ppl_logprob <- function(model, at, data = NULL, gradient = FALSE) {
  model <- ppl_model(model)
  folder <- scratch()
  on.exit(unlink(folder, recursive = TRUE))
  answer <- json_of(
    "logprob", model$path, "--at", write_values(at, folder), if (gradient) "--gradient",
    data_arguments(data, folder, if (!is.null(data)) types_of(model))
  )
  list(
    log_prior = number(answer$log_prior), log_likelihood = number(answer$log_likelihood),
    log_jacobian = number(answer$log_jacobian), rows = lapply(answer$rows, numbers),
    gradient = lapply(answer$gradient, numbers)
  )
}

# number decodes a number from JSON, in which infinite numbers are texts and NaN is null.
number <- function(x) if (is.null(x)) NaN else as.numeric(x)

numbers <- function(x) vapply(x, number, 0)

# rows_frame converts rows, which are lists of numbers with a name, to a data frame whose first column is variable.
rows_frame <- function(rows) {
  columns <- setdiff(unique(unlist(lapply(rows, names))), c("name", "asked"))
  columns <- Filter(function(k) all(vapply(rows, function(r) !is.list(r[[k]]), TRUE)), columns)
  out <- data.frame(variable = vapply(rows, function(r) or(r$name, ""), ""), stringsAsFactors = FALSE)
  for (k in columns) {
    values <- lapply(rows, `[[`, k)
    texts <- Filter(is.character, values)
    is_text <- length(texts) > 0 && anyNA(suppressWarnings(as.numeric(unlist(texts))))
    out[[k]] <- if (is_text) vapply(values, function(v) as.character(or(v, NA)), "") else vapply(values, number, 0)
  }
  out
}
