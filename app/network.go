package app

import "ppl/compiler"

// A Network determines which remote data a command may read: those that its user named as options of the command, or
// all. URLs in a model or a run directory may come from somebody else, so they are not trusted by default.
type Network struct {
	Named []string // --data flags given by the user
	All   bool     // also allow URLs named in models and runs
}

// Cache returns the user's row cache, with access to the remote data that may be read.
func (n Network) Cache() compiler.RowCache {
	cache := compiler.DefaultRowCache()
	cache.Distant = n.distant()
	return cache
}
