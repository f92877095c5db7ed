package app

import (
	"fmt"
	"os"
	"path/filepath"

	"ppl/app/rundir"
	"ppl/compiler"
)

// This file sends a model and its data to other ranks. Ranks started by an MPI launcher share the directory of rank 0.
// Workers that connect by TCP can be anywhere; they have only an address and a secret. Rank 0 sends them the model and
// its data if these are small, so that nobody has to copy files and versions cannot differ. Large data must be
// available under the same paths as on rank 0, on a shared disk or as a copy; a digest verifies that they are
// identical.
const mostSent = 64 << 20 // maximum size of all files, in bytes

// An input is a file that rank 0 sends.
type input struct {
	Path    string // absolute path on rank 0
	Content []byte
}

// inputsOf returns a source with absolute paths, and the files to send, or none if they are too large.
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

// absolute makes the paths of a source absolute. It leaves a --data flag unchanged if its path matches no file.
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

// writeInputs writes the files below a directory, and returns a source that reads them there.
func writeInputs(dir string, s Source, inputs []input) (Source, error) {
	for _, in := range inputs {
		to := compiler.Below(dir, in.Path)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return s, err
		}
		if err := os.WriteFile(to, in.Content, 0o600); err != nil {
			return s, err
		}
	}
	s.Root, s.Model = dir, compiler.Below(dir, s.Model)
	for i, flag := range s.Data {
		if d := rundir.ParseData(flag); filepath.IsAbs(d.Path) {
			s.Data[i] = d.At(compiler.Below(dir, d.Path))
		}
	}
	return s, nil
}
