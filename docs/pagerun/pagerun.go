// Package pagerun runs the commands of a page. A page is Markdown; its blocks have a language and, after it, the name
// of a file:
//
//	```csv growth.csv        a file that the commands find
//	```ppl growth.ppl        the same
//	```sh                    commands, run by sh -e in the directory of the page
//	```sh show               the same; what they print is shown below
//	```sh needs=mpirun       commands for machines that have a program
//
// The site shows what commands print (Output), and a test runs all of them.
package pagerun

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A Block is a block of code of a page.
type Block struct {
	Language string
	File     string // "" if it names none
	Text     string
	Show     bool   // print its output below
	Needs    string // a program without which it cannot be run; "" for none
	End      int    // the offset in the page behind the block
}

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)([^\n]*)\n(.*?)^```$")

// Blocks lists the blocks of a page in their order.
func Blocks(page string) (all []Block) {
	for _, at := range fenced.FindAllStringSubmatchIndex(page, -1) {
		b := Block{Language: page[at[2]:at[3]], Text: page[at[6]:at[7]], End: at[1]}
		for _, word := range strings.Fields(page[at[4]:at[5]]) {
			needs, conditional := strings.CutPrefix(word, "needs=")
			switch {
			case conditional:
				b.Needs = needs
			case b.Language == "sh" && word == "show":
				b.Show = true
			default:
				b.File = word
			}
		}
		all = append(all, b)
	}
	return all
}

// Commands reports whether a block is of commands that this machine can run.
func (b Block) Commands() bool {
	if b.Language != "sh" || b.File != "" {
		return false
	}
	if b.Needs == "" {
		return true
	}
	_, err := exec.LookPath(b.Needs)
	return err == nil
}

// Script returns the commands of a page in their order, without those that not every machine can run.
func Script(blocks []Block) string {
	var text strings.Builder
	for _, b := range blocks {
		if b.Language == "sh" && b.File == "" && b.Needs == "" {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// WriteFiles writes the files of a page into a directory.
func WriteFiles(dir string, blocks []Block) error {
	for _, b := range blocks {
		if b.File == "" {
			continue
		}
		path := filepath.Join(dir, b.File)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(b.Text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Output runs the commands of a block in a directory, with ppl as the program of that name, and returns what they
// print on both streams.
func (b Block) Output(dir, ppl string) (string, error) {
	cmd := exec.Command("sh", "-e", "-c", b.Text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(ppl)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
