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

/// A volume that a container creates on request, and removes when the DynamicVolume is deleted.
@Group(dev.pvcpopulators.operator.api.Group.NAME)
@Version(dev.pvcpopulators.operator.api.Group.VERSION)
@Kind("DynamicVolume")
@Plural("dynamicvolumes")
@Singular("dynamicvolume")
@ShortNames("dv")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "Progress", jsonPath = ".status.progress")
@AdditionalPrinterColumn(name = "Claim", jsonPath = ".status.claimName")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(name = "Volume", jsonPath = ".status.persistentVolumeName", priority = 1)
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.message", priority = 1)
public class DynamicVolume extends CustomResource<DynamicVolumeSpec, DynamicVolumeStatus>
    implements Namespaced {
  private static final long serialVersionUID = 1L;
}
