package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.commons.compress.archivers.cpio.CpioArchiveEntry;
import org.apache.commons.compress.archivers.cpio.CpioArchiveOutputStream;
import org.apache.commons.compress.archivers.cpio.CpioConstants;

/// Writes a cpio archive in the format of Linux's initial file system ("newc"; kernel
/// documentation, driver-api/early-userspace/buffer-format). All entries belong to root and have
/// the modification time 0, so that the same entries give the same bytes.
final class NewcArchive implements Closeable {
  /// The length of an archive in bytes is a multiple of this number, as GNU cpio expects; zeros
  /// fill the rest. If another archive follows in the same file, Linux requires only a multiple of
  /// 4.
  static final int ALIGNMENT = 512;

  private static final int PERMISSIONS = 0755;
  private static final int DEVICE_PERMISSIONS = 0600;
  private static final int CONSOLE_MAJOR = 5;
  private static final int CONSOLE_MINOR = 1;

  private final CpioArchiveOutputStream stream;
  private long inode;

  /// Starts an archive.
  ///
  /// @param target the stream that receives the archive; [#close] closes this stream
  NewcArchive(OutputStream target) {
    stream = new CpioArchiveOutputStream(target, CpioConstants.FORMAT_NEW, ALIGNMENT);
  }

  void directory(String name) throws IOException {
    entry(name, CpioConstants.C_ISDIR | PERMISSIONS, new byte[0]);
  }

  /// Adds a file that every user may read and execute.
  void file(String name, byte[] content) throws IOException {
    entry(name, CpioConstants.C_ISREG | PERMISSIONS, content);
  }

  /// Adds the console device. The kernel opens `/dev/console` as input and output of the first
  /// process.
  void console(String name) throws IOException {
    CpioArchiveEntry entry = new CpioArchiveEntry(CpioConstants.FORMAT_NEW, name);
    entry.setMode(CpioConstants.C_ISCHR | DEVICE_PERMISSIONS);
    entry.setRemoteDeviceMaj(CONSOLE_MAJOR);
    entry.setRemoteDeviceMin(CONSOLE_MINOR);
    put(entry, new byte[0]);
  }

  private void entry(String name, long mode, byte[] content) throws IOException {
    CpioArchiveEntry entry = new CpioArchiveEntry(CpioConstants.FORMAT_NEW, name, content.length);
    entry.setMode(mode);
    put(entry, content);
  }

  private void put(CpioArchiveEntry entry, byte[] content) throws IOException {
    inode++;
    entry.setInode(inode);
    entry.setNumberOfLinks(1);
    entry.setTime(0);
    stream.putArchiveEntry(entry);
    stream.write(content);
    stream.closeArchiveEntry();
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
