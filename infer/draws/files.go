package draws

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
)

// writeFile puts data at path so that a reader, or a crash, sees all of it or what stood there before.
// The rename is durable once the directory has been synced.
func writeFile(path string, data []byte) error {
	partial := path + ".partial"
	err := writeSynced(partial, data)
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil {
		os.Remove(partial) // best effort: the first error is the one to tell
	}
	return err
}

func writeSynced(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
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
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(text, '\n'))
}

func path(dir, key string) string { return filepath.Join(dir, filepath.FromSlash(key)) }
