package files

import "sync"

// A Batch replaces many files below a directory, each like Replace, but waits for the disk only once for all of them:
//
//	b := files.NewBatch(files.Disk{}, "m.run")
//	err := b.Replace("m.run/posterior/a/0", a)            // written under a temporary name
//	err = b.Close(b.Replace("m.run/posterior/b/0", text)) // synced, then renamed to the final name
//
// Replace may be called from several goroutines at the same time.
type Batch struct {
	on    System
	dir   string
	mu    sync.Mutex
	paths []string
}

// NewBatch returns a batch without files.
func NewBatch(on System, dir string) *Batch { return &Batch{on: on, dir: dir} }

// Replace writes data under a temporary name, to be renamed to path by Close.
func (b *Batch) Replace(path string, data []byte) error {
	b.mu.Lock()
	b.paths = append(b.paths, path)
	b.mu.Unlock()
	return write(b.on, partialOf(path), [][]byte{data}, unsynced)
}

// Close renames the files to their final names if err is nil; otherwise it removes them. It returns err or its own
// error.
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

// remove deletes files that were not renamed. It ignores errors, since an earlier error is reported.
func (b *Batch) remove(paths []string) {
	for _, path := range paths {
		_ = b.on.Remove(partialOf(path))
	}
}
