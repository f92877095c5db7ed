package rundir

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ppl/app/devices"
	"ppl/app/version"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/infer"
	"ppl/infer/settings"
	"ppl/posterior/store"
	"ppl/runtime/native"
	"ppl/runtime/sys/files"
)

// Options holds the options of a run. They are stored with the draws, so that the run can be repeated or resumed.
type Options struct {
	Model     string         `json:"model"`
	Data      []string       `json:"data"`
	Sampler   string         `json:"sampler"`
	Chains    int            `json:"chains"`
	Draws     int            `json:"draws"`
	Warmup    int            `json:"warmup"`
	Seed      uint64         `json:"seed"`
	Device    string         `json:"device"`
	Settings  infer.Settings `json:"settings"`
	Effective map[string]any `json:"effective,omitempty"` // settings by name, including defaults
	Keep      []string       `json:"keep,omitempty"`      // names and patterns of the variables stored
	Init      string         `json:"init,omitempty"`      // argument of --init
	Retry     *Retry         `json:"again,omitempty"`     // nil for the first attempt
	KeepsRows bool           `json:"keeps_rows"`          // whether the log likelihood of each row is stored
	Directory string         `json:"directory,omitempty"` // working directory, to which paths are relative
	Asked     Asked          `json:"asked"`
	Digests   Digests        `json:"digests"`
	Made      Maker          `json:"made_by"`
}

// Asked holds options as the user gave them, before defaults were applied.
type Asked struct {
	Sampler    string   `json:"sampler,omitempty"`
	Device     string   `json:"device,omitempty"`
	Settings   []string `json:"set,omitempty"`
	Until      []string `json:"until,omitempty"`
	AutoExtend bool     `json:"goes_on,omitempty"` // extend the run until its draws are good enough

	// Search holds the options of a search for modes, by name; nil for runs of samplers.
	Search map[string]string `json:"search,omitzero"`
}

// A Retry describes the second attempt of a run whose draws were not good enough. The attempt uses a directory inside
// that of the run. Its draws replace those of the first attempt if they are nearer to the goal and cover the places of
// the first attempt's chains.
type Retry struct {
	Before    string      `json:"before"`            // standing of the first attempt, in words
	Ladder    bool        `json:"ladder,omitempty"`  // whether to use a temperature ladder, since chains disagreed
	Sampler   string      `json:"sampler,omitempty"` // sampler that replaces NUTS, which has no ladder
	Known     [][]float64 `json:"known,omitempty"`   // points in modes that the first attempt's draws lack
	Gradients int64       `json:"gradients"`         // number of gradients of the first attempt
	// Apart is the warning that the means of the two attempts differ by more than their errors; nil if they agree or
	// are not both known.
	Apart   *store.Warning `json:"apart,omitempty"`
	Seconds float64        `json:"seconds"`
}

// Decides returns what determines the draws besides the model, its data, the sampler and the seed. Extending a run does
// not change it.
func (o Options) Decides() any {
	return map[string]any{"warmup": o.Warmup, "settings": o.Settings, "digests": o.Digests}
}

// A Maker identifies the program that computed a run, for the case that results differ.
type Maker struct {
	Ppl      string `json:"ppl"` // version and commit
	System   string `json:"system"`
	Compiler string `json:"c_compiler,omitempty"` // C compiler of compiled code
}

// MakerOn describes this program, using the given device.
func MakerOn(device string) Maker {
	m := Maker{Ppl: version.Full(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if device == "native" {
		m.Compiler = native.CompilerVersion()
	}
	return m
}

// ReadOptions reads the options of the run in a directory.
func ReadOptions(dir string) (o Options, err error) { return readOptionsOn(files.Disk{}, dir) }

// OptionsOf reads the options of an open run.
func OptionsOf(run *store.Run) (o Options, err error) { return readOptionsOn(run.System(), run.Dir) }

func readOptionsOn(disk files.System, dir string) (o Options, err error) {
	_, err = store.ReadOptionsOn(disk, dir, &o)
	o.locate(dir)
	return o, err
}

// Differences lists options that determine the draws and have changed, with old and new values. It does not compare
// model and data.
func (o Options) Differences(now Options) (all []string) {
	add := func(what string, then, now any) {
		if then != now {
			all = append(all, fmt.Sprintf("%s is %v, and was %v", what, now, then))
		}
	}
	add("--seed", o.Seed, now.Seed)
	add("--chains", o.Chains, now.Chains)
	add("--warmup", o.Warmup, now.Warmup)
	add("--sampler", o.Sampler, now.Sampler)
	add("--keep", strings.Join(o.Keep, ","), strings.Join(now.Keep, ","))
	if o.Sampler == now.Sampler {
		all = append(all, settings.Differences(o.Settings, now.Settings)...)
	}
	if o.Digests.Starts != now.Digests.Starts {
		all = append(all, "the starting values of --init are not those of the run")
	}
	return all
}

// AskedDevice returns the requested device.
func (o Options) AskedDevice() string { return cmp.Or(o.Asked.Device, devices.Auto) }

// Located returns the path of a file of the run relative to the working directory.
func (o Options) Located(path string) string {
	here, err := os.Getwd()
	if remote.IsURL(path) || filepath.IsAbs(path) || o.Directory == "" || err == nil && here == o.Directory {
		return path
	}
	return filepath.Join(o.Directory, path)
}
