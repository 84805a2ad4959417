package dev.pvcpopulators.httpupload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.httpupload.ExpectedDigest.Algorithm;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(1200)
class VerifiedBodyTest {
  /// The SHA-256 digest of `abc` (an example that NIST publishes with FIPS 180-4). This digest and
  /// the digests of `def` and `abcdef` below come from `sha256sum`.
  private static final ExpectedDigest ABC =
      sha256("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

  private static final ExpectedDigest DEF =
      sha256("cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34");
  private static final ExpectedDigest ABCDEF =
      sha256("bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721");

  private final UploadBody body = new UploadBody(Duration.ofMinutes(5));
  private final AtomicLong progress = new AtomicLong();

  VerifiedBodyTest() {
    body.attach(this);
  }

  private static ExpectedDigest sha256(String hex) {
    return new ExpectedDigest(Algorithm.SHA_256, hex);
  }

  private VerifiedBody verified(Set<Algorithm> always, ExpectedDigest... whole) {
    return new VerifiedBody(body, List.of(whole), always, progress::addAndGet);
  }

  private void append(String text) {
    body.append(this, ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), () -> {});
  }

  @Test
  void acceptsTheAnnouncedContent() throws IOException {
    VerifiedBody verified = verified(Set.of(), ABCDEF);
    append("abc");
    append("def");
    body.complete();
    assertArrayEquals("abcdef".getBytes(StandardCharsets.US_ASCII), verified.readAllBytes());
    assertEquals(Optional.of("sha256:" + ABCDEF.hex()), verified.verifyWhole());
    assertEquals(6, progress.get());
    assertEquals(6, verified.position());
  }

  @Test
  void refusesAnotherTotalLength() throws IOException {
    VerifiedBody verified = verified(Set.of(), ABC);
    append("abd");
    body.complete();
    verified.readAllBytes();
    UploadEndedException ended = assertThrows(UploadEndedException.class, verified::verifyWhole);
    assertTrue(ended.failure() instanceof Failure.DigestMismatch, ended.toString());
  }

  @Test
  void computesNoUnrequestedDigest() throws IOException {
    VerifiedBody verified = verified(Set.of());
    body.complete();
    assertEquals(-1, verified.read());
    assertEquals(Optional.empty(), verified.verifyWhole());
  }

  @Test
  void verifiesEachPartByItself() throws IOException {
    VerifiedBody verified = verified(Set.of(Algorithm.SHA_256));
    verified.expectPart(0, 3, List.of(ABC));
    append("abc");
    verified.expectPart(3, 6, List.of(DEF));
    append("def");
    body.complete();
    assertEquals(6, verified.readAllBytes().length);
    assertEquals(Optional.of("sha256:" + ABCDEF.hex()), verified.verifyWhole());
  }

  @Test
  void takesAPromiseThatIsMadeTwice() throws IOException {
    VerifiedBody verified = verified(Set.of(), ABCDEF, ABCDEF);
    verified.expectPart(0, 3, List.of(ABC, ABC));
    append("abcdef");
    body.complete();
    assertEquals(6, verified.readAllBytes().length);
    verified.verifyWhole();
  }

  @Test
  void endsAtThePartWhoseBytesDiffer() throws IOException {
    VerifiedBody verified = verified(Set.of());
    verified.expectPart(0, 3, List.of(ABC));
    verified.expectPart(3, 6, List.of(DEF));
    append("abcdeg");
    assertEquals(1, verified.read(new byte[1], 0, 1));
    UploadEndedException ended =
        assertThrows(UploadEndedException.class, () -> verified.read(new byte[5], 0, 5));
    assertTrue(ended.failure().detail().contains("ends at byte 6"), ended.toString());
  }

  @Test
  void leavesBytesBetweenPromisedPartsOut() throws IOException {
    VerifiedBody verified = verified(Set.of());
    append("xyz");
    verified.expectPart(3, 6, List.of(ABC));
    append("abc");
    append("uvw");
    verified.expectPart(9, 12, List.of(DEF));
    append("def");
    body.complete();
    assertEquals(12, verified.readAllBytes().length);
  }

  @Test
  void expectsNothingOfAPartThatWasCut() throws IOException {
    VerifiedBody verified = verified(Set.of());
    verified.expectPart(0, 6, List.of(ABC));
    append("ab");
    assertEquals(2, verified.read(new byte[2], 0, 2));
    verified.partCut(body.attach(null));
    body.attach(this);
    verified.expectPart(2, 5, List.of(ABC));
    append("abc");
    body.complete();
    assertEquals(3, verified.readAllBytes().length);
  }

  @Test
  void stillVerifiesAPartThatWasCutBehindItsLastByte() {
    VerifiedBody verified = verified(Set.of());
    verified.expectPart(0, 3, List.of(ABC));
    append("xyz");
    verified.partCut(3);
    verified.partCut(10);
    assertThrows(UploadEndedException.class, () -> verified.read(new byte[3], 0, 3));
  }

  @Test
  void takesALaterPromiseOfTheWhole() throws IOException {
    VerifiedBody verified = verified(Set.of(Algorithm.SHA_256));
    append("abc");
    assertTrue(verified.expectWhole(List.of(ABCDEF)));
    assertTrue(verified.expectWhole(List.of(ABCDEF)), "said again");
    append("xyz");
    body.complete();
    verified.readAllBytes();
    assertThrows(UploadEndedException.class, verified::verifyWhole);
  }

  @Test
  void refusesAContradictingOrLateDigest() {
    ExpectedDigest sha512 = new ExpectedDigest(Algorithm.SHA_512, "00".repeat(64));
    assertFalse(verified(Set.of(), ABC).expectWhole(List.of(DEF)));
    assertFalse(verified(Set.of(), ABC).expectWhole(List.of(sha512)));
    assertFalse(verified(Set.of()).expectWhole(List.of(ABC)));
  }
}
