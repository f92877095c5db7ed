package rundir

import (
	"io/fs"
	"path/filepath"
	"slices"

	"ppl/runtime/sys/files"
)

// SecondIn returns the directory of the second attempt of a run.
func SecondIn(dir string) string { return filepath.Join(dir, "second", "run") }

// Second opens the directory of the second attempt. It creates the directory if needed; if it contains an attempt, that
// is resumed.
func (d *Dir) Second() (*Dir, error) {
	second := &Dir{Disk: d.Disk, Path: SecondIn(d.Path)}
	if err := d.Disk.MkdirAll(second.Path, 0o777); err != nil {
		return nil, err
	}
	return second, second.Look(GoOn)
}

// markIn returns the path of the file that marks that the second attempt is replacing the first.
func markIn(dir string) string { return filepath.Join(dir, "second", "adopted") }

// RemoveSecond removes the second attempt.
func (d *Dir) RemoveSecond() error { return d.Disk.RemoveAll(filepath.Join(d.Path, "second")) }

// StartAdopting replaces the first attempt by the second.
func (d *Dir) StartAdopting() error {
	if err := files.Replace(d.Disk, markIn(d.Path)); err != nil {
		return err
	}
	return d.adopt()
}

// Adopting reports whether a process ended while a second attempt was replacing the first.
func Adopting(path string) bool { return Exists(markIn(path)) }

// adopt moves the files of the second attempt to the run directory. If it is interrupted, calling it again continues:
// it first removes the first attempt, run.json last, then moves the second one, run.json last.
func (d *Dir) adopt() error {
	from := SecondIn(d.Path)
	if isRunOn(d.Disk, from) {
		if isRunOn(d.Disk, d.Path) {
			if err := d.remove(); err != nil {
				return err
			}
		}
		if err := d.moveUp(from); err != nil {
			return err
		}
	}
	return d.RemoveSecond()
}

// moveUp moves all files of a run to the run directory.
func (d *Dir) moveUp(from string) error {
	entries, err := d.Disk.ReadDir(from)
	if err != nil {
		return err
	}
	last := func(e fs.DirEntry) int { return map[bool]int{e.Name() == runFile: 1}[true] }
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return last(a) - last(b) })
	for _, e := range entries {
		if err := d.Disk.Rename(filepath.Join(from, e.Name()), filepath.Join(d.Path, e.Name())); err != nil {
			return err
		}
	}
	return d.Disk.Sync(d.Path)
}
