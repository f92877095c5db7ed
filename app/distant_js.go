package app

import "ppl/compiler/datasets/datafile/remote"

// distant returns nil, since a web page may not connect to other machines.
func (n Network) distant() remote.Store { return nil }
