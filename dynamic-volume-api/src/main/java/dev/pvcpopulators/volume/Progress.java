package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// How far a creation is, told by its populator and read by whoever asks. Thread-safe, and cheap
/// enough to be called for every buffer.
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

  /// A progress that nobody is told about, for a populator's own tests.
  public Progress() {
    this(SteadyClock.system(), () -> {});
  }

  Progress(Clock clock, Runnable onPhase) {
    this.rate = new RateWindow(clock);
    this.onPhase = onPhase;
  }

  /// Bytes are moving from the source to the volume.
  public void transferring() {
    enter(Phase.Transferring);
  }

  /// Everything has arrived.
  public void finalizing() {
    enter(Phase.Finalizing);
  }

  /// More bytes came from the source. The first of them begin the transfer.
  ///
  /// @param bytes since the last call; negative where what had come is dropped and comes again
  public void received(long bytes) {
    if (phase == Phase.Pending) {
      transferring();
    }
    bytesIn.add(bytes);
    everReceived.add(Math.max(0, bytes));
    rate.sample(bytesIn);
  }

  /// More bytes went to the volume.
  ///
  /// @param bytes since the last call
  public void written(long bytes) {
    bytesOut.add(bytes);
  }

  /// How many bytes the source has in all.
  public void total(long bytes) {
    total = bytes;
  }

  /// The disk's size as a guest sees it, in bytes.
  public void virtualSize(long bytes) {
    virtualSize = bytes;
  }

  /// The source's format, with its wrapping: `qcow2+gzip`.
  public void format(String name) {
    format = name;
  }

  /// The source's digest, `sha256:…`.
  public void sourceDigest(String digest) {
    sourceDigest = digest;
  }

  /// What only this service has to tell of its source or volume; shown as `details` in the status
  /// and in a job's result. Each call takes the place of the one before.
  ///
  /// @param fields few and short: a job's whole result has 4,096 bytes
  public void details(ObjectNode fields) {
    details = fields.deepCopy();
  }

  /// What the volume is made of, such as an image's layers, once that is known.
  ///
  /// @param shown asked whenever somebody looks, from any thread; cheap, and throws nothing
  public void parts(Supplier<List<Part>> shown) {
    parts = shown;
  }

  private void enter(Phase next) {
    if (phase != next) {
      phase = next;
      onPhase.run();
    }
  }

  void recovered(Recovered found) {
    bytesOut.add(Math.max(0, found.bytes()));
    virtualSize = found.virtualSize();
    format = found.format();
    sourceDigest = found.sourceDigest();
  }

  Phase phase() {
    return phase;
  }

  long bytesIn() {
    return bytesIn.sum();
  }

  /// What came and was dropped is among it, so that it never falls.
  long everReceived() {
    return everReceived.sum();
  }

  long bytesOut() {
    return bytesOut.sum();
  }

  long total() {
    return total;
  }

  long virtualSize() {
    return virtualSize;
  }

  @Nullable String format() {
    return format;
  }

  @Nullable String sourceDigest() {
    return sourceDigest;
  }

  ObjectNode details() {
    return details;
  }

  List<Part> parts() {
    return parts.get();
  }

  long bytesPerSecond() {
    return rate.bytesPerSecond(bytesIn);
  }
}
