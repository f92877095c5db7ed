// Command deadlinks lists the broken links of a site: links to a file that does not exist, or to an anchor that the
// page does not have. It does not follow links to other hosts.
//
//	go run ./docs/deadlinks dist/site/html
//	tutorial/index.html: ../gallery/radn/: there is no such page
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: deadlinks DIR")
		os.Exit(2)
	}
	dead, err := deadLinks(os.DirFS(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "deadlinks:", err)
		os.Exit(1)
	}
	for _, d := range dead {
		fmt.Println(d)
	}
	if len(dead) > 0 {
		os.Exit(1)
	}
}
