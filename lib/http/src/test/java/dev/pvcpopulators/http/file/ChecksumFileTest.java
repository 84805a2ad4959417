package dev.pvcpopulators.http.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.DigestMismatchException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChecksumFileTest {
  private static final String ONE = "0123456789abcdef".repeat(4);
  private static final String OTHER = "fedcba9876543210".repeat(4);
  private static final String LONG = "0123456789abcdef".repeat(8);

  private static String find(String text) throws DigestMismatchException {
    return ChecksumFile.find(text, "disk.qcow2", "https://example/SUMS").toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%s  disk.qcow2\n",
        "%s *disk.qcow2\r\n",
        "%s  ./disk.qcow2",
        "SHA256 (disk.qcow2) = %s\n",
        "# Fedora-Cloud: 5 bytes\nSHA256 (disk.qcow2) = %s\n",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n%s *disk.qcow2\n-----BEGIN PGP"
            + " SIGNATURE-----\n",
        "%s *disk.qcow2\n%1$s *disk.qcow2\n"
      })
  void readsTheLineOfTheFile(String form) throws DigestMismatchException {
    String before = OTHER + "  xdisk.qcow2\n" + OTHER + "  disk.qcow2.xz\n";
    assertEquals("sha256:" + ONE, find(before + form.formatted(ONE)));
    assertEquals("sha256:" + ONE, find(form.formatted(ONE.toUpperCase(java.util.Locale.ROOT))));
  }

  @Test
  void takesTheLongerOfTwoAlgorithms() throws DigestMismatchException {
    String both = ONE + "  disk.qcow2\n" + LONG + "  disk.qcow2\n";
    assertEquals("sha512:" + LONG, find(both));
    assertEquals(
        "sha512:" + LONG,
        find("SHA512 (disk.qcow2) = " + LONG + "\nSHA256 (disk.qcow2) = " + ONE + "\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "%s",
        "%s disk.qcow2",
        "%s  other/disk.qcow2",
        "%sa  disk.qcow2",
        "SHA512 (disk.qcow2) = %s",
        "MD5 (disk.qcow2) = %s",
        "g%s  disk.qcow2"
      })
  void findsNoneInOtherLines(String form) {
    assertThrows(DigestMismatchException.class, () -> find(form.formatted(ONE)));
  }

  @Test
  void refusesTwoChecksumsOfOneFile() {
    DigestMismatchException refusal =
        assertThrows(
            DigestMismatchException.class,
            () -> find(ONE + "  disk.qcow2\n" + OTHER + "  disk.qcow2\n"));
    assertTrue(String.valueOf(refusal.getMessage()).contains("two checksums"));
  }

  @Test
  void comparesChecksumsOfTheUsedAlgorithmOnlyInEachOrder() throws DigestMismatchException {
    String others = ONE + "  disk.qcow2\n" + OTHER + "  disk.qcow2\n";
    String used = LONG + "  disk.qcow2\n";
    assertEquals("sha512:" + LONG, find(others + used));
    assertEquals("sha512:" + LONG, find(used + others));
    String another = LONG.replace('0', '1') + "  disk.qcow2\n";
    assertThrows(DigestMismatchException.class, () -> find(used + others + another));
  }
}
