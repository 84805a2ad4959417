package dev.pvcpopulators.populate.claim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.terminal.RateWindow;
import dev.pvcpopulators.terminal.SteadyClock;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The progress of a claim's population. Commands report the progress as a [VolumeStatus], as the
/// services do. Thread-safe.
public final class ClaimProgress {
  private final String namespace;
  private final String claim;
  private long total;
  private final Instant started = SteadyClock.system().instant();
  private LongAdder arrived = new LongAdder();
  private RateWindow rate = new RateWindow(SteadyClock.system());
  private Phase phase = Phase.Pending;
  private @Nullable String sha256;
  private int interruptions;

  /// Creates the progress of a claim for which no bytes have arrived.
  ///
  /// @param total bytes of the image, if known
  public ClaimProgress(String namespace, String claim, OptionalLong total) {
    this.namespace = namespace;
    this.claim = claim;
    this.total = total.orElse(-1);
  }

  /// Records the number of bytes that have arrived. The number is less than before if the service
  /// has lost bytes.
  public synchronized void arrived(long bytes) {
    long more = bytes - arrived.sum();
    if (phase == Phase.Pending || more < 0) {
      // The rate does not include bytes that arrived before this call.
      arrived = new LongAdder();
      rate = new RateWindow(SteadyClock.system());
      arrived.add(bytes);
    } else {
      arrived.add(more);
    }
    phase = Phase.Transferring;
    rate.sample(arrived);
  }

  /// Sets the length of the image in bytes.
  public synchronized void total(long bytes) {
    total = bytes;
  }

  /// Counts an interruption.
  public synchronized void interrupted() {
    interruptions++;
  }

  /// Records that all bytes have arrived.
  ///
  /// @param digest the SHA-256 of all bytes, in hexadecimal
  public synchronized void finalizing(String digest) {
    phase = Phase.Finalizing;
    sha256 = digest;
  }

  /// Returns the number of bytes that have arrived.
  public synchronized long bytes() {
    return arrived.sum();
  }

  /// Returns the status of a population that has not ended.
  public synchronized VolumeStatus status() {
    return status(phase, null);
  }

  /// Returns the status after the population has ended.
  ///
  /// @param failure null after a success
  public synchronized VolumeStatus end(@Nullable Failure failure) {
    return status(failure == null ? Phase.Ready : Phase.Failed, failure);
  }

  private VolumeStatus status(Phase shown, @Nullable Failure failure) {
    ObjectNode details =
        JsonNodeFactory.instance
            .objectNode()
            .put("namespace", namespace)
            .put("interruptions", interruptions);
    return new VolumeStatus(
        shown,
        arrived.sum(),
        0,
        total,
        rate.bytesPerSecond(arrived),
        sha256 == null ? null : "sha256:" + sha256,
        null,
        -1,
        details,
        List.of(),
        "",
        started,
        shown.terminal() ? SteadyClock.system().instant() : null,
        new PvcSource(claim),
        failure);
  }
}
