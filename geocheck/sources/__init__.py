"""Files into layers: reference system known, geometry sound, losses counted."""
