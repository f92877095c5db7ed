//go:build !unix

package main

func saveAddresses() {}

// tooLimited finds nothing: there are no such limits here.
func tooLimited() string { return "" }
