package dev.pvcpopulators.operator.stream;

import dev.pvcpopulators.operator.api.DiskImage;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus.Phase;
import dev.pvcpopulators.operator.api.Group;
import dev.pvcpopulators.operator.child.StreamChildren;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.operator.dynamic.IscsiVolume;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import dev.pvcpopulators.operator.plan.Claims;
import dev.pvcpopulators.operator.plan.ImageCheck;
import dev.pvcpopulators.operator.status.Reason;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeSource;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The next step for a claim of a streaming class, and the report on the claim. Both depend only on
/// the observed state.
///
/// @param report the event on the claim; null for none
public record StreamPlan(StreamStep step, @Nullable Report report) {
  private static final String READ_SHARED = "read-shared";

  /// The event on a claim.
  public record Report(VolumeReason reason, String message) {}

  private static StreamPlan nothing() {
    return new StreamPlan(new StreamStep.Nothing(), null);
  }

  private static StreamPlan told(VolumeReason reason, String message) {
    return new StreamPlan(new StreamStep.Nothing(), new Report(reason, message));
  }

  /// Returns whether claims of this class are streamed.
  public static boolean streams(@Nullable StorageClass storageClass) {
    return storageClass != null && Group.STREAM.equals(storageClass.getProvisioner());
  }

  /// Returns the plan for one claim.
  public static StreamPlan of(StreamObserved seen) {
    PersistentVolumeClaim claim = seen.claim();
    StorageClass storageClass = seen.storageClass();
    if (claim.isMarkedForDeletion()
        || storageClass == null
        || !streams(storageClass)
        || Claims.imageName(claim).isEmpty()) {
      return nothing();
    }
    if (!Claims.volumeName(claim).isEmpty()) {
      return Claims.bound(claim)
          ? told(VolumeReason.Ready, "Bound to a disk that can be read while it arrives")
          : nothing();
    }
    return seen.stream() == null
        ? begin(seen, storageClass)
        : going(seen, storageClass, seen.stream());
  }

  private static StreamPlan begin(StreamObserved seen, StorageClass storageClass) {
    String name = Claims.imageName(seen.claim()).orElseThrow();
    DiskImage image = seen.image();
    if (image == null) {
      return told(
          VolumeReason.SourceNotFound,
          "DiskImage %s does not exist in the namespace; the stream starts when it is created"
              .formatted(name));
    }
    Optional<String> mistake = ImageCheck.mistake(image);
    if (mistake.isPresent()) {
      return told(VolumeReason.InvalidSource, "DiskImage %s: %s".formatted(name, mistake.get()));
    }
    if (image.getSpec().registry() == null) {
      return told(
          VolumeReason.InvalidSource,
          "DiskImage %s: expected a registry; other sources cannot be streamed".formatted(name));
    }
    if (!"Block".equals(seen.claim().getSpec().getVolumeMode())) {
      return told(
          VolumeReason.FilesystemUnsupported,
          "StorageClass %s: expected volumeMode Block; a LUN has no file system of its own"
              .formatted(storageClass.getMetadata().getName()));
    }
    return new StreamPlan(
        new StreamStep.CreateStream(name(seen.claim(), image), image, accessMode(seen.claim())),
        null);
  }

  /// Returns the name of the claim's stream. Read-only claims share one stream for each image and
  /// class. If the image is null, the result is the name of a stream that is not shared.
  public static String name(PersistentVolumeClaim claim, @Nullable DiskImage image) {
    if (image == null || !accessMode(claim).equals(READ_SHARED)) {
      return "stream-" + claim.getMetadata().getUid();
    }
    String shared = image.getMetadata().getUid() + "/" + claim.getSpec().getStorageClassName();
    return "stream-" + UUID.nameUUIDFromBytes(shared.getBytes(StandardCharsets.UTF_8));
  }

  private static String accessMode(PersistentVolumeClaim claim) {
    List<String> modes = claim.getSpec().getAccessModes();
    if (modes.contains("ReadWriteMany")) {
      return "write-shared";
    }
    return modes.contains("ReadWriteOnce") || modes.contains("ReadWriteOncePod")
        ? "write-exclusive"
        : READ_SHARED;
  }

  private static StreamPlan going(
      StreamObserved seen, StorageClass storageClass, DynamicVolume stream) {
    if (stream.isMarkedForDeletion()) {
      // Either all former claims of the stream were deleted, or a user has deleted the stream. A
      // new stream is created after this stream is removed.
      return new StreamPlan(new StreamStep.AwaitRemoval(), null);
    }
    PersistentVolumeClaim claim = seen.claim();
    boolean owner =
        stream.getMetadata().getOwnerReferences().stream()
            .anyMatch(found -> found.getUid().equals(claim.getMetadata().getUid()));
    if (!owner) {
      return new StreamPlan(new StreamStep.JoinStream(stream), null);
    }
    PersistentVolumeClaim cache = seen.cache();
    boolean written = !accessMode(claim).equals(READ_SHARED);
    if (cache == null) {
      return new StreamPlan(
          new StreamStep.CreateChildren(stream, Claims.size(claim), written, storageClass), null);
    }
    DynamicVolumeStatus status = VolumeNames.statusOf(stream);
    if (status.phase() == Phase.Failed) {
      return told(VolumeReason.StreamFailed, String.valueOf(status.message()));
    }
    if (status.phase() != Phase.Ready || status.source() == null) {
      Optional<VolumeReason> hindrance = hindrance(status);
      if (hindrance.isPresent()) {
        return told(
            hindrance.get(),
            "DynamicVolume %s waits: %s"
                .formatted(stream.getMetadata().getName(), status.message()));
      }
      return told(
          VolumeReason.Creating,
          "The disk is streamed from %s"
              .formatted(seen.image() == null ? "its image" : seen.image().getSpec().sourceText()));
    }
    return publish(seen, stream, status);
  }

  /// Returns the reason in the stream's condition Ready if that reason is a warning. Otherwise the
  /// result is empty, because the stream proceeds.
  private static Optional<VolumeReason> hindrance(DynamicVolumeStatus status) {
    return status.conditions() == null
        ? Optional.empty()
        : status.conditions().stream()
            .filter(condition -> condition.type().equals("Ready"))
            .flatMap(condition ->
                Stream.of(VolumeReason.values())
                    .filter(reason -> reason.name().equals(condition.reason())))
            .filter(reason -> reason.kind() == Reason.Kind.WARNING)
            .findFirst();
  }

  private static StreamPlan publish(
      StreamObserved seen, DynamicVolume stream, DynamicVolumeStatus status) {
    PersistentVolumeClaim claim = seen.claim();
    Long size = status.virtualSize();
    if (!(source(status) instanceof IscsiSource iscsi) || size == null) {
      return told(
          VolumeReason.StreamFailed,
          "DynamicVolume %s: expected a network disk with a size"
              .formatted(stream.getMetadata().getName()));
    }
    BigDecimal asked = Claims.size(claim).getNumericalAmount();
    if (asked.compareTo(BigDecimal.valueOf(size)) > 0) {
      return told(
          VolumeReason.StreamTooSmall,
          "The disk has %d bytes, the claim requests %s: expected at most the disk's size,"
                  .formatted(size, Claims.size(claim))
              + " which does not grow");
    }
    if (seen.volume() != null) {
      return nothing();
    }
    IscsiVolume.Use use =
        new IscsiVolume.Use(
            new ObjectReferenceBuilder()
                .withApiVersion("v1")
                .withKind("PersistentVolumeClaim")
                .withNamespace(claim.getMetadata().getNamespace())
                .withName(claim.getMetadata().getName())
                .withUid(claim.getMetadata().getUid())
                .build(),
            claim.getSpec().getStorageClassName(),
            claim.getSpec().getAccessModes(),
            accessMode(claim).equals(READ_SHARED),
            StreamChildren.chapName(stream));
    return new StreamPlan(
        new StreamStep.CreateVolume(IscsiVolume.of(stream, volumeName(claim), iscsi, size, use)),
        null);
  }

  /// Returns the name of a claim's volume.
  public static String volumeName(PersistentVolumeClaim claim) {
    return "stream-" + claim.getMetadata().getUid();
  }

  private static @Nullable VolumeSource source(DynamicVolumeStatus status) {
    try {
      return VolumeSource.read(
          Notation.YAML.read(String.valueOf(status.source()).getBytes(StandardCharsets.UTF_8)));
    } catch (IOException _) {
      // The source in the status is unreadable, so the operator did not write this status.
      return null;
    }
  }
}
