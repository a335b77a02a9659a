"""The determination memo: what it says, the template that it fills, its picture."""
