package draws

import (
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ppl/runtime/files"
)

// A Writer streams draws to a run directory. It keeps at most one chunk of draws per chain in memory. Different
// goroutines may append to different chains. After an error it accepts no more draws and returns that error again.
type Writer struct {
	mu      sync.Mutex
	disk    files.System
	dir     string
	info    Info
	store   *store
	columns []column
	width   int // numbers in a draw's record
	chunk   int // draws in a chunk
	buffers []buffer
	growing []growing
	extends *Layout // of a run that has ended: its layout when the added group is whole; run.json stays as it is
	loose   bool    // chunks have been saved whose directories have not been synced
	err     error
}

// A buffer has the draws of one chain since its last full chunk, as records laid end to end.
type buffer struct {
	records []float64
	draws   int // appended so far, from the chain's first
	saved   int // in the store
}

// A growing array gets longer along the axis draw.
type growing struct {
	key  string
	doc  *array
	axis int
}

const maxChunk = 8192 // draws: a long run leaves hundreds of files, a short one loses little to padding

func newWriter(disk files.System, dir string, l Layout, o Options) *Writer {
	columns, width := l.columns()
	now := time.Now().UTC()
	return &Writer{
		disk: disk,
		dir:  dir,
		info: Info{Format: format, Status: Running, Model: o.Model, Sampler: o.Sampler, Device: o.Device, Seed: o.Seed,
			Version: o.Version, Process: thisProcess(), Created: now, Written: make([]int, l.Chains)},
		columns: columns,
		width:   width,
		chunk:   min(maxChunk, max(1, chunkElements/max(1, width))),
		buffers: make([]buffer, l.Chains),
	}
}

func (w *Writer) chains() int             { return len(w.buffers) }
func (w *Writer) file(name string) string { return filepath.Join(w.dir, name) }

// Append adds a draw to a chain (0-based): the elements of Layout.Posterior (or Prior and PriorPredictive, or
// Predictive), LogPrior and LogLikelihood laid end to end, then those of Layout.SampleStats.
func (w *Writer) Append(chain int, values, stats []float64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if len(values)+len(stats) != w.width {
		panic("internal error: a draw of another size than the layout's")
	}
	b := &w.buffers[chain]
	b.records = append(append(b.records, values...), stats...)
	b.draws++
	if b.draws%w.chunk == 0 {
		w.err = w.fill(chain)
	}
	return w.err
}

// fill writes a full chunk, and a checkpoint where it lets readers see more draws.
func (w *Writer) fill(chain int) error {
	if err := w.save(chain); err != nil {
		return err
	}
	w.buffers[chain].records = w.buffers[chain].records[:0]
	if w.extends != nil || w.readable() == w.info.Draws {
		return nil
	}
	return w.checkpoint()
}

// readable is the number of draws in the store of every chain.
func (w *Writer) readable() int {
	return slices.MinFunc(w.buffers, func(a, b buffer) int { return a.saved - b.saved }).saved
}

// save writes the chain's draws since its last full chunk, one chunk file for each array.
func (w *Writer) save(chain int) error {
	b := &w.buffers[chain]
	if b.saved == b.draws {
		return nil
	}
	k := (b.draws - 1) / w.chunk
	chunks := together()
	for _, c := range w.columns {
		if c.v.Size() == 0 {
			continue
		}
		index := append([]int{chain, k}, make([]int, len(c.v.Shape))...)
		file, data := w.store.packed(c.key(), index, w.gather(c, b.records))
		chunks.Go(func() error { return files.Replace(w.disk, file, data) })
	}
	if err := chunks.Wait(); err != nil {
		return err
	}
	b.saved, w.loose = b.draws, true
	return nil
}

// together runs what waits for the disk at the same time, where a file system makes many changes durable by one write
// of its journal.
func together() *errgroup.Group {
	g := new(errgroup.Group)
	g.SetLimit(16)
	return g
}

// fasten makes the chunks saved since the last checkpoint durable.
func (w *Writer) fasten() error {
	dirs := together()
	for _, c := range w.columns {
		if w.loose && c.v.Size() > 0 {
			dirs.Go(func() error { return w.disk.Sync(path(w.dir, c.key())) })
		}
	}
	w.loose = false
	return dirs.Wait()
}

// gather encodes one column of records as a chunk.
func (w *Writer) gather(c column, records []float64) []byte {
	kind, n := kindOf(c.v), c.v.Size()
	raw := make([]byte, 0, w.chunk*n*width(kind))
	for ; len(records) > 0; records = records[w.width:] {
		raw = encode(raw, kind, records[c.at:c.at+n])
	}
	return pad(raw, cap(raw))
}

// Flush makes all draws so far readable, short of a chunk though they be.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.flush()
	}
	return w.err
}

func (w *Writer) flush() error {
	for chain := range w.buffers {
		if err := w.save(chain); err != nil {
			return err
		}
	}
	return w.checkpoint()
}

// checkpoint commits what has been saved: the coordinate draw and the arrays' shapes, then .zmetadata, then run.json.
func (w *Writer) checkpoint() error {
	if err := w.fasten(); err != nil {
		return err
	}
	if err := w.grow(w.readable()); err != nil {
		return err
	}
	if err := w.store.consolidate(); err != nil {
		return err
	}
	return w.writeInfo()
}

// grow sets the length of the streamed arrays.
func (w *Writer) grow(draws int) error {
	for _, g := range w.growing {
		if g.doc.Shape[g.axis] == draws {
			continue
		}
		if g.axis == 0 {
			if err := w.number(g.key, g.doc.Shape[0], draws); err != nil {
				return err
			}
		}
		g.doc.Shape[g.axis] = draws
		if err := w.store.put(g.key+"/.zarray", g.doc); err != nil {
			return err
		}
	}
	return nil
}

// number writes those chunks of the coordinate draw, 0, 1, 2, …, that draws from..to-1 need.
func (w *Writer) number(key string, from, to int) error {
	for k := from / w.chunk; k*w.chunk < to; k++ {
		if err := w.store.chunk(key, []int{k}, encode(nil, intType, count(k*w.chunk, w.chunk))); err != nil {
			return err
		}
	}
	return w.disk.Sync(path(w.dir, key))
}

func (w *Writer) writeInfo() error {
	if w.extends != nil {
		return nil
	}
	w.info.Draws, w.info.Updated = w.readable(), time.Now().UTC()
	for i, b := range w.buffers {
		w.info.Written[i] = b.saved
	}
	if err := writeJSON(w.disk, w.file(runFile), w.info); err != nil {
		return err
	}
	return w.disk.Sync(w.dir)
}

// Report renews the sampler's report; it is written with the next checkpoint.
func (w *Writer) Report(r SamplerReport) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info.Report = r
}

// Close makes all draws readable and ends the run. A cause (of Failed) is kept for the reader; nil otherwise. When
// draws cannot be written, the run is marked as failed where that is still possible, and the first error comes back.
func (w *Writer) Close(status Status, cause error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info.Status = status
	if cause != nil {
		w.info.Error = cause.Error()
	}
	if w.err == nil && w.extends == nil {
		w.err = w.conclude()
	}
	if w.err == nil {
		w.err = w.flush()
	}
	if w.err == nil && w.extends != nil {
		w.err = writeJSON(w.disk, w.file(layoutFile), w.extends)
	}
	if w.err != nil {
		w.info.Status, w.info.Error = Failed, w.err.Error()
		w.writeInfo() // best effort: w.err is the one to report
	}
	return w.err
}
