// Package pagerun runs the commands of a page. A page is Markdown. The first line of a block gives its language, and
// then a file name or options:
//
//	```csv growth.csv        write this file for the commands
//	```ppl growth.ppl        the same for a model
//	```sh                    commands, run by sh -e in the directory of the page
//	```sh show               also show the output below the block
//	```sh needs=mpirun       run the commands only on machines that have this program
//
// The site shows the output of commands (Output), and a test runs all of them.
package pagerun

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A Block is one block of code on a page.
type Block struct {
	Language string
	File     string // "" if the block is not a file
	Text     string
	Show     bool   // show the output below the block
	Needs    string // program that the commands need; "" for none
	End      int    // offset of the end of the block in the page
}

var fenced = regexp.MustCompile("(?ms)^```([a-z]+)([^\n]*)\n(.*?)^```$")

// Blocks lists the blocks of a page in order.
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

// Commands reports whether the block has commands and this machine can run them.
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

// Script returns the commands of a page in order, except those that need another program.
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

// Output runs the commands of a block in directory dir, with ppl in the search path, and returns their output from both
// streams.
func (b Block) Output(dir, ppl string) (string, error) {
	cmd := exec.Command("sh", "-e", "-c", b.Text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(ppl)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
