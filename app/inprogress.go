package app

import (
	"sync/atomic"

	"ppl/app/rundir"
	"ppl/posterior/store"
)

// inProgress refers to the output of a run in progress, for goroutines other than the sampling one.
type inProgress struct {
	dir     atomic.Pointer[rundir.Dir] // nil before the directory is locked
	current atomic.Pointer[recorder]   // nil before recording starts
}

// Abandon saves the draws so far of a run whose process is about to end. It returns the directory of the run, or "" if
// there is nothing to keep. It may be called at any time from any goroutine.
func (k *inProgress) Abandon() (kept string, err error) {
	dir, r := k.dir.Load(), k.current.Load()
	switch {
	case dir == nil:
		return "", nil
	case r == nil:
		dir.Close(false)
		return "", nil
	}
	return dir.Path, r.close(nil, store.Interrupted, nil)
}

// lose ends the run after another process has taken its directory over, since further writes would corrupt the other's
// files. If instead is not nil, lose calls it and does nothing else.
func (k *inProgress) lose(instead func()) {
	if instead != nil {
		instead()
	} else if r := k.current.Load(); r != nil {
		r.lose()
	}
}
