package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// A file is an entry of an archive.
type file struct {
	name    string // slash-separated path
	data    []byte
	program bool
}

func (f file) mode() fs.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

// folder returns the files below dir, sorted, with dir replaced by as in their names. If keep is not nil, it selects
// the files.
func folder(dir, as string, keep func(path string) bool) (all []file, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || keep != nil && !keep(filepath.ToSlash(name)) {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		all = append(all, file{name: path.Join(as, filepath.ToSlash(below)), data: data})
		return err
	})
	return all, err
}

// tarred writes a compressed tar archive in which the files are in the folder below.
func tarred(w io.Writer, below string, files []file, at time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, f := range files {
		head := &tar.Header{Name: path.Join(below, f.name), Mode: int64(f.mode()), Size: int64(len(f.data)),
			ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(head); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return packed.Close()
}

// zipped writes a zip archive in which the files are in the folder below.
func zipped(w io.Writer, below string, files []file, at time.Time) error {
	archive := zip.NewWriter(w)
	for _, f := range files {
		head := &zip.FileHeader{Name: path.Join(below, f.name), Method: zip.Deflate, Modified: at}
		head.SetMode(f.mode())
		to, err := archive.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := to.Write(f.data); err != nil {
			return err
		}
	}
	return archive.Close()
}
