package dev.pvcpopulators.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialFilesTest {
  @TempDir private Path directory = Path.of("");

  private Optional<Path> file(String name, String text) throws IOException {
    return Optional.of(Files.writeString(directory.resolve(name), text));
  }

  @Test
  void readsHeadersAndAPassword() throws IOException {
    CredentialFiles files =
        new CredentialFiles(
            file("headers", "X-One: 1\n\nPRIVATE-TOKEN:  two words \n"),
            file("user", "user\n"),
            file("password", "p\u00e4ss\n"),
            Optional.empty());
    assertEquals(
        Map.of(
            "X-One", "1",
            "PRIVATE-TOKEN", "two words",
            "Authorization", "Basic dXNlcjpww6Rzcw=="),
        files.read());
  }

  @Test
  void readsAToken() throws IOException {
    CredentialFiles files =
        new CredentialFiles(
            Optional.empty(), Optional.empty(), Optional.empty(), file("token", "abc.def\n"));
    assertEquals(Map.of("Authorization", "Bearer abc.def"), files.read());
  }

  /// The files give two values of `Authorization`, but a request can contain only one value of this
  /// header.
  @Test
  void refusesTwoValuesOfOneField() throws IOException {
    Optional<Path> headers = file("headers", "authorization: Basic s3cret\n");
    CredentialFiles withToken =
        new CredentialFiles(headers, Optional.empty(), Optional.empty(), file("token", "s3cret"));
    CredentialFiles withPassword =
        new CredentialFiles(
            headers, file("user", "user"), file("password", "s3cret"), Optional.empty());
    for (CredentialFiles files : List.of(withToken, withPassword)) {
      IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, files::read);
      assertFalse(String.valueOf(refusal.getMessage()).contains("s3cret"));
    }
    assertThrows(
        IllegalArgumentException.class, () -> CredentialFiles.parse("X-Key: 1\nx-key: 2\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3cret",
        ": s3cret",
        "X One: s3cret",
        "X-One: s3cret\u0000",
        "Host: s3cret",
        "range: s3cret",
        "Transfer-Encoding: s3cret"
      })
  void refusesOtherLinesWithoutQuotingThem(String text) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> CredentialFiles.parse(text));
    assertFalse(String.valueOf(refusal.getMessage()).contains("s3cret"));
  }

  @Test
  void boundsFiles() throws IOException {
    CredentialFiles files =
        new CredentialFiles(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            file("token", "a".repeat(CredentialFiles.MAX_SECRET + 1)));
    assertThrows(IllegalArgumentException.class, files::read);
  }
}
