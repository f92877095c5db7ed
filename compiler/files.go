package compiler

import (
	"io/fs"
	"path/filepath"
	"strings"

	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// Files lists the files of this machine that a model and its data are read from: that of the model, unless its text is
// given, and what `import`, `from` and data arguments name, each file of a folder by itself. Files that are not there
// are left out, and URLs.
func Files(r Request) []string {
	f := &reading{seen: map[string]bool{}}
	w := fileWalk{data: func(path string, _ *ast.String) { f.addData(path) },
		follows: func(string, *ast.String) bool { return true },
		entered: func(path string) {
			if path != r.Path || r.Text == "" {
				f.add(path)
			}
		}}
	text := r.Text
	if text == "" {
		text, _ = source.ReadModel(r.Path) // an error is reported when the model is loaded
	}
	w.visit(r.Path, text)
	for _, arg := range r.Data {
		f.addData(arg.Path)
	}
	return f.paths
}

// A reading has the files that were found so far.
type reading struct {
	seen  map[string]bool
	paths []string
}

func (f *reading) add(path string) {
	if !f.seen[path] {
		f.seen[path] = true
		f.paths = append(f.paths, path)
	}
}

func (f *reading) addData(path string) {
	for _, file := range DataFiles(path) {
		f.add(file)
	}
}

// A fileWalk visits what a model names with `from` and `import`, and what the files that it imports name.
type fileWalk struct {
	entered func(path string)                      // is called for each file of a model, once
	data    func(path string, at *ast.String)      // for each `from`
	follows func(path string, at *ast.String) bool // for each `import`: whether the file may be read
	seen    map[string]bool
}

// visit visits a file with its text, whatever is wrong with it.
func (w *fileWalk) visit(path, text string) {
	if w.seen[path] {
		return
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[path] = true
	w.entered(path)
	file, _ := parse.File(source.New(path, text))
	for _, st := range file.Stmts {
		switch st := st.(type) {
		case *ast.Data:
			if st.From != nil {
				w.data(bind.PathOf(st.From.Value, filepath.Dir(path)), st.From)
			}
		case *ast.Import:
			named := filepath.Join(filepath.Dir(path), filepath.FromSlash(st.Path.Value))
			if !w.follows(named, st.Path) || !strings.HasSuffix(named, ".ppl") { // others are refused, and not read
				continue
			}
			if text, err := source.ReadModel(named); err == nil {
				w.visit(named, text)
			}
		}
	}
}

// DataFiles lists the files of this machine that a path of data names: a file, those of a folder, or those that a
// pattern matches; none if there are none, or it is a URL.
func DataFiles(path string) (files []string) {
	if datafile.IsURL(path) {
		return nil
	}
	for _, part := range datafile.DefaultRowCache().Files(path) {
		_ = filepath.WalkDir(part.Path, func(path string, e fs.DirEntry, err error) error { // a folder of pictures
			if err == nil && e.Type().IsRegular() {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}
