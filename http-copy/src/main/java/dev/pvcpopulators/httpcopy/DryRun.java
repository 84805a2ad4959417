package dev.pvcpopulators.httpcopy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.diskimage.pipeline.DiskProbe;
import dev.pvcpopulators.diskimage.pipeline.ProbedImage;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.http.file.Checksum;
import dev.pvcpopulators.http.file.DownloadSession;
import dev.pvcpopulators.http.file.FileDownload;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.ExistingDisk;
import dev.pvcpopulators.kit.job.DocumentPrinter;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.Predicate;

/// Prints one document that describes the planned copy: size and type of the file, whether the copy
/// can continue after a lost connection, the format of the disk, and whether the disk fits.
/// Downloads only the list of checksums, if one is named, and the beginning of the file, which
/// contains the disk's header.
public class DryRun implements QuarkusApplication {
  private final HttpCopySettings settings;
  private final Downloads downloads;
  private final DiskVolume volume;
  private final DocumentPrinter findings;

  @Inject
  DryRun(
      HttpCopySettings settings, Downloads downloads, DiskVolume volume, DocumentPrinter findings) {
    this.settings = settings;
    this.downloads = downloads;
    this.volume = volume;
    this.findings = findings;
  }

  @Override
  public int run(String... arguments) {
    try {
      return findings.tell(plan());
    } catch (VolumeException e) {
      return findings.tell(e.failure());
    }
  }

  private ObjectNode plan() throws VolumeException {
    CopyRequest asked = CopyRequest.of(settings, VolumeRequest.empty());
    try (DownloadSession session = downloads.open()) {
      Optional<Checksum> expected = Copy.expected(session, asked);
      try (FileDownload file = Copy.open(session, asked, expected, _ -> {});
          InputStream bytes = file.open()) {
        CopyReport report = new CopyReport(asked.url());
        expected.ifPresent(report::expected);
        ObjectNode plan = report.opened(file.head());
        file.head().size().ifPresent(size -> plan.put("size", size));
        ProbedImage probed = DiskProbe.probe(bytes, file.head().size(), asked.format());
        plan.set("disk", disk(probed));
        Predicate<DiskRecord> made =
            record ->
                expected.isPresent()
                    ? asked.made(expected.get(), record)
                    : asked.made(file.head(), record);
        plan.set(
            "volume", ExistingDisk.describe(volume, settings.verify(), probed.virtualSize(), made));
        return plan;
      }
    } catch (IOException e) {
      throw new VolumeException(volume.failureOfSource(e, "Reading " + asked.url()), e);
    }
  }

  private static ObjectNode disk(ProbedImage probed) {
    ObjectNode disk =
        JsonNodeFactory.instance
            .objectNode()
            .put("format", probed.format().wrappedIn(probed.wrapping()));
    probed.virtualSize().ifPresent(size -> disk.put("virtualSize", size));
    return disk;
  }
}
