package translate

import (
	_ "embed" // for library.stan
	"maps"
	"sync"

	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
)

// libraryText defines functions of Stan's library in Stan. Calls of them are translated like calls of the program's
// functions.
//
//go:embed library.stan
var libraryText string

var libraryInfo = sync.OnceValue(func() *stan.Info {
	p, ds := stan.Parse(source.New("library.stan", libraryText))
	if diag.HasErrors(ds) {
		panic(ds[0].Message)
	}
	info, ds := stan.Check(p)
	if diag.HasErrors(ds) {
		panic(ds[0].Message)
	}
	return info
})

// withLibrary adds the library's functions to those of a program.
func withLibrary(info *stan.Info) *stan.Info {
	library := libraryInfo()
	all := &stan.Info{Types: maps.Clone(info.Types), Functions: maps.Clone(library.Functions)}
	maps.Copy(all.Types, library.Types)
	maps.Copy(all.Functions, info.Functions)
	return all
}
