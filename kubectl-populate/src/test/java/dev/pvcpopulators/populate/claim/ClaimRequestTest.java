package dev.pvcpopulators.populate.claim;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.HttpSource;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClaimRequestTest {
  private static final String INSTEAD = "; name another claim, or delete this one";
  private static final Quantity SIZE = new Quantity("20Gi");
  private static final ClaimRequest PLAIN =
      new ClaimRequest(
          "disks",
          "vm1",
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          false,
          Optional.empty());

  private static ClaimRequest wanting(String image, String size, String storageClass) {
    return new ClaimRequest(
        "disks",
        "vm1",
        Optional.of(image),
        Optional.of(new Quantity(size)),
        Optional.of(storageClass),
        true,
        Optional.of("ab".repeat(32)));
  }

  @Test
  void aNewClaimIsFilledAtOnceFromItsDiskImage() {
    PersistentVolumeClaim claim = wanting("image", "1Gi", "fast").newClaim(SIZE);
    assertEquals(Optional.of("image"), ClaimReader.imageName(claim));
    assertEquals("image", claim.getSpec().getDataSourceRef().getName());
    assertEquals("now", claim.getMetadata().getAnnotations().get("pvcpopulators.dev/bind"));
    assertEquals("fast", claim.getSpec().getStorageClassName());
    assertEquals("Block", claim.getSpec().getVolumeMode());
    assertEquals(SIZE, claim.getSpec().getResources().getRequests().get("storage"));
  }

  @Test
  void aNewDiskImageHasTheClaimsNameAndTheDigest() {
    assertEquals("vm1", PLAIN.newImage().getMetadata().getName());
    DiskImageSpec spec = wanting("image", "1Gi", "fast").newImage().getSpec();
    assertEquals(1, spec.sources());
    assertEquals("ab".repeat(32), requireNonNull(spec.upload()).sha256());
  }

  @Test
  void anEqualClaimIsUsed() throws VolumeException {
    PersistentVolumeClaim found = wanting("image", "1Gi", "fast").newClaim(SIZE);
    assertEquals("image", PLAIN.checked(found));
    assertEquals("image", wanting("image", "20480Mi", "fast").checked(found));
  }

  @Test
  void anotherClaimIsRefused() {
    PersistentVolumeClaim found = wanting("image", "1Gi", "fast").newClaim(SIZE);
    assertRefused(
        "expected the DiskImage other, found image" + INSTEAD,
        wanting("other", "20Gi", "fast"),
        found);
    assertRefused(
        "expected the size 30Gi, found 20Gi" + INSTEAD, wanting("image", "30Gi", "fast"), found);
    assertRefused(
        "expected the storage class slow, found fast" + INSTEAD,
        wanting("image", "20Gi", "slow"),
        found);
    PersistentVolumeClaim files =
        new PersistentVolumeClaimBuilder(found)
            .editSpec()
            .withVolumeMode("Filesystem")
            .endSpec()
            .build();
    assertRefused(
        "expected the volume mode Block, found Filesystem" + INSTEAD,
        wanting("image", "20Gi", "fast"),
        files);
    PersistentVolumeClaim plain =
        new PersistentVolumeClaimBuilder(found).editSpec().withDataSource(null).endSpec().build();
    assertRefused("expected a DiskImage as its data source, found none", PLAIN, plain);
  }

  private static void assertRefused(
      String reason, ClaimRequest request, PersistentVolumeClaim found) {
    VolumeException e = assertThrows(VolumeException.class, () -> request.checked(found));
    assertEquals("Claim vm1 exists: " + reason, e.failure().detail());
  }

  @Test
  void aDiskImageOfAnotherSourceOrDigestIsRefused() throws VolumeException {
    DiskImage upload = wanting("image", "1Gi", "fast").newImage();
    PLAIN.check(upload);
    ClaimRequest other =
        new ClaimRequest(
            "disks",
            "vm1",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            Optional.of("cd".repeat(32)));
    assertThrows(VolumeException.class, () -> other.check(upload));
    DiskImage http = new DiskImage();
    http.setMetadata(new ObjectMetaBuilder().withName("image").build());
    http.setSpec(
        new DiskImageSpec(
            null,
            new HttpSource("https://images.test/disk", null, null, null),
            null,
            null,
            null,
            null,
            null,
            null));
    VolumeException e = assertThrows(VolumeException.class, () -> PLAIN.check(http));
    assertEquals(
        "DiskImage image exists: expected the source upload, found http https://images.test/disk",
        e.failure().detail());
  }
}
