package draws

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// LockFile is the lock's name in a run directory.
const LockFile = "lock"

// A Lock is held by the process that writes a run. The system drops it when the process ends, so that a run whose
// process was killed can be distinguished from one that goes on.
type Lock struct{ file *os.File }

// A Holder is the process that has a lock.
type Holder struct {
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
}

// ErrLocked says that another process writes the run.
type ErrLocked struct {
	Dir    string
	Holder Holder
}

func (e ErrLocked) Error() string {
	return fmt.Sprintf("a run is going on in %s: process %d on %s, since %s", e.Dir, e.Holder.PID, e.Holder.Host,
		e.Holder.Started.Local().Format(time.DateTime))
}

// TakeLock locks a directory, which must exist, for a run.
func TakeLock(dir string) (*Lock, error) {
	f, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	var mine bool
	for try := 0; try < 10 && !mine && err == nil; try++ { // a reader that looks has it for a moment
		if mine, err = tryLock(f, true); !mine {
			time.Sleep(20 * time.Millisecond)
		}
	}
	if err == nil && !mine {
		err = ErrLocked{dir, holder(dir)}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	host, _ := os.Hostname() // for people only
	text, err := json.Marshal(Holder{host, os.Getpid(), time.Now().UTC()})
	if err == nil {
		err = errors.Join(f.Truncate(0), writeAt(f, text))
	}
	return &Lock{f}, err
}

func writeAt(f *os.File, text []byte) error {
	_, err := f.WriteAt(text, 0)
	return err
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.file.Close() }

// Remove gives the lock back and deletes its file: for a directory that goes too.
func (l *Lock) Remove() error { return errors.Join(os.Remove(l.file.Name()), l.file.Close()) }

func holder(dir string) (h Holder) {
	text, _ := os.ReadFile(filepath.Join(dir, LockFile)) // for people only: empty where it cannot be read
	_ = json.Unmarshal(text, &h)
	return h
}

// abandoned reports whether the process that wrote a run has ended without a word. A run without a lock file, of ppl
// before there were locks, was when nothing has been heard of it for a minute.
func abandoned(dir string, updated time.Time) bool {
	f, err := os.Open(filepath.Join(dir, LockFile))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && time.Since(updated) > time.Minute
	}
	defer f.Close()
	free, err := tryLock(f, false)
	return free && err == nil
}
