package rundir

import (
	"io/fs"
	"path/filepath"
	"slices"

	"ppl/runtime/sys/files"
)

// SecondIn returns the directory of the second attempt of a run.
func SecondIn(dir string) string { return filepath.Join(dir, "second", "run") }

// Second makes the directory of the second attempt of the run, or finds the attempt that is to continue there.
func (d *Dir) Second() (*Dir, error) {
	second := &Dir{Disk: d.Disk, Path: SecondIn(d.Path)}
	if err := d.Disk.MkdirAll(second.Path, 0o777); err != nil {
		return nil, err
	}
	return second, second.Look(GoOn)
}

// markIn returns the file that says that the second attempt is to be moved up.
func markIn(dir string) string { return filepath.Join(dir, "second", "adopted") }

// RemoveSecond removes the second attempt.
func (d *Dir) RemoveSecond() error { return d.Disk.RemoveAll(filepath.Join(d.Path, "second")) }

// StartAdopting puts the second attempt instead of the first.
func (d *Dir) StartAdopting() error {
	if err := files.Replace(d.Disk, markIn(d.Path)); err != nil {
		return err
	}
	return d.adopt()
}

// Adopting reports whether a second attempt was being moved up when a process ended.
func Adopting(path string) bool { return Exists(markIn(path)) }

// adopt moves the second attempt up. It can be broken off anywhere and continues from there: first all of the first
// attempt goes, run.json last, then all of the second comes, run.json last.
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

// moveUp moves all of a run to its new place.
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
