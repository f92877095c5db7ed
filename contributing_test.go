package ppl_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Files, folders, tests and commits that CONTRIBUTING.md names are there.
func TestContributingNames(t *testing.T) {
	raw, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	if n := missingPaths(t, text); n < 40 {
		t.Errorf("only %d paths were looked at", n)
	}
	if exec.Command("git", "rev-parse").Run() != nil {
		return // no repository, which tests and commits would be looked for in
	}
	for _, name := range regexp.MustCompile("`(Test[A-Z][A-Za-z]+)`").FindAllStringSubmatch(text, -1) {
		if exec.Command("git", "grep", "-q", "func "+name[1]+"(").Run() != nil {
			t.Errorf("there is no test %s", name[1])
		}
	}
	missingCommits(t, text)
}

// missingPaths looks for every path in backticks; those with a NAME to fill in are not looked for.
func missingPaths(t *testing.T, text string) (seen int) {
	for _, m := range regexp.MustCompile("`([a-z]+/[A-Za-z0-9_/.]+)`").FindAllStringSubmatch(text, -1) {
		path := m[1]
		if strings.Contains(path, "NAME") || path == "runtime/device.Device" {
			continue
		}
		seen++
		if _, err := os.Stat(path); err != nil {
			t.Errorf("there is no %s", path)
		}
	}
	return seen
}

// missingCommits looks for commits in the history, where there is a whole one.
func missingCommits(t *testing.T, text string) {
	shallow, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(shallow)) != "false" {
		t.Log("no whole history: commits are not looked for")
		return
	}
	hashes := regexp.MustCompile(`\b[0-9a-f]{7}\b`).FindAllString(text, -1)
	if len(hashes) < 8 {
		t.Errorf("only %d commits are named", len(hashes))
	}
	for _, h := range hashes {
		if exec.Command("git", "merge-base", "--is-ancestor", h, "HEAD").Run() != nil {
			t.Errorf("the commit %s is not in the history", h)
		}
	}
}
