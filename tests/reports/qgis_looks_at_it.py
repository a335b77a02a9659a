"""Run by QGIS's own Python: open the project of a folder, draw every layer, and print as JSON what it finds."""

import json
import sys

from qgis.core import QgsApplication, QgsMapRendererParallelJob, QgsMapSettings, QgsProject
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

folder = sys.argv[1]
application = QgsApplication([], False)
application.initQgis()
project = QgsProject.instance()
read = project.read(f"{folder}/geocheck.qgz")
told = {"read": read, "title": project.title(), "crs": project.crs().isValid(), "layers": {}}
for node in project.layerTreeRoot().findLayers():
    layer = node.layer()
    found = {"valid": layer is not None and layer.isValid(), "name": node.name()}
    if found["valid"]:
        found |= {
            "count": layer.featureCount(),
            "spatial": layer.isSpatial(),
            "crs": layer.crs().isValid() if layer.isSpatial() else None,
        }
        if layer.isSpatial():
            fields = layer.fields()
            found |= {
                "renderer": layer.renderer().type(), "labels": layer.labelsEnabled(), "tip": layer.mapTipTemplate(),
                "aliases": [fields[i].alias() for i in range(len(fields))],
                "widgets": {fields[i].name(): layer.editorWidgetSetup(i).type() for i in range(len(fields))},
                "values": {fields[i].name(): layer.editorWidgetSetup(i).config().get("map") for i in range(len(fields))},
                "form": len(layer.editFormConfig().tabs()),
            }  # fmt: skip
            if layer.name() == "Sites":
                found["ids"] = [feature["site_id"] for feature in layer.getFeatures()]
            settings = QgsMapSettings()
            settings.setLayers([layer])
            settings.setBackgroundColor(QColor(255, 255, 255))
            settings.setOutputSize(QSize(400, 400))
            settings.setDestinationCrs(layer.crs())
            settings.setExtent(layer.extent().buffered(layer.extent().width() * 0.05 + 1))
            job = QgsMapRendererParallelJob(settings)
            job.start()
            job.waitForFinished()
            picture = job.renderedImage()
            drawn = {picture.pixel(x, y) for x in range(0, 400, 2) for y in range(0, 400, 2)}
            found |= {"colours": len(drawn), "errors": len(job.errors())}
    told["layers"][node.layerId()] = found
if len(sys.argv) > 2:
    settings = QgsMapSettings()
    settings.setLayers(
        [node.layer() for node in project.layerTreeRoot().findLayers() if node.layer() and node.layer().isSpatial()]
    )
    settings.setBackgroundColor(QColor(255, 255, 255))
    settings.setOutputSize(QSize(1200, 900))
    settings.setDestinationCrs(project.crs())
    settings.setExtent(project.viewSettings().defaultViewExtent())
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    job.renderedImage().save(sys.argv[2])
print(json.dumps(told))
application.exitQgis()
