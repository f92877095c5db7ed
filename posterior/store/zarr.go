package store

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ppl/runtime/sys/files"
)

// An array is the .zarray document of the Zarr v2 specification.
type array struct {
	Format     int    `json:"zarr_format"`
	Shape      []int  `json:"shape"`
	Chunks     []int  `json:"chunks"`
	Type       string `json:"dtype"`
	Compressor *codec `json:"compressor"`
	Fill       any    `json:"fill_value"`
	Order      string `json:"order"`
	Filters    any    `json:"filters"`

	marks struct {
		Digests []string `json:"ppl_digests"` // of chunks that are stored as they are
	}
}

type codec struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
}

type attributes map[string]any

// newArray describes an array stored row-major. A chunk has at least one element along every axis, as Zarr requires.
func (b binding) newArray(kind string, shape, chunks []int) *array {
	a := &array{Format: 2, Shape: slices.Clone(shape), Chunks: slices.Clone(chunks), Type: kind,
		Compressor: b.compressor(), Order: "C"}
	if kind == realType || kind == singleType {
		a.Fill = "NaN" // other types have none: xarray would read it as a missing value and turn integers into reals
	}
	for i, c := range a.Chunks {
		a.Chunks[i] = max(c, 1)
	}
	if shape == nil {
		a.Shape, a.Chunks = []int{}, []int{}
	}
	return a
}

// chunkKey names a chunk file: "0" for a scalar, else its place in the grid, "2.0.0".
func chunkKey(index []int) string {
	if len(index) == 0 {
		return "0"
	}
	words := make([]string, len(index))
	for i, k := range index {
		words[i] = strconv.Itoa(k)
	}
	return strings.Join(words, ".")
}

// A store is a Zarr hierarchy being written; docs are its metadata by key, such as "posterior/mu/.zarray". All of them
// stand in .zmetadata. A group's also have files of their own from the beginning. An array's have them when the
// hierarchy is complete (spread): there may be tens of thousands of arrays, and their lengths change at each
// checkpoint.
type store struct {
	disk files.System
	dir  string
	docs map[string]any
	binding
	*packer
}

// newStore makes the root group.
func newStore(disk files.System, dir string, b binding, about attributes) (*store, error) {
	s := &store{disk, dir, map[string]any{}, b, newPacker()}
	about[runAttribute] = b.run
	return s, s.documents("", about)
}

type group struct {
	Format int `json:"zarr_format"`
}

// group makes the directory of a group and writes its two documents.
func (s *store) group(name string, about attributes) error {
	if err := s.node(name); err != nil {
		return err
	}
	return s.documents(name+"/", about)
}

// documents writes what makes a directory a group.
func (s *store) documents(prefix string, about attributes) error {
	if err := s.put(prefix+".zgroup", group{2}); err != nil {
		return err
	}
	return s.put(prefix+".zattrs", about)
}

func (s *store) array(key string, a *array, about attributes) error {
	s.docs[key+"/.zarray"], s.docs[key+"/.zattrs"] = a, about
	return s.node(key)
}

// node makes the directory of a group or array. Mkdir and not MkdirAll: names that differ in case only would share a
// directory on some file systems.
func (s *store) node(key string) error { return s.disk.Mkdir(path(s.dir, key), 0o777) }

// spread writes the documents of arrays to files of their own, for readers that open arrays one by one.
func (s *store) spread() error {
	for _, key := range slices.Sorted(maps.Keys(s.docs)) {
		prefix, isArray := strings.CutSuffix(key, ".zarray")
		if !isArray {
			continue
		}
		for _, key := range []string{key, prefix + ".zattrs"} {
			if err := s.put(key, s.docs[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// put adds a metadata document to .zmetadata, and writes it to a file of its own.
func (s *store) put(key string, doc any) error {
	s.docs[key] = doc
	text, err := document(doc)
	if err != nil {
		return err
	}
	return files.ReplaceQuickly(s.disk, path(s.dir, key), text)
}

func (s *store) chunk(array string, index []int, raw []byte) error {
	file, data := s.packed(place{array, chunkKey(index)}, raw)
	return files.Replace(s.disk, file, data)
}

// asItIs writes a chunk that is not compressed, and returns its mark.
func (s *store) asItIs(key string, index []int, raw []byte) (mark string, err error) {
	at := place{key, chunkKey(index)}
	return hex.EncodeToString(s.mark(at, raw)), files.Replace(s.disk, at.file(s.dir), raw)
}

// packed returns the file of a chunk and what it is to hold, which stays as it is.
func (s *store) packed(at place, raw []byte) (file string, data []byte) {
	return at.file(s.dir), slices.Clone(s.pack(raw, s.mark(at, nil)))
}

// consolidated is the document .zmetadata: all metadata in one file, so that one rename renews them all.
type consolidated struct {
	Format   int            `json:"zarr_consolidated_format"`
	Metadata map[string]any `json:"metadata"`
}

func (s *store) consolidate() error {
	return writeJSON(s.disk, path(s.dir, ".zmetadata"), consolidated{1, s.docs})
}
