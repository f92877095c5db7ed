package store

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ppl/runtime/sys/files"
)

// An array is a .zarray document of the Zarr v2 specification.
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
		Digests []string `json:"ppl_digests"` // marks of uncompressed chunks
	}
}

type codec struct {
	ID    string `json:"id"`
	Level int    `json:"level"`
}

type attributes map[string]any

// newArray describes a row-major array. A chunk has at least one element along every axis, as Zarr requires.
func (b binding) newArray(kind string, shape, chunks []int) *array {
	a := &array{Format: 2, Shape: slices.Clone(shape), Chunks: slices.Clone(chunks), Type: kind,
		Compressor: b.compressor(), Order: "C"}
	if kind == realType || kind == singleType {
		// Integers have no fill value, since xarray would treat it as missing and convert integers to reals.
		a.Fill = "NaN"
	}
	for i, c := range a.Chunks {
		a.Chunks[i] = max(c, 1)
	}
	if shape == nil {
		a.Shape, a.Chunks = []int{}, []int{}
	}
	return a
}

// chunkKey returns the name of a chunk file: "0" for a scalar, else the chunk's index in the grid, such as "2.0.0".
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

// A store is a Zarr hierarchy being written. docs holds its metadata documents by key, such as "posterior/mu/.zarray".
// All of them are in .zmetadata. Documents of groups are also written to separate files immediately. Those of arrays
// are written to files only at the end (see spread), since there may be tens of thousands of arrays and their lengths
// change at each checkpoint.
type store struct {
	disk files.System
	dir  string
	docs map[string]any
	binding
	*packer
}

// newStore creates the root group.
func newStore(disk files.System, dir string, b binding, about attributes) (*store, error) {
	s := &store{disk, dir, map[string]any{}, b, newPacker()}
	about[runAttribute] = b.run
	return s, s.documents("", about)
}

type group struct {
	Format int `json:"zarr_format"`
}

// group creates the directory of a group with its two documents.
func (s *store) group(name string, about attributes) error {
	if err := s.node(name); err != nil {
		return err
	}
	return s.documents(name+"/", about)
}

// documents writes the documents that make a directory a group.
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

// node creates the directory of a group or array. It uses Mkdir, which fails for an existing directory: on some file
// systems, names that differ only in case would share one.
func (s *store) node(key string) error { return s.disk.Mkdir(path(s.dir, key), 0o777) }

// spread writes the documents of arrays to separate files, for readers that open arrays one by one.
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

// put adds a metadata document, and writes it to a separate file.
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

// uncompressed writes a chunk as it is, and returns its mark.
func (s *store) uncompressed(key string, index []int, raw []byte) (mark string, err error) {
	at := place{key, chunkKey(index)}
	return hex.EncodeToString(s.mark(at, raw)), files.Replace(s.disk, at.file(s.dir), raw)
}

// packed returns the path of a chunk's file and a copy of its compressed content.
func (s *store) packed(at place, raw []byte) (file string, data []byte) {
	return at.file(s.dir), slices.Clone(s.pack(raw, s.mark(at, nil)))
}

// consolidated is the document .zmetadata. It contains all metadata, so that one rename replaces all of them.
type consolidated struct {
	Format   int            `json:"zarr_consolidated_format"`
	Metadata map[string]any `json:"metadata"`
}

func (s *store) consolidate() error {
	return writeJSON(s.disk, path(s.dir, ".zmetadata"), consolidated{1, s.docs})
}
