package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/// Writes a tar archive entry by entry, without any check.
public final class TarWriter {
  private static final int ZEROS = 1 << 16;

  private final OutputStream out;

  /// An entry: one header and its data. By default, the header states the owner root, the mode 0644
  /// (0755 for a directory) and a time in 1970.
  public final class Entry {
    private final byte[] header;
    private byte[] data = new byte[0];

    private Entry(byte[] name, char type) {
      header = TarBytes.header("", type, "", 0);
      TarBytes.put(header, 0, name);
    }

    public Entry mode(int mode) {
      return number(100, 8, mode);
    }

    public Entry owner(long uid, long gid) {
      return number(108, 8, uid).number(116, 8, gid);
    }

    public Entry time(long seconds) {
      return number(136, 12, seconds);
    }

    public Entry link(String target) {
      TarBytes.put(header, 157, target.getBytes(UTF_8));
      return this;
    }

    public Entry device(int major, int minor) {
      return number(329, 8, major).number(337, 8, minor);
    }

    public Entry data(byte[] content) {
      data = content.clone();
      return length(content.length);
    }

    public Entry data(String content) {
      return data(content.getBytes(UTF_8));
    }

    /// Sets the length in the header. The length may differ from the length of the data.
    public Entry length(long length) {
      return number(124, 12, length);
    }

    public Entry number(int offset, int length, long value) {
      TarBytes.put(header, offset, TarBytes.number(length, value));
      return this;
    }

    public TarWriter end() {
      return raw(TarBytes.checked(header)).raw(TarBytes.padded(data));
    }
  }

  /// Creates a writer into memory. [#open] and [#bytes] work only with a writer into memory.
  public TarWriter() {
    this(new ByteArrayOutputStream());
  }

  /// Creates a writer into a stream. The caller closes the stream.
  public TarWriter(OutputStream out) {
    this.out = out;
  }

  public Entry entry(String name, char type) {
    return entry(name.getBytes(UTF_8), type);
  }

  public Entry entry(byte[] name, char type) {
    return new Entry(name, type);
  }

  public TarWriter file(String name, String content) {
    return file(name, content.getBytes(UTF_8));
  }

  public TarWriter file(String name, byte[] content) {
    return entry(name, '0').data(content).end();
  }

  /// Adds an empty file, such as a whiteout.
  public TarWriter empty(String name) {
    return file(name, "");
  }

  public TarWriter directory(String name) {
    return entry(name, '5').end();
  }

  public TarWriter symbolicLink(String name, String target) {
    return entry(name, '2').link(target).end();
  }

  public TarWriter hardLink(String name, String target) {
    return entry(name, '1').link(target).end();
  }

  /// Adds an extended header for the next entry.
  ///
  /// @param keysAndValues alternating keys and values, with one character per byte (ISO 8859-1)
  public TarWriter pax(String... keysAndValues) {
    return extended('x', keysAndValues);
  }

  /// Adds an extended header of type `x` (for the next entry) or `g` (for all later entries).
  public TarWriter extended(char type, String... keysAndValues) {
    return entry("PaxHeaders/0", type).data(TarBytes.records(keysAndValues)).end();
  }

  public TarWriter zeros(long length) {
    byte[] zeros = new byte[(int) Math.min(length, ZEROS)];
    for (long left = length; left > 0; left -= zeros.length) {
      raw(left < zeros.length ? new byte[(int) left] : zeros);
    }
    return this;
  }

  public TarWriter raw(byte[] bytes) {
    try {
      out.write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes the two blocks of zeros that end the archive.
  public TarWriter end() {
    return zeros(2 * TarBytes.BLOCK);
  }

  /// Returns the written bytes. Does not add the two blocks of zeros that end an archive.
  public byte[] open() {
    return ((ByteArrayOutputStream) out).toByteArray();
  }

  /// Adds the two blocks of zeros that end an archive, and returns all written bytes.
  public byte[] bytes() {
    return end().open();
  }
}
