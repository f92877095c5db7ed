# Writes data for the program in R's syntax, which preserves factor levels, dates and missing values.

# data_arguments writes data into a folder and returns the arguments that name the files. types maps the arrays that the
# model reads to their types; NULL if they are unknown.
data_arguments <- function(data, folder, types = NULL) {
  if (is.null(data)) {
    return(character())
  }
  if (is.character(data) && is.null(names(data))) {
    return(repeated("--data", vapply(data, existing, "")))
  }
  if (is.list(data) && !is.data.frame(data) && is.null(names(data))) {
    return(unlist(lapply(data, data_arguments, folder, types)))
  }
  if (!is.list(data)) {
    ppl_stop("data", paste0("`data` cannot be ", a_class(data), "; give a data frame, a named list, or a path."))
  }
  path <- file.path(folder, paste0("data", length(list.files(folder, "^data")), ".R"))
  write_data(data, path, types)
  c("--data", path)
}

existing <- function(path) {
  name <- sub("=.*", "", path)
  if (grepl("^(s3|gs|https?)://", path)) {
    return(path)
  }
  if (is_pattern(path) && length(Sys.glob(path)) > 0) {
    return(whole_pattern(path))
  }
  if (!file.exists(sub("#.*", "", path)) && !(grepl("=", path, fixed = TRUE) && grepl("^[A-Za-z_]\\w*$", name))) {
    ppl_stop("data", paste0("There is no data file ", path, "."))
  }
  if (file.exists(path)) normalizePath(path) else path
}

# is_pattern returns whether a path is a pattern that may match several files, such as "data/*.parquet".
is_pattern <- function(path) !file.exists(path) && grepl("[*?[]", path)

whole_pattern <- function(path) if (grepl("^(/|~|[A-Za-z]:)", path)) path.expand(path) else file.path(getwd(), path)

a_class <- function(x) paste("an object of class", class(x)[1])

# spelled returns the name of a column in a model: ph.ecog becomes ph_ecog.
spelled <- function(name) gsub("[^A-Za-z0-9_]", "_", name)

write_data <- function(data, path, types) {
  table <- is.data.frame(data)
  check_names(names(data), table)
  data <- unpacked(data)
  check_names(names(data), table)
  if (table && length(data) > 0 && length(data[[1]]) == 0) {
    ppl_stop("data", "The table has no rows.")
  }
  texts <- character()
  for (name in names(data)) {
    kept <- is.null(types) || spelled(name) %in% names(types)
    text <- tryCatch(r_text(data[[name]], table || is_array(types, name)), ppl_unreadable = function(e) {
      if (kept) ppl_stop("data", paste0("`", name, "` ", conditionMessage(e)))
      NULL
    })
    texts <- c(texts, if (!is.null(text)) paste0(quoted(name, "`"), if (table) " = " else " <- ", text))
  }
  if (table) {
    texts <- c("structure(list(", paste(texts, collapse = ",\n"), "), class = \"data.frame\")")
  }
  file <- file(path, "wb")
  on.exit(close(file))
  writeLines(texts, file, useBytes = TRUE)
}

is_array <- function(types, name) {
  type <- types[spelled(name)]
  length(type) == 1 && !is.na(type) && grepl("[", type, fixed = TRUE)
}

# unpacked returns the columns of a data frame. Columns of matrices and data frames in it become separate columns.
unpacked <- function(data) {
  if (!is.data.frame(data)) {
    return(data)
  }
  rows <- attr(data, "row.names")
  columns <- list()
  for (name in names(data)) {
    x <- data[[name]]
    if (is.data.frame(x) || is.matrix(x)) {
      x <- as.data.frame(x)
      columns[paste(name, names(x), sep = ".")] <- x
    } else {
      columns[[name]] <- x
    }
  }
  if (is.character(rows) && !"row" %in% names(columns)) {
    columns$row <- rows
  }
  columns
}

check_names <- function(names, table) {
  what <- if (table) "columns" else "arrays"
  if (length(names) == 0 || any(!nzchar(names)) || anyNA(names)) {
    ppl_stop("data", paste("All", what, "of the data need names."))
  }
  twice <- names[duplicated(names)]
  if (length(twice) > 0) {
    ppl_stop("data", paste0("Two ", what, " are named `", twice[1], "`: rename one of them."))
  }
}

unreadable <- function(message) {
  stop(structure(class = c("ppl_unreadable", "error", "condition"), list(message = message, call = NULL)))
}

# r_text formats a vector or array in R's syntax. A vector with a single element becomes a number.
r_text <- function(x, array) {
  if (is.null(x)) {
    unreadable("is NULL.")
  }
  kind <- class(x)[1]
  shape <- dim(x)
  values <- r_values(x, kind)
  text <- paste0("c(", paste(values, collapse = ", "), ")")
  attributes <- character()
  if (length(shape) > 1 || array && is.null(shape) && length(values) == 1) {
    attributes <- paste0(".Dim = c(", paste(or(shape, 1L), collapse = ", "), ")")
  } else if (is.null(shape) && length(values) == 1) {
    text <- values
  }
  if (is.factor(x)) {
    attributes <- c(attributes, paste0("levels = c(", paste(quoted(levels(x)), collapse = ", "), ")"),
      "class = \"factor\"")
  } else if (kind %in% c("Date", "POSIXct", "POSIXlt")) {
    attributes <- c(attributes, paste0("class = \"", sub("lt", "ct", kind), "\""))
  }
  if (length(attributes) > 0) paste0("structure(", text, ", ", paste(attributes, collapse = ", "), ")") else text
}

r_values <- function(x, kind) {
  if (is.factor(x)) {
    x <- as.integer(x)
  } else if (kind == "POSIXlt") {
    x <- as.numeric(as.POSIXct(x))
  } else if (kind == "difftime") {
    x <- as.numeric(x)
  } else if (kind == "integer64") {
    x <- as.numeric(format(x))
  } else if (is.list(x)) {
    unreadable("is a list; only numbers, truth values, dates, texts and factors can be read.")
  } else if (is.complex(x) || is.raw(x)) {
    unreadable(paste0("has ", typeof(x), " values; only numbers, truth values, dates, texts and factors can be read."))
  }
  x <- as.vector(unclass(x))
  if (is.character(x)) {
    return(ifelse(is.na(x), "NA_character_", quoted(x)))
  }
  if (is.double(x)) {
    return(ifelse(is.na(x), "NA", sprintf("%.17g", x)))
  }
  if (!is.numeric(x) && !is.logical(x)) {
    unreadable(paste0("has the type ", typeof(x), "."))
  }
  ifelse(is.na(x), "NA", as.character(x))
}

# quoted returns texts in quotes. Characters outside of ASCII are written as escapes, which every locale can read.
quoted <- function(x, quote = "\"") {
  x <- gsub("\\", "\\\\", enc2utf8(x), fixed = TRUE)
  x <- gsub("\n", "\\n", gsub("\r", "\\r", x, fixed = TRUE), fixed = TRUE)
  x <- gsub(quote, paste0("\\", quote), x, fixed = TRUE)
  if (quote == "\"") {
    other <- grepl("[^ -~]", x, perl = TRUE, useBytes = TRUE)
    x[other] <- vapply(x[other], escaped, "")
  }
  paste0(quote, x, quote)
}

escaped <- function(text) {
  points <- utf8ToInt(text)
  if (anyNA(points)) {
    unreadable("has a text that is not UTF-8.")
  }
  ascii <- points >= 32 & points < 127
  form <- ifelse(points > 65535, "\\U%08x", "\\u%04x")
  paste(ifelse(ascii, intToUtf8(points, multiple = TRUE), sprintf(form, points)), collapse = "")
}
