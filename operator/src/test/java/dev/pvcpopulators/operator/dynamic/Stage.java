package dev.pvcpopulators.operator.dynamic;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.Publish;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec.VolumeService;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.api.StatusCondition;
import dev.pvcpopulators.operator.child.VolumeNames;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.PvcSource;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A dynamic volume and its objects at one stage of its creation.
final class Stage {
  static final String UID = "44444444-4444-4444-4444-444444444444";
  static final String CLAIM_UID = "55555555-5555-5555-5555-555555555555";
  static final String DELETED = "2026-11-25T10:00:00Z";
  static final IscsiSource ISCSI =
      new IscsiSource("10.96.0.60", 3260, "iqn.2017-01.io.kubevirt:vm1", 0);
  static final ContainerAnswer.Made DISK =
      new ContainerAnswer.Made("iscsi: {}\n", ISCSI, "r1", 1L << 24);
  static final ContainerAnswer.Made CLAIM =
      new ContainerAnswer.Made("pvc:\n  claimname: disk\n", new PvcSource("disk"), "r1", -1);

  DynamicVolume volume = new DynamicVolume();
  boolean keyed = true;
  @Nullable Service service;
  @Nullable Deployment deployment;
  final List<Pod> pods = new ArrayList<>();
  final List<PersistentVolume> volumes = new ArrayList<>();
  @Nullable PersistentVolumeClaim claim;
  @Nullable ContainerAnswer heard;

  private Stage(@Nullable Publish publish, @Nullable VolumeService wanted) {
    volume.getMetadata().setNamespace("vms");
    volume.getMetadata().setName("vm1");
    volume.getMetadata().setUid(UID);
    volume.getMetadata().setGeneration(1L);
    volume.setSpec(
        new DynamicVolumeSpec(
            json("{\"image\":\"copy:1\",\"unheardOf\":{\"a\":[1,true]}}"),
            null,
            null,
            null,
            wanted,
            publish));
  }

  static JsonNode json(String text) {
    return Serialization.unmarshal(text, JsonNode.class);
  }

  /// Returns the stage in which only the user's object exists.
  static Stage written() {
    return new Stage(null, null);
  }

  static Stage writtenWithService() {
    return new Stage(null, new VolumeService(3260, "HOST"));
  }

  static Stage writtenToPublish() {
    return new Stage(new Publish("published", null, "chap"), null);
  }

  /// Returns the stage after the API server's dry run.
  Stage accepted() {
    status(null);
    return this;
  }

  /// Returns the stage after the operator has created the Secret: the status contains the
  /// certificate.
  Stage offered() {
    status("PEM");
    return this;
  }

  /// Returns the stage with a Deployment and its running pod.
  Stage running() {
    offered();
    deployment =
        new DeploymentBuilder()
            .withMetadata(VolumeNames.owned(volume, VolumeNames.child(volume)).build())
            .build();
    pods.add(pod("Running"));
    return this;
  }

  Stage hears(@Nullable ContainerAnswer said) {
    heard = said;
    return this;
  }

  Stage service() {
    service =
        new ServiceBuilder()
            .withMetadata(VolumeNames.owned(volume, VolumeNames.child(volume)).build())
            .withNewSpec()
            .withClusterIP("10.96.0.60")
            .endSpec()
            .build();
    return this;
  }

  /// Returns the stage with a PersistentVolume for the network disk.
  Stage withVolume(String phase) {
    Publish publish = new Publish("published", null, "chap");
    volumes.add(
        new PersistentVolumeBuilder(IscsiVolume.published(volume, ISCSI, 1L << 24, publish, null))
            .withNewStatus()
            .withPhase(phase)
            .endStatus()
            .build());
    return this;
  }

  Stage withClaim(String phase) {
    claim =
        new PersistentVolumeClaimBuilder()
            .withMetadata(VolumeNames.owned(volume, "published").withUid(CLAIM_UID).build())
            .withNewStatus()
            .withPhase(phase)
            .endStatus()
            .build();
    return this;
  }

  Stage deleted() {
    volume.getMetadata().setDeletionTimestamp(DELETED);
    return this;
  }

  Pod pod(String phase) {
    return new PodBuilder()
        .withMetadata(VolumeNames.owned(volume, "pod-" + pods.size()).build())
        .withNewStatus()
        .withPhase(phase)
        .withPodIP("10.1.2.3")
        .endStatus()
        .build();
  }

  private void status(@Nullable String certificate) {
    volume.setStatus(
        new DynamicVolumeStatus(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            certificate,
            List.of(new StatusCondition("Accepted", "True", "Accepted", null, DELETED))));
  }

  VolumeObserved seen() {
    return new VolumeObserved(volume, keyed, service, deployment, pods, volumes, claim, heard);
  }

  VolumePlan plan() {
    return VolumePlan.of(seen());
  }

  VolumeStep step() {
    return plan().step();
  }
}
