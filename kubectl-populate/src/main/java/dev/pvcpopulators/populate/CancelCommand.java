package dev.pvcpopulators.populate;

import dev.pvcpopulators.populate.claim.ClaimReader;
import dev.pvcpopulators.populate.claim.Failures;
import dev.pvcpopulators.populate.claim.Observation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The command `kubectl populate cancel`: deletes a claim that is not bound yet, and all objects
/// that fill it.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(
    name = "cancel",
    abbreviateSynopsis = true,
    description = {
      "Deletes a claim that is not bound yet, and with it everything that fills it.",
      "Also deletes its DiskImage if the command upload has created it."
    })
final class CancelCommand implements Callable<Integer> {
  @Mixin private KubeOptions kube;

  @Parameters(paramLabel = "CLAIM", description = "name of the claim")
  private String claim;

  @Override
  public Integer call() throws ConfigurationException, VolumeException {
    try (KubeOptions.Cluster cluster = kube.open()) {
      while (!deleted(cluster)) {
        // The claim was changed after `deleted` had read it. The next call reads and checks the
        // claim again.
      }
      System.out.printf("Cancelled; claim %s is deleted, with all objects that fill it%n", claim);
      return 0;
    }
  }

  /// Reads and checks the claim. Deletes the claim if it has not changed since this method read it.
  ///
  /// @return true if the claim is deleted; false if it has changed since this method read it
  /// @throws VolumeException if the claim does not exist, is bound or has no DiskImage as its data
  ///   source, or if the API server refuses a request or does not answer
  private boolean deleted(KubeOptions.Cluster cluster) throws VolumeException {
    Observation seen = cluster.claims().observe(claim, false);
    PersistentVolumeClaim found = seen.claim();
    if (found == null) {
      throw new VolumeException(
          new Failure.SourceNotFound(
              "Cancelling claim %s: namespace %s has no such claim"
                  .formatted(claim, cluster.namespace())));
    }
    String volume = found.getSpec().getVolumeName();
    if (volume != null && !volume.isEmpty()) {
      throw VolumeException.invalid(
          "Cancelling claim %s: it is bound to volume %s; kubectl delete pvc %s deletes both"
              .formatted(claim, volume, claim));
    }
    if (ClaimReader.imageName(found).isEmpty()) {
      throw VolumeException.invalid(
          "Cancelling claim %s: expected a DiskImage as its data source, found none"
              .formatted(claim));
    }
    try {
      cluster
          .client()
          .resource(found)
          .lockResourceVersion(found.getMetadata().getResourceVersion())
          .delete();
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw Failures.of("Deleting claim " + claim, e);
    }
  }
}
