package datafile

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

	"ppl/compiler/datasets/partition"
	"ppl/lang/source"
)

// Distant reads files of other machines, which have URLs: s3://bucket/sales/*.parquet, https://example.org/x.csv.
type Distant interface {
	// Open finds a file.
	Open(url string) (DistantFile, error)
	// List lists the files whose URLs begin so.
	List(prefix string) ([]partition.File, error)
}

// A DistantFile is one version of a file.
type DistantFile interface {
	io.ReaderAt
	Size() int64
	Version() string // changes with what is in the file
}

// IsURL reports whether a path names data of other machines.
func IsURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && (scheme == "s3" || scheme == "gs" || scheme == "http" || scheme == "https")
}

// nameIn returns the part of a path that shows the format.
func nameIn(path string) string {
	if IsURL(path) {
		path, _, _ = strings.Cut(path, "?")
	}
	return path
}

// isStore reports whether a URL is that of an object store, whose files can be listed.
func isStore(url string) bool {
	return strings.HasPrefix(url, "s3://") || strings.HasPrefix(url, "gs://")
}

// distant opens a file of another machine.
func (s RowCache) distant(url string) (DistantFile, error) {
	if s.Distant == nil {
		return nil, notReached(url)
	}
	return s.Distant.Open(url)
}

func notReached(url string) error {
	return fmt.Errorf("%s is not read: ppl uses the network for data that --data names, and with --allow-network for "+
		"what a model or a run names", url)
}

// distantParts returns the files that a URL names if it is a pattern, or a folder of an object store.
func (s RowCache) distantParts(name string) (parts []partition.File, many bool, err error) {
	pattern := partition.IsPattern(name)
	if s.Distant == nil {
		return nil, false, notReached(name)
	}
	if !isStore(name) || !pattern && isTable(path.Base(name)) {
		return nil, false, nil
	}
	scheme, rest, _ := strings.Cut(name, "://")
	list := func(folder string, _ func([]string) bool) ([]partition.File, error) {
		all, err := s.Distant.List(scheme + "://" + folder + "/")
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
		err = fmt.Errorf("no file matches %s%w", name, silent{fs.ErrNotExist})
	}
	return parts, true, err
}

// An openFile is a file of this machine, or of another one.
type openFile interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// openAny opens a file to be read in order, or here and there.
func (s RowCache) openAny(path string) (openFile, error) {
	if !IsURL(path) {
		return source.Open(path)
	}
	file, err := s.distant(path)
	if err != nil {
		return nil, err
	}
	ahead := &ranges{path: path, size: file.Size(), ahead: distantRange, read: file.ReadAt}
	return distantReader{io.NewSectionReader(ahead, 0, file.Size()), file}, nil
}

// distantRange is how many bytes of another machine are asked for at once, at least.
const distantRange = 8 << 20

// A distantReader is a DistantFile in the form of one of this machine.
type distantReader struct {
	*io.SectionReader
	of DistantFile
}

func (distantReader) Close() error                 { return nil }
func (d distantReader) Stat() (fs.FileInfo, error) { return distantInfo{d.of}, nil }

// distantInfo describes a DistantFile as the system describes its own.
type distantInfo struct{ of DistantFile }

func (d distantInfo) Name() string     { return "" }
func (d distantInfo) Size() int64      { return d.of.Size() }
func (distantInfo) Mode() fs.FileMode  { return 0o400 }
func (distantInfo) ModTime() time.Time { return time.Time{} }
func (distantInfo) IsDir() bool        { return false }
func (distantInfo) Sys() any           { return nil }

// readAny reads a file that has that many bytes or fewer.
func (s RowCache) readAny(path string, most int64) ([]byte, error) {
	if !IsURL(path) {
		return source.Read(path, most)
	}
	file, err := s.distant(path)
	switch {
	case err != nil:
		return nil, err
	case file.Size() > most:
		return nil, source.TooLarge{Path: path, Most: most}
	}
	var text bytes.Buffer
	text.Grow(int(file.Size()))
	for at := int64(0); at < file.Size(); at += distantRange {
		part := make([]byte, min(distantRange, file.Size()-at))
		if _, err := file.ReadAt(part, at); err != nil {
			return nil, err
		}
		text.Write(part)
	}
	return text.Bytes(), nil
}

// versionOf changes with a file: its whole path, its size and its time or version.
func (s RowCache) versionOf(path string) (string, error) {
	if IsURL(path) {
		file, err := s.distant(path)
		if err != nil {
			return "", err
		}
		if file.Version() == "" {
			return "", errors.New(path + ": the server does not say which version of the file it has, so that " +
				"rows of it cannot be kept; copy it to this machine")
		}
		return fmt.Sprintf("%s\n%d\n%s", path, file.Size(), file.Version()), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	whole, err := filepath.Abs(path)
	return fmt.Sprintf("%s\n%d\n%d", whole, info.Size(), info.ModTime().UnixNano()), err
}
