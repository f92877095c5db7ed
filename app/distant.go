//go:build !js

package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"ppl/app/rundir"
	"ppl/compiler/datasets/datafile/remote"
	"ppl/compiler/datasets/partition"
	"ppl/runtime/sys/objects"
)

// distant returns the reader of remote data that the user allows, or nil if none is allowed.
func (n Network) distant() remote.Store {
	d := &distant{all: n.All, client: objects.New(os.Getenv), opened: map[string]remote.StoredFile{},
		listed: map[string][]partition.File{}}
	for _, flag := range n.Named {
		if path := rundir.ParseData(flag).Path; remote.IsURL(path) {
			d.named = append(d.named, path)
		}
	}
	if !d.all && d.named == nil {
		return nil
	}
	return d
}

// A distant reads remote files, each always in the version found first, and lists each folder only once.
type distant struct {
	named  []string
	all    bool
	client *objects.Client

	mu     sync.Mutex
	opened map[string]remote.StoredFile
	listed map[string][]partition.File // by URL prefix
}

// allow returns an error unless the user named the URL, or a pattern or folder that contains it, or allowed all URLs.
func (d *distant) allow(url string) error {
	for _, name := range d.named {
		folder := name
		if at := strings.IndexAny(name, "*?["); at >= 0 {
			folder = name[:strings.LastIndexByte(name[:at], '/')+1]
		}
		if url == name || strings.HasPrefix(url, strings.TrimSuffix(folder, "/")+"/") {
			return nil
		}
	}
	if d.all {
		return nil
	}
	return fmt.Errorf("%s is a URL in the model; allow it with --allow-network, or with --data and this URL", url)
}

func (d *distant) Open(url string) (remote.StoredFile, error) {
	if err := d.allow(url); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if file := d.opened[url]; file != nil {
		return file, nil
	}
	file, err := d.client.Open(url)
	if err != nil {
		return nil, err
	}
	d.opened[url] = file
	return file, nil
}

func (d *distant) List(prefix string) (all []partition.File, err error) {
	if err := d.allow(prefix); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if all, ok := d.listed[prefix]; ok {
		return slices.Clone(all), nil
	}
	found, err := d.client.List(prefix)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		all = append(all, partition.File{Path: f.URL, Size: f.Size})
	}
	d.listed[prefix] = slices.Clone(all)
	return all, nil
}
