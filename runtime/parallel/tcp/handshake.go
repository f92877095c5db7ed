package tcp

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"time"
)

// The first bytes of a worker, inside TLS, are mark, protocol version and proof. Those of rank 0 are its judgement, its
// version and, if the worker's proof was correct, its own proof.
const (
	mark       = "pplranks"
	version    = 1
	proofSize  = sha256.Size
	greetSize  = len(mark) + 1 + proofSize
	answerSize = 2 + proofSize
)

// greetWithin is the time limit for authenticating a connection.
const greetWithin = 10 * time.Second

// A judgement is the result of checking the first bytes of a worker.
type judgement byte

const (
	known judgement = iota + 1
	otherSecret
	otherVersion
)

// serverConfig returns a configuration with a new certificate, which only this process has.
func serverConfig() (*tls.Config, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true, DynamicRecordSizingDisabled: true,
		Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: private}}}, nil
}

// clientConfig does not verify the certificate: the proofs bind the secret to the connection, independently of the
// certificate.
func clientConfig() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, DynamicRecordSizingDisabled: true}
}

// proof returns a code that only a side with the secret and this role can compute for this connection.
func (p Party) proof(c *tls.Conn, role string) ([]byte, error) {
	state := c.ConnectionState()
	binding, err := state.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, 32)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, p.Secret)
	fmt.Fprintf(h, "ppl %s %d\n", role, version)
	h.Write(binding)
	return h.Sum(nil), nil
}

// Roles in proofs, so that one side cannot return the proof of the other as its own.
const (
	coordinating = "coordinator"
	working      = "worker"
)

// greet performs the handshake on the side of a worker.
func (p Party) greet(raw net.Conn) (*tls.Conn, error) {
	c := tls.Client(raw, clientConfig())
	if err := c.SetDeadline(time.Now().Add(greetWithin)); err != nil {
		return nil, err
	}
	if err := c.Handshake(); err != nil {
		return nil, err
	}
	mine, err := p.proof(c, working)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(append(append([]byte(mark), version), mine...)); err != nil {
		return nil, err
	}
	var answer [answerSize]byte
	if _, err := io.ReadFull(c, answer[:]); err != nil {
		return nil, err
	}
	theirs, err := p.proof(c, coordinating)
	if err != nil {
		return nil, err
	}
	if said := judgeAnswer(answer, theirs); said != "" {
		return nil, &Refusal{fmt.Sprintf("the coordinator at %s: %s", raw.RemoteAddr(), said)}
	}
	return c, nil
}

// judgeAnswer describes an error in the first bytes of rank 0; empty if there is none.
func judgeAnswer(answer [answerSize]byte, proof []byte) string {
	switch judged := judgement(answer[0]); {
	case judged == otherVersion:
		return fmt.Sprintf("its protocol is version %d, and here it is %d: both have to be the same build of ppl",
			answer[1], version)
	case judged == otherSecret:
		return "its secret differs from that of this worker"
	case judged != known || !hmac.Equal(proof, answer[2:]):
		return "it does not have the secret of this run"
	}
	return ""
}

// admit performs the handshake on the side of rank 0. Before a worker is authenticated, admit reads only a few bytes
// from it, within a time limit.
func (p Party) admit(raw net.Conn, config *tls.Config) (*tls.Conn, judgement, error) {
	c := tls.Server(raw, config)
	if err := c.SetDeadline(time.Now().Add(greetWithin)); err != nil {
		return nil, 0, err
	}
	var greeting [greetSize]byte
	if _, err := io.ReadFull(c, greeting[:]); err != nil { // the first read performs the TLS handshake
		return nil, 0, err
	}
	if string(greeting[:len(mark)]) != mark {
		return nil, 0, fmt.Errorf("this is not a worker")
	}
	theirs, err := p.proof(c, working)
	if err != nil {
		return nil, 0, err
	}
	judged := known
	switch {
	case greeting[len(mark)] != version:
		judged = otherVersion
	case !hmac.Equal(theirs, greeting[len(mark)+1:]):
		judged = otherSecret
	}
	return c, judged, p.answer(c, judged)
}

// answer sends the judgement to the worker, with a proof if the worker has the secret.
func (p Party) answer(c *tls.Conn, judged judgement) error {
	mine := make([]byte, proofSize)
	if judged == known {
		var err error
		if mine, err = p.proof(c, coordinating); err != nil {
			return err
		}
	}
	_, err := c.Write(append([]byte{byte(judged), version}, mine...))
	return err
}
