package draws

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
)

// writeFile writes data to path so that a reader sees either all of it or the old contents, even after a crash of the
// process. Once the directory has been synced, that also holds after a loss of power.
func writeFile(path string, data []byte) error { return replace(path, data, (*os.File).Sync) }

// writeCopy is writeFile without the cost of syncing, for what is also said elsewhere.
func writeCopy(path string, data []byte) error {
	return replace(path, data, func(*os.File) error { return nil })
}

func replace(path string, data []byte, sync func(*os.File) error) error {
	partial := path + ".partial"
	err := write(partial, data, sync)
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil {
		os.Remove(partial) // best effort: the first error is the one to report
	}
	return err
}

func write(path string, data []byte, sync func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// syncDir makes the renames in a directory durable. Windows has no such call and needs none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func writeJSON(path string, doc any) error {
	text, err := document(doc)
	if err != nil {
		return err
	}
	return writeFile(path, text)
}

func document(doc any) ([]byte, error) {
	text, err := json.MarshalIndent(doc, "", "  ")
	return append(text, '\n'), err
}

func path(dir, key string) string { return filepath.Join(dir, filepath.FromSlash(key)) }
