package app

import (
	"sync/atomic"

	"ppl/app/rundir"
	"ppl/posterior/store"
)

// inProgress is where a run in progress writes, for other goroutines than the one that samples.
type inProgress struct {
	dir     atomic.Pointer[rundir.Dir] // nil before it is taken
	current atomic.Pointer[recorder]   // nil before there is one
}

// Abandon saves what there is of a run whose process ends in the middle of a step, and returns the directory in which
// it is, "" if there is nothing to keep. It may be called at any time, from any goroutine.
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

// lose ends the run when another process has taken its directory over: what is written there from then on would be
// mixed with what the other writes. With a function, that is called instead.
func (k *inProgress) lose(instead func()) {
	if instead != nil {
		instead()
	} else if r := k.current.Load(); r != nil {
		r.lose()
	}
}
