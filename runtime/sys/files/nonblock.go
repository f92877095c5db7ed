//go:build !js

package files

import "syscall"

// NonBlocking makes the opening of a pipe return at once, without a writer at its other end.
const NonBlocking = syscall.O_NONBLOCK

// hasLinks says that a path may lead elsewhere than its words say.
const hasLinks = true
