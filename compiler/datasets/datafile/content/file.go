// Package content has the types for the contents of data files of all formats: a File of Arrays, with the texts of a
// column encoded as numbers, and the reasons why some arrays cannot be read. A reader of a format creates them:
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

// A File is the contents of one data file.
type File struct {
	Path   string
	Arrays map[string]*Array
	Order  []string // names, in the order of the file
	// RowNames is a first column without a name, which contains the names of the rows; nil if there is none.
	RowNames *Array
	Table    bool     // whether every array is a column, and all have the same length
	Lone     bool     // whether the file has one array, without a name; the array has the name of the file
	Notes    []string // notes for users about how the file was read
	Rows     int      // number of rows of a table

	unread map[string]func() (*Array, error) // reads the arrays that are read when Array is called
}

// Array returns the array with a name, or nil if there is none. If the array was added by AddLater, the first call
// reads it; after an error the array has the error in Unread.
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

// AddLater adds an array that is read when Array is called for it.
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

// ReadAll reads all arrays and returns the file. It returns an error if the file is damaged.
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

// Find returns the array with a name. If there is none, it returns the array whose name a model can write in this way
// (Spelled), or nil unless there is exactly one.
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

// Columns returns all arrays in the order of the file, and then RowNames if it is not nil.
func (f *File) Columns() (all []*Array) {
	for _, name := range f.Order {
		all = append(all, f.Array(name))
	}
	if f.RowNames != nil {
		all = append(all, f.RowNames)
	}
	return all
}

// Refuse adds an array that cannot be read, which is an error only for a model that reads it.
func (f *File) Refuse(name string, err error) {
	f.Add(&Array{Name: name, Shape: []int{0}, Origin: f.Path, Unread: NotRead(err)})
}

// Add adds an array.
func (f *File) Add(a *Array) {
	a.Name = Visible(a.Name)
	f.Arrays[a.Name] = a
	f.Order = append(f.Order, a.Name)
}
