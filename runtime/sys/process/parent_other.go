//go:build !unix

package process

import "context"

// EndWithParent does nothing on systems where a process keeps its parent id when the parent ends.
func EndWithParent(context.Context) {}
