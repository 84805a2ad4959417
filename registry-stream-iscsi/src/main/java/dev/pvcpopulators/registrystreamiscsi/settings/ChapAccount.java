package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// A CHAP name and the file with its secret. The file is read at each login, so that secrets can be
/// rotated.
public record ChapAccount(String user, Path file) {
  /// The maximum length of a secret in bytes.
  static final int MAX_SECRET = 255;

  /// The maximum length of the file in bytes: a secret, and CR LF.
  static final int MAX_FILE = MAX_SECRET + 2;

  /// Returns the account with a CHAP name and the file of its secret; empty if neither is given.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] if only one of the two is given, if the
  ///   file cannot be read, or if the secret is not valid
  public static Optional<ChapAccount> of(Optional<String> user, Optional<Path> file)
      throws VolumeException {
    if (user.isPresent() != file.isPresent()) {
      throw new VolumeException(
          new Failure.InvalidRequest(
              "Reading the settings for CHAP: expected a name and the file with its secret, or"
                  + " neither; found one of them"));
    }
    if (user.isEmpty() || file.isEmpty()) {
      return Optional.empty();
    }
    ChapAccount account = new ChapAccount(user.get(), file.get());
    try {
      account.identity();
    } catch (IOException | IllegalArgumentException e) {
      throw new VolumeException(
          new Failure.InvalidRequest("Reading " + file.get() + ": " + e.getMessage()), e);
    }
    return Optional.of(account);
  }

  /// Returns the name with its current secret.
  ///
  /// @throws IOException if the file cannot be read
  /// @throws IllegalArgumentException if the secret is too short or too long
  public ChapIdentity identity() throws IOException {
    requireLength(Files.size(file), MAX_FILE);
    byte[] secret = Files.readString(file).strip().getBytes(StandardCharsets.UTF_8);
    requireLength(secret.length, MAX_SECRET);
    return new ChapIdentity(user, new ChapSecret(secret));
  }

  private static void requireLength(long length, int most) {
    if (length > most) {
      throw new IllegalArgumentException("Expected a secret of at most " + MAX_SECRET + " bytes");
    }
  }
}
