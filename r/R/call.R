# Calls the program. Results and errors are read from exit codes and JSON, not from text.

done <- 0L
wrong <- 1L
usage <- 2L
interrupted <- 130L

# call_ppl calls the program and returns its output: exit_code, text, notes and diagnostics. Exit codes that are not in
# accept are errors.
call_ppl <- function(..., progress = FALSE, accept = done, warn = TRUE) {
  arguments <- as.character(c(...))
  out <- tempfile("ppl-out")
  on.exit(unlink(out))
  process <- processx::process$new(
    ppl_path(), arguments, stdout = out, stderr = "|",
    env = c("current", PPL_MESSAGES = "json", PPL_PARENT = as.character(Sys.getpid()))
  )
  messages <- new_messages(progress)
  stopped <- follow(process, messages)
  messages$close()
  answer <- list(
    exit_code = process$get_exit_status(), notes = messages$notes, diagnostics = diagnostics_frame(messages$found),
    text = paste(readLines(out, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  )
  if (!answer$exit_code %in% accept) {
    if (stopped) {
      ppl_stop_interrupted("interrupted before there was a result")
    }
    stop_for(answer, messages, arguments)
  }
  for (note in answer$notes) {
    if (isTRUE(getOption("ppl.notes"))) message(note)
  }
  if (warn) {
    warn_of(answer$diagnostics)
  }
  answer
}

# follow reads the messages of a process until it ends, and returns whether it was interrupted. At the first interrupt
# the process saves its draws and ends; a second interrupt kills it.
follow <- function(process, messages) {
  listen <- function() {
    while (process$is_alive()) {
      process$poll_io(200)
      messages$take(process$read_error_lines())
    }
  }
  stopped <- tryCatch({
    listen()
    FALSE
  }, interrupt = function(i) TRUE)
  if (stopped) {
    process$interrupt()
    tryCatch(listen(), interrupt = function(i) process$kill())
  }
  repeat {
    lines <- process$read_error_lines()
    if (length(lines) == 0) break
    messages$take(lines)
  }
  stopped
}

# new_messages collects the messages of a process: one JSON object on each line of its standard error.
new_messages <- function(progress) {
  self <- new.env()
  self$found <- list()
  self$notes <- self$other <- character()
  self$error <- NULL
  show <- if (is.null(progress)) interactive() else isTRUE(progress)
  shown <- FALSE
  self$take <- function(lines) {
    for (line in lines) {
      m <- tryCatch(jsonlite::fromJSON(line, simplifyVector = FALSE), error = function(e) NULL)
      switch(or(m$kind, "other"),
        diagnostic = self$found[[length(self$found) + 1]] <- rapply(m, readable, "character", how = "replace"),
        note = self$notes <- c(self$notes, readable(m$text)),
        error = self$error <- readable(m$text),
        progress = if (show) {
          shown <<- TRUE
          cat(sprintf("\r%s: %d of %d iterations ", m$phase, m$done, m$total), file = stderr())
        },
        if (nzchar(line)) self$other <- c(self$other, line)
      )
    }
  }
  self$close <- function() if (shown) cat("\r", strrep(" ", 60), "\r", sep = "", file = stderr())
  self
}

# Commands that read a run. Their errors are errors of the run, unless there is a diagnostic.
of_runs <- c("summary", "query", "plot", "loo", "export", "report", "diagnose", "evidence", "compare", "list")

stop_for <- function(answer, messages, arguments) {
  d <- answer$diagnostics
  d <- d[order(d$severity != "error"), ]
  errors <- d[d$severity == "error", ]
  text <- c(diagnostic_text(errors), messages$error)
  if (length(text) == 0) {
    text <- or(utils::tail(messages$other, 20), paste("ppl ended with exit code", answer$exit_code))
  }
  about_data <- nrow(errors) > 0 && all(errors$code %in% data_codes | is.na(errors$line))
  kind <- if (about_data) {
    "data"
  } else if (nrow(errors) > 0 || answer$exit_code == wrong && !arguments[1] %in% of_runs) {
    "model"
  } else if (answer$exit_code == usage) {
    "usage"
  } else {
    "run"
  }
  ppl_stop(kind, paste(for_r(text), collapse = "\n"), d, answer$exit_code)
}

# warn_of raises warnings about a model as R warnings.
warn_of <- function(d) {
  for (i in which(d$severity == "warning")) {
    kind <- if (d$code[i] %in% data_codes) "data" else "model"
    ppl_warn(kind, for_r(diagnostic_text(d[i, ])), code = d$code[i], line = d$line[i], help = d$help[i])
  }
}

# json_of calls the program with --json and returns its decoded output.
json_of <- function(..., simplify = FALSE, accept = done) {
  jsonlite::fromJSON(call_ppl(..., "--json", accept = accept)$text, simplifyVector = simplify)
}

# flags returns flags with their values, except those that are NULL.
flags <- function(...) {
  values <- Filter(Negate(is.null), list(...))
  unlist(Map(function(name, value) c(paste0("--", gsub("_", "-", name)), plain(value)), names(values), values),
    use.names = FALSE)
}

repeated <- function(flag, values) c(rbind(rep(flag, length(values)), values))

# plain formats a value for the command line.
plain <- function(value) {
  if (is.logical(value)) {
    return(if (value) "on" else "off")
  }
  if (is.numeric(value)) format(value, digits = 15, scientific = FALSE, trim = TRUE) else as.character(value)
}

# scratch returns a new temporary directory. readable removes its name from messages.
scratch <- function() {
  folder <- tempfile("ppl-")
  dir.create(folder)
  folder
}
