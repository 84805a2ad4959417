package dev.pvcpopulators.kubernetes.manifest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

/// The locations of the files under test. Maven runs the tests in the module's directory.
public final class Project {
  /// The module's directory, which contains the manifests.
  public static final Path MANIFESTS = Path.of("").toAbsolutePath();

  /// The project's version in its pom.xml. This version is the tag of the images.
  public static final String VERSION = version(MANIFESTS.resolveSibling("pom.xml"));

  private Project() {}

  /// Returns the README of the manifests. The README contains the commands for the objects that a
  /// user creates before applying a manifest.
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
