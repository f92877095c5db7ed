package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestDeadLinks(t *testing.T) {
	site := fstest.MapFS{
		"index.html": {Data: []byte(`<a href="a/">1</a> <a href="a/#there">2</a> <a href='a/#gone'>3</a>
			<img src="no.png"> <a href="https://example.org/x">4</a> <a class=x href=../out>5</a> <a href="#top">6</a>
			<h1 id="top">7</h1> <a href="/a/index.html">8</a> <script src="s.js"></script>`)},
		"a/index.html": {Data: []byte(`<h2 id=there>x</h2> <a href="..">up</a> <a href="../?q=1#example=x">y</a>`)},
		"s.js":         {},
	}
	got, err := deadLinks(site)
	want := []string{
		"index.html: a/#gone: the page has no such anchor",
		"index.html: no.png: there is no such page",
		"index.html: ../out: it leads out of the site",
	}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestNoPages(t *testing.T) {
	if _, err := deadLinks(fstest.MapFS{}); err == nil {
		t.Error("an empty site has no error")
	}
}
