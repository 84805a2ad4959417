package dev.pvcpopulators.diskimage.target;

import java.io.InterruptedIOException;

/// Lets another thread end the writing of a disk.
final class Cancellation {
  private volatile boolean cancelled;

  void cancel() {
    cancelled = true;
  }

  void check() throws InterruptedIOException {
    if (cancelled) {
      throw new InterruptedIOException("Writing the disk was cancelled");
    }
  }
}
