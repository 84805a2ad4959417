package dev.pvcpopulators.httpupload;

import static dev.pvcpopulators.fuzz.Refusal.ensure;

import dev.pvcpopulators.httpupload.Upload.Connection;
import dev.pvcpopulators.httpupload.Upload.Outcome;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Simulates clients that send bodies to an [UploadSlot], one after the other. The expected result
/// depends on the bytes and digests that the clients have sent.
final class PlayedUploads {
  private static final Duration SOME_TIME = Duration.ofSeconds(11);
  private static final int CHUNK = 50;

  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private final List<Promise> promises = new ArrayList<>();
  private final UploadSlot slot = new UploadSlot(new Settings(), () -> this.now.toNanos());
  private Duration now = Duration.ZERO;
  private @Nullable Upload upload;

  /// A range of an upload's bytes, with its expected digest.
  ///
  /// @param to the offset after the last byte; -1 for the end of the upload
  /// @param part whether the digest is for one part of the upload; a mismatch of the digest of the
  ///   whole upload is reported only at the end of the upload
  private record Promise(int from, int to, ExpectedDigest digest, boolean part) {}

  private record Settings() implements HttpUploadSettings {
    @Override
    public String format() {
      return "auto";
    }

    @Override
    public boolean digest() {
      return false;
    }

    @Override
    public Duration resumeWindow() {
      return Duration.ZERO;
    }

    @Override
    public Duration idleTimeout() {
      return Duration.ofMinutes(1);
    }

    @Override
    public int leastRate() {
      return 0;
    }
  }

  private record Client(String name, boolean silent) implements Connection {
    @Override
    public long silentFor() {
      return silent ? SOME_TIME.toNanos() : 0;
    }

    @Override
    public void close() {}

    @Override
    public void settle(Outcome outcome) {}
  }

  /// Returns the bytes that clients have sent for the current upload.
  byte[] content() {
    return content.toByteArray();
  }

  /// Admits a request and receives its body.
  ///
  /// @throws VolumeException if the request is refused
  void bring(UploadRequest wanted, WrittenRequest written) throws VolumeException {
    String connection = written.connection();
    now = connection.contains("w") ? now.plus(SOME_TIME) : now;
    Client client = new Client(wanted.toString(), connection.contains("s"));
    boolean patch = written.request().method().name().equals("PATCH");
    Upload earlier = upload;
    Upload admitted;
    if (wanted.begins() && !patch) {
      admitted = slot.begin(wanted, client);
      ensure(earlier == null || earlier.body().aborted(), "Two uploads at once");
      content.reset();
      promises.clear();
    } else {
      admitted = slot.resume(wanted, client);
      ensure(admitted.equals(earlier), "Another upload was resumed");
    }
    upload = admitted;
    ensure(admitted.body().received() == content.size(), "The slot has another number of bytes");
    long skip = content.size() - wanted.first();
    ensure(skip >= 0, "A hole of " + -skip + " bytes");
    wanted.whole().forEach(digest -> promises.add(new Promise(0, -1, digest, false)));
    int begin = content.size();
    take(admitted, wanted, client, written, skip);
    ensure(admitted.body().received() == content.size(), "Bytes were lost");
    if (wanted.length().equals(OptionalLong.of(content.size() - begin))) {
      wanted
          .part()
          .forEach(digest -> promises.add(new Promise(begin, content.size(), digest, true)));
    }
    if (admitted.complete()) {
      end();
    }
  }

  /// Receives a body as [IncomingUpload] does.
  private void take(
      Upload upload, UploadRequest wanted, Client client, WrittenRequest written, long skip) {
    OptionalLong most = most(upload, wanted);
    byte[] body = new byte[written.body().remaining()];
    written.body().get(body);
    int came = 0;
    while (came < body.length) {
      int length = Math.min(CHUNK, body.length - came);
      if (most.isPresent() && came + length > most.getAsLong()) {
        slot.cut(upload, client);
        return;
      }
      int known = Math.clamp(skip - came, 0, length);
      upload.body().append(client, ByteBuffer.wrap(body, came + known, length - known), () -> {});
      content.write(body, came + known, length - known);
      came += length;
    }
    if (!written.connection().contains("h")) {
      ended(upload, wanted, client, came);
    }
  }

  private void ended(Upload upload, UploadRequest wanted, Client client, int came) {
    boolean atTotal = upload.total().equals(OptionalLong.of(content.size()));
    boolean last =
        switch (wanted.ending()) {
          case HERE -> true;
          case LATER -> false;
          case AT_TOTAL -> atTotal;
        };
    OptionalLong expected =
        last && upload.total().isPresent() ? most(upload, wanted) : wanted.length();
    if (expected.isPresent() && came < expected.getAsLong()) {
      slot.cut(upload, client);
    } else {
      slot.detach(upload, client, last);
    }
  }

  private static OptionalLong most(Upload upload, UploadRequest wanted) {
    OptionalLong total = upload.total();
    return wanted.length().isPresent() || total.isEmpty()
        ? wanted.length()
        : OptionalLong.of(total.getAsLong() - wanted.first());
  }

  /// Reads the bytes of the current upload as the import does, checks the result, and releases the
  /// upload. Does nothing if there is no upload.
  void end() {
    Upload ended = upload;
    if (ended == null) {
      return;
    }
    byte[] expected = content();
    byte[] found = new byte[expected.length + 1];
    @Nullable UploadEndedException failure = null;
    boolean complete = ended.complete();
    boolean refused =
        promises.stream().anyMatch(promise -> promise.part() && broken(promise, expected));
    int count = 0;
    try {
      int read = 0;
      while (read >= 0) {
        count += read;
        read = ended.verified().read(found, count, found.length - count);
      }
      refused |= promises.stream().anyMatch(promise -> broken(promise, expected));
      ended.verified().verifyWhole();
    } catch (UploadEndedException e) {
      failure = e;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    ensure(
        Arrays.equals(found, 0, count, expected, 0, count),
        "The read bytes differ from the sent bytes");
    boolean mismatch = failure != null && failure.failure() instanceof Failure.DigestMismatch;
    ensure(mismatch == refused, "Unexpected result for " + promises + ": " + failure);
    ensure(mismatch || complete == (failure == null), "Unexpected end of the upload: " + failure);
    ensure(mismatch || count == expected.length, "The upload ended before its last byte");
    slot.release(ended);
    ensure(slot.current().isEmpty(), "The slot still has the released upload");
    upload = null;
    content.reset();
    promises.clear();
  }

  private static boolean broken(Promise promise, byte[] all) {
    byte[] bytes =
        Arrays.copyOfRange(all, promise.from(), promise.to() < 0 ? all.length : promise.to());
    ExpectedDigest digest = promise.digest();
    byte[] found = WrittenRequest.digest(digest.algorithm().javaName(), bytes);
    return !HexFormat.of().formatHex(found).equals(digest.hex());
  }
}
