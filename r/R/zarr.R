# Reads the arrays of a run: Zarr, version 2, without filters, with chunks that are packed by gzip or zlib or not at all
# (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html).

# read_array returns an array of numbers, truth values or texts with the axes of the store; a number for one without.
read_array <- function(path) {
  about <- jsonlite::fromJSON(file.path(path, ".zarray"))
  shape <- as.integer(about$shape)
  if (length(shape) == 0) {
    return(read_chunk(file.path(path, "0"), about, 1L))
  }
  chunk <- as.integer(about$chunks)
  out <- array(missing_of(about), dim = shape)
  counts <- as.integer(ceiling(shape / chunk))
  for (k in seq_len(prod(counts))) {
    at <- as.vector(arrayInd(k, counts)) - 1L
    values <- read_chunk(file.path(path, paste(at, collapse = ".")), about, prod(chunk))
    if (is.null(values)) next
    first <- at * chunk
    size <- pmin(chunk, shape - first)
    block <- aperm(array(values, dim = rev(chunk)))
    block <- do.call(`[`, c(list(block), lapply(size, seq_len), drop = FALSE))
    out <- do.call(`[<-`, c(list(out), Map(function(f, n) f + seq_len(n), first, size), list(value = block)))
  }
  out
}

missing_of <- function(about) {
  switch(substr(about$dtype, 2, 2), U = "", b = FALSE, i = , u = NA_real_, NA_real_)
}

# read_chunk returns the values of a chunk; NULL if there is none.
read_chunk <- function(path, about, count) {
  if (!file.exists(path)) {
    return(NULL)
  }
  raw <- readBin(path, "raw", file.size(path))
  if (!is.null(about$compressor)) {
    raw <- memDecompress(raw, "gzip")
  }
  kind <- substr(about$dtype, 2, 2)
  size <- as.integer(substring(about$dtype, 3))
  switch(kind,
    f = readBin(raw, "double", count, size, endian = "little"),
    b = as.logical(readBin(raw, "integer", count, 1)),
    u = whole_numbers(raw, count, size, FALSE),
    i = whole_numbers(raw, count, size, TRUE),
    U = texts_of(raw, count, size),
    ppl_stop("run", paste0(path, " has the type ", about$dtype, ", which is unknown."))
  )
}

# whole_numbers returns integers; those of 8 bytes as double, exact to 2^53.
whole_numbers <- function(raw, count, size, signed) {
  if (size < 4) {
    return(readBin(raw, "integer", count, size, signed = signed, endian = "little"))
  }
  words <- as.double(readBin(raw, "integer", count * size / 4, 4, endian = "little"))
  unsigned <- function(w) ifelse(is.na(w), 2^31, ifelse(w < 0, w + 2^32, w)) # NA is the word of the least integer
  if (size == 4) {
    low <- unsigned(words)
    return(if (signed) ifelse(low >= 2^31, low - 2^32, low) else low)
  }
  low <- unsigned(words[c(TRUE, FALSE)])
  high <- unsigned(words[c(FALSE, TRUE)])
  low + 2^32 * if (signed) ifelse(high >= 2^31, high - 2^32, high) else high
}

texts_of <- function(raw, count, size) {
  points <- matrix(readBin(raw, "integer", count * size, 4, endian = "little"), size)
  apply(points, 2, function(x) intToUtf8(x[x != 0]))
}
