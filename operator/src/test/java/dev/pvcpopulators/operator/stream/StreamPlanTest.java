package dev.pvcpopulators.operator.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.api.RegistrySource;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.operator.child.JobSettings;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import dev.pvcpopulators.operator.dynamic.VolumeReport;
import dev.pvcpopulators.operator.dynamic.VolumeStatusUpdate;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Checks each step of a claim with a streaming StorageClass.
final class StreamPlanTest {
  private static final StorageClass CLASS =
      new StorageClassBuilder()
          .withNewMetadata()
          .withName("disk-stream")
          .endMetadata()
          .withProvisioner(Group.STREAM)
          .withParameters(Map.of("cacheClass", "fast"))
          .build();

  private static final String SOURCE =
      """
      iscsi:
        host:
          name: 10.96.0.60
          port: "3260"
        portal: iqn.2017-01.io.kubevirt:vm1
        lun: 0
      lun: 0
      """;

  private PersistentVolumeClaim claim = claim("c1", "ReadWriteOnce");
  private @Nullable DiskImage image =
      image(new RegistrySource("r/d:1", null, null, null, null, null));
  private @Nullable StorageClass storageClass = CLASS;
  private @Nullable DynamicVolume stream;
  private @Nullable PersistentVolumeClaim cache;
  private @Nullable PersistentVolume volume;

  private static PersistentVolumeClaim claim(String uid, String mode) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withNamespace("vms")
        .withName("vm-" + uid)
        .withUid(uid)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName("disk-stream")
        .withVolumeMode("Block")
        .withAccessModes(mode)
        .withNewDataSource(Group.NAME, "DiskImage", "fedora")
        .withNewResources()
        .addToRequests("storage", new Quantity("16Mi"))
        .endResources()
        .endSpec()
        .build();
  }

  private static DiskImage image(@Nullable RegistrySource registry) {
    DiskImage image = new DiskImage();
    image.getMetadata().setName("fedora");
    image.getMetadata().setNamespace("vms");
    image.getMetadata().setUid("i1");
    image.setSpec(
        new DiskImageSpec(
            registry,
            null,
            registry == null ? new UploadSource(null, null) : null,
            null,
            null,
            null,
            null,
            null));
    return image;
  }

  private static StreamChildren children() {
    return new StreamChildren(
        new JobSettings("localhost", "1", "Never", Optional.empty(), Map.of()),
        new Tokens(new byte[32]));
  }

  private StreamPlan plan() {
    return StreamPlan.of(new StreamObserved(claim, image, storageClass, stream, cache, volume));
  }

  private VolumeReason reason() {
    return Objects.requireNonNull(plan().report()).reason();
  }

  private void begun() {
    StreamStep.CreateStream step = assertInstanceOf(StreamStep.CreateStream.class, plan().step());
    stream = children().stream(step.name(), claim, step.image(), step.accessMode());
    stream.getMetadata().setUid("s1");
  }

  private void ready(long size) {
    begun();
    cache = StreamChildren.cache(stream(), new Quantity("16Mi"), true, CLASS);
    stream()
        .setStatus(
            new DynamicVolumeStatus(
                Phase.Ready, null, SOURCE, null, null, "r1", size, null, null, null));
  }

  private DynamicVolume stream() {
    return Objects.requireNonNull(stream);
  }

  @Test
  void stepsComeInOrder() {
    begun();
    StreamStep.CreateChildren children =
        assertInstanceOf(StreamStep.CreateChildren.class, plan().step());
    assertTrue(children.written());
    cache = StreamChildren.cache(stream(), new Quantity("16Mi"), true, CLASS);
    assertEquals(VolumeReason.Creating, reason());
  }

  /// The read-only claims of an image share a stream with a fixed name. An initiator of a deleted
  /// stream must not log in to a later stream of this name.
  @Test
  void aLaterStreamOfTheSameNameHasAnotherPassword() {
    claim = claim("c1", "ReadOnlyMany");
    begun();
    Map<String, String> former = children().chap(stream()).getStringData();
    assertEquals(former, children().chap(stream()).getStringData(), "after a restart");
    stream().getMetadata().setUid("s2");
    Map<String, String> later = children().chap(stream()).getStringData();
    String password = "node.session.auth.password";
    assertNotEquals(former.get(password), later.get(password));
  }

  @Test
  void aReadyStreamBecomesAVolumeOfItsClaim() {
    ready(1 << 24);
    PersistentVolume made = assertInstanceOf(StreamStep.CreateVolume.class, plan().step()).volume();
    assertEquals("c1", made.getSpec().getClaimRef().getUid());
    assertEquals("disk-stream", made.getSpec().getStorageClassName());
    assertEquals(List.of("ReadWriteOnce"), made.getSpec().getAccessModes());
    assertEquals("10.96.0.60:3260", made.getSpec().getIscsi().getTargetPortal());
    assertTrue(made.getSpec().getIscsi().getChapAuthSession());
    volume = made;
    assertInstanceOf(StreamStep.Nothing.class, plan().step());
  }

  @Test
  void aDiskThatIsSmallerThanTheRequestIsRefused() {
    ready((1 << 24) - 512);
    assertEquals(VolumeReason.StreamTooSmall, reason());
  }

  @Test
  void refusesFormatsThatCannotBeStreamed() {
    image = null;
    assertEquals(VolumeReason.SourceNotFound, reason());
    image = image(null);
    assertEquals(VolumeReason.InvalidSource, reason());
    image = image(new RegistrySource("r/d:1", null, null, null, null, null));
    claim.getSpec().setVolumeMode("Filesystem");
    assertEquals(VolumeReason.FilesystemUnsupported, reason());
  }

  @Test
  void anotherClassIsNotTouched() {
    storageClass = new StorageClassBuilder(CLASS).withProvisioner("csi.example.test").build();
    assertInstanceOf(StreamStep.Nothing.class, plan().step());
    storageClass = null;
    assertInstanceOf(StreamStep.Nothing.class, plan().step());
  }

  @Test
  void aClaimThatGoesIsNotTouched() {
    claim.getMetadata().setDeletionTimestamp("2026-11-25T10:00:00Z");
    assertInstanceOf(StreamStep.Nothing.class, plan().step());
  }

  @Test
  void readersShareAStreamAndWritersDoNot() {
    DiskImage shared = Objects.requireNonNull(image);
    assertEquals(
        StreamPlan.name(claim("c1", "ReadOnlyMany"), shared),
        StreamPlan.name(claim("c2", "ReadOnlyMany"), shared));
    assertNotEquals(
        StreamPlan.name(claim("c1", "ReadWriteMany"), shared),
        StreamPlan.name(claim("c2", "ReadWriteMany"), shared));
    claim = claim("c1", "ReadOnlyMany");
    ready(1 << 24);
    claim = claim("c2", "ReadOnlyMany");
    assertInstanceOf(StreamStep.JoinStream.class, plan().step());
    stream().getMetadata().setDeletionTimestamp("2026-11-25T10:00:00Z");
    assertInstanceOf(StreamStep.AwaitRemoval.class, plan().step(), "then it makes another one");
  }

  @Test
  void accessModesAreTheTargets() {
    Map<String, String> modes =
        Map.of(
            "ReadOnlyMany", "read-shared",
            "ReadWriteOnce", "write-exclusive",
            "ReadWriteMany", "write-shared");
    modes.forEach((mode, expected) -> {
      claim = claim("c1", mode);
      assertEquals(
          expected, assertInstanceOf(StreamStep.CreateStream.class, plan().step()).accessMode());
    });
  }

  @Test
  void reportsAWaitingStreamOnTheClaim() {
    ready(1 << 24);
    VolumeReport refused =
        VolumeReport.of(Phase.Pending, VolumeReason.SpecRefused, "exceeded limits");
    stream().setStatus(VolumeStatusUpdate.of(DynamicVolumeStatus.empty(), refused, Instant.EPOCH));
    assertEquals(VolumeReason.SpecRefused, reason());
    assertTrue(Objects.requireNonNull(plan().report()).message().endsWith("exceeded limits"));
    VolumeReport starts = VolumeReport.of(Phase.Starting, VolumeReason.WaitingForPod, "starts");
    stream().setStatus(VolumeStatusUpdate.of(DynamicVolumeStatus.empty(), starts, Instant.EPOCH));
    assertEquals(VolumeReason.Creating, reason());
  }

  @Test
  void reportsAFailedStreamOnTheClaim() {
    ready(1 << 24);
    stream()
        .setStatus(
            new DynamicVolumeStatus(
                Phase.Failed, "no such image", null, null, null, null, null, null, null, null));
    assertEquals(VolumeReason.StreamFailed, reason());
  }
}
