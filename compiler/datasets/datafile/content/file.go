// Package content has the types of what a data file contains, whatever its format: a File of Arrays, with the texts of
// a column encoded as numbers, and the reasons why some arrays cannot be read. A reader of a format makes them:
//
//	f := content.NewFile("x.csv", true)
//	labels, codes := content.Encode([]string{"b", "a", "b"}, make([]bool, 3))     // [a, b], [2, 1, 2]
//	f.Add(&content.Array{Name: "g", Shape: []int{3}, Int: true, Labels: labels, Values: codes, Origin: "x.csv"})
//	f.Refuse("y", errors.New("x.csv: column \"y\" has lists"))     // a mistake only if a model reads y
package content

import (
	"errors"
	"slices"
)

// A File is what one data file holds.
type File struct {
	Path   string
	Arrays map[string]*Array
	Order  []string // names in file order
	// a column without a name before the others, which has names of rows; nil if there is none
	RowNames *Array
	Table    bool     // a table: every array is a column of one length
	Lone     bool     // its one array has no name in the file: here it has the file's
	Notes    []string // what a user should know of how it was read
	Rows     int      // of a table

	unread map[string]func() (*Array, error) // arrays of Order that are read when they are wanted
}

// Array returns the array of a name of the file; nil if there is none. Of formats that keep columns apart it is read
// now.
func (f *File) Array(name string) *Array {
	read, waits := f.unread[name]
	if !waits {
		return f.Arrays[name]
	}
	delete(f.unread, name)
	a, err := read()
	if err != nil {
		a = &Array{Name: name, Shape: []int{0}, Origin: f.Path, Unread: err}
	}
	f.Arrays[name] = a
	return a
}

// AddLater enters an array that is read when it is wanted.
func (f *File) AddLater(name string, read func() (*Array, error)) {
	if f.unread == nil {
		f.unread = map[string]func() (*Array, error){}
	}
	name = Visible(name)
	f.unread[name] = func() (*Array, error) {
		a, err := read()
		if err == nil {
			a.Name = name
		}
		return a, err
	}
	f.Order = append(f.Order, name)
}

// Remove removes an array.
func (f *File) Remove(name string) {
	name = Visible(name)
	delete(f.unread, name)
	delete(f.Arrays, name)
	f.Order = slices.DeleteFunc(f.Order, func(o string) bool { return o == name })
}

// ReadAll reads all arrays; an error is that of a damaged file.
func (f *File) ReadAll() (*File, error) {
	for _, name := range f.Order {
		_, waits := f.unread[name]
		a := f.Array(name)
		if waits && a.Unread != nil && !a.Refused() && !errors.As(a.Unread, &unlike{}) {
			return nil, a.Unread
		}
	}
	return f, nil
}

// NewFile returns a file without arrays.
func NewFile(path string, table bool) *File {
	return &File{Path: path, Arrays: map[string]*Array{}, Table: table}
}

// Find returns the array of a name; if there is none, the only one that is spelled so.
func (f *File) Find(name string) *Array {
	if a := f.Array(name); a != nil {
		return a
	}
	found := ""
	for _, n := range f.Order {
		if Spelled(n) == name && found != "" {
			return nil
		} else if Spelled(n) == name {
			found = n
		}
	}
	return f.Array(found)
}

// Columns returns all arrays in file order, and the names of rows.
func (f *File) Columns() (all []*Array) {
	for _, name := range f.Order {
		all = append(all, f.Array(name))
	}
	if f.RowNames != nil {
		all = append(all, f.RowNames)
	}
	return all
}

// Refuse enters a column that cannot be read, which is a mistake only if a model reads it.
func (f *File) Refuse(name string, err error) {
	f.Add(&Array{Name: name, Shape: []int{0}, Origin: f.Path, Unread: NotRead(err)})
}

func (f *File) Add(a *Array) {
	a.Name = Visible(a.Name)
	f.Arrays[a.Name] = a
	f.Order = append(f.Order, a.Name)
}
