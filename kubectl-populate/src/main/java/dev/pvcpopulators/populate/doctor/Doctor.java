package dev.pvcpopulators.populate.doctor;

import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Examines whether a cluster has everything that is needed to fill a claim in a namespace.
public final class Doctor {
  private Doctor() {}

  /// The result of an examination.
  ///
  /// @param findings the problems that can prevent the filling of claims
  /// @param unread the kinds that were not examined, because the user has no right to read them
  public record Report(List<Finding> findings, List<String> unread) {
    public Report {
      findings = List.copyOf(findings);
      unread = List.copyOf(unread);
    }
  }

  /// Examines a cluster.
  ///
  /// @param storageClass the class of a claim; null for the default class
  /// @throws VolumeException if the API server does not answer, or a request fails. No exception is
  ///   thrown if the user has no right to read a kind (the report names the kind), or if the API
  ///   server refuses the dry run (the report omits one check)
  public static Report examine(
      KubernetesClient client, String namespace, @Nullable String storageClass)
      throws VolumeException {
    Surroundings seen = new ClusterReader(client, namespace, storageClass).read();
    return new Report(Diagnosis.of(seen), seen.unread());
  }
}
