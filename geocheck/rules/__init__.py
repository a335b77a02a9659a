"""The judging half: reads, checks and judges ordinances. Knows no geometry."""
