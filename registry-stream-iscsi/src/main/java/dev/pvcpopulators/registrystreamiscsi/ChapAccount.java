package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.login.ChapIdentity;
import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A CHAP name and the file with its secret, which is read anew at each login: Secrets rotate.
record ChapAccount(String user, Path file) {
  /// The longest secret that is read, in bytes.
  static final int MAX_SECRET = 255;

  /// @throws VolumeException with [Failure.InvalidRequest] where one is given without the other, or
  ///   the secret is none
  static Optional<ChapAccount> of(Optional<String> user, Optional<Path> file)
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

  /// A login names no LUN: a name with two secrets would open each LUN by the other's.
  ///
  /// @throws VolumeException with [Failure.InvalidRequest] where two LUNs have a name in common and
  ///   not the file with its secret
  static void requireOneSecretEach(List<LunRequest> luns) throws VolumeException {
    Map<String, Path> files = new HashMap<>();
    for (LunRequest lun : luns) {
      ChapAccount account = lun.chap().orElse(null);
      if (account != null) {
        Path other = files.putIfAbsent(account.user(), account.file());
        if (other != null && !other.equals(account.file())) {
          throw new VolumeException(
              new Failure.InvalidRequest(
                  "Reading the settings for CHAP: expected one file with the secret of "
                      + account.user()
                      + ", found "
                      + other
                      + " and "
                      + account.file()));
        }
      }
    }
  }

  /// The name with its secret as it is now.
  ///
  /// @throws IOException where the file cannot be read
  /// @throws IllegalArgumentException where it holds too little or too much
  ChapIdentity identity() throws IOException {
    if (Files.size(file) > MAX_SECRET + 1) {
      throw new IllegalArgumentException("Expected a secret of at most " + MAX_SECRET + " bytes");
    }
    byte[] bytes = Files.readString(file).strip().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    return new ChapIdentity(user, new ChapSecret(bytes));
  }
}
