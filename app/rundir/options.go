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
	"ppl/compiler/datasets/datafile"
	"ppl/infer"
	"ppl/infer/settings"
	"ppl/posterior/store"
	"ppl/runtime/native"
	"ppl/runtime/sys/files"
)

// Options are stored with the draws, so that the run can be repeated or continued.
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
	Effective map[string]any `json:"effective,omitempty"` // the settings by name, with their defaults
	Keep      []string       `json:"keep,omitempty"`      // names and patterns of what is kept of a draw
	Init      string         `json:"init,omitempty"`      // where chains began, as --init named it
	Retry     *Retry         `json:"again,omitempty"`     // nil: the first attempt
	KeepsRows bool           `json:"keeps_rows"`          // the log likelihood of each row
	Directory string         `json:"directory,omitempty"` // where the command ran: model and data are relative to it
	Asked     Asked          `json:"asked"`
	Digests   Digests        `json:"digests"`
	Made      Maker          `json:"made_by"`
}

// Asked holds options as the user gave them, before defaults were filled in.
type Asked struct {
	Sampler    string   `json:"sampler,omitempty"`
	Device     string   `json:"device,omitempty"`
	Settings   []string `json:"set,omitempty"`
	Until      []string `json:"until,omitempty"`
	AutoExtend bool     `json:"goes_on,omitempty"` // the run is extended while its draws are not good enough

	// of a search for modes: its options, by name; nil for runs of samplers
	Search map[string]string `json:"search,omitzero"`
}

// A Retry describes the second attempt of a run whose draws were not good enough and did not promise to become so. It
// is made in a directory within that of the run. Its draws become those of the run if they are nearer to what a run
// aims at, and also where chains of the first attempt were; else the first ones stay.
type Retry struct {
	Before    string      `json:"before"`            // how far the first attempt had come, in words
	Ladder    bool        `json:"ladder,omitempty"`  // its chains were apart: walkers' agreement is not believed
	Sampler   string      `json:"sampler,omitempty"` // in place of nuts, which has no ladder
	Known     [][]float64 `json:"known,omitempty"`   // in modes found when there were draws, which lack them
	Gradients int64       `json:"gradients"`         // that the first attempt took
	// that the means of both attempts differ by more than their errors; nil if they agree, or before both are there
	Apart   *store.Warning `json:"apart,omitempty"`
	Seconds float64        `json:"seconds"`
}

// Decides returns what decides the draws besides the model, its data, the sampler and the seed. None of it changes when
// a run is extended.
func (o Options) Decides() any {
	return map[string]any{"warmup": o.Warmup, "settings": o.Settings, "digests": o.Digests}
}

// A Maker is what computed a run, to be found again if numbers differ.
type Maker struct {
	Ppl      string `json:"ppl"` // version and commit
	System   string `json:"system"`
	Compiler string `json:"c_compiler,omitempty"` // of compiled code
}

// MakerOn describes this program with a device.
func MakerOn(device string) Maker {
	m := Maker{Ppl: version.Full(), System: runtime.GOOS + "/" + runtime.GOARCH}
	if device == "native" {
		m.Compiler = native.CompilerVersion()
	}
	return m
}

// ReadOptions reads the options of the run in a directory.
func ReadOptions(dir string) (o Options, err error) { return readOptionsOn(files.Disk{}, dir) }

// OptionsOf reads the options of a run that is open.
func OptionsOf(run *store.Run) (o Options, err error) { return readOptionsOn(run.System(), run.Dir) }

func readOptionsOn(disk files.System, dir string) (o Options, err error) {
	_, err = store.ReadOptionsOn(disk, dir, &o)
	o.locate(dir)
	return o, err
}

// Differences names what decides the numbers of a run and is not as it was, with the value then and now. Model and data
// are not among it.
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

// AskedDevice returns the device as it was named.
func (o Options) AskedDevice() string { return cmp.Or(o.Asked.Device, devices.Auto) }

// Located returns where a path of the run is, seen from the working directory.
func (o Options) Located(path string) string {
	here, err := os.Getwd()
	if datafile.IsURL(path) || filepath.IsAbs(path) || o.Directory == "" || err == nil && here == o.Directory {
		return path
	}
	return filepath.Join(o.Directory, path)
}
