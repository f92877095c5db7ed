package main

import (
	"errors"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/runtime/sys/memory"
)

const dataUsage = "data from file `F`, or one array from NAME=F, or a number as NAME=20; may be repeated"

// dataFlag adds --data to a command.
func dataFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringArray("data", nil, dataUsage)
}

// loadFrom compiles a model with its data, and prints what there is to say of them, quiet without notes.
func (c *console) loadFrom(cache compiler.RowCache, model string, data []string, quiet bool) (*compiler.Program,
	error) {
	args, err := dataArgs(data)
	if err != nil {
		return nil, err
	}
	cache.Converting = func(path string) {
		if !quiet {
			c.notef("note: %s is too large for memory: its rows are copied, once, to %s", path, cache.Dir)
		}
	}
	p, ds := compiler.LoadFrom(model, args, cache)
	tidy()
	if quiet {
		ds = slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Severity == diag.Note })
	}
	return p, c.diagnose(ds)
}

// largeHeap is the memory, in bytes, from which tidy works, and manyData is that of data from which the collector comes
// more often; both count what main reserves.
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

// loadWhole is load for what looks at all data at once.
func (c *console) loadWhole(model string, data []string, quiet bool) (*compiler.Program, error) {
	p, err := c.loadFrom(compiler.DefaultRowCache(), model, data, quiet)
	if err == nil && p.Streams() > 0 {
		return nil,
			wrong(errors.New("the data are too large for memory, and only minibatches of them are ever looked at; " +
				"give fewer rows to see the whole density"))
	}
	return p, err
}

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// dataArgs reads --data flags. What stands before the first = is a name only if it can be one: ./a=b.csv is a file.
func dataArgs(flags []string) ([]compiler.DataArg, error) {
	var args []compiler.DataArg
	for _, f := range flags {
		name, path, found := strings.Cut(f, "=")
		if !found || !nameForm.MatchString(name) {
			name, path = "", f
		}
		if path == "" {
			return nil, usagef("--data %q names no file; write --data FILE, --data NAME=FILE or --data NAME=20", f)
		}
		args = append(args, compiler.DataArg{Name: name, Path: path})
	}
	return args, nil
}
