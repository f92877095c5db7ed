package datafile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/compiler/datasets/datafile/table"
	"ppl/compiler/datasets/partition"
)

// addKeys adds the keys of the folders of files as columns, which replace columns of the files with the same names;
// rows has the number of rows of each file.
func addKeys(f *content.File, parts []partition.File, rows []int) error {
	names, columns, err := keyColumns(f.Path, parts)
	if err != nil {
		return err
	}
	for i, a := range columns {
		if f.Has(names[i]) {
			f.Notes = append(f.Notes, stream.KeyNote(f.Path, names[i]))
			f.Remove(names[i])
		}
		if a.Unread == nil {
			// Join drops the labels of files without rows.
			if a, err = content.Join(f.Path, []*content.Array{a.Repeated(rows)}, nil); err != nil {
				return err
			}
		}
		a.Origin = f.Path
		f.Add(a)
	}
	return nil
}

// keyColumns returns the keys of folders as columns with one element for each file. It reads the values of a key like a
// column of a table of text. The column of a key that some file does not have has an error in Unread.
func keyColumns(path string, parts []partition.File) (names []string, columns []*content.Array, err error) {
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
	lacks := map[string]error{}
	rows := [][]string{names}
	for _, p := range parts {
		row := make([]string, len(names))
		for i, name := range names {
			at := slices.IndexFunc(p.Keys, func(k partition.Key) bool { return k.Name == name })
			switch {
			case at < 0:
				lacks[name] = cmp.Or(lacks[name], fmt.Errorf("%s: %s is not in a folder %s=…", path, p.Path, name))
				row[i] = "NA"
			case p.Keys[at].Missing || strings.TrimSpace(p.Keys[at].Value) == "":
				row[i] = "NA"
			default:
				row[i] = p.Keys[at].Value
			}
		}
		rows = append(rows, row)
	}
	f, err := table.ReadRecords(path, rows)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		a := f.Arrays[content.Visible(strings.TrimSpace(name))]
		if lacks[name] != nil {
			a = &content.Array{Name: name, Shape: []int{0}, Unread: lacks[name]}
		}
		columns = append(columns, a)
	}
	return names, columns, nil
}
