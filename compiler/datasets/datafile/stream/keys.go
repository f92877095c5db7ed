package stream

import (
	"fmt"
	"math"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/rowfile"
)

// A keyedSource adds the keys of folders to the rows of a data set.
type keyedSource struct {
	rowfile.Source
	in   *Input
	keys []*keyColumn
	row  int
}

// A keyColumn is a key of the folders with its value for each file. names numbers the texts in the order of first
// appearance.
type keyColumn struct {
	rowfile.Column
	of    *content.Array
	names dictionary
}

// AddKeys returns a source that adds the keys of folders to the rows of src. Columns of src with the names of keys are
// not read.
func AddKeys(in *Input, src rowfile.Source, names []string, columns []*content.Array) rowfile.Source {
	if len(names) == 0 || src == nil {
		return src
	}
	s := &keyedSource{Source: src, in: in}
	for i, a := range columns {
		k := &keyColumn{of: a, Column: rowfile.Column{Name: content.Visible(names[i]), Type: "f8", Int: a.Int,
			Days: a.Days, Zeros: a.Zeros}}
		if a.Unread != nil {
			k.Unread, k.Shape = a.Unread.Error(), []int{0}
		}
		s.keys = append(s.keys, k)
		for _, c := range src.Columns() {
			if c.Name == k.Name {
				in.Notes = append(in.Notes, KeyNote(in.Path, names[i]))
			}
		}
	}
	return s
}

// at returns the value of a key in a row of file number part.
func (k *keyColumn) at(part, row int) (float64, error) {
	v := k.of.Values.At(part)
	if k.of.Labels == nil || math.IsNaN(v) {
		return v, nil
	}
	return k.names.code(k.of.Labels[int(v)-1], row)
}

func (s *keyedSource) Columns() (all []rowfile.Column) {
	for _, c := range s.Source.Columns() {
		for _, k := range s.keys {
			if c.Name == k.Name {
				c.Name, c.Unread = "", "the key of this name is read"
			}
		}
		all = append(all, c)
	}
	for _, k := range s.keys {
		k.Labels, k.First = k.names.texts, k.names.first
		all = append(all, k.Column)
	}
	return all
}

func (s *keyedSource) Next(record []float64) error {
	width := len(record)
	for _, k := range s.keys {
		width -= k.Size()
	}
	if err := s.Source.Next(record[:width]); err != nil {
		return err
	}
	for _, k := range s.keys {
		if k.Size() == 0 {
			continue
		}
		v, err := k.at(s.in.At, s.row)
		if err != nil {
			return err
		}
		record[width] = v
		width++
	}
	s.row++
	return nil
}

// KeyNote returns the note about a column that the files and the names of the folders have.
func KeyNote(path, name string) string {
	return fmt.Sprintf("column %q of %s is read from the names of the folders, not from the files", name, path)
}
