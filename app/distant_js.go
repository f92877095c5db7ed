package app

import "ppl/compiler/datasets/datafile"

// distant reads nothing: a page of a browser may not ask other machines.
func (n Network) distant() datafile.Distant { return nil }
