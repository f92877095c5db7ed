//go:build !unix

package process

func SaveAddresses() {}

// TooLimited returns "": this system has no such limits.
func TooLimited() string { return "" }
