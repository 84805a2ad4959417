package dev.pvcpopulators.kit.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.terminal.RateWindow;
import dev.pvcpopulators.terminal.SteadyClock;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeSource;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The progress of a creation, updated by the populator and read by any number of observers.
/// Thread-safe; the methods are cheap enough to be called for every buffer.
public final class Progress {
  private final LongAdder bytesIn = new LongAdder();
  private final LongAdder everReceived = new LongAdder();
  private final LongAdder bytesOut = new LongAdder();
  private final RateWindow rate;
  private final Runnable onPhase;
  private volatile Phase phase = Phase.Pending;
  private volatile long total = -1;
  private volatile long virtualSize = -1;
  private volatile @Nullable String format;
  private volatile @Nullable String sourceDigest;
  private volatile ObjectNode details = JsonNodeFactory.instance.objectNode();
  private volatile Supplier<List<Part>> parts = List::of;

  /// Creates a progress without observers, for work that no status shows, and for tests.
  public Progress() {
    this(SteadyClock.system(), () -> {});
  }

  Progress(InstantSource clock, Runnable onPhase) {
    this.rate = new RateWindow(clock);
    this.onPhase = onPhase;
  }

  /// Records that bytes are moving from the source to the volume.
  public void transferring() {
    enter(Phase.Transferring);
  }

  /// Records that all bytes of the source have arrived.
  public void finalizing() {
    enter(Phase.Finalizing);
  }

  /// Counts bytes from the source. A call in the phase `Pending` begins the phase `Transferring`.
  ///
  /// @param bytes number of bytes since the last call; negative if received bytes are dropped and
  ///   will arrive again
  public void received(long bytes) {
    if (phase == Phase.Pending) {
      transferring();
    }
    bytesIn.add(bytes);
    everReceived.add(Math.max(0, bytes));
    rate.sample(bytesIn);
  }

  /// Counts bytes of decoded data passed to the volume. The zeros in this data count, even if they
  /// become holes.
  ///
  /// @param bytes number of bytes since the last call
  public void written(long bytes) {
    bytesOut.add(bytes);
  }

  /// Sets the size of the source in bytes.
  public void total(long bytes) {
    total = bytes;
  }

  /// Sets the disk's size as a guest sees it, in bytes.
  public void virtualSize(long bytes) {
    virtualSize = bytes;
  }

  /// Sets the source's format, such as `qcow2`. If the image is known to be wrapped in other
  /// formats, these follow the image's format, from the innermost to the outermost:
  /// `qcow2+tar+gzip`.
  public void format(String name) {
    format = name;
  }

  /// Sets the source's digest, such as `sha256:…` or `sha512:…`.
  public void sourceDigest(String digest) {
    sourceDigest = digest;
  }

  /// Sets service-specific details of the source or the volume. The status and a job's result show
  /// these details as `details`. Each call replaces the previous details.
  ///
  /// @param fields few and short: a job's termination message has at most 4,096 bytes
  public void details(ObjectNode fields) {
    details = fields.deepCopy();
  }

  /// Sets the supplier of the volume's parts, such as an image's layers. Call this method when the
  /// parts are known.
  ///
  /// @param shown called on any thread whenever the status is read; must be cheap and must not
  ///   throw
  public void parts(Supplier<List<Part>> shown) {
    parts = shown;
  }

  /// Changes the phase, but never to an earlier phase. Without this rule, a slow thread that counts
  /// the first bytes could set `Transferring` after another thread has set `Finalizing`.
  private void enter(Phase next) {
    synchronized (this) {
      if (phase.compareTo(next) >= 0) {
        return;
      }
      phase = next;
    }
    onPhase.run();
  }

  void recovered(Recovered found) {
    bytesOut.add(Math.max(0, found.bytes()));
    virtualSize = found.virtualSize();
    format = found.format();
    sourceDigest = found.sourceDigest();
  }

  /// Returns the status of the volume that this creation makes.
  ///
  /// @param live details that the running service adds to those of the creation
  /// @param liveParts parts of the running service; the status lists these parts before the parts
  ///   of the creation
  VolumeStatus status(
      Phase shown,
      ObjectNode live,
      List<Part> liveParts,
      String revision,
      @Nullable Instant started,
      @Nullable Instant finished,
      @Nullable VolumeSource source,
      @Nullable Failure failure) {
    return new VolumeStatus(
        shown,
        bytesIn.sum(),
        bytesOut(),
        total,
        shown.terminal() ? 0 : rate.bytesPerSecond(bytesIn),
        sourceDigest,
        format,
        virtualSize,
        details.deepCopy().setAll(live),
        Stream.concat(liveParts.stream(), parts.get().stream()).limit(Part.MOST).toList(),
        revision,
        started,
        finished,
        source,
        failure);
  }

  Phase phase() {
    return phase;
  }

  /// Returns the number of received bytes, including the bytes that were dropped, so that the
  /// number never decreases.
  long everReceived() {
    return everReceived.sum();
  }

  long bytesOut() {
    return bytesOut.sum();
  }
}
