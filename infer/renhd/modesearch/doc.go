// Package modesearch finds modes of the target, remembers them, and moves walkers between them.
//
//	known := modesearch.NewKnown(run)
//	err := known.RememberModes(visits)                              those that walkers are in
//	found, err := known.Search(known.NewSearch(visits, false))      others, by climbs from thousands of points
//	err = known.Jump(round)                                         proposes a jump between two modes to each walker
//
// A Watch follows the draws of a run: it counts the modes that they are in, and continues searching on a ladder.
package modesearch
