//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda

// FindCublas returns the name and version of the library that is found.
func FindCublas(major int) (string, error) {
	b, err := openCublas(major)
	if err != nil {
		return "", err
	}
	return b.String(), nil
}
