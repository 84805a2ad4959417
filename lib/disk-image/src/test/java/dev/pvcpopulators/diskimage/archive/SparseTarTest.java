package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.TarBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests sparse files in the four sparse formats of GNU tar. The files are longer than 8 GiB, and
/// have more parts than fit into a header.
class SparseTarTest {
  private static final long LENGTH = (20L << 30) + 1;
  private static final long STEP = 512L << 20;
  private static final int PART = 4096;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tar --format=gnu --sparse",
        "tar --format=pax --sparse --sparse-version=0.0",
        "tar --format=pax --sparse --sparse-version=0.1",
        "tar --format=pax --sparse --sparse-version=1.0"
      })
  @Tag("tools")
  void readsTheFilesOfGnuTar(String command) throws IOException {
    byte[] part = new byte[PART];
    new Random(1).nextBytes(part);
    try (FileChannel file =
        FileChannel.open(
            directory.resolve("disk"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (long at = STEP; at < LENGTH - PART; at += STEP) {
        file.write(ByteBuffer.wrap(part), at);
      }
      file.write(ByteBuffer.wrap(new byte[] {1}), LENGTH - 1);
    }
    String[] words = (command + " -c disk").split(" ", -1);
    byte[] tar =
        Command.of(words[0])
            .with((Object[]) Arrays.copyOfRange(words, 1, words.length))
            .bytesIn(directory);
    assertTrue(tar.length < 1 << 20, "not sparse");
    try (TarReader reader = new TarReader(new ByteArrayInputStream(tar))) {
      TarMember disk = reader.next().orElseThrow();
      assertEquals("disk", disk.name().toString());
      assertEquals(LENGTH, disk.length());
      assertTrue(reader.dataOffset().isEmpty());
      long position = 0;
      for (long at = STEP; at < LENGTH - PART; at += STEP) {
        position += reader.hole();
        reader.skipHole();
        assertEquals(at, position);
        byte[] found = new byte[PART];
        assertEquals(PART, reader.read(found, 0, PART));
        assertArrayEquals(part, found);
        position += PART;
      }
      assertTrue(reader.hole() < STEP);
      assertTrue(reader.next().isEmpty());
    }
    // If the caller does not read the sparse file, the reader still reaches the end of the archive.
    try (TarReader reader = new TarReader(new ByteArrayInputStream(tar))) {
      assertTrue(reader.next().isPresent());
      assertTrue(reader.next().isEmpty());
    }
  }

  @Test
  void refusesMapsThatContradictTheFile() {
    for (String map :
        new String[] {"0,3,1,3", "0,11", "5,1,0,1", "-1,1", "0", "0,x", "1,", "0,9"}) {
      byte[] tar =
          TarBytes.archive(
              TarBytes.entry(
                  "pax",
                  'x',
                  "",
                  (record("GNU.sparse.size", "10") + record("GNU.sparse.map", map))
                      .getBytes(UTF_8)),
              TarBytes.entry("disk", '0', "", new byte[5]));
      assertMalformed(tar, map);
    }
    for (String lines : new String[] {"1\n0\n", "2\n0\n1\n", "x\n", "\n", "9".repeat(19) + "\n"}) {
      byte[] tar =
          TarBytes.archive(
              TarBytes.entry(
                  "pax",
                  'x',
                  "",
                  (record("GNU.sparse.major", "1")
                          + record("GNU.sparse.minor", "0")
                          + record("GNU.sparse.realsize", "10"))
                      .getBytes(UTF_8)),
              TarBytes.entry("disk", '0', "", Arrays.copyOf(lines.getBytes(UTF_8), 512)));
      assertMalformed(tar, lines);
    }
  }

  private static String record(String key, String value) {
    int rest = key.length() + value.length() + 3;
    int length = rest + (rest + 1 < 10 ? 1 : 2);
    return length + " " + key + "=" + value + "\n";
  }

  private static void assertMalformed(byte[] tar, String what) {
    try (TarReader reader = new TarReader(new ByteArrayInputStream(tar))) {
      assertThrows(MalformedImageException.class, reader::next, what);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
