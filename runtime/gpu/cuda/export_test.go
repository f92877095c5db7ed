//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda

// FindCublas is the name of the library that is found.
func FindCublas(major int) (string, error) {
	b, err := openCublas(major)
	if err != nil {
		return "", err
	}
	return b.String(), nil
}
