# Errors and warnings as conditions.

#' Conditions of this package
#'
#' Everything that goes wrong is a condition of class `ppl_error`, with a class for its kind: `ppl_model_error` (the
#' model is wrong), `ppl_data_error` (the data cannot be read, or do not fit the model), `ppl_run_error` (a run cannot
#' be made, read or continued), `ppl_usage_error` (an argument is wrong), `ppl_binary_error` (the program is missing or
#' cannot be run) and `ppl_interrupted` (interrupted before there was a result). An error has the fields `code`, such as
#' `"E10"`, `line`, `help` and `exit_code`, and all mistakes as a data frame in `diagnostics`.
#'
#' Warnings have the class `ppl_warning`, and `ppl_model_warning`, `ppl_data_warning` or `ppl_sampling_warning`.
#'
#' @name conditions
#' @examples
#' \dontrun{
#' tryCatch(
#'   ppl_sample("mu ~ Normal(0, sgima)"),
#'   ppl_model_error = function(e) c(e$code, e$line, e$help)
#' )
#' }
NULL

ppl_stop <- function(kind, message, diagnostics = NULL, exit_code = NA_integer_) {
  first <- if (is.null(diagnostics) || nrow(diagnostics) == 0) list() else diagnostics[1, ]
  stop(structure(
    class = c(paste0("ppl_", kind, "_error"), "ppl_error", "error", "condition"),
    list(
      message = message, call = NULL, code = or(first$code, ""), line = or(first$line, NA_integer_),
      help = or(first$help, ""), diagnostics = diagnostics, exit_code = exit_code
    )
  ))
}

ppl_stop_interrupted <- function(message) {
  stop(structure(
    class = c("ppl_interrupted", "ppl_error", "error", "condition"),
    list(message = message, call = NULL, exit_code = 130L)
  ))
}

ppl_warn <- function(kind, message, ...) {
  warning(structure(
    class = c(paste0("ppl_", kind, "_warning"), "ppl_warning", "warning", "condition"),
    list(message = message, call = NULL, ...)
  ))
}

or <- function(x, otherwise) if (is.null(x) || length(x) == 0) otherwise else x

# Codes of diagnostics about data, from the step that binds data to a model.
data_codes <- c(
  "E47", "E56", "E57", "E83", "E86", "W05", "W09", "W16", "W17", "W18", "W23", "W26"
)

# diagnostics_frame converts diagnostics from the program's JSON to a data frame with a row for each.
diagnostics_frame <- function(list) {
  text <- function(name) vapply(list, function(d) as.character(or(d[[name]], "")), "")
  at <- function(name, otherwise) vapply(list, function(d) or(d$at[[name]], otherwise), otherwise)
  data.frame(
    code = text("code"), severity = text("severity"), message = text("message"), help = text("help"),
    file = at("file", ""), line = at("line", NA_integer_), column = at("column", NA_integer_),
    stringsAsFactors = FALSE
  )
}

# diagnostic_text formats each row of a data frame of diagnostics.
diagnostic_text <- function(d) {
  place <- ifelse(is.na(d$line), "", paste0(d$file, ":", d$line, ":", d$column, ": "))
  code <- ifelse(nzchar(d$code), paste0("[", d$code, "]"), "")
  help <- ifelse(nzchar(d$help), paste0("\n  help: ", d$help), "")
  paste0(place, d$severity, code, ": ", d$message, help)
}

# for_r replaces flags of the command line in advice by arguments of this package.
for_r <- function(text) {
  text <- gsub("--set (\\w+)=([[:alnum:]_.]*[[:alnum:]_])", "\\1 = \\2", text)
  text <- gsub("--(\\w+) ([0-9][0-9.e]*[0-9]|[0-9])", "\\1 = \\2", text)
  gsub("(^|[^[:alnum:]_-])--(\\w+)", "\\1\\2", text)
}

# readable removes the names of temporary files from messages.
readable <- function(text) {
  text <- gsub("[^[:space:]\"'`]*[/\\\\]ppl-[[:alnum:]]+[/\\\\]data[0-9]*[.]R", "the data", text)
  gsub("[^[:space:]\"'`]*[/\\\\]ppl-[[:alnum:]]+[/\\\\]([[:alnum:]_.-]+[.](ppl|stan|run|prior|json))", "\\1", text)
}
