package files

import "sync"

// A Batch replaces many files below a directory, each as Replace does, but waits for the disk once for all of them:
//
//	b := files.NewBatch(files.Disk{}, "m.run")
//	err := b.Replace("m.run/posterior/a/0", a)            // under another name
//	err = b.Close(b.Replace("m.run/posterior/b/0", text)) // synced, then under the name that readers look for
//
// Different goroutines may replace files at the same time.
type Batch struct {
	on    System
	dir   string
	mu    sync.Mutex
	paths []string
}

// NewBatch replaces no file yet.
func NewBatch(on System, dir string) *Batch { return &Batch{on: on, dir: dir} }

// Replace writes what is to be at a path.
func (b *Batch) Replace(path string, data []byte) error {
	b.mu.Lock()
	b.paths = append(b.paths, path)
	b.mu.Unlock()
	return write(b.on, partialOf(path), [][]byte{data}, unsynced)
}

// Close lets the files take their places, or none of them after an error, which comes back.
func (b *Batch) Close(err error) error {
	if err == nil {
		err = b.on.SyncAll(b.dir)
	}
	for i, path := range b.paths {
		if err == nil {
			err = b.on.Rename(partialOf(path), path)
		}
		if err != nil {
			b.remove(b.paths[i:])
			break
		}
	}
	return err
}

// remove deletes what did not take its place; the error that came before is the one to report.
func (b *Batch) remove(paths []string) {
	for _, path := range paths {
		_ = b.on.Remove(partialOf(path))
	}
}
