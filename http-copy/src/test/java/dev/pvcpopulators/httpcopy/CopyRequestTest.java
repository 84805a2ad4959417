package dev.pvcpopulators.httpcopy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.volume.DiskRecord;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the combination of the settings with a client's request.
final class CopyRequestTest {
  private static final String URL = "https://images.example/a/disk.img";
  private static final String SUM = "0123456789abcdef".repeat(4);

  /// Settings with default values. Only the URL, the number of retries and the components of this
  /// record have other values.
  private record Given(Optional<String> sha256, Optional<List<String>> allowedHosts)
      implements HttpCopySettings {
    @Override
    public Optional<String> url() {
      return Optional.of(URL);
    }

    @Override
    public Optional<String> sha512() {
      return Optional.empty();
    }

    @Override
    public Optional<String> checksumsUrl() {
      return Optional.empty();
    }

    @Override
    public Optional<Path> headersFile() {
      return Optional.empty();
    }

    @Override
    public Optional<Path> usernameFile() {
      return Optional.empty();
    }

    @Override
    public Optional<Path> passwordFile() {
      return Optional.empty();
    }

    @Override
    public Optional<Path> tokenFile() {
      return Optional.empty();
    }

    @Override
    public Optional<List<String>> insecureHosts() {
      return Optional.empty();
    }

    @Override
    public Optional<Path> caFile() {
      return Optional.empty();
    }

    @Override
    public int retries() {
      return 0;
    }

    @Override
    public Duration connectTimeout() {
      return Duration.ofSeconds(10);
    }

    @Override
    public Duration idleTimeout() {
      return Duration.ofSeconds(60);
    }

    @Override
    public String format() {
      return "auto";
    }

    @Override
    public boolean force() {
      return false;
    }

    @Override
    public Verify verify() {
      return Verify.RECORD;
    }
  }

  private static CopyRequest of(Optional<List<String>> allowed, String body)
      throws VolumeException {
    return CopyRequest.of(
        new Given(Optional.of(SUM), allowed),
        VolumeRequest.read(body.getBytes(UTF_8), Notation.YAML, CopyRequest.FIELDS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "url: https://images.example/a/other.img",
        "url: https://images.example/a/disk.img?x",
        "url: https://169.254.169.254/",
        "checksumsUrl: https://images.example/a/SHA256SUMS"
      })
  void takesNoUrlOfAClientWithoutAllowedHosts(String body) throws VolumeException {
    VolumeException refusal = assertThrows(VolumeException.class, () -> of(Optional.empty(), body));
    assertInstanceOf(Failure.SourceDenied.class, refusal.failure());
    of(Optional.of(List.of("images.example")), body);
    assertEquals(URL, of(Optional.empty(), "url: " + URL).url().toString());
  }

  @Test
  void usesTheChecksumOfTheSettingsForTheirUrlOnly() throws VolumeException {
    Optional<List<String>> allowed = Optional.of(List.of("images.example"));
    assertEquals(SUM, of(allowed, "format: raw").checksum().orElseThrow().hex());
    assertEquals(SUM, of(allowed, "url: " + URL).checksum().orElseThrow().hex());
    assertTrue(of(allowed, "url: https://images.example/b").checksum().isEmpty());
    String other = SUM.replace('0', 'f');
    assertEquals(other, of(allowed, "sha256: " + other).checksum().orElseThrow().hex());
    assertTrue(
        of(allowed, "checksumsUrl: https://images.example/SUMS").checksum().isEmpty(),
        "the list counts");
  }

  @Test
  void knowsItsDiskByUrlFormatAndChecksum() throws VolumeException {
    CopyRequest asked = of(Optional.empty(), "{}");
    assertTrue(asked.asked(record("sha256:" + SUM, URL, "format=auto;query=;size=7;validator=")));
    assertFalse(asked.asked(record("sha256:00", URL, "format=auto;query=;size=7;validator=")));
    assertFalse(asked.asked(record("sha256:" + SUM, URL, "format=raw;query=;size=7;validator=")));
    assertFalse(asked.asked(record("sha256:" + SUM, URL, "format=auto;query=a;size=7;validator=")));
    assertFalse(
        asked.asked(record("sha256:" + SUM, URL + "x", "format=auto;query=;size=;validator=")));
  }

  private static DiskRecord record(String digest, String source, String selection) {
    return new DiskRecord(digest, source, selection, ImageFormat.RAW, 1 << 20);
  }
}
