"""The embedded world: scenes of pictograms that can be written, read, painted and seen by rule, without any model."""
