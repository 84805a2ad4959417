package dev.pvcpopulators.populate;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pvcpopulators.populate.doctor.Doctor;
import dev.pvcpopulators.populate.doctor.Finding;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The command `kubectl populate doctor`: shows the problems of the cluster that can prevent the
/// filling of a claim.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(
    name = "doctor",
    abbreviateSynopsis = true,
    description = {
      "Shows what the cluster and the namespace lack to fill a claim, each with the remedy.",
      "Exits with 69 if it finds something. Settings of nodes, such as the ownership of devices and"
          + " the module iscsi_tcp, are found only after a pod in the namespace has failed by them."
    })
final class DoctorCommand implements Callable<Integer> {
  /// `EX_UNAVAILABLE` of sysexits.h.
  private static final int UNAVAILABLE = 69;

  @Mixin private KubeOptions kube;

  @Option(
      names = "--class",
      paramLabel = "NAME",
      description = "StorageClass of the claim; default: the cluster's default class")
  private @Nullable String storageClass;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}")
  private StatusCommand.@Nullable Format format;

  @Override
  public Integer call() throws ConfigurationException, VolumeException {
    try (KubeOptions.Cluster cluster = kube.open()) {
      Doctor.Report report = Doctor.examine(cluster.client(), cluster.namespace(), storageClass);
      switch (format) {
        case null -> print(report, cluster.namespace());
        case json -> System.out.println(written(Notation.JSON, report));
        case yaml -> System.out.print(written(Notation.YAML, report));
      }
      return report.findings().isEmpty() ? 0 : UNAVAILABLE;
    }
  }

  private static String written(Notation notation, Doctor.Report report) {
    return new String(
        notation.write(new ObjectMapper().valueToTree(report)), StandardCharsets.UTF_8);
  }

  private static void print(Doctor.Report report, String namespace) {
    for (Finding finding : report.findings()) {
      System.out.println(PlainText.line(finding.subject() + ": " + finding.problem()));
      System.out.println(PlainText.line("  " + finding.remedy()));
    }
    report.unread().forEach(what -> System.out.println("Not examined (no right to read): " + what));
    if (report.findings().isEmpty()) {
      System.out.printf(
          report.unread().isEmpty()
              ? "Nothing is missing to fill claims in namespace %s: kinds, operator, StorageClass,"
                  + " VolumePopulator, quotas, NetworkPolicies and rights were examined%n"
              : "Nothing else is missing to fill claims in namespace %s%n",
          namespace);
    }
  }
}
