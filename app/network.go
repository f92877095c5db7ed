package app

import "ppl/compiler"

// A Network says which data of other machines a command may read: those that its user has named, as options of the
// command, or all. What a model or a run directory names may be by somebody else.
type Network struct {
	Named []string // --data flags as the user gave them
	All   bool     // what models and runs name too
}

// Cache returns the user's cache, with the data of other machines that may be read.
func (n Network) Cache() compiler.RowCache {
	cache := compiler.DefaultRowCache()
	cache.Distant = n.distant()
	return cache
}
