package datafile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/sharing"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/compiler/datasets/partition"
	"ppl/numbers"
	"ppl/runtime/sys/cache"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/memory"
	"ppl/runtime/sys/securedir"
)

// A RowCache has the settings for reading data files: the memory limit, the directory for the row files of data files
// that exceed it, and access to other machines.
type RowCache struct {
	Memory int64  // memory limit in bytes; larger files are read by rows
	Dir    string // the directory of the row files
	Bound  int64  // largest total size of the row files in bytes; the newest is kept even if it is larger

	// SharedAs is the name of the file in Dir through which the processes of one job on one machine share the numbers
	// of data (Sharing). It is empty if they do not share them.
	SharedAs string
	// Room is where long columns of numbers of Parquet files are kept, and matrices of them; nil: on the heap.
	Room numbers.Room

	// Converting is called before and during the conversion of a file, with the completed share, from 0 to 1. If it
	// returns an error, the conversion stops and removes its files. It may be nil.
	Converting func(path string, done float64) error
	// First is the number of rows to read of a file that is not converted yet, or 0 for all rows. A few rows are enough
	// to compile a model and to find its errors before all rows are copied. Their row file is removed.
	First int

	Distant remote.Store // access to other machines; if nil, URLs are errors

	Disk files.System // file system for row files; if nil, that of the machine
}

// DefaultRowCache returns a cache with the memory that the process may use (memory.Limit) and the user's cache
// directory.
func DefaultRowCache() RowCache {
	rows := cache.PartOf(cache.Rows)
	bound, _ := rows.Limit() // an error has been reported by the command
	s := RowCache{Memory: memory.Limit(), Bound: bound, Dir: rows.Dir()}
	if s.Dir == "" {
		s.Dir = filepath.Join(os.TempDir(), fmt.Sprintf("ppl-%d", os.Getuid()), "rows")
	}
	return s
}

func (s RowCache) memory() budget.Memory { return budget.Memory(max(s.Memory, memory.LeastForReading)) }

// Sharing returns the file through which the processes of this machine share numbers.
func (s RowCache) Sharing() sharing.Place {
	return sharing.Place{Dir: s.Dir, Name: s.SharedAs, Bound: s.Bound, Disk: s.disk()}
}

// Large reports whether a file or data set is too large to be read into memory. It returns false for files that cannot
// be opened. For a compressed file it estimates the contents from the beginning. If they are larger than estimated,
// reading the file returns an error. size is the size in bytes, or 0 for files so small that they certainly fit.
func (s RowCache) Large(path string) (size int64, large bool) {
	parts := s.Files(path)
	left := s.Memory
	for _, p := range parts {
		size += p.Size
	}
	if size <= s.Memory/budget.HighestCost {
		return 0, false
	}
	for _, p := range parts {
		takes, ok := s.takes(p, left)
		if !ok {
			return size, false
		}
		left -= takes
		if left < 0 {
			return size, true
		}
	}
	return size, false
}

// takes returns the memory that reading a file takes, or any number above most if this is more than most. ok is false
// if the file cannot be opened, or should not be read by rows.
func (s RowCache) takes(p partition.File, most int64) (bytes int64, ok bool) {
	in, err := stream.OpenInput(p.Path, []partition.File{p}, s.memory(), s.Distant)
	if err != nil {
		return 0, false // reading the file returns the error
	}
	defer in.Close()
	start, _ := in.Text.Peek(1 << 16) // an error only means that the file is shorter
	m := budget.Counter{Cost: costOf(in.Kind, start), Left: most}
	switch {
	case !in.IsPacked() && len(m.Of) == 0: // all bytes have the same cost
		return p.Size * m.Each, true
	case in.IsPacked() && len(start) > 0:
		_, _ = m.Write(start)
		each := float64(most-m.Left) / float64(len(start))
		takes := float64(p.Size) * budget.PackedCost * each
		return int64(takes), takes <= float64(most) || !in.Expands()
	}
	_, _ = io.Copy(&m, in.Text)
	return most - m.Left, true
}

// ByRows opens a large data file for reading by rows. If there is no row file for the current version of the data file,
// ByRows creates it.
func (s RowCache) ByRows(path string) (*content.File, error) {
	identity, err := s.identityOf(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(identity))
	name := filepath.Join(s.Dir, hex.EncodeToString(sum[:16])+rowEnding)
	rows, err := s.open(path, name, identity)
	if err != nil {
		return nil, err
	}
	rows.Path = path
	return fileOf(rows), nil
}

// identityOf returns a text that changes whenever a file changes, or one of the files of a data set.
func (s RowCache) identityOf(path string) (string, error) {
	parts, many, err := s.parts(path)
	if err != nil {
		return "", err
	}
	if !many {
		parts = []partition.File{{Path: path}}
	}
	var all []string
	for _, p := range parts {
		version, err := remote.Version(p.Path, s.Distant)
		if err != nil {
			return "", fmt.Errorf("cannot read data: %w", err)
		}
		all = append(all, version)
	}
	if many { // the keys depend on the path; workers of a run have it as an absolute one
		if !remote.IsURL(path) {
			if path, err = filepath.Abs(path); err != nil {
				return "", err
			}
		}
		all = append(all, path)
	}
	return strings.Join(all, "\n"), nil
}

// rowEnding is different for each version of the format of row files, so that older files are not read.
const rowEnding = ".rows5"

// open returns the row file with a name, which it writes if there is none or if it is damaged.
func (s RowCache) open(path, name, identity string) (*rowfile.File, error) {
	if err := securedir.Dir(s.Dir); err != nil { // another user could change the rows
		return nil, fmt.Errorf("%s is too large for memory, and its rows cannot be cached in %s: %w; "+
			"XDG_CACHE_HOME=DIR sets another directory", path, s.Dir, err)
	}
	if rows, err := rowfile.Open(name, identity); err == nil {
		cache.Touch(name)
		return rows, nil
	}
	if s.First > 0 {
		return s.firstRows(path, identity)
	}
	if err := s.converting(path, 0); err != nil {
		return nil, err
	}
	if err := s.conversion(path, name, identity).Run(); err != nil {
		return nil, err
	}
	s.evict(name)
	return rowfile.Open(name, identity)
}

// firstRows returns a row file of the first rows. The file is removed, but stays readable while it is open.
func (s RowCache) firstRows(path, identity string) (*rowfile.File, error) {
	name := filepath.Join(s.Dir, "converting-"+rand.Text())
	defer s.disk().Remove(name)
	s.Converting = nil
	if err := s.conversion(path, name, identity).Run(); err != nil {
		return nil, err
	}
	return rowfile.Open(name, identity)
}

// conversion returns the conversion of a data file to a row file.
func (s RowCache) conversion(path, name, identity string) stream.Conversion {
	return stream.Conversion{
		Open:   func() (*stream.Input, error) { return s.openInput(path) },
		Source: sourceOf,
		Rows:   s.First,
		To: rowfile.Writer{Disk: s.disk(), Name: name, Identity: identity,
			Progress: func(done float64) error { return s.converting(path, done) }},
	}
}

// openInput opens the files that a path names for sequential reading.
func (s RowCache) openInput(path string) (*stream.Input, error) {
	parts, many, err := s.parts(path)
	if err != nil {
		return nil, err
	}
	if !many {
		parts = []partition.File{{Path: path}}
	}
	return stream.OpenInput(path, parts, s.memory(), s.Distant)
}

// sourceOf returns a source of the rows of a file, or of a data set with the keys of its folders.
func sourceOf(in *stream.Input, l *stream.Learned) (rowfile.Source, error) {
	if len(in.Parts) == 1 && in.Part() == in.Path {
		return readRows(in, l)
	}
	names, columns, err := keyColumns(in.Path, in.Parts)
	if err != nil {
		return nil, err
	}
	src, err := readRows(in, l)
	if err == nil && !in.Table {
		err = in.NoTable()
	}
	return stream.AddKeys(in, src, names, columns), err
}

// readRows returns a source of rows, which it chooses by the format of the first file.
func readRows(in *stream.Input, l *stream.Learned) (rowfile.Source, error) {
	start, _ := in.Text.Peek(8)
	if read := rowReader(in.Kind, start); read != nil {
		return read(in, l)
	}
	return nil, fmt.Errorf("%s: a file too large for memory is read row by row, which is possible only for CSV, TSV, "+
		"Parquet, NumPy's .npy, IDX and CIFAR-10's files; convert it to one of these formats", in.Path)
}

// converting calls Converting if there is one.
func (s RowCache) converting(path string, done float64) error {
	if s.Converting == nil {
		return nil
	}
	return s.Converting(path, done)
}

// disk returns the file system below Dir, which does not follow links out of Dir.
func (s RowCache) disk() files.System {
	if s.Disk == nil {
		return files.Disk{}.Below(s.Dir)
	}
	return s.Disk.Below(s.Dir)
}

// evict removes old files until the directory has at most Bound bytes. It keeps the newest file.
func (s RowCache) evict(newest string) { cache.Evict(s.disk(), s.Dir, s.Bound, newest) }

// fileOf returns the columns of a row file, except the last, as arrays without values.
func fileOf(r *rowfile.File) *content.File {
	f := content.NewFile(r.Path, r.Table)
	f.Lone, f.Notes = r.Lone, r.Notes
	for i := range r.Columns[:len(r.Columns)-1] {
		c := &r.Columns[i]
		if c.Name == "" { // the column is replaced by a key of the folders
			continue
		}
		if c.Unread != "" {
			f.Refuse(c.Name, errors.New(c.Unread))
			continue
		}
		f.Add(&content.Array{Name: c.Name, Shape: append([]int{r.Rows}, c.Shape...), Int: c.Int, Labels: c.Labels,
			Levels: c.Levels, Ordered: c.Ordered, Days: c.Days, Zeros: c.Zeros, Origin: r.Path, Rows: r,
			Columns: []int{i}})
	}
	return f
}
