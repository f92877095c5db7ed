# Finds the program ppl and installs it from an archive.

program_name <- function() if (.Platform$OS.type == "windows") "ppl.exe" else "ppl"

installed_program <- function() file.path(tools::R_user_dir("pplr", "data"), program_name())

#' The program that this package calls
#'
#' `ppl_path()` returns the path of the program 'ppl': the option `ppl.path`, else the program that [ppl_install()] has
#' installed, else `ppl` on PATH.
#'
#' @return The path, a string. It is an error of class `ppl_binary_error` if there is no program, or if it has another
#'   version than this package.
#' @examples
#' tryCatch(ppl_path(), ppl_binary_error = conditionMessage)
#' @export
ppl_path <- function() {
  given <- getOption("ppl.path")
  if (!is.null(given)) {
    return(checked_program(given))
  }
  if (file.exists(installed_program())) {
    return(checked_program(installed_program()))
  }
  found <- Sys.which("ppl")
  if (!nzchar(found)) {
    ppl_stop("binary", paste0(
      "The program ppl is missing: it is not on PATH. Install it, for example by ppl_install(archive), or set ",
      "options(ppl.path = \"/path/to/ppl\")."
    ))
  }
  checked_program(unname(found))
}

known_versions <- new.env(parent = emptyenv())

# checked_program returns the path of a program, after checking that its release is that of this package. Builds without
# a release are accepted.
checked_program <- function(path) {
  path <- path.expand(path)
  if (!file.exists(path)) {
    ppl_stop("binary", paste0("There is no program ", path, "."))
  }
  key <- paste(path, file.mtime(path))
  version <- known_versions[[key]]
  if (is.null(version)) {
    version <- version_of(path)
    assign(key, version, envir = known_versions)
  }
  needed <- as.character(utils::packageVersion("pplr"))
  release <- regmatches(version, regexpr("[0-9]+([.][0-9]+)+", version))
  if (length(release) == 1 && release != needed) {
    ppl_stop("binary", paste0(path, " is ppl ", version, ", and pplr ", needed, " needs ppl ", needed, "."))
  }
  path
}

version_of <- function(path) {
  tryCatch({
    done <- processx::run(path, c("version", "--json"), timeout = 60)
    version <- jsonlite::fromJSON(done$stdout)$version
    stopifnot(is.character(version), length(version) == 1)
    version
  }, error = function(e) {
    ppl_stop("binary", paste0(path, " cannot be run, or is not the program ppl: ", conditionMessage(e)))
  })
}

#' Install the program from an archive
#'
#' Takes the program 'ppl' out of a release archive or a Python wheel and keeps it for this user.
#'
#' @param file The archive: `.tar.gz`, `.zip` or `.whl`.
#' @param sha256 The checksum of the archive, as published with it. It is compared if `sha256sum`, `shasum` or
#'   `certutil` is there; without one of these, or without a checksum, a warning says that nothing was compared.
#' @return The path of the installed program, invisibly.
#' @examples
#' \dontrun{
#' ppl_install("ppl-0.1.0-linux-amd64.tar.gz", sha256 = "5f2d...")
#' }
#' @export
ppl_install <- function(file, sha256 = NULL) {
  if (!file.exists(file)) {
    ppl_stop("binary", paste0("There is no file ", file, "."))
  }
  check_sum(file, sha256)
  folder <- tempfile("ppl-install")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  if (grepl("[.](zip|whl)$", file)) {
    utils::unzip(file, exdir = folder)
  } else {
    utils::untar(file, exdir = folder)
  }
  found <- list.files(folder, paste0("^", program_name(), "$"), recursive = TRUE, full.names = TRUE)
  found <- found[!file.info(found)$isdir]
  if (length(found) != 1) {
    ppl_stop("binary", paste0(file, " has no program ", program_name(), "."))
  }
  Sys.chmod(found, "755")
  checked_program(found)
  target <- installed_program()
  dir.create(dirname(target), recursive = TRUE, showWarnings = FALSE)
  if (!file.copy(found, target, overwrite = TRUE)) {
    ppl_stop("binary", paste0("The program cannot be written to ", target, "."))
  }
  Sys.chmod(target, "755")
  invisible(target)
}

check_sum <- function(file, expected) {
  if (is.null(expected)) {
    warning("No checksum was given: the archive is installed as it is.", call. = FALSE)
    return(invisible())
  }
  found <- sha256_of(file)
  if (is.null(found)) {
    warning("There is no program here that computes SHA-256: the checksum was not compared.", call. = FALSE)
  } else if (tolower(expected) != found) {
    ppl_stop("binary", paste0("The SHA-256 checksum of ", file, " is ", found, ", not ", expected, "."))
  }
}

# sha256_of computes a checksum with a program of the system; NULL if there is none.
sha256_of <- function(file) {
  for (command in list(c("sha256sum"), c("shasum", "-a", "256"), c("certutil", "-hashfile"))) {
    if (nzchar(Sys.which(command[1]))) {
      last <- if (command[1] == "certutil") "SHA256" else character()
      out <- processx::run(command[1], c(command[-1], normalizePath(file), last), error_on_status = FALSE)$stdout
      sum <- regmatches(gsub(" ", "", out, fixed = TRUE), regexpr("[0-9a-fA-F]{64}", gsub(" ", "", out, fixed = TRUE)))
      if (length(sum) == 1) {
        return(tolower(sum))
      }
    }
  }
  NULL
}
