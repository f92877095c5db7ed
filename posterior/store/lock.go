package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ppl/runtime/sys/files"
)

// LockFile is the name of the lock in a run directory.
const LockFile = "lock"

// Signs is the interval at which the holder of a lock writes to the lock file, to show that it is alive.
const Signs = 3 * time.Second

// missed is the number of intervals without a write after which a lock held on another machine is taken over.
const missed = 10

// A Lock is held by the process that writes a run. On one machine, the operating system releases it when the process
// ends, so that a killed run can be distinguished from one that continues. On a shared file system this is not
// reliable: the system may keep the lock of a dead machine, or not support locks. The holder therefore writes to the
// file at regular intervals. Other machines watch for changes of the file, so clocks need not agree.
type Lock struct {
	file  *os.File
	mine  Process
	stop  context.CancelFunc
	ended chan struct{} // closed when the holder stops writing
	lost  bool          // valid after ended is closed: whether another process took the lock over
}

func thisProcess() Process {
	host, _ := os.Hostname() // only shown to people
	return Process{host, boot(), os.Getpid(), time.Now().UTC()}
}

// elsewhere reports whether a process runs on another machine, or ran before this machine's last boot.
func (p Process) elsewhere() bool { return p.Boot != "" && p.Boot != boot() }

// A Holder is the content of a lock file: the process that holds the lock, and a counter of its writes.
type Holder struct {
	Process
	Signs int `json:"signs"`
}

// ErrLocked reports that another process writes the run.
type ErrLocked struct {
	Dir    string
	Holder Holder
}

func (e ErrLocked) Error() string {
	return fmt.Sprintf("a run is in progress in %s: process %d on %s, since %s", e.Dir, e.Holder.PID, e.Holder.Host,
		e.Holder.Started.Local().Format(time.DateTime))
}

// TakeLock locks the existing directory of a run, and writes to the lock file at intervals of signs. If a process on
// another machine holds the lock, TakeLock waits for up to ten intervals, and takes the lock over if the holder writes
// nothing. It calls say before it waits.
func TakeLock(ctx context.Context, dir string, signs time.Duration, say func(line string)) (*Lock, error) {
	f, mine, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	if h := holder(dir); h.elsewhere() {
		say(fmt.Sprintf("process %[2]d on %[3]s holds the run in %[1]s: waiting %[4]v for a sign of "+
			"life", dir, h.PID, h.Host,
			(missed * signs).Round(time.Second)))
		f, mine, err = takeOver(ctx, f, mine, dir, signs, say)
	}
	if err == nil && !mine {
		err = ErrLocked{dir, holder(dir)}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &Lock{file: f, mine: thisProcess(), stop: stop, ended: make(chan struct{})}
	if err := l.sign(0); err != nil {
		stop()
		return nil, errors.Join(err, f.Close())
	}
	go l.live(ctx, signs)
	return l, nil
}

// openLock opens the lock file, and reports whether it could lock it.
func openLock(dir string) (f *os.File, mine bool, err error) {
	f, err = openRegular(dir)
	for try := 0; try < 10 && !mine && err == nil; try++ { // a reader that checks the lock holds it briefly
		if mine, err = lockOf(f, true); !mine {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return f, mine, err
}

// lockOf is files.TryLock, except that it succeeds on systems without locks. There, two runs in one directory are not
// prevented.
func lockOf(f *os.File, exclusive bool) (bool, error) {
	mine, err := files.TryLock(f, exclusive)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	return mine, err
}

// openRegular opens the lock file for writing. It rejects links and special files, since writing to a link would change
// another file.
func openRegular(dir string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written to it
	refused := ErrDamaged{dir, fmt.Errorf("%s is a link or a special file, and not the lock of a run; remove it",
		filepath.Join(dir, LockFile))}
	if info, err := root.Lstat(LockFile); err == nil && !ordinary(info) {
		return nil, refused
	}
	f, err := root.OpenFile(LockFile, os.O_RDWR|os.O_CREATE|files.NonBlocking, 0o666)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !ordinary(info) {
		return nil, errors.Join(refused, f.Close())
	}
	return f, nil
}

// takeOver waits for the holder to write. If it does, the error is ErrLocked. Otherwise takeOver takes the lock; if the
// operating system still holds it, it deletes the lock file and creates a new one.
func takeOver(ctx context.Context, f *os.File, mine bool, dir string, signs time.Duration, say func(line string)) (
	*os.File, bool, error) {
	before := readLock(dir)
	tick := time.NewTicker(signs)
	defer tick.Stop()
	for range missed {
		select {
		case <-ctx.Done():
			return f, false, ctx.Err()
		case <-tick.C:
		}
		now := readLock(dir)
		if len(now) == 0 { // the holder released the lock
			return reopen(f, dir)
		}
		if !bytes.Equal(now, before) {
			return f, false, ErrLocked{dir, holder(dir)}
		}
	}
	say(holder(dir).Host + " gives no sign of life; its run is taken over")
	if mine {
		return f, true, nil
	}
	if err := os.Remove(filepath.Join(dir, LockFile)); err != nil {
		return f, false, err
	}
	return reopen(f, dir)
}

func reopen(f *os.File, dir string) (*os.File, bool, error) {
	_ = f.Close() // nothing was written to it
	return openLock(dir)
}

// live writes to the lock file at intervals until the lock is released or taken over.
func (l *Lock) live(ctx context.Context, signs time.Duration) {
	defer close(l.ended)
	tick := time.NewTicker(signs)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.lost = l.taken()
		if l.lost {
			return
		}
		_ = l.sign(n) // if the disk is full now, the next write may succeed
	}
}

// taken reports whether another process has taken the lock file over. A missing directory does not count.
func (l *Lock) taken() bool {
	now, err := os.Stat(l.file.Name())
	opened, err2 := l.file.Stat()
	if err != nil || err2 != nil {
		return false
	}
	h := holder(filepath.Dir(l.file.Name())).Process
	return !os.SameFile(now, opened) || h.PID != 0 && (h.PID != l.mine.PID || h.Boot != l.mine.Boot)
}

// sign writes the holder to the lock file, and syncs it so that other machines see it.
func (l *Lock) sign(n int) error { return writeHolder(l.file, Holder{l.mine, n}) }

// holderSize is the size of a held lock file. It is constant, so that a reader never sees a mixture of two texts.
const holderSize = 512

func writeHolder(f *os.File, h Holder) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	text = append(text, bytes.Repeat([]byte(" "), max(0, holderSize-len(text)))...)
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Sync())
}

// Lost waits until the lock is released or another process takes it over. It returns true for the latter; then this
// process must no longer write the run.
func (l *Lock) Lost() bool {
	<-l.ended
	return l.lost
}

// end stops the writes, and empties the file. Otherwise the next process on another machine would wait for a dead
// holder.
func (l *Lock) end() {
	l.stop()
	if !l.Lost() && !l.taken() {
		_ = l.file.Truncate(0)
	}
}

// Release releases the lock.
func (l *Lock) Release() error {
	l.end()
	return l.file.Close()
}

// Remove releases the lock and deletes its file, for a directory that is deleted, too.
func (l *Lock) Remove() error {
	l.end()
	return errors.Join(os.Remove(l.file.Name()), l.file.Close())
}

// readLock returns the content of the lock file, or nothing if it cannot be read.
func readLock(dir string) []byte {
	text, _ := files.Read(filepath.Join(dir, LockFile), mostLock)
	return text
}

// holder returns the current or last holder of the lock, or the zero value if it is unknown.
func holder(dir string) (h Holder) {
	_ = json.Unmarshal(readLock(dir), &h)
	return h
}

// abandoned reports whether the process that wrote a run ended without recording it. A run without a lock file, which
// only old versions of ppl write, counts as abandoned after a minute without an update.
func abandoned(dir string, updated time.Time) bool {
	f, err := files.Open(filepath.Join(dir, LockFile))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && time.Since(updated) > time.Minute
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && holder(dir).elsewhere() {
		return time.Since(info.ModTime()) > missed*Signs
	}
	free, err := lockOf(f, false)
	return free && err == nil
}
