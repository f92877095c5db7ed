package files

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Memory is a file system in memory, for runs that need not be kept. Its paths are separate from those of the disk. The
// zero value is empty. It is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	nodes map[string]*node // by clean path; the root always exists
	named int              // number of names that CreateTemp and MkdirTemp have created
}

// A node is a file or a directory.
type node struct {
	isDir bool
	data  []byte
	at    time.Time // time of the last change
}

// find returns the node at a path.
func (m *Memory) find(path string) (*node, bool) {
	path = filepath.Clean(path)
	if isTop(path) {
		return &node{isDir: true}, true
	}
	n, ok := m.nodes[path]
	return n, ok
}

// isTop reports whether a clean path is a root or the working directory, which always exist.
func isTop(path string) bool { return path == filepath.Dir(path) || path == "." }

// put adds a file or a directory; its parent directory must exist.
func (m *Memory) put(op, path string, n *node) error {
	path = filepath.Clean(path)
	if parent, ok := m.find(filepath.Dir(path)); !ok {
		return m.missing(op, path)
	} else if !parent.isDir {
		return failure(op, path, syscall.ENOTDIR)
	}
	if m.nodes == nil {
		m.nodes = map[string]*node{}
	}
	n.at = time.Now()
	m.nodes[path] = n
	return nil
}

// missing returns the error for a path that does not exist. The error differs if a parent in the path is a file.
func (m *Memory) missing(op, path string) error {
	path = filepath.Clean(path)
	for above := filepath.Dir(path); !isTop(above); above = filepath.Dir(above) {
		if n, ok := m.nodes[above]; ok && !n.isDir {
			return failure(op, path, syscall.ENOTDIR)
		}
	}
	return failure(op, path, fs.ErrNotExist)
}

func failure(op, path string, err error) error { return &fs.PathError{Op: op, Path: path, Err: err} }

// Below returns m: there are no links in memory.
func (m *Memory) Below(string) System { return m }

// Create creates a new file, and replaces an existing file or empty directory.
func (m *Memory) Create(path string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.find(path); ok && n.isDir && (isTop(filepath.Clean(path)) || len(m.within(path)) > 0) {
		return nil, failure("open", path, syscall.EISDIR)
	}
	n := &node{}
	if err := m.put("open", path, n); err != nil {
		return nil, err
	}
	return &memoryFile{on: m, node: n, name: path}, nil
}

// CreateTemp creates a file with a new name.
func (m *Memory) CreateTemp(dir, pattern string) (File, error) {
	return m.Create(m.newName(dir, pattern))
}

// newName returns an unused name, in which a number replaces the last * of the pattern.
func (m *Memory) newName(dir, pattern string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, after := pattern, ""
	if i := strings.LastIndexByte(pattern, '*'); i >= 0 {
		before, after = pattern[:i], pattern[i+1:]
	}
	for {
		m.named++
		path := filepath.Join(dir, before+strconv.Itoa(m.named)+after)
		if _, taken := m.find(path); !taken {
			return path
		}
	}
}

// Mkdir creates a directory.
func (m *Memory) Mkdir(path string, _ fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.find(path); ok {
		return failure("mkdir", path, fs.ErrExist)
	}
	return m.put("mkdir", path, &node{isDir: true})
}

// MkdirAll creates a directory and its missing parents.
func (m *Memory) MkdirAll(path string, mode fs.FileMode) error {
	m.mu.Lock()
	n, ok := m.find(path)
	m.mu.Unlock()
	switch {
	case ok && n.isDir:
		return nil
	case ok:
		return failure("mkdir", path, syscall.ENOTDIR)
	}
	if err := m.MkdirAll(filepath.Dir(filepath.Clean(path)), mode); err != nil {
		return err
	}
	return m.Mkdir(path, mode)
}

// MkdirTemp creates a directory with a new name.
func (m *Memory) MkdirTemp(dir, pattern string) (string, error) {
	path := m.newName(dir, pattern)
	return path, m.Mkdir(path, 0o700)
}

// Rename renames a file or a directory, and replaces an existing file.
func (m *Memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = filepath.Clean(from), filepath.Clean(to)
	moved, ok := m.nodes[from]
	if !ok {
		return m.missing("rename", from)
	}
	there, taken := m.find(to)
	switch {
	case taken && there.isDir: // like package os
		return failure("rename", to, fs.ErrExist)
	case taken && moved.isDir:
		return failure("rename", to, syscall.ENOTDIR)
	case m.nodes[filepath.Dir(to)] == nil && !isTop(filepath.Dir(to)):
		return m.missing("rename", to)
	case moved.isDir && strings.HasPrefix(to, from+string(filepath.Separator)):
		return failure("rename", to, fs.ErrInvalid)
	}
	if err := m.put("rename", to, moved); err != nil || from == to {
		return err
	}
	delete(m.nodes, from)
	for _, path := range m.within(from) {
		m.nodes[to+strings.TrimPrefix(path, from)] = m.nodes[path]
		delete(m.nodes, path)
	}
	return nil
}

// within lists all paths below a directory.
func (m *Memory) within(dir string) (all []string) {
	dir = strings.TrimSuffix(filepath.Clean(dir), string(filepath.Separator)) + string(filepath.Separator)
	for path := range m.nodes {
		if strings.HasPrefix(path, dir) {
			all = append(all, path)
		}
	}
	return all
}

// Remove deletes a file or an empty directory.
func (m *Memory) Remove(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	path = filepath.Clean(path)
	switch n, ok := m.nodes[path]; {
	case !ok:
		return m.missing("remove", path)
	case n.isDir && len(m.within(path)) > 0:
		return failure("remove", path, syscall.ENOTEMPTY)
	}
	delete(m.nodes, path)
	return nil
}

// RemoveAll deletes a directory and its contents.
func (m *Memory) RemoveAll(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.find(path); !ok {
		if err := m.missing("remove", path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, below := range append(m.within(path), filepath.Clean(path)) {
		delete(m.nodes, below)
	}
	return nil
}

// Sync does nothing.
func (m *Memory) Sync(string) error { return nil }

// SyncAll does nothing.
func (m *Memory) SyncAll(string) error { return nil }

// Open opens a file for reading.
func (m *Memory) Open(path string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.find(path)
	if !ok {
		return nil, m.missing("open", path)
	}
	return &memoryFile{on: m, node: n, name: path}, nil
}

// Stat describes the file at a path.
func (m *Memory) Stat(path string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.find(path)
	if !ok {
		return nil, m.missing("stat", path)
	}
	return memoryInfo{filepath.Base(path), *n}, nil
}

// ReadDir lists a directory, sorted by name.
func (m *Memory) ReadDir(path string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	path = filepath.Clean(path)
	switch n, ok := m.find(path); {
	case !ok:
		return nil, m.missing("open", path)
	case !n.isDir:
		return nil, failure("readdir", path, syscall.ENOTDIR)
	}
	var all []fs.DirEntry
	for at, n := range maps.All(m.nodes) {
		if filepath.Dir(at) == path {
			all = append(all, fs.FileInfoToDirEntry(memoryInfo{filepath.Base(at), *n}))
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return all, nil
}

// A memoryInfo describes a node at the time of a call.
type memoryInfo struct {
	name string
	node node
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return int64(len(i.node.data)) }
func (i memoryInfo) ModTime() time.Time { return i.node.at }
func (i memoryInfo) IsDir() bool        { return i.node.isDir }
func (i memoryInfo) Sys() any           { return nil }

// Mode returns 0666 for a file and 0777 for a directory: the permissions requested at creation, before the umask.
func (i memoryInfo) Mode() fs.FileMode {
	if i.node.isDir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}

// A memoryFile is an open file of Memory.
type memoryFile struct {
	on   *Memory
	node *node
	name string
	at   int64
}

// Name returns the path.
func (f *memoryFile) Name() string { return f.name }

// Sync does nothing.
func (f *memoryFile) Sync() error { return nil }

// Close does nothing.
func (f *memoryFile) Close() error { return nil }

// Read reads from the current offset.
func (f *memoryFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// ReadAt reads from an offset.
func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	f.on.mu.Lock()
	defer f.on.mu.Unlock()
	switch {
	case f.node.isDir:
		return 0, failure("read", f.name, syscall.EISDIR)
	case at < 0:
		return 0, failure("read", f.name, fs.ErrInvalid)
	case len(p) == 0:
		return 0, nil
	case at >= int64(len(f.node.data)):
		return 0, io.EOF
	}
	n := copy(p, f.node.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write writes at the current offset.
func (f *memoryFile) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.at)
	f.at += int64(n)
	return n, err
}

// WriteAt writes at an offset.
func (f *memoryFile) WriteAt(p []byte, at int64) (int, error) {
	f.on.mu.Lock()
	defer f.on.mu.Unlock()
	if at < 0 {
		return 0, failure("write", f.name, fs.ErrInvalid)
	}
	if end := int(at) + len(p); end > len(f.node.data) {
		f.node.data = append(f.node.data, make([]byte, end-len(f.node.data))...)
	}
	f.node.at = time.Now()
	return copy(f.node.data[at:], p), nil
}

// Seek sets the offset for the next call of Read or Write.
func (f *memoryFile) Seek(offset int64, whence int) (int64, error) {
	f.on.mu.Lock()
	defer f.on.mu.Unlock()
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += int64(len(f.node.data))
	}
	if offset < 0 {
		return 0, failure("seek", f.name, fs.ErrInvalid)
	}
	f.at = offset
	return offset, nil
}
