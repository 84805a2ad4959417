package dev.pvcpopulators.kubernetes.manifest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

/// Where the tests find what they judge. Maven runs them in the module's directory.
public final class Project {
  /// The module: manifests lie in it, beside these tests.
  public static final Path MANIFESTS = Path.of("").toAbsolutePath();

  /// The project's version as its pom.xml has it, which is the tag of the images.
  public static final String VERSION = version(MANIFESTS.resolveSibling("pom.xml"));

  private Project() {}

  /// The text that tells a user what to make before a manifest is applied.
  public static String readme() throws IOException {
    return Files.readString(MANIFESTS.resolve("README.md"));
  }

  private static String version(Path pom) {
    try {
      Document document =
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
      return document.getElementsByTagName("version").item(0).getTextContent().strip();
    } catch (Exception e) {
      throw new IllegalStateException("Reading the version in " + pom, e);
    }
  }
}
