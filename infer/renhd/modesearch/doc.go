// Package modesearch finds modes of the target, stores them, and moves walkers between them.
//
//	known := modesearch.NewKnown(run)
//	err := known.RememberModes(visits)                              modes that walkers are in
//	found, err := known.Search(known.NewSearch(visits, false))      other modes, by climbs from thousands of points
//	err = known.Jump(round)                                         proposes to each walker a jump between modes
//
// A Watch follows the draws of a run: it counts the modes that they are in, and continues the search on a ladder.
package modesearch
