package datafile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/datafile/table"
	"ppl/compiler/datasets/partition"
	"ppl/numbers"
)

// A data set of many files is a table with the rows of the files one after another, in the order of package partition:
//
//	sales/year=2024/a.csv    item,price     item, price, year: the columns of the files, and the keys of folders
//	sales/year=2025/a.csv    item,price
//
// If all files are tables of text, they are read as if they were one text, so that the type of a column follows from
// all of them. Otherwise columns are joined if they have the same kind of values in all files. A column that is not in
// all files, or has different kinds of values, is an error only for a model that reads it.

// parts returns the files of a path that is a pattern or a folder with tables. many is false if the path names one file
// or a folder of pictures.
func (s RowCache) parts(name string) (parts []partition.File, many bool, err error) {
	if remote.IsURL(name) {
		if parts, many, err = remote.Parts(name, s.Distant, isTable); err != nil {
			err = fmt.Errorf("cannot read data: %w", err)
		}
		return parts, many, err
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		parts, err = partition.Below(name, isTable, partition.Local)
		if errors.Is(err, fs.ErrNotExist) || len(parts) == 0 {
			return nil, false, err // a folder of pictures
		}
	case err == nil || !partition.IsPattern(name):
		return nil, false, nil
	default:
		parts, err = partition.Matching(name, partition.Local)
		if errors.Is(err, path.ErrBadPattern) {
			return nil, true, fmt.Errorf("cannot read data: the pattern %s is invalid; a [ needs a matching ] "+
				"with characters in between", name)
		}
		if err == nil && len(parts) == 0 || errors.Is(err, fs.ErrNotExist) {
			return nil, true, fmt.Errorf("cannot read data: no file matches %s%w", name,
				damage.Silent{Err: fs.ErrNotExist})
		}
	}
	if err != nil {
		return nil, true, fmt.Errorf("cannot read data: %w", err)
	}
	return parts, true, nil
}

// Files returns the files that a path names, with their sizes; nil after an error.
func (s RowCache) Files(name string) []partition.File {
	parts, many, err := s.parts(name)
	if err != nil || many {
		return parts
	}
	if remote.IsURL(name) {
		file, err := remote.OpenURL(name, s.Distant)
		if err != nil {
			return nil
		}
		return []partition.File{{Path: name, Size: file.Size()}}
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	return []partition.File{{Path: name, Size: info.Size()}}
}

// Absent returns an error if a path does not name existing data.
func (s RowCache) Absent(name string) error {
	if _, many, err := s.parts(name); many || err != nil {
		return err
	}
	if remote.IsURL(name) {
		_, err := remote.OpenURL(name, s.Distant)
		return err
	}
	if _, err := os.Stat(name); err != nil {
		return fmt.Errorf("cannot read data: %w", err)
	}
	return nil
}

// openParts opens the files of a data set as one table.
func (s RowCache) openParts(path string, parts []partition.File) (f *content.File, err error) {
	rows := make([]int, len(parts))
	if slices.ContainsFunc(parts, isNoText) {
		f, err = s.joinParts(path, parts, rows)
	} else {
		f, err = s.readTexts(path, parts, rows)
	}
	if err != nil {
		return nil, err
	}
	return f, addKeys(f, parts, rows)
}

// isNoText reports whether a file of a data set is not a table of text.
func isNoText(p partition.File) bool {
	_, isText := table.CommaOf(remote.Name(p.Path))
	return !isText
}

// readTexts reads tables of text as one table. It sets rows to the number of rows of each file.
func (s RowCache) readTexts(path string, parts []partition.File, rows []int) (*content.File, error) {
	var texts []*table.Text
	left := int64(s.memory())
	for _, p := range parts {
		kind, raw, err := s.text(p.Path)
		if err != nil {
			return nil, err
		}
		left -= int64(len(raw))
		if left < 0 {
			return nil, s.memory().Exceeded(path, int64(s.memory())-left)
		}
		if _, err := readerOf(kind, raw); err != nil {
			return nil, err
		}
		comma, _ := table.CommaOf(kind)
		t, err := table.NewText(p.Path, strings.TrimPrefix(asText(raw), "\ufeff"), comma)
		if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
	f, err := table.ReadTexts(path, texts)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		rows[i] = t.Rows
	}
	return f, nil
}

// joinParts returns a table of the joined columns of files, which are read when File.Array is called. It sets rows to
// the number of rows of each file.
func (s RowCache) joinParts(path string, parts []partition.File, rows []int) (*content.File, error) {
	files := make([]*content.File, len(parts))
	for i, p := range parts {
		f, err := s.openOne(p.Path)
		if err != nil {
			return nil, err
		}
		if !f.Table {
			return nil, fmt.Errorf("%s is not a table: files of a data set are CSV, TSV, JSON Lines, Parquet, Arrow "+
				"or Feather", p.Path)
		}
		files[i], rows[i] = f, f.Rows
	}
	f := content.NewFile(path, true)
	for _, p := range files {
		f.Rows += p.Rows
		f.Notes = append(f.Notes, p.Notes...)
	}
	for _, name := range files[0].Order {
		if k := slices.IndexFunc(files, func(p *content.File) bool { return !p.Has(name) }); k >= 0 {
			f.Lacks(content.Lacking{Column: name, Without: files[k].Path, With: files[0].Path})
			continue
		}
		f.AddLater(name, func() (*content.Array, error) { return joinColumns(path, name, files, s.Room) })
	}
	for _, p := range files {
		for _, name := range p.Order {
			if !files[0].Has(name) {
				f.Lacks(content.Lacking{Column: name, Without: files[0].Path, With: p.Path})
			}
		}
	}
	return f, nil
}

// joinColumns joins the columns with a name of all files, in room.
func joinColumns(path, name string, files []*content.File, room numbers.Room) (*content.Array, error) {
	columns := make([]*content.Array, len(files))
	for i, f := range files {
		columns[i] = f.Array(name)
		delete(f.Arrays, name) // frees its memory
		if err := columns[i].Unread; err != nil {
			return nil, err
		}
	}
	return content.Join(path, columns, room)
}
