package app

import (
	"fmt"
	"strings"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/app/version"
	"ppl/posterior/store"
)

// changedModel describes the differences between the model and data now and those of the run. It returns nothing if
// there are none.
func (run *attempt) changedModel() (all []string, err error) {
	then, now := run.dir.Before.Digests, run.digests
	if then.Data == now.Data && then.Program == now.Program {
		return nil, nil
	}
	if old, err := run.dir.Open(); err == nil { // if this fails, there are no draws yet, and no stored data
		if all, err = rundir.ChangedData(old, *run.dir.Before, run.program); err != nil {
			return nil, fault.Of(err)
		}
	}
	if then.Data != now.Data && len(all) == 0 {
		all = append(all, "the model's data are not those of the run")
	}
	text, err := store.ReadModel(run.dir.Disk, run.dir.Path)
	if err != nil {
		return nil, fault.Of(err)
	}
	source := run.program.Model().Source.Text
	switch line := rundir.ChangedLine(string(text), source); {
	case line != "":
		all = append(all, line)
	case len(all) == 0:
		all = append(all, fmt.Sprintf("ppl %s compiles the model differently from ppl %s, which began the run",
			version.Number(), run.dir.Info.Version))
	}
	return all, nil
}

// checkSame returns an error if resuming would change what determines the run's draws.
func (run *attempt) checkSame() error {
	d := run.dir
	if d.Before == nil {
		return nil
	}
	now := run.resolved()
	changed, err := run.changedModel()
	if err != nil {
		return err
	}
	if all := append(d.Before.Differences(now), changed...); len(all) > 0 {
		return fault.Usagef("the run in %s cannot be continued: %s", d.Path, strings.Join(all, "; "))
	}
	if now.Draws < d.Info.Draws {
		return fault.Usagef("--draws %d: the run in %s has %d draws per chain already", now.Draws, d.Path, d.Info.Draws)
	}
	return nil
}
