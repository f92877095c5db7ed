package infer

import "ppl/runtime/device"

// Options of a run. The same options on the same device give the same draws, whatever Threads is.
type Options struct {
	Chains   int // independent ladders; each yields one chain
	Draws    int // kept draws per chain
	Warmup   int // warm-up iterations per chain; they are not kept
	Thin     int // iterations per kept draw; 0 means choose at the end of warm-up
	Seed     uint64
	Threads  int // 0 means all cores
	Device   device.Device
	Settings Settings
}

// Defaults are the options nobody has to think about: 4 chains of 1,000 draws each after 1,000 of warm-up. The device
// is the caller's to choose.
func Defaults() Options { return Options{Chains: 4, Draws: 1000, Warmup: 1000} }
