package partition

import (
	"fmt"
	"os"
	"path"
	"slices"
)

// Local lists the files below a folder of this machine. Links to files are followed. A link to a folder is an error,
// since it may form a cycle.
func Local(folder string, may func(names []string) bool) ([]File, error) {
	return below(folder, nil, may)
}

func below(folder string, names []string, may func(names []string) bool) (all []File, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		inside, at := append(slices.Clip(names), e.Name()), path.Join(folder, e.Name())
		if !may(inside) {
			continue
		}
		info, err := os.Stat(at)
		if err != nil {
			return nil, err
		}
		switch {
		case !info.IsDir():
			all = append(all, File{Path: at, Size: info.Size()})
		case !e.IsDir():
			return nil, fmt.Errorf("%s is a link to a folder, and links to folders are not followed", at)
		default:
			more, err := below(at, inside, may)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}
