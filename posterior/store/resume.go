package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"ppl/runtime/sys/files"
)

// Announce starts a run that has no draws yet: the directory becomes recognisable as a run, and its options can be
// read. The first draw requires a call of Create with Overwrite.
func Announce(disk files.System, dir string, o Options) error {
	disk = disk.Below(dir)
	w := newWriter(disk, dir, Layout{}, o)
	w.info.Updated = time.Now().UTC()
	if err := files.Replace(disk, w.file(ModelFile), o.Source); err != nil {
		return err
	}
	if err := writeJSON(disk, w.file(optionsFile), o.Resolved); err != nil {
		return err
	}
	if err := writeJSON(disk, w.file(runFile), w.info); err != nil {
		return err
	}
	return disk.Sync(dir)
}

// SetStatus records how a run without a writer ended.
func SetStatus(disk files.System, dir string, status Status, cause error) error {
	return changeInfo(disk, dir, func(info *Info) {
		info.Status, info.Process, info.Updated, info.Error = status, thisProcess(), time.Now().UTC(), ""
		if cause != nil {
			info.Error = cause.Error()
		}
	})
}

// AddWarning adds a warning to the report of a run without a writer, unless the report already has it. It also replaces
// the stored options.
func AddWarning(disk files.System, dir string, w Warning, resolved any) error {
	if err := writeJSON(disk.Below(dir), filepath.Join(dir, optionsFile), resolved); err != nil {
		return err
	}
	return changeInfo(disk, dir, func(info *Info) {
		if !slices.ContainsFunc(info.Report.Warnings, func(x Warning) bool { return x.Fact == w.Fact }) {
			info.Report.Warnings = append(info.Report.Warnings, w)
		}
	})
}

// AddNote adds a note to the report of a run without a writer.
func AddNote(disk files.System, dir string, note string) error {
	return changeInfo(disk, dir, func(info *Info) { info.Report.Notes = append(info.Report.Notes, note) })
}

// SetOutlooks sets the outlooks in the report of a run without a writer.
func SetOutlooks(disk files.System, dir string, all []Outlook) error {
	return changeInfo(disk, dir, func(info *Info) { info.Report.Outlooks = all })
}

// changeInfo changes run.json of a run without a writer.
func changeInfo(disk files.System, dir string, change func(*Info)) error {
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return err
	}
	change(&info)
	return writeJSON(disk.Below(dir), filepath.Join(dir, runFile), info)
}

// ReadOptions reads the stored options of a run into options, a pointer to the type of Options.Resolved, and returns
// run.json. The error is ErrNotRun if the directory is not a run.
func ReadOptions(dir string, options any) (Info, error) {
	return ReadOptionsOn(files.Disk{}, dir, options)
}

// ReadOptionsOn is ReadOptions for a run on the given file system.
func ReadOptionsOn(disk files.System, dir string, options any) (Info, error) {
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return info, err
	}
	text, err := readDocument(disk, dir, optionsFile, mostOptions)
	if err != nil {
		return info, incomplete(dir, err)
	}
	if err := json.Unmarshal(text, options); err != nil {
		return info, damaged(dir, optionsFile, jsonError(err))
	}
	return info, nil
}

// Clear removes the files of a run, except its lock and checkpoints, and keeps other files in the directory.
func Clear(disk files.System, dir string) error {
	disk = disk.Below(dir)
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return err
	}
	if _, err := ReadInfoOn(disk, dir); err != nil {
		return err
	}
	if err := remove(disk, dir, entries); err != nil {
		return err
	}
	return files.RemoveAny(disk, filepath.Join(dir, optionsFile), filepath.Join(dir, ModelFile),
		filepath.Join(dir, runFile)) // removed last, since it marks the directory as a run
}

// Resume opens a run to append draws. counts gives the number of draws to keep of each chain; later draws, replicates
// of the data and predictions are removed. The draws of an incomplete chunk are read from the store.
func Resume(disk files.System, dir string, layout Layout, counts []int, o Options) (*Writer, error) {
	disk = disk.Below(dir)
	r, err := OpenOn(disk, dir)
	if err != nil {
		return nil, err
	}
	now := r.Layout
	now.Predictive, now.GivenUnknowns, now.LeftOutReplicates = nil, nil, nil // these have fewer draws
	now.Predictions, now.PredictedAt = nil, nil
	if !sameArrays(now, layout) || len(counts) != layout.Chains {
		return nil, damaged(dir, layoutFile, errors.New("its arrays or chains are not those of the model and the "+
			"options of the run"))
	}
	if err := writeJSON(disk, filepath.Join(dir, layoutFile), layoutDocument{r.Info.ID, now}); err != nil {
		return nil, err
	}
	w := newWriter(disk, dir, layout, o)
	w.info.Created, w.info.Format, w.info.ID = r.Info.Created, r.Info.Format, r.Info.ID
	if w.store, err = openStore(disk, dir, r.bound); err != nil {
		return nil, err
	}
	for _, g := range []string{predictive, predictions, predictedAt} {
		if err := w.store.drop(g); err != nil {
			return nil, err
		}
	}
	w.band, w.chunk = r.cut() // as for the number of draws with which the run began
	if err := w.regrow(); err != nil {
		return nil, err
	}
	if err := w.reread(counts); err != nil {
		return nil, ErrDamaged{dir, err}
	}
	if err := writeJSON(disk, w.file(optionsFile), o.Resolved); err != nil {
		return nil, err
	}
	return w, w.checkpoint()
}

// cut returns the numbers of chains and draws in a chunk.
func (r *Run) cut() (band, chunk int) {
	columns, _ := r.Layout.columns()
	chunks := r.arrays[columns[0].key()].Chunks
	return chunks[0], chunks[1]
}

// sameArrays reports whether two layouts have the same arrays with a row for each draw.
func sameArrays(a, b Layout) bool {
	columnsA, _ := a.columns()
	columnsB, _ := b.columns()
	return a.Chains == b.Chains && slices.EqualFunc(columnsA, columnsB, func(x, y column) bool {
		return x.key() == y.key() && kindOf(x.v) == kindOf(y.v) && slices.Equal(x.v.Shape, y.v.Shape)
	})
}

// regrow finds the arrays that grow with the draws in the metadata of an existing store.
func (w *Writer) regrow() error {
	groups := map[string]bool{}
	add := func(key string, axis int) error {
		doc := &array{}
		text, known := w.store.docs[key+"/.zarray"].(json.RawMessage)
		if !known {
			return incomplete(w.dir, fmt.Errorf("%s/.zarray: %w", key, fs.ErrNotExist))
		}
		if err := json.Unmarshal(text, doc); err != nil {
			return damaged(w.dir, ".zmetadata", jsonError(err))
		}
		if axis == 1 && (len(doc.Chunks) < 2 || doc.Chunks[0] != w.band || doc.Chunks[1] != w.chunk) {
			return damaged(w.dir, key, errors.New("has other chunks than the arrays before it"))
		}
		w.store.docs[key+"/.zarray"] = doc
		w.growing = append(w.growing, growing{key, doc, axis})
		return nil
	}
	for _, c := range w.columns {
		if !groups[c.group] {
			groups[c.group] = true
			if err := add(c.group+"/draw", 0); err != nil {
				return err
			}
		}
		if err := add(c.key(), 1); err != nil {
			return err
		}
	}
	return nil
}

// reread fills the buffers of chains with the draws of their incomplete chunks; counts gives the number of draws of
// each chain.
func (w *Writer) reread(counts []int) error {
	for chain, n := range counts {
		w.buffers[chain] = buffer{make([]float64, n%w.chunk*w.width), n, n}
	}
	for first := 0; first < len(w.buffers); first += w.band {
		windows := map[int]bool{}
		_, end := w.bandOf(first)
		for _, n := range counts[first:end] {
			if n%w.chunk > 0 {
				windows[n/w.chunk] = true
			}
		}
		for k := range windows {
			if err := w.rereadWindow(first, end, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// rereadWindow fills the buffers of those chains of a band whose incomplete chunk is the k-th.
func (w *Writer) rereadWindow(first, end, k int) error {
	for _, c := range w.columns {
		size := c.v.Size()
		if size == 0 {
			continue
		}
		raw, err := w.store.readChunk(w.disk, w.dir, chunkPlace(c, first/w.band, k),
			w.band*w.chunk*size*width(kindOf(c.v)))
		if err != nil {
			return err
		}
		values := decode(nil, raw, kindOf(c.v))
		for i := range w.buffers[first:end] {
			b := &w.buffers[first+i]
			if b.draws/w.chunk != k {
				continue
			}
			mine := values[i*w.chunk*size:]
			for draw := range b.draws % w.chunk {
				copy(b.records[draw*w.width+c.at:], mine[draw*size:(draw+1)*size])
			}
		}
	}
	return nil
}
