package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A disk sink that writes decoded data to a medium while initiators read from the medium.
final class ArrivingSink implements DiskSink, AutoCloseable {
  private final Opening opening;
  private final Path stagingFile;
  private @Nullable ArrivingMedium medium;
  private @Nullable FileStaging staging;

  /// Provides the medium when the size of the disk is known.
  @FunctionalInterface
  interface Opening {
    /// Returns a new medium, or the medium of an earlier attempt. The sink does not close the
    /// medium.
    ///
    /// @param virtualSize the disk's size in bytes
    ArrivingMedium open(long virtualSize) throws IOException;
  }

  /// Creates a sink without a medium.
  ///
  /// @param stagingFile path of the file with bytes whose place on the disk is not known yet;
  ///   [#close] removes the file
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

  @Override
  public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
    ArrivingMedium known = medium;
    if (known == null) {
      // The disk is raw, and is compressed in its layer. The length of the disk is known only after
      // its last byte; until then, the disk cannot be read.
      staging(OptionalLong.empty()).keep(guestOffset, source, offset, length);
    } else {
      known.arrive(guestOffset, ByteBuffer.wrap(source, offset, length));
    }
  }

  @Override
  public void zeros(long guestOffset, long length) throws IOException {
    Objects.requireNonNull(medium, "A decoder must report the size before zeros")
        .arriveZeros(guestOffset, length);
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
