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

/// The state of filling one claim. The operator creates the DiskPopulation with the claim's name;
/// users only read or delete it. Deleting the DiskPopulation restarts the filling unless the claim
/// already has its volume.
@Group(dev.pvcpopulators.operator.api.Group.NAME)
@Version(dev.pvcpopulators.operator.api.Group.VERSION)
@Kind("DiskPopulation")
@Plural("diskpopulations")
@Singular("diskpopulation")
@ShortNames("dp")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "Progress", jsonPath = ".status.progress")
@AdditionalPrinterColumn(name = "Speed", jsonPath = ".status.rate")
@AdditionalPrinterColumn(name = "Remaining", jsonPath = ".status.remaining")
@AdditionalPrinterColumn(name = "Source", jsonPath = ".status.source")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Digest", jsonPath = ".status.sourceDigest", priority = 1)
@AdditionalPrinterColumn(name = "Node", jsonPath = ".status.node", priority = 1)
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.message", priority = 1)
public class DiskPopulation extends CustomResource<DiskPopulationSpec, DiskPopulationStatus>
    implements Namespaced {
  private static final long serialVersionUID = 1L;
}
