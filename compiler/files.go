package compiler

import (
	"io/fs"
	"path/filepath"
	"strings"

	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// Files lists the local files from which a model and its data are read: the file of the model, unless its text is
// given, and the files named by `import`, `from` and data arguments; for a folder, each file in it. Missing files and
// URLs are omitted.
func Files(r Request) []string {
	f := &fileSet{seen: map[string]bool{}}
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

// Below returns the path below dir of a copy of the file at path, if files of another machine were copied to dir under
// their full paths. The result is inside dir for any path.
func Below(dir, path string) string {
	path = strings.TrimPrefix(path, filepath.VolumeName(path))
	return filepath.Join(dir, filepath.Clean(string(filepath.Separator)+path))
}

// A fileSet collects file names without duplicates, in the order in which they were added.
type fileSet struct {
	seen  map[string]bool
	paths []string
}

func (f *fileSet) add(path string) {
	if !f.seen[path] {
		f.seen[path] = true
		f.paths = append(f.paths, path)
	}
}

func (f *fileSet) addData(path string) {
	for _, file := range DataFiles(path) {
		f.add(file)
	}
}

// A fileWalk visits the files that a model names with `from` and `import`, and those named by imported files.
type fileWalk struct {
	entered func(path string)                      // called once for each file of a model
	data    func(path string, at *ast.String)      // called for each `from`
	follows func(path string, at *ast.String) bool // called for each `import`; returns whether the file may be read
	seen    map[string]bool
}

// visit visits a file with its text, even if it has errors.
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
			if !w.follows(named, st.Path) || !strings.HasSuffix(named, ".ppl") { // others are invalid imports
				continue
			}
			if text, err := source.ReadModel(named); err == nil {
				w.visit(named, text)
			}
		}
	}
}

// DataFiles lists the local files that a data path names: a file, the files of a folder, or the matches of a pattern.
// It returns none for a URL.
func DataFiles(path string) (files []string) {
	if remote.IsURL(path) {
		return nil
	}
	for _, part := range datafile.DefaultRowCache().Files(path) {
		_ = filepath.WalkDir(part.Path, func(path string, e fs.DirEntry, err error) error { // a folder of images
			if err == nil && e.Type().IsRegular() {
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}
