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
	text := r.Text
	if text == "" {
		f.add(r.Path)
		text, _ = source.ReadModel(r.Path) // an error is reported when the model is loaded
	}
	f.follow(r.Path, text)
	for _, arg := range r.Data {
		f.addData(arg.Path)
	}
	return f.paths
}

// A reading is the files that were found so far.
type reading struct {
	seen  map[string]bool
	paths []string
}

func (f *reading) add(path string) (isNew bool) {
	isNew = !f.seen[path]
	if isNew {
		f.seen[path] = true
		f.paths = append(f.paths, path)
	}
	return isNew
}

// follow adds what a model names.
func (f *reading) follow(path, text string) {
	file, _ := parse.File(source.New(path, text))
	for _, st := range file.Stmts {
		switch st := st.(type) {
		case *ast.Data:
			if st.From != nil {
				f.addData(bind.PathOf(st.From.Value, filepath.Dir(path)))
			}
		case *ast.Import:
			named := filepath.Join(filepath.Dir(path), filepath.FromSlash(st.Path.Value))
			if !strings.HasSuffix(named, ".ppl") {
				continue // it is refused, and not read
			}
			if text, err := source.ReadModel(named); err == nil && f.add(named) {
				f.follow(named, text)
			}
		}
	}
}

func (f *reading) addData(path string) {
	for _, file := range DataFiles(path) {
		f.add(file)
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
