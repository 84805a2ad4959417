package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.diskimage.qcow2.format.ZstdClusterInflater;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ZstdLibraryTest {
  /// The system property with the directory into which zstd-jni unpacks its library.
  private static final String TEMPORARY = "ZstdTempFolder";

  /// Runs in a process that has not loaded the library yet. The first attempt to load the library
  /// fails, and the second attempt succeeds.
  static final class Loading {
    public static void main(String... arguments) {
      System.setProperty(TEMPORARY, arguments[0]);
      try {
        new ZstdClusterInflater().close();
        System.out.print("loaded at once");
      } catch (UncheckedIOException e) {
        System.clearProperty(TEMPORARY);
        new ZstdClusterInflater().close();
        System.out.print("loaded after " + e.getMessage());
      }
    }
  }

  @Test
  void isLoadedAfterAFailure(@TempDir Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Loading.class.getName(),
                directory.resolve("missing").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertEquals("loaded after java.io.IOException: Cannot load the library of zstd", said);
  }
}
