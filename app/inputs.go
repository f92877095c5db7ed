package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ppl/app/rundir"
	"ppl/compiler"
)

// Ranks that a launcher of MPI has started are in the directory of rank 0, as launchers see to it. Workers that have
// come by TCP may be anywhere, with nothing but an address and a secret: rank 0 sends them the model and its data, if
// these are small, so that nothing has to be copied by hand and versions cannot differ. Large data they read from the
// same paths as rank 0, of a disk that they share or of a copy; a digest reports whether they are the same.
const mostSent = 64 << 20 // bytes of all files

// An input is a file that rank 0 sends.
type input struct {
	Path    string // on rank 0, absolute
	Content []byte
}

// inputsOf gives a source with absolute paths, and the files that it is read from; none if they are large.
func inputsOf(s Source) (Source, []input, error) {
	args, err := DataArgs(s.Data)
	if err != nil {
		return s, nil, err
	}
	files := compiler.Files(compiler.Request{Path: s.Model, Text: s.Text, Data: args})
	if s, err = absolute(s); err != nil {
		return s, nil, err
	}
	var size int64
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	if size > mostSent {
		return s, nil, nil
	}
	inputs, err := readInputs(files)
	return s, inputs, err
}

// absolute returns a source from any directory: what its flags name as a file that is here, or as a pattern.
func absolute(s Source) (Source, error) {
	model, err := filepath.Abs(s.Model)
	if err != nil {
		return s, err
	}
	s.Model = model
	data := make([]string, len(s.Data))
	for i, flag := range s.Data {
		d := rundir.ParseData(flag)
		data[i] = flag
		if len(compiler.DataFiles(d.Path)) > 0 {
			whole, err := filepath.Abs(d.Path)
			if err != nil {
				return s, err
			}
			data[i] = d.At(whole)
		}
	}
	s.Data = data
	return s, nil
}

func readInputs(files []string) (inputs []input, err error) {
	for _, path := range files {
		whole, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("cannot send a file to the workers: %w", err)
		}
		inputs = append(inputs, input{whole, content})
	}
	return inputs, nil
}

// writeInputs writes files below a directory, and gives the source that reads them there.
func writeInputs(dir string, s Source, inputs []input) (Source, error) {
	for _, in := range inputs {
		to := below(dir, in.Path)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return s, err
		}
		if err := os.WriteFile(to, in.Content, 0o600); err != nil {
			return s, err
		}
	}
	s.Model = below(dir, s.Model)
	for i, flag := range s.Data {
		if d := rundir.ParseData(flag); filepath.IsAbs(d.Path) {
			s.Data[i] = d.At(below(dir, d.Path))
		}
	}
	return s, nil
}

// below returns where a file of rank 0 is on this rank. It lies in the directory, whatever the path is.
func below(dir, path string) string {
	path = strings.TrimPrefix(path, filepath.VolumeName(path))
	return filepath.Join(dir, filepath.Clean(string(filepath.Separator)+path))
}
