package bind

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/numbers"
)

// files reads data files: first those of the command line, later those that the model names.
type files struct {
	m     *model.Model
	dir   string // directory for the files that the model names
	cache datafile.RowCache
	diags *diag.List

	loose []*content.File          // files given as --data PATH, matched by the names of their entries
	named map[string]namedFile     // files given as --data NAME=PATH
	own   map[string]*content.File // files that the model names
}

// A namedFile is a file that is given for one array.
type namedFile struct {
	file *content.File
	key  string // key of the entry
}

// open reads the files of the command line.
func (f *files) open(args []Arg) {
	f.named = map[string]namedFile{}
	for _, arg := range args {
		file, ok := scalar(arg)
		if !ok {
			file, ok = f.read(f.packaged(arg.Path, source.Span{}), source.Span{})
		}
		switch {
		case !ok:
		case arg.Name == "":
			f.loose = append(f.loose, file)
		case f.countsBy(arg.Name) && len(file.Order) == 1 && len(file.Array(file.Order[0]).Shape) == 0:
			f.loose = append(f.loose, file) // T=120: the number of elements of T
		case f.knows(arg.Name):
			f.named[arg.Name] = namedFile{file, cmp.Or(arg.Key, arg.Name)}
		default:
			d := f.diags.Errorf(diag.DataUnavailable, source.Span{}, "--data %s=%s: the model has no data `%s`",
				arg.Name, arg.Path, arg.Name)
			if near, ok := diag.Nearest(arg.Name, f.dataNames()); ok {
				d.Meant("`%s`", near)
			}
		}
	}
}

// scalar returns the number given by --data NAME=20, unless a file has this name.
func scalar(arg Arg) (*content.File, bool) {
	x, err := strconv.ParseFloat(arg.Path, 64)
	if err != nil || arg.Name == "" {
		return nil, false
	}
	if _, err := os.Stat(arg.Path); err == nil {
		return nil, false
	}
	a := &content.Array{Name: arg.Name, Values: numbers.Of(x), Int: x == math.Trunc(x), Origin: "--data " + arg.Name}
	arrays := map[string]*content.Array{arg.Name: a}
	return &content.File{Path: a.Origin, Arrays: arrays, Order: []string{arg.Name}}, true
}

// countsBy reports whether a name is the size of an index set and not data.
func (f *files) countsBy(name string) bool {
	return !f.knows(name) && slices.ContainsFunc(f.m.Sizes, func(z *model.Size) bool { return z.Name == name })
}

// knows reports whether the model has data with a given name.
func (f *files) knows(name string) bool { return slices.Contains(f.dataNames(), name) }

func (f *files) dataNames() (names []string) {
	for _, a := range f.m.Arrays {
		if isData(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// entry returns the entry with a name in the last file of the command line that has one, or nil.
func (f *files) entry(name string) *content.Array {
	for _, file := range slices.Backward(f.loose) {
		if x := file.Find(name); x != nil {
			return x
		}
	}
	return nil
}

// ofModel returns the file that the model names for an array, and the key of the entry in it. file is nil if it cannot
// be read; the error is reported once.
func (f *files) ofModel(a *model.Array) (file *content.File, key string) {
	path, key := fileOf(a, f.dir)
	file, known := f.own[path]
	if !known {
		file, _ = f.read(f.packaged(path, a.At), a.At)
		f.own[path] = file
	}
	if key == "" {
		key = a.Name
	}
	return file, key
}

// read reads a data file. If it is large and the model has row sets, it is opened for reading by rows. at is the
// position where the model names it.
func (f *files) read(path string, at source.Span) (*content.File, bool) {
	size, large := f.cache.Large(path)
	if large && len(f.m.RowSets) == 0 {
		f.tooLarge(path, size, at)
		return nil, false
	}
	read := f.cache.Open
	if large {
		read = f.cache.ByRows
	}
	file, err := read(path)
	if err != nil {
		d := f.diags.Errorf(diag.DataUnavailable, at, "%v", err)
		if errors.Is(err, fs.ErrNotExist) && fashion(path) {
			d.Help("Fashion-MNIST has a file of that name: on Debian, apt-get install dataset-fashion-mnist puts it "+
				"in %s, where it is found", fashionDir)
		} else if near, ok := nearestData(path); ok && errors.Is(err, fs.ErrNotExist) {
			d.Meant("%s", near)
		}
		return nil, false
	}
	for _, note := range file.Notes {
		f.diags.Notef(diag.UnreadRowNames, at, "%s", note)
	}
	if large {
		f.diags.Notef(diag.LargeData, at, "%s: its rows stay on disk, and minibatches are read from there",
			largeText(path, size, f.cache))
	}
	return file, true
}

// nearestData returns an existing file that a path may mean: one with a similar name and the same extension.
func nearestData(path string) (string, bool) {
	return diag.NearestFile(path, func(near string) bool {
		return strings.EqualFold(filepath.Ext(near), filepath.Ext(path))
	})
}

// fashionDir is the directory of Debian's package dataset-fashion-mnist.
const fashionDir = "/usr/share/datasets/fashion-mnist"

// fashion reports whether a path has the name of a file of Fashion-MNIST.
func fashion(path string) bool {
	return slices.Contains([]string{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
		"t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"}, filepath.Base(path))
}

// packaged returns a path. If a file of Fashion-MNIST does not exist there, but in fashionDir, it returns that path and
// adds a note.
func (f *files) packaged(path string, at source.Span) string {
	there := available(path)
	if there != path {
		f.diags.Notef(diag.UnreadRowNames, at, "%s does not exist; %s of Fashion-MNIST is read instead", path, there)
	}
	return there
}

// available is like packaged, without the note.
func available(path string) string {
	if _, err := os.Stat(path); err == nil || !fashion(path) || remote.IsURL(path) {
		return path
	}
	there := filepath.Join(fashionDir, filepath.Base(path))
	if _, err := os.Stat(there); err != nil {
		return path
	}
	return there
}

// tooLarge reports an error for a file that is too large for memory and cannot be read by rows.
func (f *files) tooLarge(path string, size int64, at source.Span) {
	const help = "give fewer rows, or more memory; only models with independent rows can read them in minibatches"
	text := largeText(path, size, f.cache)
	if len(f.m.Couplings) == 0 {
		f.diags.Errorf(diag.DataUnavailable, at, "%s, and a model without observed data cannot read it in "+
			"minibatches", text).Help(help)
	}
	for _, w := range f.m.Couplings {
		f.diags.Errorf(w.Code, w.At, "minibatch refused: %s; but %s", w.Text, text).Help(help)
	}
}

// LargeData describes how each file that a model names and that is too large for memory will be read.
func LargeData(m *model.Model, dir string, cache datafile.RowCache) (lines []string) {
	fate := "it cannot be read, since no minibatches can be drawn"
	if len(m.RowSets) > 0 {
		fate = "its rows stay on disk, and minibatches are read from there"
	}
	for _, n := range filesOfModel(m, dir) {
		path := available(n.path)
		if size, large := cache.Large(path); large {
			lines = append(lines, largeText(path, size, cache)+": "+fate)
		}
	}
	return lines
}

// Available reports whether the model gives a source for all its data, each file exists, and none is too large for
// memory.
func Available(m *model.Model, dir string, cache datafile.RowCache) bool {
	unnamed := func(a *model.Array) bool { return isData(a) && !a.Optional && a.Value == nil && a.From == "" }
	if slices.ContainsFunc(m.Arrays, unnamed) {
		return false // avoids a search of folders
	}
	return !slices.ContainsFunc(filesOfModel(m, dir), func(n modelFile) bool {
		path := available(n.path)
		_, large := cache.Large(path)
		return !n.optional && (large || cache.Absent(path) != nil)
	})
}

// Absent reports an error for each missing file that a model names.
func Absent(m *model.Model, dir string, cache datafile.RowCache) []diag.Diagnostic {
	var diags diag.List
	for _, n := range filesOfModel(m, dir) {
		err := cache.Absent(available(n.path))
		if err == nil {
			continue
		}
		d := diags.Errorf(diag.DataUnavailable, n.at, "%v", err)
		if near, ok := nearestData(n.path); ok {
			d.Meant("%s", near)
			continue
		}
		d.Help("paths in a model are relative to its directory; `--data %s=FILE` names another file",
			n.array)
	}
	return diags.All()
}

// A modelFile is a file, folder or pattern of files that a model names for data.
type modelFile struct {
	path     string
	array    string // the first array that is read from it
	at       source.Span
	optional bool // only optional data are read from it
}

// filesOfModel lists the files that a model in dir names, each path once, in the order of the arrays.
func filesOfModel(m *model.Model, dir string) (all []modelFile) {
	for _, a := range m.Arrays {
		if !isData(a) || a.Value != nil || a.From == "" {
			continue
		}
		path, _ := fileOf(a, dir)
		i := slices.IndexFunc(all, func(n modelFile) bool { return n.path == path })
		if i < 0 {
			i = len(all)
			all = append(all, modelFile{path, a.Name, a.At, true})
		}
		all[i].optional = all[i].optional && a.Optional
	}
	return all
}

// fileOf returns the file that a model in dir names for an array, and the key of the entry. The key is empty if it is
// the array's name.
func fileOf(a *model.Array, dir string) (path, key string) {
	_, key, _ = strings.Cut(a.From, "#")
	return PathOf(a.From, dir), key
}

// PathOf returns the path for `from`, which is FILE or FILE#KEY, in a model in dir.
func PathOf(from, dir string) string {
	path, _, _ := strings.Cut(from, "#")
	if filepath.IsAbs(path) || remote.IsURL(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func largeText(path string, size int64, cache datafile.RowCache) string {
	return fmt.Sprintf("%s has %s, too much for memory (%s)", path, source.Bytes(size), source.Bytes(cache.Memory))
}
