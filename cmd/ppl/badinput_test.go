package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ppl/cmd/ppl/terminal"
)

// A badInput is a command that cannot be carried out, with its exit code and its one-line message.
type badInput struct {
	command string // words; RUN, BROKEN, … are directories
	code    int
	says    string
}

// badInputs lists mistakes of users, and what they find after a crash.
func badInputs() []badInput {
	all := []badInput{
		{"export RUN nu", 1, "has no `nu`; did you mean `mu`?"},
		{"export RUN --format xlsx", 2, "unknown format"},
		{"summary RUN b[Guy]", 1, "has no `b[Guy]`; did you mean `b[Guys]`?"},
		{"plot RUN trace nu", 1, "did you mean `mu`?"},
		{"plot RUN tracer mu", 1, "did you mean trace?"},
		{"loo RUN z", 1, "has no log likelihood of z"},
		{"compare RUN OTHER", 1, "cannot be compared"},
		{"predict RUN --data nocolumn.csv", 1, "no data given for `h`"},
		{"predict RUN --data nofile.csv", 1, "nofile.csv"},
		{"predict CHANGED", 1, "has changed since it was sampled"},
		{"predict PRIOR", 1, "holds no draws from a posterior"},
		{"loo PRIOR", 1, ""},
		{"query RUN nu", 1, "`nu`"},
		{"query RUN b[\"Gus\"]", 1, "H has no element named"},
		{"query RUN b[7]", 1, "has no element 7"},
		{"query RUN 1+", 1, "query:1:"},
		{"sensitivity RUN nu", 1, "did you mean `mu`?"},
		{"sample RUN", 1, "is a directory"},
	}
	for _, run := range []string{"NOTHING", "EMPTY", "ANNOUNCED", "NOLAYOUT", "HALFLAYOUT", "NOMETA", "HALFMETA"} {
		for _, verb := range []string{"summary", "diagnose", "report", "loo", "export", "predict", "sensitivity"} {
			all = append(all, badInput{verb + " " + run, 1, ""})
		}
		all = append(all, badInput{"plot " + run + " trace", 1, ""}, badInput{"query " + run + " mu", 1, ""},
			badInput{"repl " + run, 1, ""}, badInput{"predict " + run + " --data new.csv", 1, ""},
			badInput{"compare RUN " + run, 1, ""})
	}
	return append(all, badInput{"summary CUT", 1, "is damaged"}, badInput{"export CUT", 1, "is damaged"},
		badInput{"report CUT", 1, "is damaged"}, badInput{"query CUT mu", 1, "is damaged"},
		badInput{"predict CUT --data new.csv", 1, "is damaged"})
}

// TestBadInput checks that each mistake gives one line, and an exit code that shows the cause. Existing files are not
// changed.
func TestBadInput(t *testing.T) {
	dirs := badRuns(t)
	for _, c := range badInputs() {
		args := strings.Fields(c.command)
		for i, a := range args {
			if dirs[a] != "" {
				args[i] = dirs[a]
			}
		}
		code, _, said := carryOutHere(args)
		line, rest, _ := strings.Cut(strings.TrimSuffix(said, "\n"), "\n")
		switch {
		case code != c.code:
			t.Errorf("ppl %s: exit code %d, want %d\n%s", c.command, code, c.code, said)
		case !strings.Contains(line, c.says):
			t.Errorf("ppl %s says %q, want %q in it", c.command, line, c.says)
		case rest != "" && code == terminal.CodeWrong && !strings.HasPrefix(strings.TrimSpace(rest), "1 |") &&
			!strings.Contains(rest, "| ") && !strings.Contains(rest, "= help"):
			t.Errorf("ppl %s says more than one line:\n%s", c.command, said)
		}
	}
	if runtime.GOOS == "linux" { // a full disk is no mistake of the user's
		for _, format := range []string{"csv", "json", "parquet", "netcdf"} {
			code, _, said := carryOutHere([]string{"export", dirs["RUN"], "--format", format, "--out", "/dev/full"})
			if code != terminal.CodeFailed || said != "ppl export: write /dev/full: no space left on device\n" {
				t.Errorf("exporting %s to a full disk: exit code %d, %s", format, code, said)
			}
		}
	}
}

// TestBadInputInSession checks that a session reports each mistake and continues.
func TestBadInputInSession(t *testing.T) {
	dirs := badRuns(t)
	for _, run := range []string{"EMPTY", "NOLAYOUT", "HALFMETA", "CUT", "OTHER", "NOTHING"} {
		lines := []string{"nu", `b["Gus"]`, "b[7]", "1 +* 2", ".forest nu", ".open " + dirs[run] + " as o", ".compare o",
			".predict data=\"nocolumn.csv\" as p", ".nothing", ".loo z", ".trace nu", "2 + 3"}
		code, out, said := sessionHere(t, []string{"repl", dirs["RUN"]}, strings.Join(lines, "\n")+"\n")
		if !strings.HasSuffix(strings.TrimSpace(out), "5") && !strings.Contains(out, "5 in every draw") {
			t.Errorf("with %s open the session does not answer 2 + 3: exit code %d\n%s\n%s", run, code, out, said)
		}
		if strings.Contains(said, "internal error") || strings.Contains(said, "goroutine") {
			t.Errorf("with %s open: %s", run, said)
		}
	}
}

// badRuns makes a run, RUN, and copies damaged as by crashes and mistakes. It makes the directory of the runs the
// working directory.
func badRuns(t *testing.T) map[string]string {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"m.ppl": "data h[N]: index(H), y[N] from \"d.csv\"\nmu ~ Normal(0, 1)\nb[k in H] ~ Normal(mu, 1)\n" +
			"y[i in N] ~ Normal(b[h[i]], 1)\n",
		"d.csv": "h,y\nGuys,1\nUCSF,2\nGuys,0\n", "new.csv": "h\nGuys\n", "nocolumn.csv": "z\n1\n",
		"other.ppl":   "data y[N] = [1, 2, 3, 4]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)\n",
		"changed.ppl": "data y[N] = [1, 2, 3, 4]\nmu ~ Normal(0, 1)\ny[i in N] ~ Normal(mu, 1)\n",
	} {
		write(t, name, text)
	}
	for _, m := range []string{"m", "other", "changed"} {
		pplJSON(t, nil, "sample", m+".ppl", "--draws", "20", "--warmup", "20", "--chains", "2", "--seed", "1",
			"--quiet", "--json", "--device", "host")
	}
	pplJSON(t, nil, "predict", "other.ppl", "--draws", "3", "--quiet")
	write(t, "changed.ppl", "data y[N] = [1, 2, 3, 4]\nmu ~ Normal(0, 2)\ny[i in N] ~ Normal(mu, 1)\n")
	dirs := map[string]string{"RUN": "m.run", "OTHER": "other.run", "CHANGED": "changed.run", "PRIOR": "other.prior",
		"NOTHING": "nothing.run", "EMPTY": "empty.run"}
	if err := os.Mkdir("empty.run", 0o777); err != nil {
		t.Fatal(err)
	}
	broken := func(name string) string {
		dir := strings.ToLower(name) + ".run"
		dirs[name] = dir
		if err := os.CopyFS(dir, os.DirFS("m.run")); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	remove := func(dir string, keep func(name string) bool) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !keep(e.Name()) {
				os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
	}
	remove(broken("ANNOUNCED"), func(name string) bool {
		return slices.Contains([]string{"run.json", "model.ppl",
			"options.json"}, name)
	})
	remove(broken("NOLAYOUT"), func(name string) bool { return name != "layout.json" })
	remove(broken("NOMETA"), func(name string) bool { return name != ".zmetadata" })
	halve(t, filepath.Join(broken("HALFLAYOUT"), "layout.json"))
	halve(t, filepath.Join(broken("HALFMETA"), ".zmetadata"))
	halve(t, filepath.Join(broken("CUT"), "posterior", "mu", "0.0"))
	return dirs
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// halve cuts a file in half, as a full disk might have left it.
func halve(t *testing.T, name string) {
	t.Helper()
	info, err := os.Stat(name)
	if err == nil {
		err = os.Truncate(name, info.Size()/2)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// carryOutHere runs a command in this process.
func carryOutHere(args []string) (code int, out, said string) {
	var o, e bytes.Buffer
	code = run(context.Background(), args, terminal.Plain(&o, &e))
	return code, o.String(), e.String()
}

// sessionHere is carryOutHere with text typed by a user on standard input.
func sessionHere(t *testing.T, args []string, typed string) (code int, out, said string) {
	write(t, "typed.txt", typed)
	file, err := os.Open("typed.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	os.Stdin = file
	return carryOutHere(args)
}
