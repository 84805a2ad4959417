package dev.pvcpopulators.imagetoqcow2layers;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeException;
import io.quarkus.runtime.QuarkusApplication;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jboss.logging.Logger;

/// A process that prints one YAML document and ends: with 0, or with a problem and its exit code.
abstract class Report implements QuarkusApplication {
  private static final Logger LOG = Logger.getLogger(Report.class);

  /// What is printed.
  abstract ObjectNode document() throws IOException, VolumeException;

  @Override
  public int run(String... arguments) {
    try {
      print(document());
      return 0;
    } catch (VolumeException e) {
      return problem(e.failure());
    } catch (ForeignDirectoryException e) {
      return problem(
          new Failure.VolumeNotEmpty("Looking at the store: " + String.valueOf(e.getMessage())));
    } catch (IOException e) {
      String id = UUID.randomUUID().toString();
      LOG.error("Looking at the store failed: id=" + id, e);
      return problem(new Failure.Bug(id, "Looking at the store failed: " + e.getMessage()));
    }
  }

  private static int problem(Failure failure) {
    print(Problem.of(failure).document());
    return failure.exitCode();
  }

  private static void print(ObjectNode document) {
    System.out.println(new String(Notation.YAML.write(document), StandardCharsets.UTF_8));
  }
}
