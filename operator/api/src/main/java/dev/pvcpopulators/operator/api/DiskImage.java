package dev.pvcpopulators.operator.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/// Describes a source from which claims are filled.
@Group(dev.pvcpopulators.operator.api.Group.NAME)
@Version(dev.pvcpopulators.operator.api.Group.VERSION)
@Kind("DiskImage")
@Plural("diskimages")
@Singular("diskimage")
@ShortNames("di")
@AdditionalPrinterColumn(name = "Registry", jsonPath = ".spec.registry.image")
@AdditionalPrinterColumn(name = "URL", jsonPath = ".spec.http.url")
@AdditionalPrinterColumn(name = "Machine", jsonPath = ".spec.machine.image")
@AdditionalPrinterColumn(
    name = "Accepted",
    jsonPath = ".status.conditions[?(@.type==\"Accepted\")].status")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public class DiskImage extends CustomResource<DiskImageSpec, DiskImageStatus>
    implements Namespaced {
  private static final long serialVersionUID = 1L;
}
