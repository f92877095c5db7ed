package files

// NonBlocking has no effect: the file system of a browser has no pipes.
const NonBlocking = 0

// hasLinks is false: the file system of a browser has no links, and each of its calls is slow.
const hasLinks = false
