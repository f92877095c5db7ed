package datafile

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ppl/compiler/datasets/partition"
	"ppl/numbers"
)

// A data set of many files is the table that has their rows one after another, in the order of package partition:
//
//	sales/year=2024/a.csv    item,price     item, price, year: the columns of the files, and the keys of folders
//	sales/year=2025/a.csv    item,price
//
// Files of text are read as one text would be, so that what a column is follows from all of them; columns of other
// files are joined where they agree. A column that some files lack, or that has another type there, is a mistake only
// if a model reads it.

// Parts returns the files that a path names if it is a pattern, or a folder with tables.
func (s RowCache) Parts(name string) (parts []partition.File, many bool, err error) {
	if IsURL(name) {
		if parts, many, err = s.distantParts(name); err != nil {
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
			return nil, true, fmt.Errorf("cannot read data: %s is not a pattern: a [ has no matching ]", name)
		}
		if err == nil && len(parts) == 0 || errors.Is(err, fs.ErrNotExist) {
			return nil, true, fmt.Errorf("cannot read data: no file matches %s%w", name, silent{fs.ErrNotExist})
		}
	}
	if err != nil {
		return nil, true, fmt.Errorf("cannot read data: %w", err)
	}
	return parts, true, nil
}

// Files returns the files that a path names, with their sizes; none if there are none.
func (s RowCache) Files(name string) []partition.File {
	parts, many, err := s.Parts(name)
	if err != nil || many {
		return parts
	}
	if IsURL(name) {
		file, err := s.distant(name)
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

// Absent returns the error of a path that names no data.
func (s RowCache) Absent(name string) error {
	if _, many, err := s.Parts(name); many || err != nil {
		return err
	}
	if IsURL(name) {
		_, err := s.distant(name)
		return err
	}
	if _, err := os.Stat(name); err != nil {
		return fmt.Errorf("cannot read data: %w", err)
	}
	return nil
}

// isTable reports whether a file in a folder is a table by its name.
func isTable(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	return slices.Contains([]string{".csv", ".tsv", ".tab", ".parquet", ".arrow", ".arrows", ".feather",
		".jsonl", ".ndjson"},
		path.Ext(name))
}

// commaOf returns what separates the columns of a table of text of that name.
func commaOf(kind string) (comma rune, ok bool) {
	switch strings.ToLower(filepath.Ext(strings.TrimSuffix(kind, ".gz"))) {
	case ".csv":
		return ',', true
	case ".tsv", ".tab":
		return '\t', true
	}
	return 0, false
}

// openParts reads the files of a data set.
func (s RowCache) openParts(path string, parts []partition.File) (f *File, err error) {
	rows := make([]int, len(parts))
	if slices.ContainsFunc(parts, func(p partition.File) bool { _, ok := commaOf(nameIn(p.Path)); return !ok }) {
		f, err = s.joinParts(path, parts, rows)
	} else {
		f, err = s.readTexts(path, parts, rows)
	}
	if err != nil {
		return nil, err
	}
	return f, f.addKeys(parts, rows)
}

// readTexts reads tables of text as one.
func (s RowCache) readTexts(path string, parts []partition.File, rows []int) (*File, error) {
	var texts []*tableText
	var notes []string
	left := s.memory()
	for _, p := range parts {
		kind, raw, err := s.text(p.Path)
		if err != nil {
			return nil, err
		}
		left -= int64(len(raw))
		if left < 0 {
			return nil, s.expands(path, s.memory()-left)
		}
		if _, err := formatOf(kind, raw); err != nil {
			return nil, err
		}
		text, more := decodeText(p.Path, strings.TrimPrefix(asText(raw), "\ufeff"))
		comma, _ := commaOf(kind)
		t, err := newTableText(p.Path, oneKindOfLines(text), comma)
		if err != nil {
			return nil, err
		}
		texts, notes = append(texts, t), append(notes, more...)
	}
	f, err := readTables(path, texts)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		rows[i] = t.rows
	}
	f.Notes = append(notes, f.Notes...)
	return f, nil
}

// joinParts joins the columns of files.
func (s RowCache) joinParts(path string, parts []partition.File, rows []int) (*File, error) {
	files := make([]*File, len(parts))
	for i, p := range parts {
		f, err := s.openOne(p.Path)
		if err != nil {
			return nil, err
		}
		if !f.Table {
			return nil, fmt.Errorf("%s is not a table: files of a data set are CSV, TSV, JSON Lines, Parquet, Arrow "+
				"or Feather", p.Path)
		}
		files[i], rows[i] = f, f.rows
	}
	f := newFile(path, true)
	for _, p := range files {
		f.Notes = append(f.Notes, p.Notes...)
	}
	for _, name := range files[0].Order {
		if k := slices.IndexFunc(files, func(p *File) bool { return !p.has(name) }); k >= 0 {
			f.lacks(lacking{name, files[k].Path, files[0].Path})
			continue
		}
		f.later(name, func() (*Array, error) { return joinColumns(path, name, files) })
	}
	for _, p := range files {
		for _, name := range p.Order {
			if !files[0].has(name) {
				f.lacks(lacking{name, files[0].Path, p.Path})
			}
		}
	}
	return f, nil
}

// joinColumns joins the columns of a name of all files.
func joinColumns(path, name string, files []*File) (*Array, error) {
	columns := make([]*Array, len(files))
	for i, f := range files {
		columns[i] = f.Array(name)
		delete(f.Arrays, name) // it is not needed twice
		if err := columns[i].Unread; err != nil {
			return nil, err
		}
	}
	return joinedColumns(path, columns)
}

// addKeys adds the keys of folders as columns, instead of those that the files have of the same names.
func (f *File) addKeys(parts []partition.File, rows []int) error {
	names, columns, err := keyColumns(f.Path, parts)
	if err != nil {
		return err
	}
	for i, a := range columns {
		if f.has(names[i]) {
			f.Notes = append(f.Notes, keyNote(f.Path, names[i]))
			delete(f.unread, visible(names[i]))
			f.Order = slices.DeleteFunc(f.Order, func(o string) bool { return o == visible(names[i]) })
		}
		if a.Unread == nil {
			if a, err = joinedColumns(f.Path, []*Array{a.repeated(rows)}); err != nil { // without names of empty files
				return err
			}
		}
		a.Origin = f.Path
		f.add(a)
	}
	return nil
}

func keyNote(path, name string) string {
	return fmt.Sprintf("column %q of %s is read from the names of the folders, and not from the files", name, path)
}

// repeated has each element as often as a list says.
func (a *Array) repeated(times []int) *Array {
	b, total := *a, 0
	var values numbers.Builder
	for i, n := range times {
		for range n {
			values.Add(a.Values.At(i))
		}
		total += n
	}
	b.Shape, b.Values = []int{total}, values.List()
	return &b
}

// keyColumns returns the keys of folders as columns with an element for each file. They are read as the columns of a
// table of text.
func keyColumns(path string, parts []partition.File) (names []string, columns []*Array, err error) {
	for _, p := range parts {
		for _, k := range p.Keys {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil, nil
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	lacks := map[string]error{}
	rows := [][]string{names}
	for _, p := range parts {
		row := make([]string, len(names))
		for i, name := range names {
			at := slices.IndexFunc(p.Keys, func(k partition.Key) bool { return k.Name == name })
			switch {
			case at < 0:
				lacks[name] = cmp.Or(lacks[name], fmt.Errorf("%s: %s lies in no folder %s=…", path, p.Path, name))
				row[i] = "NA"
			case p.Keys[at].Missing || strings.TrimSpace(p.Keys[at].Value) == "":
				row[i] = "NA"
			default:
				row[i] = p.Keys[at].Value
			}
		}
		rows = append(rows, row)
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, nil, err
	}
	f, err := readTable(path, text.String(), ',')
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		a := f.Arrays[visible(strings.TrimSpace(name))]
		if lacks[name] != nil {
			a = &Array{Name: name, Shape: []int{0}, Unread: lacks[name]}
		}
		columns = append(columns, a)
	}
	return names, columns, nil
}
