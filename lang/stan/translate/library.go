package translate

import (
	_ "embed" // for library.stan
	"maps"
	"sync"

	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
)

// libraryText defines functions of Stan's library in Stan. A call of one is translated as that of a function of the
// program.
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

// withLibrary adds the functions of the library to those of a program.
func withLibrary(info *stan.Info) *stan.Info {
	library := libraryInfo()
	all := &stan.Info{Types: maps.Clone(info.Types), Functions: maps.Clone(library.Functions)}
	maps.Copy(all.Types, library.Types)
	maps.Copy(all.Functions, info.Functions)
	return all
}
