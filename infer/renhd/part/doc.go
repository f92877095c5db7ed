// Package part divides a run into parts between whose iterations checkpoints are taken, and resumes it from them.
//
//	found, err := part.Do(run, &window{…})    Begin, then Iterate while there is More, then Finish
//
// A part has a name, a state and a result of its own type. Owners have state that belongs to the whole run: walkers,
// the ladder, modes, anchors, decisions of warm-up. A checkpoint has the states of all owners and of the part under
// way, by name, and the results of the parts that have ended. A resumed run goes through warm-up again on a device
// that computes nothing: parts that had ended are answered from their results, up to the one that was under way.
package part
