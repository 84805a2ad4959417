package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.qcow2.format.ZstdClusterInflater;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ZstdLibraryTest {
  /// The system property with the directory into which zstd-jni unpacks its library.
  private static final String TEMPORARY = "ZstdTempFolder";

  /// The output of `printf a | zstd --no-check`: a frame with one raw block (RFC 8878, sections
  /// 3.1.1.1 and 3.1.1.2).
  private static final byte[] FRAME =
      HexFormat.ofDelimiter(" ").parseHex("28 b5 2f fd 00 58 09 00 00 61");

  /// Runs in a process that has not loaded the library yet. The first attempt to load the library
  /// fails, and the second attempt succeeds.
  static final class Loading {
    public static void main(String... arguments) throws IOException {
      Use use = Use.valueOf(arguments[1]);
      System.setProperty(TEMPORARY, arguments[0]);
      try {
        use.library();
        System.out.print("loaded at once");
      } catch (UncheckedIOException e) {
        System.clearProperty(TEMPORARY);
        use.library();
        System.out.print("loaded after " + e.getMessage());
      }
    }
  }

  enum Use {
    CLUSTER,
    STREAM;

    void library() throws IOException {
      switch (this) {
        case CLUSTER -> new ZstdClusterInflater().close();
        case STREAM -> {
          try (InputStream stream =
              Decompressor.open(Compression.ZSTD, new ByteArrayInputStream(FRAME))) {
            assertEquals("a", new String(stream.readAllBytes(), StandardCharsets.US_ASCII));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void isLoadedAfterAFailure(Use use, @TempDir Path directory)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Loading.class.getName(),
                directory.resolve("missing").toString(),
                use.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertEquals("loaded after java.io.IOException: Cannot load the library of zstd", said);
  }
}
