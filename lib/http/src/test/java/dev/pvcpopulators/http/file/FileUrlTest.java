package dev.pvcpopulators.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.HttpOptions;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.http.SourceDeniedException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests URLs, the permitted hosts, and the URLs that get credentials.
class FileUrlTest {
  @Test
  void showsNoQuery() {
    FileUrl url = FileUrl.parse("https://Example.org:8443/a/disk%20one.img?X-Signature=s3cret");
    assertEquals("https://Example.org:8443/a/disk%20one.img", url.toString());
    assertEquals("disk one.img", url.fileName());
    assertFalse(url.queryDigest().contains("s3cret"));
    assertNotEquals(
        url.queryDigest(), FileUrl.parse("https://example.org/a?X-Signature=other").queryDigest());
    assertEquals("", FileUrl.parse("https://example.org/a").queryDigest());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "disk.img",
        "ftp://example.org/s3cret",
        "file:///etc/shadow",
        "https:///s3cret",
        "https://user:s3cret@example.org/disk.img",
        "https://example.org/disk.img#s3cret",
        "https://example.org/s3cret disk.img",
        "https://exa_mple/s3cret"
      })
  void refusesInvalidFilesWithoutQuotingThem(String text) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> FileUrl.parse(text));
    assertFalse(String.valueOf(refusal.getMessage()).contains("s3cret"));
  }

  @Test
  void boundsItsLength() {
    String shown = "https://example.org/" + "a".repeat(FileUrl.MAX_SHOWN - 20);
    FileUrl.parse(shown + "?" + "q".repeat(2_000));
    assertThrows(IllegalArgumentException.class, () -> FileUrl.parse(shown + "a"));
    assertThrows(
        IllegalArgumentException.class, () -> FileUrl.parse(shown + "?" + "q".repeat(4_000)));
  }

  @ParameterizedTest
  @CsvSource({
    "https://mirror.example/x, true",
    "https://MIRROR.example:443/x, true",
    "http://plain.example:8080/x, true",
    "https://mirror.example:8443/x, false",
    "https://other.example/x, false",
    "https://mirror.example.evil/x, false",
    "http://mirror.example/x, false",
    "http://plain.example/x, false"
  })
  void asksOnlyWhereItMay(String url, boolean allowed) {
    DownloadAccess access = access(List.of("mirror.example", "plain.example:8080"));
    if (allowed) {
      org.junit.jupiter.api.Assertions.assertDoesNotThrow(() -> access.require(FileUrl.parse(url)));
    } else {
      assertThrows(SourceDeniedException.class, () -> access.require(FileUrl.parse(url)));
    }
  }

  @Test
  void givesCredentialsToOneOriginOnly() {
    DownloadAccess access = access(List.of());
    assertTrue(access.credentialed(URI.create("https://mirror.example/other")));
    assertTrue(access.credentialed(URI.create("https://MIRROR.example:443")));
    for (String other :
        List.of(
            "http://mirror.example/x",
            "https://mirror.example:8443/x",
            "https://sub.mirror.example/x",
            "https://checksums.example/x")) {
      assertFalse(access.credentialed(URI.create(other)), other);
    }
    assertFalse(access.toString().contains("s3cret"));
  }

  /// Different directories of a server may belong to different tenants.
  @ParameterizedTest
  @CsvSource({
    "/a/disk.img, true",
    "/a/other.img?x=../b, true",
    "/a/b/disk.img, true",
    "/a/b..c/disk.img, true",
    "/a, false",
    "/ab/disk.img, false",
    "/b/disk.img, false",
    "/A/disk.img, false",
    "//a/disk.img, false",
    "/%61/disk.img, false",
    "/a/../b/disk.img, false",
    "/a/x/../../b/disk.img, false",
    "/a/..;/b/disk.img, false",
    "/a/%2e%2E/b/disk.img, false",
    "/a/.%2e/b/disk.img, false",
    "/a/%2e%2e%2fb/disk.img, false",
    "/a/%252e%252e/b/disk.img, false",
    "/a/..%5cb/disk.img, false",
    "/a/x%00/disk.img, false"
  })
  void givesCredentialsToOneDirectoryOnly(String path, boolean given) {
    FileUrl file = FileUrl.parse("https://mirror.example/a/disk.img");
    assertEquals(given, file.hasBeside(URI.create("https://mirror.example" + path)));
  }

  @Test
  void onlyHostsOfSettingsMayBeOnThisMachine() {
    DownloadAccess access = access(List.of());
    assertTrue(access.mayBeAnywhere(FileUrl.parse("https://mirror.example/x")));
    assertTrue(access.mayBeAnywhere(FileUrl.parse("https://checksums.example/x")));
    assertTrue(access.mayBeAnywhere(FileUrl.parse("http://plain.example:8080/x")));
    assertFalse(access.mayBeAnywhere(FileUrl.parse("https://client.example/x")));
    FileUrl client = FileUrl.parse("https://listed.example/x");
    assertTrue(access(List.of("listed.example")).mayBeAnywhere(client));
  }

  private static DownloadAccess access(List<String> allowed) {
    List<String> insecure = List.of("plain.example:8080");
    return new DownloadAccess(
        new HttpOptions(
            Optional.<Path>empty(),
            new InsecureHosts(Set.copyOf(insecure)),
            "INSECURE_HOSTS",
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Map.of()),
        new HostList(insecure),
        new HostList(allowed),
        "ALLOWED_HOSTS",
        List.of(
            FileUrl.parse("https://mirror.example/disk.img"),
            FileUrl.parse("https://checksums.example/SUMS")),
        Map.of("Authorization", "Bearer s3cret"),
        Optional.of(FileUrl.parse("https://mirror.example/disk.img")),
        0);
  }
}
