package dev.pvcpopulators.populate.claim;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The claim that a user requests, and its DiskImage. Makes the objects to create, and checks
/// whether existing objects agree with the request.
///
/// @param claim name of the claim
/// @param image name of the DiskImage; if empty, an existing claim may name any DiskImage, and the
///   DiskImage of a new claim has the claim's name
/// @param size the storage to request; if empty, an existing claim may have any size, and the size
///   of a new claim is computed from the image
/// @param storageClass name of the StorageClass; if empty, an existing claim may have any class,
///   and a new claim has the default class
/// @param block whether the claim has `volumeMode: Block`; if false, an existing claim may have any
///   mode, and a new claim has `Filesystem`
/// @param sha256 the SHA-256 that the uploaded image must have, 64 hexadecimal digits in lower
///   case; empty if the user gives none
public record ClaimRequest(
    String namespace,
    String claim,
    Optional<String> image,
    Optional<Quantity> size,
    Optional<String> storageClass,
    boolean block,
    Optional<String> sha256) {
  private static final String KIND = "DiskImage";

  /// Labels of the objects that this program has created.
  private static final Map<String, String> LABELS =
      Map.of(
          "app.kubernetes.io/part-of", "pvc-populators",
          "app.kubernetes.io/created-by", "kubectl-populate");

  /// Returns the name of the DiskImage for a new claim.
  public String imageName() {
    return image.orElse(claim);
  }

  /// Returns the DiskImage to create.
  public DiskImage newImage() {
    DiskImage created = new DiskImage();
    created.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(namespace)
            .withName(imageName())
            .withLabels(LABELS)
            .build());
    UploadSource upload = new UploadSource(sha256.orElse(null), null);
    created.setSpec(new DiskImageSpec(null, null, upload, null, null, null, null, null));
    return created;
  }

  /// Returns the claim to create. An annotation tells the operator to fill the claim at once, even
  /// if the StorageClass has the binding mode `WaitForFirstConsumer`.
  ///
  /// @param storage the storage to request
  public PersistentVolumeClaim newClaim(Quantity storage) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(claim)
        .withLabels(LABELS)
        .addToAnnotations(Group.BIND, "now")
        .endMetadata()
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withVolumeMode(block ? "Block" : "Filesystem")
        .withStorageClassName(storageClass.orElse(null))
        // API servers before Kubernetes 1.22 know only `dataSource`. Later API servers accept kinds
        // other than claims and snapshots only in `dataSourceRef`.
        .withNewDataSource(Group.NAME, KIND, imageName())
        .withNewDataSourceRef()
        .withApiGroup(Group.NAME)
        .withKind(KIND)
        .withName(imageName())
        .endDataSourceRef()
        .withNewResources()
        .addToRequests("storage", storage)
        .endResources()
        .endSpec()
        .build();
  }

  /// Checks an existing claim. An empty component of the request agrees with every value.
  ///
  /// @return the name of the claim's DiskImage
  /// @throws VolumeException if the DiskImage, the storage class, the volume mode or the size of
  ///   the claim differs from the request, or the claim has no DiskImage
  public String checked(PersistentVolumeClaim found) throws VolumeException {
    String name =
        ClaimReader.imageName(found)
            .orElseThrow(() ->
                VolumeException.invalid(
                    "Claim %s exists: expected a DiskImage as its data source, found none"
                        .formatted(claim)));
    requireEqual("DiskImage", image.orElse(name), name);
    String foundClass = String.valueOf(found.getSpec().getStorageClassName());
    requireEqual("storage class", storageClass.orElse(foundClass), foundClass);
    if (block) {
      requireEqual("volume mode", "Block", String.valueOf(found.getSpec().getVolumeMode()));
    }
    Quantity foundSize =
        Objects.requireNonNull(found.getSpec().getResources().getRequests().get("storage"));
    requireEqual("size", size.orElse(foundSize), foundSize);
    return name;
  }

  private void requireEqual(String what, Object expected, Object found) throws VolumeException {
    if (!expected.equals(found)) {
      throw VolumeException.invalid(
          "Claim %s exists: expected the %s %s, found %s; name another claim, or delete this one"
              .formatted(claim, what, expected, found));
    }
  }

  /// Checks an existing DiskImage.
  ///
  /// @throws VolumeException if the DiskImage has no source or a source other than an upload, or if
  ///   the DiskImage and the request have different SHA-256 values; a missing value agrees with
  ///   every value
  public void check(DiskImage found) throws VolumeException {
    String name = found.getMetadata().getName();
    DiskImageSpec spec = found.getSpec();
    UploadSource upload = spec == null ? null : spec.upload();
    if (upload == null) {
      throw VolumeException.invalid(
          "DiskImage %s exists: expected the source upload, found %s"
              .formatted(name, spec == null ? "none" : spec.sourceText()));
    }
    String promised = upload.sha256();
    if (promised != null && sha256.isPresent() && !sha256.get().equals(promised)) {
      throw VolumeException.invalid(
          "DiskImage %s exists: expected the SHA-256 %s, found %s"
              .formatted(name, sha256.get(), promised));
    }
  }
}
