// Package remote opens data files: a path names a file of this machine, or is the URL of a file in an object store or
// on a web server:
//
//	file, err := remote.Open("s3://bucket/sales.csv", store)   // or "sales.csv"
//	defer file.Close()
//	version, err := remote.Version("s3://bucket/sales.csv", store)   // changes with the contents
//
// A Store gives access to other machines. Without one, URLs are errors.
package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/partition"
	"ppl/lang/source"
)

// A Store opens files of other machines, which have URLs: s3://bucket/sales/a.parquet, https://example.org/x.csv.
type Store interface {
	// Open opens a file.
	Open(url string) (StoredFile, error)
	// List returns the files whose URLs begin with a prefix.
	List(prefix string) ([]partition.File, error)
}

// A StoredFile is one version of a file of another machine.
type StoredFile interface {
	io.ReaderAt
	Size() int64
	Version() string // changes with the contents; empty if the machine does not report a version
}

// IsURL reports whether a path is the URL of data on another machine.
func IsURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && (scheme == "s3" || scheme == "gs" || scheme == "http" || scheme == "https")
}

// Name returns a path without the query of a URL, so that its ending shows the format of the file.
func Name(path string) string {
	if IsURL(path) {
		path, _, _ = strings.Cut(path, "?")
	}
	return path
}

// isStore reports whether a URL belongs to an object store, which can list its files.
func isStore(url string) bool {
	return strings.HasPrefix(url, "s3://") || strings.HasPrefix(url, "gs://")
}

// OpenURL opens a file of another machine. It returns an error if store is nil.
func OpenURL(url string, store Store) (StoredFile, error) {
	if store == nil {
		return nil, notReached(url)
	}
	return store.Open(url)
}

func notReached(url string) error {
	return fmt.Errorf("%s is not read: ppl uses the network only for data that --data names, unless --allow-network "+
		"is given", url)
}

// Parts returns the files of a URL that is a pattern or a folder of an object store. many is false for the URL of one
// file. isTable reports whether a file name has the ending of a table.
func Parts(name string, store Store, isTable func(name string) bool) (parts []partition.File, many bool, err error) {
	pattern := partition.IsPattern(name)
	if store == nil {
		return nil, false, notReached(name)
	}
	if !isStore(name) || !pattern && isTable(path.Base(name)) {
		return nil, false, nil
	}
	scheme, rest, _ := strings.Cut(name, "://")
	list := func(folder string, _ func([]string) bool) ([]partition.File, error) {
		all, err := store.List(scheme + "://" + folder + "/")
		for i := range all {
			all[i].Path = strings.TrimPrefix(all[i].Path, scheme+"://")
		}
		return all, err
	}
	if pattern {
		parts, err = partition.Matching(rest, list)
	} else {
		parts, err = partition.Below(rest, isTable, list)
	}
	for i := range parts {
		parts[i].Path = scheme + "://" + parts[i].Path
	}
	if err == nil && len(parts) == 0 {
		err = fmt.Errorf("no file matches %s%w", name, damage.Silent{Err: fs.ErrNotExist})
	}
	return parts, true, err
}

// A File is an open file of this machine or of another one.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Open opens a file for sequential and random access.
func Open(path string, store Store) (File, error) {
	if !IsURL(path) {
		return source.Open(path)
	}
	file, err := OpenURL(path, store)
	if err != nil {
		return nil, err
	}
	ahead := &Ranges{size: file.Size(), ahead: leastRequest, read: file.ReadAt}
	return storedReader{io.NewSectionReader(ahead, 0, file.Size()), file}, nil
}

// leastRequest is the smallest number of bytes, except at the end of a file, in one request to another machine.
const leastRequest = 8 << 20

// A storedReader implements File for a file of another machine.
type storedReader struct {
	*io.SectionReader
	of StoredFile
}

func (storedReader) Close() error                 { return nil }
func (r storedReader) Stat() (fs.FileInfo, error) { return storedInfo{r.of}, nil }

// storedInfo implements fs.FileInfo for a file of another machine.
type storedInfo struct{ of StoredFile }

func (i storedInfo) Name() string     { return "" }
func (i storedInfo) Size() int64      { return i.of.Size() }
func (storedInfo) Mode() fs.FileMode  { return 0o400 }
func (storedInfo) ModTime() time.Time { return time.Time{} }
func (storedInfo) IsDir() bool        { return false }
func (storedInfo) Sys() any           { return nil }

// Read reads an entire file, or returns an error if it has more than most bytes.
func Read(path string, store Store, most int64) ([]byte, error) {
	if !IsURL(path) {
		return source.Read(path, most)
	}
	file, err := OpenURL(path, store)
	switch {
	case err != nil:
		return nil, err
	case file.Size() > most:
		return nil, source.TooLarge{Path: path, Most: most}
	}
	var text bytes.Buffer
	text.Grow(int(file.Size()))
	for at := int64(0); at < file.Size(); at += leastRequest {
		part := make([]byte, min(leastRequest, file.Size()-at))
		if _, err := file.ReadAt(part, at); err != nil {
			return nil, err
		}
		text.Write(part)
	}
	return text.Bytes(), nil
}

// Version returns a text that changes whenever a file changes: its absolute path, its size, and its time or the version
// that the other machine reports.
func Version(path string, store Store) (string, error) {
	if IsURL(path) {
		file, err := OpenURL(path, store)
		if err != nil {
			return "", err
		}
		if file.Version() == "" {
			return "", errors.New(path + ": the server does not report a version of the file, so that its rows " +
				"cannot be cached; copy the file to this machine")
		}
		return fmt.Sprintf("%s\n%d\n%s", path, file.Size(), file.Version()), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(path)
	return fmt.Sprintf("%s\n%d\n%d", absolute, info.Size(), info.ModTime().UnixNano()), err
}
