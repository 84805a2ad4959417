package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.VisibleAscii;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file with the checksums of other files, such as Debian's `SHA512SUMS`, Ubuntu's `SHA256SUMS`
/// and Fedora's `CHECKSUM`. The file may be inside a clear-signed OpenPGP message, whose signature
/// is not verified.
///
/// | Form             | Line                                           |
/// |------------------|------------------------------------------------|
/// | GNU, text mode   | `HEX  NAME`                                    |
/// | GNU, binary mode | `HEX *NAME`                                    |
/// | BSD              | `SHA256 (NAME) = HEX` or `SHA512 (NAME) = HEX` |
///
/// Other lines are ignored. If a name has a SHA-256 and a SHA-512 checksum, the SHA-512 checksum is
/// used.
public final class ChecksumFile {
  /// The greatest length of a file of checksums, in bytes.
  static final int MAX_LENGTH = 1 << 20;

  private static final Pattern GNU =
      Pattern.compile("([0-9A-Fa-f]{128}|[0-9A-Fa-f]{64}) [ *](?:\\./)?(.{1,1024})");
  private static final Pattern BSD =
      Pattern.compile("(SHA256|SHA512) \\((.{1,1024})\\) = ([0-9A-Fa-f]{64,128})");

  private ChecksumFile() {}

  /// Finds the checksum of a file.
  ///
  /// @param text the text of the file of checksums
  /// @param name the name of the file, without directories
  /// @param place the location of the file of checksums, for messages
  /// @throws DigestMismatchException if the text does not list the file, or lists it with two
  ///   different checksums of the algorithm that is used
  public static Checksum find(String text, String name, String place)
      throws DigestMismatchException {
    List<Checksum> found =
        text.lines().flatMap(line -> read(line.stripTrailing(), name).stream()).toList();
    List<Checksum> used = distinct(found, Checksum.Algorithm.SHA512);
    if (used.isEmpty()) {
      used = distinct(found, Checksum.Algorithm.SHA256);
    }
    if (used.size() > 1) {
      throw new DigestMismatchException(
          "Cannot verify %s: %s names it with two checksums"
              .formatted(VisibleAscii.of(name), place));
    }
    if (used.isEmpty()) {
      throw new DigestMismatchException(
          "Cannot verify %s: expected a line with its SHA-256 or SHA-512 in %s, found none"
              .formatted(VisibleAscii.of(name), place));
    }
    return used.getFirst();
  }

  private static List<Checksum> distinct(List<Checksum> found, Checksum.Algorithm algorithm) {
    return found.stream().filter(it -> it.algorithm() == algorithm).distinct().toList();
  }

  private static Optional<Checksum> read(String line, String name) {
    Matcher gnu = GNU.matcher(line);
    if (gnu.matches() && gnu.group(2).equals(name)) {
      return checksum(gnu.group(1));
    }
    Matcher bsd = BSD.matcher(line);
    return bsd.matches() && bsd.group(2).equals(name)
        ? checksum(bsd.group(3))
            .filter(it -> it.algorithm() == Checksum.Algorithm.valueOf(bsd.group(1)))
        : Optional.empty();
  }

  private static Optional<Checksum> checksum(String hex) {
    return Arrays.stream(Checksum.Algorithm.values())
        .filter(algorithm -> algorithm.hexLength() == hex.length())
        .map(algorithm -> Checksum.parse(algorithm, hex))
        .findFirst();
  }
}
