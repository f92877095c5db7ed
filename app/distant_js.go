package app

import "ppl/compiler/datasets/datafile"

// distant returns nil, since a web page may not connect to other machines.
func (n Network) distant() datafile.Distant { return nil }
