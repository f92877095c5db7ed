package datafile

import "math"

// A keyedSource adds the keys of folders to the rows of a data set.
type keyedSource struct {
	rowSource
	in   *input
	keys []*keyColumn
	row  int
}

// A keyColumn is a key with its value in each file. Texts get their numbers where they first appear.
type keyColumn struct {
	Column
	of    *Array
	names dictionary
}

// withKeys adds keys to rows, instead of columns of the same names.
func (in *input) withKeys(src rowSource, names []string, columns []*Array) rowSource {
	if len(names) == 0 || src == nil {
		return src
	}
	s := &keyedSource{rowSource: src, in: in}
	for i, a := range columns {
		k := &keyColumn{of: a,
			Column: Column{Name: visible(names[i]), Type: "f8", Int: a.Int, Days: a.Days, Zeros: a.Zeros}}
		if a.Unread != nil {
			k.Unread, k.Shape = a.Unread.Error(), []int{0}
		}
		s.keys = append(s.keys, k)
		for _, c := range src.columns() {
			if c.Name == k.Name {
				in.notes = append(in.notes, keyNote(in.path, names[i]))
			}
		}
	}
	return s
}

// at returns the value of a key in a row of a file.
func (k *keyColumn) at(part, row int) (float64, error) {
	v := k.of.Values.At(part)
	if k.of.Labels == nil || math.IsNaN(v) {
		return v, nil
	}
	return k.names.code(k.of.Labels[int(v)-1], row)
}

func (s *keyedSource) columns() (all []Column) {
	for _, c := range s.rowSource.columns() {
		for _, k := range s.keys {
			if c.Name == k.Name {
				c.Name, c.Unread = "", "the key of that name is read"
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

func (s *keyedSource) next(record []float64) error {
	width := len(record)
	for _, k := range s.keys {
		width -= k.size()
	}
	if err := s.rowSource.next(record[:width]); err != nil {
		return err
	}
	for _, k := range s.keys {
		if k.size() == 0 {
			continue
		}
		v, err := k.at(s.in.at, s.row)
		if err != nil {
			return err
		}
		record[width] = v
		width++
	}
	s.row++
	return nil
}
