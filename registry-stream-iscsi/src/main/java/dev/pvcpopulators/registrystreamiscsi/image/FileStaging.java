package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/// Holds bytes whose place on the disk is not known yet, in a sparse file beside the disk. The
/// bytes are clusters that precede their table in a qcow2 image, or a raw disk of unknown length.
final class FileStaging implements Staging, AutoCloseable {
  private static final int PIECE = 64 * 1024;

  private final Path file;
  private final DiskSink disk;
  private final FileChannel channel;
  private final byte[] piece = new byte[PIECE];
  private long length;

  FileStaging(Path file, DiskSink disk) throws IOException {
    this.file = file;
    this.disk = disk;
    this.channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void keep(long hostOffset, byte[] source, int offset, int count) throws IOException {
    length = Math.max(length, hostOffset + count);
    boolean zero = Arrays.equals(source, offset, offset + count, new byte[count], 0, count);
    if (!zero) {
      Documents.writeAll(channel, file, ByteBuffer.wrap(source, offset, count), hostOffset);
    }
  }

  @Override
  public void read(long hostOffset, byte[] target, int offset, int count) throws IOException {
    Arrays.fill(target, offset, offset + count, (byte) 0);
    ByteBuffer bytes = ByteBuffer.wrap(target, offset, count);
    int n = 0;
    while (bytes.hasRemaining() && n >= 0) {
      n = channel.read(bytes, hostOffset + bytes.position() - offset);
    }
  }

  @Override
  public void moveToGuest(long hostOffset, long guestOffset, long count) throws IOException {
    if (hostOffset + count > length) {
      throw new EOFException("The bytes to move were not staged: " + hostOffset + "+" + count);
    }
    for (long done = 0; done < count; ) {
      int n = (int) Math.min(PIECE, count - done);
      read(hostOffset + done, piece, 0, n);
      disk.write(guestOffset + done, piece, 0, n);
      done += n;
    }
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      Files.deleteIfExists(file);
    }
  }
}
