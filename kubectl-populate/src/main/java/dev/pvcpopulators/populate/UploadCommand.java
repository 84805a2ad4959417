package dev.pvcpopulators.populate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.populate.claim.ClaimRequest;
import dev.pvcpopulators.populate.upload.ImageUpload;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The command `kubectl populate upload`: uploads a disk image to a claim.
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
@Command(
    name = "upload",
    abbreviateSynopsis = true,
    description = {
      "Uploads a disk image to a claim, and ends when the claim is bound to the disk.",
      "Creates the claim and its DiskImage if they do not exist. The same command continues an"
          + " interrupted upload."
    })
final class UploadCommand implements Callable<Integer> {
  private static final String SHA256 = "[0-9a-f]{64}";
  private static final String NAME = "[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?";

  @Spec private CommandSpec spec;
  @Mixin private KubeOptions kube;
  @Mixin private ReportOptions output;

  @Parameters(paramLabel = "FILE", description = "the image; - for standard input")
  private String file;

  @Option(
      names = "--claim",
      required = true,
      paramLabel = "NAME",
      description = "name of the PersistentVolumeClaim")
  private String claim;

  @Option(
      names = "--size",
      paramLabel = "QUANTITY",
      description = "storage of a new claim, such as 20Gi; default: the size of the disk")
  private @Nullable String size;

  @Option(
      names = "--class",
      paramLabel = "NAME",
      description = "StorageClass of a new claim; default: the cluster's default class")
  private @Nullable String storageClass;

  @Option(names = "--block", description = "gives a new claim the volumeMode Block")
  private boolean block;

  @Option(
      names = "--image",
      paramLabel = "NAME",
      description = "name of the DiskImage; default: the claim's name")
  private @Nullable String image;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      description = "format of the image: " + ImageFormat.NAMES + "; default: detected")
  private @Nullable String format;

  @Option(
      names = "--sha256",
      paramLabel = "HEX",
      description =
          "SHA-256 that the file must have; without it that of the sent bytes is verified")
  private @Nullable String sha256;

  @Option(
      names = "--wait",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "--no-wait ends when the service has verified the disk, before the claim is bound")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "10m",
      converter = DurationConverter.class,
      description = "longest time without progress (default: ${DEFAULT-VALUE})")
  private Duration timeout;

  @Override
  public Integer call()
      throws ConfigurationException, VolumeException, InterruptedException, IOException {
    require(claim.matches(NAME), "--claim: expected the name of a claim");
    String digest = sha256 == null ? null : sha256.toLowerCase(Locale.ROOT);
    require(digest == null || digest.matches(SHA256), "--sha256: expected 64 hexadecimal digits");
    Optional<Quantity> storage = Optional.ofNullable(size).map(this::quantity);
    Optional<ImageFormat> named = Optional.ofNullable(format).flatMap(ImageFormat::named);
    require(format == null || named.isPresent(), "--format: expected " + ImageFormat.NAMES);
    try (KubeOptions.Cluster cluster = kube.open();
        ImageUpload upload =
            ImageUpload.of(
                file,
                named,
                new ClaimRequest(
                    cluster.namespace(),
                    claim,
                    Optional.ofNullable(image),
                    storage,
                    Optional.ofNullable(storageClass),
                    block,
                    Optional.ofNullable(digest)),
                timeout)) {
      return upload(cluster, upload);
    }
  }

  private int upload(KubeOptions.Cluster cluster, ImageUpload upload) throws InterruptedException {
    JobReport report = output.report(new UploadSummary(cluster.namespace(), claim));
    AtomicBoolean ended = new AtomicBoolean();
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().unstarted(() -> tellInterrupted(ended)));
    Failure failure = null;
    try (Reporting _ = Reporting.start(report, () -> upload.progress().status())) {
      upload.run(cluster.client(), output::note, wait);
    } catch (VolumeException e) {
      failure = e.failure();
    } finally {
      ended.set(true);
    }
    VolumeStatus status = upload.progress().end(failure);
    int code = failure == null ? 0 : failure.exitCode();
    ObjectNode result = status.document().put("exitCode", code);
    report.end(status, failure, result);
    return code;
  }

  private static void tellInterrupted(AtomicBoolean ended) {
    if (!ended.get()) {
      System.err.println("Interrupted; the same command continues the upload");
    }
  }

  private Quantity quantity(String text) {
    try {
      Quantity parsed = Quantity.parse(text);
      require(
          Quantity.getAmountInBytes(parsed).signum() > 0, "--size: expected a size such as 20Gi");
      return parsed;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--size: expected a size such as 20Gi, found " + text, e);
    }
  }

  private void require(boolean valid, String message) {
    if (!valid) {
      throw new CommandLine.ParameterException(spec.commandLine(), message);
    }
  }
}
