package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import java.io.IOException;
import java.util.OptionalLong;

/// Tells a listener what passes on its way to a disk.
record CountingSink(DiskSink disk, ImportListener listener) implements DiskSink {
  @Override
  public void expect(long virtualSize) throws IOException {
    listener.virtualSize(virtualSize);
    disk.expect(virtualSize);
  }

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
    disk.write(guestOffset, source, offset, length);
    listener.decoded(length);
  }

  @Override
  public void zeros(long guestOffset, long length) throws IOException {
    disk.zeros(guestOffset, length);
  }

  @Override
  public Staging staging(OptionalLong hostLength) throws IOException {
    Staging staging = disk.staging(hostLength);
    return new CountingStaging(staging, listener);
  }

  private record CountingStaging(Staging staging, ImportListener listener) implements Staging {
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
      staging.moveToGuest(hostOffset, guestOffset, length);
      listener.decoded(length);
    }
  }
}
