package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A stumble is something that a new user tried and that once did not work, with its result today.
type stumble struct {
	model   string // of m.ppl; empty for that of the run
	command string // words; those with @ are files of the test
	code    int
	says    string // in one of the two streams
}

const (
	pupils = "sex,grade,censored,score,ph.ecog\nmale,1,1,2,3\nfemale,2,0,3,1\nmale,2,1,4,2\nfemale,1,0,3,1\n"
	groups = `data sex[N]: index(S), grade[N]: index(G), score[N] from "pupils.csv"
b[S], c[G] ~ Normal(0, 1)
score[i in N] ~ Normal(b[sex[i]] + c[grade[i]], 1)
`
	simple = "data y[N]\nmu ~ Normal(0, 1)\ny ~ Normal(mu, 1)\n"
)

// stumbles lists habits from other systems, and promises of help pages and names.
func stumbles() []stumble {
	return []stumble{
		// files and columns
		{simple, "check @m.ppl --data y=@pupils.csv#score", 0, "y[N = 4]: real from 2 to 4"},
		{simple, "check @m.ppl --data y=@pupils.csv#scor", 1, "did you mean `score`?"},
		{"data censored_[N], score[N] from \"pupils.csv\"\nmu ~ Normal(0, 1)\nscore ~ Normal(mu + censored_, 1)\n",
			"check @m.ppl", 0, "censored_[N = 4]: real from 0 to 1"},
		{"data ph_ecog[N], score[N] from \"pupils.csv\"\nmu ~ Normal(0, 1)\nscore ~ Normal(mu * ph_ecog, 1)\n",
			"check @m.ppl", 0, "ph_ecog[N = 4]: real from 1 to 3"},
		{"data ph.ecog[N] from \"pupils.csv\"\n", "check @m.ppl", 1, "`ph_ecog` reads the column `ph.ecog`"},
		{"data score[N], e[N] from \"pupils.csv#ph.ecog\", sex[N]\n", "check @m.ppl", 1,
			"begin another `data` statement"},
		// expressions
		{"mu ~ Normal(0, .5)\n", "check @m.ppl", 1, "write `0.5`"},
		{"data x[3] = [1, 2, 4]\nb ~ Normal(0, 1)\nx[i in 3] ~ Normal(b * z(x)[i], 1)\n", "check @m.ppl", 1,
			"`(x[i] - mean(x)) / sd(x)`"},
		{"mu ~ Normal(0, 1) [0, inf]\n", "check @m.ppl", 1, "`Normal(0, 1) in 0..inf`"},
		{"mu ~ Normal(0, 1) T[0, ]\n", "check @m.ppl", 1, "`Normal(0, 1) in 0..inf`"},
		{"mu ~ N(0, 1)\n", "check @m.ppl", 1, "did you mean `Normal`?"},
		{"data y[3] = [0, 1, 1]\na ~ Normal(0, 1)\ny ~ Bernoulli_logit(a)\n", "check @m.ppl", 1,
			"`Bernoulli(logits = eta)`"},
		{"data y[3] = [0, 1, 1]\na ~ Normal(0, 1)\ny ~ Poisson(a)\n", "check @m.ppl", 1, "`Poisson(log = a)`"},
		{"K = 3\nO[k in K] ~ LKJ(2)\n", "check @m.ppl", 1, "`O[K, K]`"},
		{"real mu\nmu ~ Normal(0, 1)\n", "check @m.ppl", 1, "names are not declared with a type"},
		{"data { int N; }\nparameters { real mu; }\n", "check @m.ppl", 1, "this is a Stan program"},
		{"data {\n  int N;\n}\nmodel {\n  N ~ poisson(1);\n}\n", "check @m.ppl", 1, "this is a Stan program"},
		{"model {\n  mu ~ dnorm(0, 1)\n}\n", "check @m.ppl", 1, "this is a BUGS or JAGS model"},
		{"import pymc as pm\nmu = pm.Normal(\"mu\")\n", "check @m.ppl", 1, "this is a Python program"},
		// labels of results
		{"", "query @m.run b[male]-b[female]", 1, "a label is written in quotes: `\"male\"`"},
		{"", "query @m.run c[\"2\"]", 1, "write `2` without quotes"},
		{"", "query @m.run b[\"male\"]-b[\"female\"]", 0, "  P("},
		{"", "export @m.run log_likelihood", 0, "score"},
		// pictures
		{"", "plot @m.run trace --out @x.pdf --size 12x8cm", 0, ""},
		{"", "plot @m.run trace --out @x.gif", 2, ".png, .svg, .pdf"},
		{"", "plot trace @m.run", 2, "ppl plot"},
		// help
		{"", "help stan", 0, "generated quantities"},
		{"", "help brms", 0, "ppl sample"},
		{"", "help pymc", 0, "PyMC"},
		{"", "help jags", 0, "BUGS"},
		{"", "help arviz", 0, "xr.open_datatree"},
		{"", "help labels", 0, "name"},
		{"", "help csv", 0, "from"},
		{"", "help survival", 0, "censored"},
		{"", "help missing", 0, "complete"},
		{"", "help seed", 0, "\n"},
		{"", "completion bash", 0, "complete"},
		{"", "--version", 0, "ppl "},
		// programs that read what is checked
		{simple, "check @m.ppl --json", 0, "\"model\""},
		{"mu ~ Nrmal(0, 1)\n", "check @m.ppl --json", 1, "\"end_offset\": 10"},
		{"mu ~ Nrmal(0, 1)\n", "check @m.ppl --json", 1, "\"end_column\": 11"},
		{"mu ~ Nrmal(0, 1)\n", "check @m.ppl --json", 1, "\"fix\""},
	}
}

// TestFirstDay checks that what new users tried works, or gives a message with the text to write instead.
func TestFirstDay(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("pupils.csv", pupils)
	put("m.ppl", groups)
	words := func(command string) []string {
		return strings.Fields(strings.ReplaceAll(command, "@", dir+string(filepath.Separator)))
	}
	if code, _, said := carryOutHere(words("sample @m.ppl --out @m.run --seed 1 --draws 100 --warmup 200")); code != 0 {
		t.Fatal(said)
	}
	for _, s := range stumbles() {
		if put("m.ppl", groups); s.model != "" {
			put("m.ppl", s.model)
		}
		code, out, said := carryOutHere(words(s.command))
		if code != s.code || !strings.Contains(out+said, s.says) {
			t.Errorf("ppl %s: exit code %d, want %d; it does not say %q:\n%s%s%s", s.command, code, s.code, s.says,
				s.model, out, said)
		}
	}
}
