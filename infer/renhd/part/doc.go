// Package part divides a run into parts. Checkpoints are taken between the iterations of a part, and runs are resumed
// from them.
//
//	found, err := part.Do(run, &window{…})   Begin, then Iterate while More, then Finish
//
// A part has a name, a state, and a result of its own type. Owners hold state that belongs to the entire run: walkers,
// the ladder, modes, anchors, decisions of warm-up. A checkpoint has the states of all owners and of the current part,
// by name, and the results of finished parts. A resumed run repeats the code of warm-up on a device that computes
// nothing: finished parts return their stored results, until the run reaches the part that was current at the
// checkpoint.
package part
