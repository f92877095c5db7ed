// Package odes makes systems of ordinary differential equations of the statements for their states: right sides,
// initial values, events, and the reads of states at given times.
//
//	u'(t) = -k * u(t)                  a state and its right side; u(t) there is the present value
//	u(0) = dose                        its initial value, at time 0
//	at[d in D] t = when[d]: u += 1     an event, which changes the state
//	y[i in N] ~ Normal(u(time[i]), s)  a query: the state at a time
//
// States whose equations read each other form one system of first order (Hairer, Nørsett and Wanner 1993, Solving
// Ordinary Differential Equations I, section I.1). Equations for parts of a state, u'[1](t) and u'[k in 2..K](t),
// become one that chooses by the index. Delays are refused: what reads a state at another time than the present must
// not be part of its equations. Package check reports what other names mean (Names).
package odes
