package app

import (
	"fmt"
	"strings"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/app/version"
	"ppl/posterior/store"
)

// changedModel reports in what model and data differ from those of the run; empty if they do not.
func (run *attempt) changedModel() (all []string, err error) {
	then, now := run.dir.Before.Digests, run.digests
	if then.Data == now.Data && then.Program == now.Program {
		return nil, nil
	}
	if old, err := run.dir.Open(); err == nil { // else there are no draws yet, nor their data
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
		all = append(all, fmt.Sprintf("ppl %s compiles the model in another way than ppl %s, which began the run",
			version.Number(), run.dir.Info.Version))
	}
	return all, nil
}

// checkSame refuses to continue with a run that would be another one.
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
		return fault.Usagef("the run in %s cannot go on: %s", d.Path, strings.Join(all, "; "))
	}
	if now.Draws < d.Info.Draws {
		return fault.Usagef("--draws %d: the run in %s has %d draws per chain already", now.Draws, d.Path, d.Info.Draws)
	}
	return nil
}
