//go:build !unix

package process

import "context"

// EndWithParent does nothing where a process is not given another parent when its own ends.
func EndWithParent(context.Context) {}
