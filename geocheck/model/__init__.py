"""The nouns: quantities, truths, facts, ground, ordinances, determinations, problems. Standard library only."""
