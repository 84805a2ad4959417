package dev.pvcpopulators.populate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.operator.api.DiskPopulationStatus;
import dev.pvcpopulators.populate.claim.ClaimReader;
import dev.pvcpopulators.populate.claim.Observation;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The command `kubectl populate status`: shows claims and their populations.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(
    name = "status",
    abbreviateSynopsis = true,
    description =
        "Shows the claims of the namespace that are filled from a DiskImage, or one claim.")
final class StatusCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final String ROW = "%-24s %-12s %-9s %-13s %-10s %s";
  private static final ObjectMapper JSON = new ObjectMapper();

  /// A format of the output.
  enum Format {
    json,
    yaml
  }

  @Mixin private KubeOptions kube;

  @Parameters(arity = "0..1", paramLabel = "CLAIM", description = "name of the claim")
  private @Nullable String claim;

  @Option(
      names = {"-w", "--watch"},
      description = "shows each change until Ctrl-C")
  private boolean watch;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}")
  private @Nullable Format format;

  @Override
  public Integer call() throws ConfigurationException, VolumeException, InterruptedException {
    try (KubeOptions.Cluster cluster = kube.open()) {
      String shown = "";
      do {
        String now = text(read(cluster));
        if (!now.equals(shown)) {
          System.out.println(now);
          shown = now;
        }
        if (watch) {
          Thread.sleep(POLL);
        }
      } while (watch);
      return 0;
    }
  }

  private List<Observation> read(KubeOptions.Cluster cluster) throws VolumeException {
    ClaimReader reader = cluster.claims();
    if (claim == null) {
      return reader.observeAll();
    }
    Observation seen = reader.observe(claim, false);
    if (seen.claim() == null) {
      throw new VolumeException(
          new Failure.SourceNotFound(
              "Reading claim %s: namespace %s has no such claim"
                  .formatted(claim, cluster.namespace())));
    }
    return List.of(seen);
  }

  private String text(List<Observation> seen) {
    return switch (format) {
      case null -> table(seen);
      case json -> written(Notation.JSON, seen);
      case yaml -> written(Notation.YAML, seen).stripTrailing();
    };
  }

  private String written(Notation notation, List<Observation> seen) {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    seen.stream().map(StatusCommand::document).forEach(list::add);
    return new String(notation.write(claim == null ? list : list.get(0)), StandardCharsets.UTF_8);
  }

  private static ObjectNode document(Observation seen) {
    PersistentVolumeClaim found = Objects.requireNonNull(seen.claim());
    ObjectNode document =
        JsonNodeFactory.instance
            .objectNode()
            .put("claim", found.getMetadata().getName())
            .put("namespace", found.getMetadata().getNamespace())
            .put("claimPhase", claimPhase(found));
    ClaimReader.imageName(found).ifPresent(image -> document.put("diskImage", image));
    seen.event().ifPresent(message -> document.put("message", message));
    seen.status().ifPresent(status -> document.set("population", JSON.valueToTree(status)));
    return document;
  }

  private static String table(List<Observation> seen) {
    StringBuilder table =
        new StringBuilder(
            ROW.formatted("CLAIM", "PHASE", "PROGRESS", "SPEED", "REMAINING", "MESSAGE"));
    seen.forEach(one -> table.append(System.lineSeparator()).append(row(one)));
    return seen.isEmpty() ? "No claim refers to a DiskImage" : table.toString();
  }

  private static String row(Observation seen) {
    PersistentVolumeClaim found = Objects.requireNonNull(seen.claim());
    Optional<DiskPopulationStatus> status = seen.status();
    Stream<String> cells =
        Stream.of(
            found.getMetadata().getName(),
            status
                .map(DiskPopulationStatus::phase)
                .map(Enum::name)
                .orElseGet(() -> claimPhase(found)),
            status.map(DiskPopulationStatus::progress).orElse("-"),
            status.map(DiskPopulationStatus::rate).orElse("-"),
            status.map(DiskPopulationStatus::remaining).orElse("-"),
            status.map(DiskPopulationStatus::message).or(seen::event).orElse("-"));
    return String.format(Locale.ROOT, ROW, cells.map(PlainText::line).toArray());
  }

  private static String claimPhase(PersistentVolumeClaim found) {
    return found.getStatus() == null || found.getStatus().getPhase() == null
        ? "Pending"
        : found.getStatus().getPhase();
  }
}
