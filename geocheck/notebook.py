"""For notebooks: `import geocheck.notebook` gives every GeoDataFrame the accessor ``.geocheck``; so does the first run."""

from geocheck.assess.accessor import Measuring

__all__ = ["Measuring"]
