package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import java.io.IOException;
import java.util.OptionalLong;

/// Passes bytes to a disk, reports their number to a listener, and keeps the first bytes of the
/// disk.
record CountingSink(DiskSink disk, ImportListener listener, GuestHead head) implements DiskSink {
  CountingSink(DiskSink disk, ImportListener listener) {
    this(disk, listener, new GuestHead());
  }

  @Override
  public void expect(long virtualSize) throws IOException {
    listener.virtualSize(virtualSize);
    disk.expect(virtualSize);
  }

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
    disk.write(guestOffset, source, offset, length);
    head.keep(guestOffset, source, offset, length);
    listener.decoded(length);
  }

  @Override
  public void zeros(long guestOffset, long length) throws IOException {
    disk.zeros(guestOffset, length);
  }

  @Override
  public Staging staging(OptionalLong hostLength) throws IOException {
    Staging staging = disk.staging(hostLength);
    return new CountingStaging(staging, listener, head);
  }

  private record CountingStaging(Staging staging, ImportListener listener, GuestHead head)
      implements Staging {
    @Override
    public void keep(long hostOffset, byte[] source, int offset, int length) throws IOException {
      staging.keep(hostOffset, source, offset, length);
    }

    @Override
    public void read(long hostOffset, byte[] target, int offset, int length) throws IOException {
      staging.read(hostOffset, target, offset, length);
    }

    @Override
    public void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException {
      int shown = GuestHead.overlap(guestOffset, length);
      if (shown > 0) {
        // The bytes are read before the move, because the staging area may not have the bytes
        // afterwards.
        byte[] bytes = new byte[shown];
        staging.read(hostOffset, bytes, 0, shown);
        head.keep(guestOffset, bytes, 0, shown);
      }
      staging.moveToGuest(hostOffset, guestOffset, length);
      listener.decoded(length);
    }
  }
}
