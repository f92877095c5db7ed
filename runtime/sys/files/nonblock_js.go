package files

// NonBlocking is without effect: the file system of a browser has no pipes.
const NonBlocking = 0
