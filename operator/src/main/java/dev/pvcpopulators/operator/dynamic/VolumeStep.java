package dev.pvcpopulators.operator.dynamic;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;

/// The next step for a dynamic volume.
public sealed interface VolumeStep {
  /// Does nothing; a change of the observed state triggers the next reconciliation. If the plan has
  /// a report, the report is still written to the status.
  record Nothing() implements VolumeStep {}

  /// Sends the pod and its Deployment to the API server as dry runs, so that the API server refuses
  /// them if they are invalid.
  record DryRun() implements VolumeStep {}

  /// Creates the Service.
  record CreateService() implements VolumeStep {}

  /// Creates the Secret with certificate and token, and writes the certificate to the status.
  record OfferAccess() implements VolumeStep {}

  /// Creates the Deployment.
  ///
  /// @param serviceAddress the Service's address; empty without a Service
  record CreateDeployment(String serviceAddress) implements VolumeStep {}

  /// Starts or continues to request the volume from the container. The step changes no Kubernetes
  /// object.
  record Ask(Pod pod) implements VolumeStep {}

  /// Creates the PersistentVolume for the published claim.
  record CreateVolume(PersistentVolume volume) implements VolumeStep {}

  /// Creates the published claim.
  record CreateClaim(PersistentVolumeClaim claim) implements VolumeStep {}

  /// Deletes the published claim.
  record DeleteClaim(PersistentVolumeClaim claim) implements VolumeStep {}

  /// Starts or continues to request the removal of the volume from the container. The step changes
  /// no Kubernetes object.
  record AskRemoval(Pod pod) implements VolumeStep {}

  /// Deletes PersistentVolumes that are not bound to an existing claim.
  record DeleteVolumes(List<PersistentVolume> volumes) implements VolumeStep {
    public DeleteVolumes {
      volumes = List.copyOf(volumes);
    }
  }

  /// Deletes the Deployment and with it the pod.
  record DeleteDeployment() implements VolumeStep {}

  /// Ends the conversation with the container. After this step, the operator removes the finalizer.
  /// Garbage collection then removes the Secret and the Service of the dynamic volume.
  record Release() implements VolumeStep {}
}
