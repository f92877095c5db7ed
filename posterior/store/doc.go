// Package store stores named draws on disk: a Zarr store in the InferenceData layout that ArviZ reads. Draws are
// written in atomic chunks while a run proceeds, so that they are usable however the run ends.
//
// A run directory is a Zarr hierarchy of format 2 (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html) with one
// group per kind of array (posterior, sample_stats, observed_data and others:
// https://python.arviz.org/en/stable/schema/schema.html). It also contains model.ppl (the model's source), options.json
// (the options requested), layout.json (names and shapes) and run.json (status, counts, the sampler's report).
//
// Files are bound to their run (format "ppl run 2"). run.json, layout.json and .zmetadata contain the same identity, a
// hash of everything that determines the draws. Each chunk contains a mark of the run and of its position in the header
// of its gzip file. Files of another run are therefore rejected. Runs of format 1, without marks, can still be read and
// extended.
//
// Chains fill chunks at their own pace. In short runs, or with many chains, several chains share a file. A chunk is
// written to a temporary file, synced and renamed; then the metadata are updated, .zmetadata last. This commits the
// chunk: the shapes in .zmetadata give the number of draws that every chain has (the minimum over chains), and anything
// beyond them is not read.
package store
