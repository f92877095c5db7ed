package main

import (
	"strings"
	"testing"
	"time"
)

// TestJudge checks that each demand finds its violation, and that none rejects acceptable output.
func TestJudge(t *testing.T) {
	s := scene{names: "x.npy"}
	fine := outcome{args: []string{"check"}, code: 1,
		said: "x.npy: the file ends within its header\nlayout.json: it is cut off\n" +
			" 12 | " + strings.Repeat("long ", 300) + "\n"}
	if wrong := judge(s, fine); wrong != "" {
		t.Errorf("what is fine: %s", wrong)
	}
	for want, change := range map[string]func(o *outcome){
		"did not end":         func(o *outcome) { o.stuck = true },
		"of processor time":   func(o *outcome) { o.processor = time.Minute },
		"exit code 2":         func(o *outcome) { o.code = 2 },
		"exit code 3":         func(o *outcome) { o.code = 3 },
		"exit code -1":        func(o *outcome) { o.code = -1 },
		"without output":      func(o *outcome) { o.said = "\n" },
		"internal error":      func(o *outcome) { o.said += "ppl: internal error: x" },
		"goroutine 1":         func(o *outcome) { o.said += "goroutine 1 [running]:" },
		"fatal error":         func(o *outcome) { o.said += "fatal error: runtime: out of memory" },
		"slice bounds":        func(o *outcome) { o.said += "slice bounds out of range [1260:416]" },
		"thrift":              func(o *outcome) { o.said += "decoding thrift payload" },
		"json: ":              func(o *outcome) { o.said += "m.run: json: cannot unmarshal string into Go" },
		"unexpected EOF":      func(o *outcome) { o.said += "x.npy: unexpected EOF" },
		"strconv.":            func(o *outcome) { o.said += "strconv.Atoi: parsing" },
		"a line has":          func(o *outcome) { o.said += strings.Repeat("long ", 300) },
		"does not name x.npy": func(o *outcome) { o.said = "the file ends within its header" },
		"it took 2048 MB":     func(o *outcome) { o.memory = 2 << 30 },
	} {
		o := fine
		change(&o)
		if wrong := judge(s, o); !strings.Contains(wrong, want) {
			t.Errorf("%s: judged %q", want, wrong)
		}
	}
}
