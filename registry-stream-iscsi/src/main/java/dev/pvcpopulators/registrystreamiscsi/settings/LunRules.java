package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.iscsitarget.login.ChapSecret;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.NamedFiles;
import dev.pvcpopulators.kit.settings.PathChecks;
import dev.pvcpopulators.kit.source.RegistryRules;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Validates the settings of each LUN, and of all LUNs together.
final class LunRules {
  private static final NamedFiles.Check SECRET =
      PathChecks.text(
          ChapAccount.MAX_FILE, LunRules::hasLengthOfSecret, "a secret of another length");

  private final RegistryRules images;
  private final Mistakes found;
  private final boolean closed;
  private final Set<Integer> numbers = new HashSet<>();
  private final Map<String, Path> secrets = new HashMap<>();

  /// Creates the rules.
  ///
  /// @param images the rules for the images of the LUNs
  /// @param closed whether each LUN must restrict its initiators
  LunRules(RegistryRules images, Mistakes found, boolean closed) {
    this.images = images;
    this.found = found;
    this.closed = closed;
  }

  /// Validates the settings of a LUN.
  ///
  /// @param prefix the prefix of the LUN's environment variables, such as
  ///   `REGISTRY_STREAM_ISCSI_LUNS_0__`
  /// @param needed whether an image is required
  void judge(String prefix, RegistryStreamIscsiSettings.Lun lun, boolean needed) {
    images.disk(lun, prefix, needed);
    found.parse(
        prefix + "FORMAT", Optional.of(lun.format()), LunRequest.FORMATS, LunRequest::format);
    found.parse(
        prefix + "INITIATORS",
        lun.initiators(),
        "iSCSI names, addresses and networks, separated by commas",
        InitiatorRules::of);
    if (lun.lun().isPresent()) {
      int number = lun.lun().get();
      found.within(prefix + "LUN", number, 0, LunRequest.MAX_LUN);
      if (lun.image().isPresent() && !numbers.add(number)) {
        found.wrong(prefix + "LUN", "a number that no other LUN has");
      }
    }
    account(
        prefix + "CHAP_USER", lun.chapUser(), prefix + "CHAP_SECRET_FILE", lun.chapSecretFile());
    // A login does not name a LUN. If one CHAP name had two secrets, a login with one secret would
    // also give access to the LUN of the other secret.
    if (lun.chapUser().isPresent() && lun.chapSecretFile().isPresent()) {
      Path other = secrets.putIfAbsent(lun.chapUser().get(), lun.chapSecretFile().get());
      if (other != null && !other.equals(lun.chapSecretFile().get())) {
        found.wrong(
            prefix + "CHAP_SECRET_FILE", "the same file wherever the CHAP name is the same");
      }
    }
  }

  /// Validates the restriction of a LUN's initiators.
  void access(String prefix, RegistryStreamIscsiSettings.Lun lun) {
    if (closed
        && lun.chapUser().isEmpty()
        && lun.chapSecretFile().isEmpty()
        && lun.initiators().filter(list -> !list.isEmpty()).isEmpty()) {
      found.missing(
          prefix + "CHAP_USER",
          "the CHAP user that initiators need, or initiators in "
              + prefix
              + "INITIATORS, since iSCSI listens beyond loopback (REGISTRY_STREAM_ISCSI_AUTH=none"
              + " admits every initiator)");
    }
  }

  private static boolean hasLengthOfSecret(String text) {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    return length >= ChapSecret.MIN_LENGTH && length <= ChapAccount.MAX_SECRET;
  }

  /// Validates a CHAP name and its secret.
  void account(String user, Optional<String> name, String secret, Optional<Path> file) {
    if (name.isPresent() && file.isEmpty()) {
      found.missing(secret, "the secret for " + user);
    }
    if (file.isPresent() && name.isEmpty()) {
      found.missing(user, "the CHAP name for " + secret);
    }
    found.place(
        secret,
        file,
        SECRET,
        "a file with a secret of %d to %d bytes"
            .formatted(ChapSecret.MIN_LENGTH, ChapAccount.MAX_SECRET));
  }
}
