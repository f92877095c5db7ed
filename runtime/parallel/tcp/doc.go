// Package tcp connects ranks over TCP if they are not started by an MPI launcher: rank 0 listens, and the others
// connect to it.
//
//	l, err := tcp.Listen(":7437", party)         on rank 0; party has the secret and the build
//	comm, err := l.Join(ctx, 3, note)            with three workers: comm is a ranks.Comm of size 4
//	comm, err := tcp.Connect(ctx, "host:7437", party, note)   on each of the others
//	comm.Close()
//
// Connections are encrypted by TLS 1.3. The certificate is created by each process and does not authenticate it; a
// shared secret does. Each side sends the HMAC, with the secret as key, of a number that both sides derive from their
// TLS handshake (RFC 9266, "Channel Bindings for TLS 1.3"). An attacker between them has different numbers on the two
// sides, and a recording of one connection cannot be replayed on another. Until a worker has proved that it has the
// secret, rank 0 reads only 41 bytes from it and sends no proof.
//
// The connections form a star with rank 0 in the middle. A gather of T bytes by n ranks takes 2(n − 1) messages, one
// from each worker to rank 0 and one back, and (n − 1)·T bytes of data. That is the same amount as in a ring, but all
// of it uses the network of rank 0, and it takes two steps for any n. Collecting parts at rank 0 takes one message from
// each worker that has a part, and each byte is sent once.
//
// A rank is considered lost if its connection ends, or if it sends nothing for Party.Silence: all calls of the other
// ranks then fail, with a message that names it. Ranks send keep-alive frames ten times in that period, even while they
// compute.
package tcp
