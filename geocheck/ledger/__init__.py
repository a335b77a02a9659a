"""What must last: decisions and waivers."""
