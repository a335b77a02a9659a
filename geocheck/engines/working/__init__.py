"""What engines work with: records of a layer, overlay that survives bad pairs, intervals, membership, units."""
