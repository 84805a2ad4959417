package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.imagetoqcow2layers.machine.ForeignDirectoryException;
import dev.pvcpopulators.kit.job.DocumentPrinter;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import io.quarkus.runtime.QuarkusApplication;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.UUID;
import org.jboss.logging.Logger;

/// A process that prints one document and exits with 0, or reports a problem and exits with the
/// problem's exit code.
abstract class Report implements QuarkusApplication {
  private static final Logger LOG = Logger.getLogger(Report.class);

  @Inject DocumentPrinter findings;

  /// Returns the document to print.
  abstract ObjectNode document() throws IOException, VolumeException;

  @Override
  public int run(String... arguments) {
    try {
      return findings.tell(document());
    } catch (VolumeException e) {
      return findings.tell(e.failure());
    } catch (ForeignDirectoryException e) {
      return findings.tell(
          new Failure.VolumeNotEmpty("Accessing the store: " + String.valueOf(e.getMessage())));
    } catch (IOException e) {
      String id = UUID.randomUUID().toString();
      LOG.error("Accessing the store failed: id=" + id, e);
      return findings.tell(new Failure.Bug(id, "Accessing the store failed: " + e.getMessage()));
    }
  }
}
