//go:build !js

package files

import "syscall"

// NonBlocking makes opening a pipe return at once, even if no process has opened its other end.
const NonBlocking = syscall.O_NONBLOCK

// hasLinks reports that the file system may have symbolic links.
const hasLinks = true
