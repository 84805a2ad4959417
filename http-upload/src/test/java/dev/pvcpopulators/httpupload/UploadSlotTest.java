package dev.pvcpopulators.httpupload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.pipeline.FormatChoice;
import dev.pvcpopulators.httpupload.Upload.Outcome;
import dev.pvcpopulators.httpupload.UploadRequest.Ending;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(1200)
class UploadSlotTest {
  private record Settings(
      String format, boolean digest, Duration resumeWindow, Duration idleTimeout, int leastRate)
      implements HttpUploadSettings {}

  /// A connection. The test sets whether the connection has been silent for a minute.
  private static final class Client implements Upload.Connection {
    private final List<Outcome> outcomes = new ArrayList<>();
    private boolean silent;
    private boolean closed;

    @Override
    public long silentFor() {
      return silent ? Duration.ofMinutes(1).toNanos() : 0;
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public void settle(Outcome outcome) {
      outcomes.add(outcome);
    }
  }

  /// The current time of the slot's clock. The test advances this time.
  private Duration now = Duration.ZERO;

  private final UploadSlot slot =
      new UploadSlot(
          new Settings("auto", true, Duration.ofMinutes(10), Duration.ofMinutes(1), 0),
          () -> now.toNanos());
  private final Client client = new Client();
  private final Client other = new Client();

  private static UploadRequest request(long first, OptionalLong total) {
    return request(first, total, Optional.empty());
  }

  private static UploadRequest request(long first, OptionalLong total, Optional<String> key) {
    return new UploadRequest(
        first,
        OptionalLong.empty(),
        total,
        Ending.AT_TOTAL,
        Content.DISK,
        FormatChoice.of(Optional.empty()),
        List.of(),
        List.of(),
        key,
        Optional.empty());
  }

  private static UploadRequest replacing(String replaced, String key) {
    return new UploadRequest(
        0,
        OptionalLong.empty(),
        OptionalLong.empty(),
        Ending.AT_TOTAL,
        Content.DISK,
        FormatChoice.of(Optional.empty()),
        List.of(),
        List.of(),
        Optional.of(key),
        Optional.of(replaced));
  }

  private static UploadRequest keyed(long first, String key) {
    return request(first, OptionalLong.empty(), Optional.of(key));
  }

  private static UploadRequest from(long first) {
    return request(first, OptionalLong.empty());
  }

  private Upload begun(int received) throws VolumeException {
    Upload upload = slot.begin(from(0), client);
    upload.body().append(client, ByteBuffer.wrap(new byte[received]), () -> {});
    return upload;
  }

  private <F extends Failure> void assertRefused(Class<F> failure, UploadRequest request) {
    VolumeException refused =
        assertThrows(VolumeException.class, () -> slot.resume(request, other));
    assertInstanceOf(failure, refused.failure());
  }

  @Test
  void takesOneUploadAtATime() throws VolumeException {
    begun(10);
    VolumeException busy = assertThrows(VolumeException.class, () -> slot.begin(from(0), other));
    assertInstanceOf(Failure.VolumeBusy.class, busy.failure());
    assertRefused(Failure.VolumeBusy.class, from(10));
    assertFalse(client.closed);
  }

  @Test
  void letsANewUploadReplaceOneThatBrokeOff() throws VolumeException, InterruptedException {
    Upload first = begun(10);
    CompletableFuture<Void> creation = new CompletableFuture<>();
    slot.await(first, creation);
    assertSame(first, slot.take());
    slot.cut(first, client);
    Upload second = slot.begin(from(0), other);
    assertTrue(creation.isCancelled(), "nothing waits for the first any more");
    UploadEndedException gaveWay =
        assertThrows(UploadEndedException.class, () -> first.body().read());
    assertTrue(gaveWay.replaced());
    slot.release(first);
    assertSame(second, slot.take());
  }

  @Test
  void fencesOffAConnectionThatWasSilentTooLong() throws VolumeException {
    Upload upload = begun(10);
    client.silent = true;
    assertSame(upload, slot.resume(from(10), other));
    assertTrue(client.closed);
    upload.body().append(client, ByteBuffer.wrap(new byte[5]), () -> {});
    assertEquals(10, upload.body().received(), "what it still brings is dropped");
    slot.detach(upload, client, true);
    assertFalse(upload.complete(), "nor does its end count");
    assertSame(other, upload.connection());
  }

  @Test
  void goesOnOnlyWhereItFits() throws VolumeException {
    assertRefused(Failure.VolumeBusy.class, from(10));
    Upload upload = begun(10);
    slot.cut(upload, client);
    assertRefused(Failure.VolumeBusy.class, from(11));
    assertRefused(Failure.InvalidRequest.class, request(10, OptionalLong.of(9)));
    slot.resume(request(10, OptionalLong.of(20)), other);
    slot.cut(upload, other);
    assertRefused(Failure.InvalidRequest.class, request(10, OptionalLong.of(21)));
    slot.resume(request(9, OptionalLong.of(20)), other);
    slot.detach(upload, other, true);
    assertTrue(upload.complete());
    assertRefused(Failure.VolumeBusy.class, from(10));
  }

  @Test
  void goesOnWithNoUploadOfAnotherKey() throws VolumeException {
    Upload upload = slot.begin(keyed(0, "mine"), client);
    client.silent = true;
    assertRefused(Failure.VolumeBusy.class, keyed(0, "another"));
    assertFalse(client.closed, "a stranger takes no connection's place");
    assertSame(upload, slot.resume(keyed(0, "mine"), other));
    slot.cut(upload, other);
    assertSame(upload, slot.resume(from(0), client), "who types a command knows no key");
  }

  private void assertBusy(UploadRequest request) {
    VolumeException busy = assertThrows(VolumeException.class, () -> slot.begin(request, other));
    assertInstanceOf(Failure.VolumeBusy.class, busy.failure());
  }

  @Test
  void isReplacedByAnotherClientOnlyAfterALongSilence() throws VolumeException {
    Upload upload = slot.begin(keyed(0, "mine"), client);
    slot.detach(upload, client, false);
    now = Duration.ofMillis(9_999);
    assertBusy(keyed(0, "another"));
    assertBusy(from(0));
    assertSame(upload, slot.resume(keyed(0, "mine"), client), "it goes on meanwhile");
    slot.detach(upload, client, false);
    now = now.plusMillis(9_999);
    assertBusy(from(0));
    now = now.plusMillis(1);
    Upload later = slot.begin(from(0), other);
    assertEquals(Optional.of(later), slot.current());
  }

  @Test
  void isReplacedByItsClientAtOnceAndByOthersAfterACut() throws VolumeException {
    slot.detach(slot.begin(keyed(0, "mine"), client), client, false);
    assertBusy(replacing("another", "second"));
    slot.detach(slot.begin(keyed(0, "mine"), client), client, false);
    Upload replacing = slot.begin(replacing("mine", "second"), client);
    slot.cut(replacing, client);
    slot.begin(keyed(0, "another"), other);
  }

  @Test
  void goesOnWithNoUploadThatHasNoKeyByKey() throws VolumeException {
    Upload upload = begun(10);
    slot.cut(upload, client);
    assertRefused(Failure.VolumeBusy.class, keyed(10, "mine"));
  }

  @Test
  void answersTheLastConnectionWithTheResult() throws VolumeException {
    Upload upload = begun(10);
    slot.cut(upload, client);
    slot.resume(from(10), other);
    Outcome outcome = new Outcome.Refused(new Failure.MalformedSource("damaged"));
    slot.settle(upload, outcome);
    assertEquals(List.of(), client.outcomes);
    assertEquals(List.of(outcome), other.outcomes);
    assertEquals(Optional.empty(), slot.current());
    slot.begin(from(0), client);
  }

  @Test
  void releasesOnlyTheUploadThatIsMeant() throws VolumeException {
    Upload first = begun(10);
    slot.cut(first, client);
    Upload second = slot.begin(from(0), other);
    slot.release(first);
    assertEquals(Optional.of(second), slot.current());
    assertTrue(first.finished());
  }
}
