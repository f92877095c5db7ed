package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"ppl/lang/types"
	"ppl/runtime/sys/files"
	"slices"
	"strings"
)

// Open reads a run's metadata. It returns ErrNotRun if the directory is not a run, or an error that names the missing
// or damaged file.
func Open(dir string) (*Run, error) { return OpenOn(files.Disk{}, dir) }

// OpenOn is Open for a run on the given file system.
func OpenOn(disk files.System, dir string) (*Run, error) {
	if s, err := disk.Stat(dir); err != nil {
		return nil, err
	} else if !s.IsDir() {
		return nil, ErrNotRun{dir, "it is a file"}
	}
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return nil, err
	}
	layout, err := readDocument(disk, dir, layoutFile, mostLayout)
	if errors.Is(err, fs.ErrNotExist) && len(info.Written) == 0 {
		return nil, ErrNoDraws{dir, info}
	}
	if err != nil {
		return nil, incomplete(dir, err)
	}
	meta, err := readDocument(disk, dir, ".zmetadata", mostMetadata)
	if err != nil {
		return nil, incomplete(dir, err)
	}
	return parseRun(disk, dir, info, layout, meta)
}

// parseRun parses the documents of a run and checks their consistency.
func parseRun(disk files.System, dir string, info Info, layout, meta []byte) (*Run, error) {
	r := &Run{Dir: dir, Info: info, disk: disk, bound: binding{info.ID}}
	var doc layoutDocument
	if err := json.Unmarshal(layout, &doc); err != nil {
		return nil, damaged(dir, layoutFile, jsonError(err))
	}
	r.Layout = doc.Layout
	if info.ID != doc.Run {
		return nil, r.bound.sameRun(dir, layoutFile, doc.Run)
	}
	if err := r.Layout.check(); err != nil {
		return nil, damaged(dir, layoutFile, err)
	}
	arrays, run, err := parseArrays(meta)
	if err != nil {
		return nil, damaged(dir, ".zmetadata", jsonError(err))
	}
	if err := r.bound.sameRun(dir, ".zmetadata", run); err != nil {
		return nil, err
	}
	r.arrays = arrays
	if err := r.count(); err != nil {
		return nil, damaged(dir, ".zmetadata", err)
	}
	return r, r.checkDeclared()
}

// parseArrays returns the .zarray documents of the consolidated metadata, and the identity of the run.
func parseArrays(text []byte) (arrays map[string]array, run string, err error) {
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, "", err
	}
	var about struct {
		Run string `json:"ppl_run"`
	}
	if root, there := doc.Metadata[".zattrs"]; there {
		if err := json.Unmarshal(root, &about); err != nil {
			return nil, "", fmt.Errorf(".zattrs: %w", err)
		}
	}
	arrays = map[string]array{}
	for key, text := range doc.Metadata {
		name, isArray := strings.CutSuffix(key, "/.zarray")
		if !isArray {
			continue
		}
		var a array
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, "", fmt.Errorf("%s: %w", key, err)
		}
		if a.Compressor == nil {
			if err := json.Unmarshal(doc.Metadata[name+"/.zattrs"], &a.marks); err != nil {
				return nil, "", fmt.Errorf("%s/.zattrs: %w", name, err)
			}
		}
		arrays[name] = a
	}
	return arrays, about.Run, nil
}

// count checks that the arrays match the layout and have the same length, and sets the number of draws to it.
func (r *Run) count() error {
	columns, _ := r.Layout.columns()
	for i, c := range columns {
		a := r.arrays[c.key()]
		if err := a.fits(c.v, r.Layout.Chains); err != nil {
			return fmt.Errorf("%s: %w", c.key(), err)
		}
		if c.group == predictions { // predictions may be thinned
			if a.Shape[1] != r.arrays[predictions+"/"+ArrayName(r.Layout.Predictions[0].Name)].Shape[1] {
				return fmt.Errorf("%s has another number of draws than the other arrays of its group", c.key())
			}
			continue
		}
		if i > 0 && a.Shape[1] != r.Info.Draws {
			return fmt.Errorf("%s has %d draws, and %s has %d", c.key(), a.Shape[1], columns[0].key(), r.Info.Draws)
		}
		r.Info.Draws = a.Shape[1]
	}
	for _, g := range r.Layout.constants() {
		for _, o := range g.arrays {
			if a := r.arrays[g.name+"/"+ArrayName(o.Name)]; !a.holds(o) {
				return fmt.Errorf("the type, shape or chunks of %s/%s do not match the layout", g.name, o.Name)
			}
		}
	}
	return nil
}

// fits returns an error unless an array has the type of v, the axes chain and draw, then those of v, and valid chunks
// along the first two axes only.
func (a array) fits(v types.Variable, chains int) error {
	shape := append([]int{chains, 0}, v.Shape...)
	if len(a.Shape) != len(shape) || len(a.Chunks) != len(shape) || a.Type != kindOf(v) {
		return fmt.Errorf("its type or number of axes is not that of %s in the layout", v.Name)
	}
	draws, chunk := a.Shape[1], a.Chunks[1]
	if draws < 0 || draws > maxSize || chunk < 1 || chunk > chunkElements {
		return fmt.Errorf("%d draws in chunks of %d are not possible", draws, chunk)
	}
	if band := a.Chunks[0]; band < 1 || band > chains || band > 1 && band*chunk > chunkElements/max(1, v.Size()) {
		return fmt.Errorf("chunks of %d chains and %d draws are not possible", band, chunk)
	}
	if chunk > 1 && chunk > chunkElements/max(1, v.Size()) {
		return fmt.Errorf("chunks of %d draws of %d numbers are too large", chunk, v.Size())
	}
	shape[1] = draws
	if !slices.Equal(a.Shape, shape) || (v.Size() > 0 && !slices.Equal(a.Chunks[2:], v.Shape)) {
		return fmt.Errorf("its shape %v or its chunks %v do not match the shape in the layout, %v", a.Shape,
			a.Chunks, v.Shape)
	}
	return nil
}

// holds reports whether an array has o's shape and is split only along the first axis.
func (a array) holds(o Observed) bool {
	if !slices.Equal(a.Shape, o.Shape) || len(a.Chunks) != len(a.Shape) || a.Type != kindOf(o.Variable) {
		return false
	}
	return o.Size() == 0 || len(a.Chunks) == 0 ||
		(slices.Equal(a.Chunks[1:], a.Shape[1:]) && a.Chunks[0] >= 1 && a.Chunks[0] <= a.Shape[0])
}
