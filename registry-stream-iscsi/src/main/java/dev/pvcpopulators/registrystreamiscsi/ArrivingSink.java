package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Takes what a decoder gives into a disk that is being read meanwhile.
final class ArrivingSink implements DiskSink, AutoCloseable {
  private final Opening opening;
  private final Path stagingFile;
  private @Nullable ArrivingMedium medium;
  private @Nullable FileStaging staging;

  /// Makes the medium, when its size is known.
  @FunctionalInterface
  interface Opening {
    ArrivingMedium open(long virtualSize) throws IOException;
  }

  /// @param stagingFile where bytes wait whose place is not known yet; removed by [#close]
  ArrivingSink(Opening opening, Path stagingFile) {
    this.opening = opening;
    this.stagingFile = stagingFile;
  }

  @Override
  public void expect(long virtualSize) throws IOException {
    if (medium == null) {
      medium = opening.open(virtualSize);
      FileStaging early = staging;
      if (early != null) {
        early.moveToGuest(0, 0, virtualSize);
      }
    }
  }

  private ArrivingMedium medium() {
    ArrivingMedium known = medium;
    if (known == null) {
      throw new IllegalStateException("A decoder tells the size before it tells of zeros");
    }
    return known;
  }

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
    ArrivingMedium known = medium;
    if (known == null) {
      // A raw disk that is compressed in its layer: how long it is shows at its end, and until then
      // there is no LUN that could be read.
      staging(OptionalLong.empty()).keep(guestOffset, source, offset, length);
    } else {
      known.arrive(guestOffset, ByteBuffer.wrap(source, offset, length));
    }
  }

  @Override
  public void zeros(long guestOffset, long length) throws IOException {
    medium().arriveZeros(guestOffset, length);
  }

  @Override
  public Staging staging(OptionalLong hostLength) throws IOException {
    FileStaging opened = staging;
    if (opened == null) {
      opened = new FileStaging(stagingFile, this);
      staging = opened;
    }
    return opened;
  }

  @Override
  public void close() throws IOException {
    FileStaging opened = staging;
    if (opened != null) {
      opened.close();
    }
  }
}
