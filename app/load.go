package app

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/runtime/sys/memory"
)

// A Source is a model with its data.
type Source struct {
	Model string   // the model's file; of a Text, the file that it would be in: what it names is relative to that
	Text  string   // the model's text; if it is empty, the file is read
	Data  []string // files and values, as --data takes them: FILE, NAME=FILE or NAME=20
}

// Load compiles a model with its data. Warnings go to n; an error is of kind fault.Input or fault.Usage.
func Load(s Source, n notes.Notes) (*compiler.Program, error) {
	return loadSharing(compiler.DefaultRowCache(), s, n)
}

// LoadInMemory is Load for what looks at all data at once: it refuses data that are too large for memory.
func LoadInMemory(s Source, n notes.Notes) (*compiler.Program, error) {
	p, err := Load(s, n)
	if err == nil && p.Streams() > 0 {
		return nil, fault.Wrong(errors.New("the data are too large for memory, and only minibatches of them are ever " +
			"looked at; give fewer rows to see the whole density"))
	}
	return p, err
}

// loadSharing is Load with a cache by which processes share data.
func loadSharing(cache compiler.RowCache, s Source, n notes.Notes) (*compiler.Program, error) {
	args, err := DataArgs(s.Data)
	if err != nil {
		return nil, err
	}
	cache.Converting = func(path string) {
		n.Note(path + " is too large for memory: its rows are copied, once, to " + cache.Dir)
	}
	load := compiler.LoadFrom
	if s.Text != "" {
		load = func(path string, args []compiler.DataArg, cache compiler.RowCache) (*compiler.Program,
			[]diag.Diagnostic) {
			return compiler.LoadText(path, s.Text, args, cache)
		}
	}
	p, ds := load(s.Model, args, cache)
	tidy()
	return p, notes.Diagnose(n, ds)
}

// largeHeap is the memory, in bytes, from which tidy works, and manyData is that of data from which the collector comes
// more often; both count what a command reserves.
const (
	largeHeap = memory.ReserveSize + 64<<20
	manyData  = memory.ReserveSize + 32<<20
)

// tidy gives what reading large data has left behind back to the system. If much stays, the collector comes after the
// heap has grown by a fifth, not by all of the data again: these have no pointers that it would have to follow.
func tidy() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapSys-m.HeapReleased <= largeHeap {
		return
	}
	debug.FreeOSMemory()
	if runtime.ReadMemStats(&m); m.HeapAlloc > manyData {
		debug.SetGCPercent(20)
	}
}

// LoadPredictive loads a model that draws its data. There must be data with a distribution.
func LoadPredictive(s Source, from compiler.Basis, n notes.Notes) (*compiler.Program, error) {
	args, err := DataArgs(s.Data)
	if err != nil {
		return nil, err
	}
	program, ds := compiler.LoadPredictive(s.Model, args, from)
	if err := notes.Diagnose(n, ds); err != nil {
		return nil, err
	}
	return DrawsData(program)
}

// DrawsData returns an error if a program draws none of its data.
func DrawsData(program *compiler.Program) (*compiler.Program, error) {
	if program.Replicas() == len(program.Saved()) {
		return nil, fault.Wrong(errors.New("no data of the model have a distribution to draw from: there is no `y ~ " +
			"…` for data but by Density"))
	}
	return program, nil
}

// DataArgs reads data as --data takes them.
func DataArgs(flags []string) ([]compiler.DataArg, error) {
	var args []compiler.DataArg
	for _, f := range flags {
		name, path := rundir.DataPath(f)
		if path == "" {
			return nil, fault.Usagef("--data %q names no file; write --data FILE, --data NAME=FILE or --data NAME=20",
				f)
		}
		args = append(args, compiler.DataArg{Name: strings.TrimSuffix(name, "="), Path: path})
	}
	return args, nil
}
