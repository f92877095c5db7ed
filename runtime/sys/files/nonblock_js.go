package files

// NonBlocking is without effect: the file system of a browser has no pipes.
const NonBlocking = 0

// hasLinks: the file system of a browser has none, and each call of it takes long.
const hasLinks = false
