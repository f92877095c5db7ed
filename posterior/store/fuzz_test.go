package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ppl/runtime/sys/files"
)

// FuzzOpen checks that reading returns a run or an error for any contents of the three documents. There are no chunk
// files, so a run that declares draws must fail.
func FuzzOpen(f *testing.F) {
	dir, l := f.TempDir(), testLayout()
	w, err := Create(files.Disk{}, dir, l, Options{Model: "m.ppl"})
	if err != nil {
		f.Fatal(err)
	}
	values, stats := record(l, 0, 0)
	for chain := range l.Chains {
		err = errors.Join(err, w.Append(chain, values, stats))
	}
	if err := errors.Join(err, w.Close(Finished, nil)); err != nil {
		f.Fatal(err)
	}
	var docs [3]string
	for i, name := range []string{runFile, layoutFile, ".zmetadata"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		docs[i] = string(text)
	}
	f.Add(docs[0], docs[1], docs[2])
	f.Add(docs[0], `{"chains":99999999999}`, docs[2])
	f.Add(docs[0], `{"chains":1,"posterior":[{"name":"a","shape":[4294967296,4294967296]}]}`, docs[2])
	f.Add(docs[0], `{"chains":1,"posterior":[{"name":"../../x"}]}`, docs[2])
	f.Add(docs[0], `{"chains":1,"posterior":[{"name":"a"}]}`,
		`{"metadata":{"posterior/a/.zarray":{"shape":[1,60000000000],"chunks":[1,1000],"dtype":"<f8"}}}`)
	f.Add(docs[0], `{"chains":1,"observed_data":[{"name":"y","shape":[9]}]}`,
		`{"metadata":{"observed_data/y/.zarray":{"shape":[9],"chunks":[0],"dtype":"<f8"}}}`)
	empty := f.TempDir()
	f.Fuzz(func(t *testing.T, run, layout, meta string) {
		info, err := parseInfo(empty, []byte(run))
		if err != nil {
			return
		}
		r, err := parseRun(files.Disk{}, empty, info, []byte(layout), []byte(meta))
		if err != nil {
			return
		}
		readAll(t, r)
	})
}

func readAll(t *testing.T, r *Run) {
	for _, v := range r.Layout.Posterior {
		if _, err := r.Draws(v.Name); err == nil && r.Info.Draws > 0 && v.Size() > 0 {
			t.Errorf("%s: draws out of nothing", v.Name)
		}
		if v.Size() > 0 {
			v.Element(v.Size() - 1)
		}
	}
	for _, v := range r.Layout.SampleStats {
		if _, err := r.Stats(v.Name); err == nil && r.Info.Draws > 0 && v.Size() > 0 {
			t.Errorf("%s: draws out of nothing", v.Name)
		}
	}
	for _, o := range r.Layout.Observed {
		if _, err := r.ObservedData(o.Name); err == nil && o.Size() > 0 {
			t.Errorf("%s: data out of nothing", o.Name)
		}
	}
}
