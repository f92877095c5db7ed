package store

import (
	"encoding/json"
	"path/filepath"

	"ppl/runtime/sys/files"
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

func path(dir, key string) string { return filepath.Join(dir, filepath.FromSlash(key)) }
