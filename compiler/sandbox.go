package compiler

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Outside reports errors for files that the model at path names with `from` or `import` and that are outside its
// folder, after links are followed. It reads only the model and the imports inside the folder. It cannot notice if
// another process replaces a file after the check.
func Outside(path string) []diag.Diagnostic {
	text, err := source.ReadModel(path)
	if err != nil {
		return nil // the command reports this error
	}
	var found diag.List
	folder, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		found.Errorf(diag.DataUnavailable, source.Span{}, "cannot find the folder of the model: %v", err)
		return found.All()
	}
	s := sandbox{folder, &found}
	w := fileWalk{entered: func(string) {}, data: s.checkData,
		follows: func(path string, at *ast.String) bool { return !s.refuse(diag.BadImport, path, at) }}
	w.visit(path, text)
	return found.All()
}

// A sandbox is a folder that must contain all files.
type sandbox struct {
	folder string
	found  *diag.List
}

// checkData reports an error for data that are not in the folder.
func (s sandbox) checkData(path string, at *ast.String) {
	if !s.refuse(diag.DataUnavailable, path, at) {
		s.refuseParts(path, at)
	}
}

// refuse reports an error for a file that is not in the folder, and returns whether it did.
func (s sandbox) refuse(code diag.Code, path string, at *ast.String) bool {
	err := s.below(path)
	if remote.IsURL(at.Value) {
		err = errors.New("it is on another machine")
	}
	if err != nil {
		advice := "pass data with --data"
		if code == diag.BadImport {
			advice = "move the file there"
		}
		s.found.Errorf(code, at.Span(), "%q is not allowed: %v", at.Value, err).
			Help("--sandbox allows only files in the model's folder; %s, or omit --sandbox", advice)
	}
	return err != nil
}

// refuseParts reports an error for the first file of a data set that is not in the folder.
func (s sandbox) refuseParts(path string, at *ast.String) {
	for _, part := range datafile.DefaultRowCache().Files(path) {
		if s.refuse(diag.DataUnavailable, part.Path, at) {
			return
		}
	}
}

// below returns an error if a file is outside the folder. The error reveals nothing about that file, not even whether
// it exists.
func (s sandbox) below(path string) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	// the folder may be reached through a link
	if parent, err := filepath.EvalSymlinks(filepath.Dir(whole)); err == nil {
		whole = filepath.Join(parent, filepath.Base(whole))
	}
	if !within(s.folder, whole) {
		return fmt.Errorf("it is outside %s", s.folder)
	}
	real, err := filepath.EvalSymlinks(whole)
	if os.IsNotExist(err) {
		return nil // an error is reported when the file is read
	}
	if err != nil {
		return errors.New("a symbolic link in its path cannot be followed")
	}
	if !within(s.folder, real) {
		return fmt.Errorf("it is a link to a file outside %s", s.folder)
	}
	return nil
}

func within(folder, path string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rest)
}
