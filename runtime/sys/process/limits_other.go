//go:build !unix

package process

func SaveAddresses() {}

// TooLimited finds nothing: there are no such limits here.
func TooLimited() string { return "" }
