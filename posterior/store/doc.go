// Package store keeps named draws on disk: a Zarr store in the InferenceData layout that ArviZ reads, written in
// streamed, atomic chunks, so that whatever ends a run the draws so far are usable.
//
// A run directory is a Zarr hierarchy of format 2 (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html) with one
// group per kind of array (posterior, sample_stats, observed_data:
// https://python.arviz.org/en/stable/schema/schema.html). Besides the groups it has model.ppl (the source as run),
// options.json (what was asked), layout.json (names and shapes) and run.json (status, counts, sampler's report).
//
// Files are bound to their run (format "ppl run 2"): run.json, layout.json and .zmetadata name the same identity, which
// follows from what decides the draws, and each chunk has a mark of the run and of its place in the header of its gzip
// file. A file of another run is so not taken for draws. Runs of format 1, without marks, are read and extended.
//
// Chains fill chunks at their own pace; those of a short run, or of many chains, share files. A chunk is written to a
// temporary name, synced and renamed; then the metadata are renewed, .zmetadata last. It commits: its shapes say how
// many draws every chain has, the least over the chains, and what lies beyond them is not read.
package store
