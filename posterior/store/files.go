package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"

	"ppl/runtime/sys/files"
)

// Names of files of a run, besides its groups.
const (
	ModelFile   = "model.ppl" // text of the model
	runFile     = "run.json"
	layoutFile  = "layout.json"
	optionsFile = "options.json"
)

func writeJSON(disk files.System, path string, doc any) error {
	text, err := document(doc)
	if err != nil {
		return err
	}
	return files.Replace(disk, path, text)
}

func document(doc any) ([]byte, error) {
	text, err := json.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}

// Maximum sizes of the documents of a run, in bytes: many times those of the largest runs. A larger file was not
// written by ppl, and would waste memory.
const (
	mostInfo     = 256 << 20
	mostOptions  = 64 << 20
	mostLayout   = 1 << 30
	mostMetadata = 1 << 30
	mostModel    = 64 << 20
	mostLadder   = 1 << 30
	mostProgress = 1 << 20
	mostLock     = 1 << 16
)

// ReadModel reads the text of a run's model. An empty text is an error.
func ReadModel(disk files.System, dir string) ([]byte, error) {
	text, err := readDocument(disk, dir, ModelFile, mostModel)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = damaged(dir, ModelFile, errors.New("it is empty, but must hold the text of the model"))
	}
	return text, err
}

// readDocument reads a file of at most `most` bytes. It returns ErrDamaged if the file is larger or not a regular file.
func readDocument(disk files.System, dir, name string, most int64) ([]byte, error) {
	text, err := files.ReadOn(disk, nil, filepath.Join(dir, name), most)
	if errors.As(err, new(files.NotRegular)) || errors.As(err, new(files.TooLarge)) {
		return nil, ErrDamaged{dir, err}
	}
	return text, err
}

func path(dir, key string) string { return filepath.Join(dir, filepath.FromSlash(key)) }
