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

// LockFile is the lock's name in a run directory.
const LockFile = "lock"

// Signs is how often the holder of a lock shows that it is alive, by writing to the lock file.
const Signs = 3 * time.Second

// missed is how many signs in a row a holder on another machine may fail to give before its lock is taken over.
const missed = 10

// A Lock is held by the process that writes a run. On one machine the system drops it when the process ends, so that a
// run whose process was killed can be distinguished from one that continues. Between machines that share a file system
// this is not certain: the system there may keep the lock of a machine that is gone, or know nothing of it. So the
// holder gives signs of life, which count whatever the clocks of the machines say.
type Lock struct {
	file  *os.File
	mine  Process
	stop  context.CancelFunc
	ended chan struct{} // closed when no more signs are given
	lost  bool          // known then: another process has taken the lock over
}

// A Process is one that writes a run.
type Process struct {
	Host    string    `json:"host"`
	Boot    string    `json:"boot,omitempty"` // the machine's, since it was last started; empty where there is none
	PID     int       `json:"pid"`
	Started time.Time `json:"started_at"`
}

func thisProcess() Process {
	host, _ := os.Hostname() // for people only
	return Process{host, boot(), os.Getpid(), time.Now().UTC()}
}

// elsewhere reports whether a process is, or was, on another machine, or on this one before it was started again.
func (p Process) elsewhere() bool { return p.Boot != "" && p.Boot != boot() }

// A Holder is the process that has a lock, and how many signs of life it has given.
type Holder struct {
	Process
	Signs int `json:"signs"`
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

// TakeLock locks a directory, which must exist, for a run, and gives a sign of life each time that signs have passed.
// The lock of a process on another machine is taken over if that gives no sign for ten times as long. Before
// that time is waited for, say is called.
func TakeLock(ctx context.Context, dir string, signs time.Duration, say func(line string)) (*Lock, error) {
	f, mine, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	if h := holder(dir); h.elsewhere() {
		say(fmt.Sprintf("the run in %s is that of process %d on %s: waiting %v for a sign of life", dir, h.PID, h.Host,
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

// openLock opens the lock file, and reports whether it could be locked.
func openLock(dir string) (f *os.File, mine bool, err error) {
	f, err = openRegular(dir)
	for try := 0; try < 10 && !mine && err == nil; try++ { // a reader that looks has it for a moment
		if mine, err = lockOf(f, true); !mine {
			time.Sleep(20 * time.Millisecond)
		}
	}
	return f, mine, err
}

// lockOf is files.TryLock, but on a system without locks, where two runs in one directory are not kept apart, it
// succeeds.
func lockOf(f *os.File, exclusive bool) (bool, error) {
	mine, err := files.TryLock(f, exclusive)
	if errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	return mine, err
}

// openRegular opens the lock file for writing. What is not an ordinary file of one name is refused: to write to a link
// would change another file.
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

// takeOver waits for a sign of life of the holder, and takes its lock if there is none: in another file if need be,
// since the system may keep the lock on the first one. ErrLocked where there is a sign.
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
		if len(now) == 0 { // given back
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
	_ = f.Close() // it has only been looked at
	return openLock(dir)
}

// live gives signs of life until the lock is given back, or has been taken over.
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
		_ = l.sign(n) // a disk that is full for a while may have room for the next
	}
}

// taken reports whether the lock file is another process's now. A directory that is gone has not been taken over.
func (l *Lock) taken() bool {
	now, err := os.Stat(l.file.Name())
	opened, err2 := l.file.Stat()
	if err != nil || err2 != nil {
		return false
	}
	h := holder(filepath.Dir(l.file.Name())).Process
	return !os.SameFile(now, opened) || h.PID != 0 && (h.PID != l.mine.PID || h.Boot != l.mine.Boot)
}

// sign writes who has the lock. Other machines see it because it is synced.
func (l *Lock) sign(n int) error { return writeHolder(l.file, Holder{l.mine, n}) }

// holderSize is the size of a lock file that somebody has: always the same, so that a reader sees one text or another.
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

// Lost waits until the lock has been given back or taken over by another process, and reports which: after the latter
// the run is not this process's to write any more.
func (l *Lock) Lost() bool {
	<-l.ended
	return l.lost
}

// end stops the signs of life, and says in the file that nobody has the lock, or the next process on another machine
// would wait in vain for signs.
func (l *Lock) end() {
	l.stop()
	if !l.Lost() && !l.taken() {
		_ = l.file.Truncate(0)
	}
}

// Release gives the lock back.
func (l *Lock) Release() error {
	l.end()
	return l.file.Close()
}

// Remove gives the lock back and deletes its file: for a directory that goes too.
func (l *Lock) Remove() error {
	l.end()
	return errors.Join(os.Remove(l.file.Name()), l.file.Close())
}

// readLock returns what the lock file holds; empty if it cannot be read.
func readLock(dir string) []byte {
	text, _ := files.Read(filepath.Join(dir, LockFile), mostLock)
	return text
}

// holder is who has, or had, the lock; empty if that is not known.
func holder(dir string) (h Holder) {
	_ = json.Unmarshal(readLock(dir), &h)
	return h
}

// abandoned reports whether the process that wrote a run has ended without a word. A run without a lock file, of ppl
// before there were locks, was when nothing has been heard of it for a minute.
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
