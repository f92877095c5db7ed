package app

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/diag"
	"ppl/runtime/sys/memory"
)

// A Source identifies a model and its data.
type Source struct {
	Model string   // file of the model; paths in the model are relative to it, even if Text is set
	Text  string   // text of the model; if empty, the file is read
	Data  []string // arguments of --data: FILE, NAME=FILE or NAME=20
	Root  string   // directory that replaces "/" in the absolute paths of the model; if empty, "/"

	Network Network // which remote data may be read
}

// LoadInMemory compiles a model with its data, for callers that need all data at once. It returns an error if the data
// are too large for memory, before it copies their rows. Warnings are sent to n. The error is of kind fault.Input or
// fault.Usage.
func LoadInMemory(s Source, n notes.Notes) (*compiler.Program, error) {
	refused := fault.Wrong(errors.New("the data are too large for memory, so that only minibatches of them can be " +
		"evaluated; give fewer rows to evaluate the density of all rows"))
	p, err := loadSharing(context.Background(), s.Network.Cache(), s, n,
		func(*compiler.Program) error { return refused })
	if err == nil && p.Streams() > 0 {
		return nil, refused
	}
	return p, err
}

// loadSharing compiles a model with its data, using a cache that processes can share. If the data are too large for
// memory, their rows are copied, which ctx can stop. Before that, it compiles the model with the first rows and calls
// refuse, if not nil, which can return an error.
func loadSharing(ctx context.Context, cache compiler.RowCache, s Source, n notes.Notes,
	refuse func(*compiler.Program) error) (*compiler.Program, error) {
	args, err := DataArgs(s.Data)
	if err != nil {
		return nil, err
	}
	load := func(cache compiler.RowCache) (*compiler.Program, []diag.Diagnostic) {
		return compiler.Load(compiler.Request{Path: s.Model, Text: s.Text, Data: args, Root: s.Root,
			Cache: &cache})
	}
	c := &copying{ctx: ctx, notes: n, dir: cache.Dir, foresee: func() error {
		first := cache
		first.First, first.SharedAs = foreseenRows, ""
		return foreseen(refuse)(load(first))
	}}
	cache.Converting = c.report
	p, ds := load(cache)
	n.ProgressEnd()
	tidy()
	if c.ended != nil {
		return nil, c.ended
	}
	return p, notes.Diagnose(n, ds)
}

// A copying reports the progress of copying a file that is too large for memory, and can stop it.
type copying struct {
	ctx     context.Context
	notes   notes.Notes
	dir     string
	foresee func() error // checks the model with the first rows of the data
	ended   error        // reason why the copy was stopped
}

// foreseenRows is the number of rows with which a model is compiled before all rows are copied, to find errors early.
const foreseenRows = 1000

// foreseen returns a function that checks the result of compiling a model with the first rows of its data. Of the
// compiler's errors, only RowsAtOnce is also certain with all rows, so the others are ignored.
func foreseen(refuse func(*compiler.Program) error) func(*compiler.Program, []diag.Diagnostic) error {
	return func(p *compiler.Program, ds []diag.Diagnostic) error {
		certain := slices.DeleteFunc(ds, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && d.Code != diag.RowsAtOnce
		})
		if err := fault.Diagnosed(certain); err != nil || p == nil || refuse == nil {
			return err
		}
		return refuse(p)
	}
}

// copiedParts is the number of steps in which the progress of a copy is reported.
const copiedParts = 100

// report is called before and during the copy of a file. It returns an error to stop the copy.
func (c *copying) report(path string, done float64) error {
	if done == 0 {
		c.ended = c.foresee()
		if c.ended == nil {
			c.notes.Note(path + " is too large for memory: its rows are copied, once, to " + c.dir)
		}
	}
	if c.ctx.Err() != nil {
		c.ended = fault.Interrupted()
	}
	if c.ended == nil {
		c.notes.Progress(infer.Progress{Phase: infer.Copying, Done: int(done * copiedParts), Total: copiedParts})
	}
	return c.ended
}

// tidy does nothing unless the heap exceeds largeHeap bytes. It makes garbage collection more frequent if live data
// exceed manyData bytes. Both limits include the memory that a command reserves.
const (
	largeHeap = memory.ReserveSize + 64<<20
	manyData  = memory.ReserveSize + 32<<20
)

// tidy returns memory that was needed for reading large data to the operating system. If much is still in use, it makes
// the garbage collector run whenever the heap has grown by a fifth; this is cheap, since large data contain no
// pointers.
func tidy() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys-m.HeapReleased <= largeHeap {
		return
	}
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > manyData {
		debug.SetGCPercent(20)
	}
}

// LoadPredictive loads a model as a program that draws its data. It returns an error if no data have a distribution.
func LoadPredictive(s Source, from compiler.Basis, n notes.Notes) (*compiler.Program, error) {
	args, err := DataArgs(s.Data)
	if err != nil {
		return nil, err
	}
	cache := s.Network.Cache()
	program, ds := compiler.Load(compiler.Request{Path: s.Model, Data: args, Predict: from, Cache: &cache})
	if err := notes.Diagnose(n, ds); err != nil {
		return nil, err
	}
	return DrawsData(program)
}

// DrawsData returns the program, or an error if the program draws none of its data.
func DrawsData(program *compiler.Program) (*compiler.Program, error) {
	if program.Replicas() == len(program.Saved()) {
		return nil, fault.Wrong(errors.New("no data of the model have a distribution to draw from: give them one, as " +
			"in `y ~ Normal(mu, 1)`; Density can be drawn from only if it is for integers in a range: " +
			"`data y[N]: int` and `y[i in N] ~ Density(…) in 0..20`"))
	}
	return program, nil
}

// DataArgs parses the arguments of --data.
func DataArgs(flags []string) ([]compiler.DataArg, error) {
	var args []compiler.DataArg
	for _, f := range flags {
		d := rundir.ParseData(f)
		if d.Path == "" {
			return nil, fault.Usagef("--data %q names no file; write --data FILE, --data NAME=FILE or --data NAME=20",
				f)
		}
		args = append(args, compiler.DataArg{Name: d.Name, Path: d.Path, Key: d.Key})
	}
	return args, nil
}
