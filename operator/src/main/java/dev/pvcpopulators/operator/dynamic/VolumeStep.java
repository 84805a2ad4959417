package dev.pvcpopulators.operator.dynamic;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/// The one thing to do next for a dynamic volume.
public sealed interface VolumeStep {
  /// Nothing, and no write; a change of what was observed brings us back.
  record Nothing() implements VolumeStep {}

  /// Asks the API server, without a write, whether it would take the pod and its Deployment.
  record DryRun() implements VolumeStep {}

  /// Creates the Service.
  record CreateService() implements VolumeStep {}

  /// Creates the Secret with certificate and token, and tells the certificate.
  record OfferAccess() implements VolumeStep {}

  /// Creates the Deployment.
  ///
  /// @param serviceAddress the Service's address; empty without a Service
  record CreateDeployment(String serviceAddress) implements VolumeStep {}

  /// No write: the container is asked for the volume, or goes on to be.
  record Ask(Pod pod) implements VolumeStep {}

  /// Creates the volume of the published claim.
  record CreateVolume(PersistentVolume volume) implements VolumeStep {}

  /// Creates the published claim.
  record CreateClaim(PersistentVolumeClaim claim) implements VolumeStep {}

  /// Deletes the published claim.
  record DeleteClaim(PersistentVolumeClaim claim) implements VolumeStep {}

  /// No write: the container is asked to remove the volume, or goes on to be.
  record AskRemoval(Pod pod) implements VolumeStep {}

  /// Deletes volumes whose claims are gone.
  record DeleteVolumes(List<PersistentVolume> volumes) implements VolumeStep {
    public DeleteVolumes {
      volumes = List.copyOf(volumes);
    }
  }

  /// Deletes the Deployment, and so the pod.
  record DeleteDeployment() implements VolumeStep {}

  /// Nothing is left: the dynamic volume itself may go.
  record Release() implements VolumeStep {}
}
