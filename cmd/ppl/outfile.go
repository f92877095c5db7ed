package main

import (
	"io"

	"ppl/runtime/sys/files"
)

// writeNamed writes a file that the user named: where a link of the user leads.
func writeNamed(path string, write func(io.Writer) error) error {
	to, err := files.Followed(path)
	if err != nil {
		return err
	}
	return files.Output(to, write)
}

// writeBytes is what writes a text that is there.
func writeBytes(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}
