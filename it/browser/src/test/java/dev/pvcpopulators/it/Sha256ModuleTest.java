package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Tests the page's SHA-256 module in the browser.
@Tag("tools")
@ExtendWith(Chromium.Parameter.class)
final class Sha256ModuleTest {
  private static final Seed SEED = Seed.of("Sha256ModuleTest");
  private static final int MIB = 1 << 20;

  /// Lengths of messages in bytes, mostly near a multiple of the block length. In some of these
  /// messages, the last block has no room for the padding (FIPS 180-4, section 5.1.1).
  private static final List<Integer> LENGTHS =
      List.of(0, 1, 2, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, MIB - 1, MIB, MIB + 1);

  private static final int SPLITS = 5;

  /// Decodes a message from base64, splits the message at the given offsets, and computes its
  /// digest.
  private static final String DIGEST =
      """
      async ([message, splits]) => {
        const { Sha256, hex } = await import('/page/sha256.js');
        const bytes = Uint8Array.from(atob(message), letter => letter.charCodeAt(0));
        const sha256 = new Sha256();
        let from = 0;
        for (const to of [...splits, bytes.length]) {
          sha256.update(bytes.subarray(from, to));
          from = to;
        }
        return hex(sha256.digest());
      }
      """;

  /// Computes the digest of a message with a million letters `a`. The script hashes the message in
  /// parts of 1,000 bytes. This size is not a multiple of the block length.
  private static final String MILLION =
      """
      async () => {
        const { Sha256, hex } = await import('/page/sha256.js');
        const sha256 = new Sha256();
        const piece = new Uint8Array(1000).fill('a'.charCodeAt(0));
        for (let count = 0; count < 1000; count++) {
          sha256.update(piece);
        }
        return hex(sha256.digest());
      }
      """;

  @Test
  void agreesWithTheJdk(Chromium chromium, @TempDir Path volume)
      throws IOException, InterruptedException, NoSuchAlgorithmException {
    Random random = SEED.random();
    try (Service service = Launch.on(volume).start();
        BrowserSession session = chromium.session().open(service.base())) {
      for (int length : LENGTHS) {
        byte[] message = new byte[length];
        random.nextBytes(message);
        List<Integer> splits = random.ints(SPLITS, 0, length + 1).sorted().boxed().toList();
        Object found =
            session
                .page()
                .evaluate(DIGEST, List.of(Base64.getEncoder().encodeToString(message), splits));
        String expected =
            HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(message));
        assertEquals(expected, found, () -> length + " bytes, split at " + splits);
      }
    }
  }

  /// The expected digests are the examples that NIST publishes with FIPS 180-4.
  @Test
  @Tag("nightly")
  void agreesWithNist(Chromium chromium, @TempDir Path volume)
      throws IOException, InterruptedException {
    Map<String, String> examples =
        Map.of(
            "abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    List<String> wrong = new ArrayList<>();
    try (Service service = Launch.on(volume).start();
        BrowserSession session = chromium.session().open(service.base())) {
      examples.forEach((message, digest) -> {
        String base64 = Base64.getEncoder().encodeToString(message.getBytes(UTF_8));
        Object found = session.page().evaluate(DIGEST, List.of(base64, List.of()));
        if (!digest.equals(found)) {
          wrong.add(message + ": " + found);
        }
      });
      assertEquals(List.of(), wrong);
      assertEquals(
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
          session.page().evaluate(MILLION));
    }
  }
}
