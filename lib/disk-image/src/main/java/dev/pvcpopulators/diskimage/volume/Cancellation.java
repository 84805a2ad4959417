package dev.pvcpopulators.diskimage.volume;

import java.io.InterruptedIOException;

/// Lets another thread cancel the writing or reading of a disk.
public final class Cancellation {
  private volatile boolean cancelled;

  /// Makes the next step of the writing or reading, and each later step, throw an
  /// [InterruptedIOException]. Safe for any thread.
  public void cancel() {
    cancelled = true;
  }

  void check() throws InterruptedIOException {
    if (cancelled) {
      throw new InterruptedIOException("The work on the disk was cancelled");
    }
  }
}
