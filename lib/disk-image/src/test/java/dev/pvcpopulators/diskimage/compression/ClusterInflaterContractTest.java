package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.DataFormatException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterInflaterContractTest {
  private static final int GZIP_HEADER = 10;
  private static final int GZIP_TRAILER = 8;

  enum Library {
    LIBDEFLATE,
    JDK;

    ClusterInflater open() {
      return switch (this) {
        case LIBDEFLATE ->
            new LibdeflateClusterInflater(
                LibdeflateLibrary.installed()
                    .orElseThrow(() -> new AssertionError("install libdeflate0")));
        case JDK -> new JdkClusterInflater();
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void inflatesToTheLengthAndKeepsTheRest(Library library) throws Exception {
    Random random = seeded();
    try (ClusterInflater inflater = library.open()) {
      for (int size : new int[] {1, 512, 4096, 65_536, 2 << 20}) {
        byte[] data = data(random, size);
        byte[] deflated = deflated(data);
        byte[] in = new byte[deflated.length + 700];
        random.nextBytes(in);
        System.arraycopy(deflated, 0, in, 100, deflated.length);
        byte[] out = new byte[size + 20];
        assertEquals(
            deflated.length,
            inflater.inflate(in, 100, deflated.length + 511, out, 10, size),
            "consumed of " + size);
        assertArrayEquals(data, Arrays.copyOfRange(out, 10, 10 + size));
        assertEquals(0, out[9] | out[10 + size]);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void refusesAnotherLength(Library library) {
    byte[] deflated = deflated(data(seeded(), 4096));
    try (ClusterInflater inflater = library.open()) {
      for (int length : new int[] {0, 1, 4095, 4097, 8192}) {
        assertThrows(
            DataFormatException.class,
            () -> inflater.inflate(deflated, 0, deflated.length, new byte[8192], 0, length),
            "length " + length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void refusesEveryTruncationAndContinues(Library library) throws Exception {
    byte[] data = data(seeded(), 2000);
    byte[] deflated = deflated(data);
    byte[] out = new byte[2000];
    try (ClusterInflater inflater = library.open()) {
      for (int i = 0; i < deflated.length; i++) {
        int length = i;
        assertThrows(
            DataFormatException.class,
            () -> inflater.inflate(deflated, 0, length, out, 0, out.length));
        assertEquals(deflated.length, inflater.inflate(deflated, 0, deflated.length, out, 0, 2000));
      }
      assertArrayEquals(data, out);
    }
  }

  @ParameterizedTest
  @EnumSource
  void survivesNoise(Library library) {
    Random random = seeded();
    byte[] in = new byte[5000];
    byte[] out = new byte[65_536];
    int refused = 0;
    try (ClusterInflater inflater = library.open()) {
      for (int i = 0; i < 2000; i++) {
        random.nextBytes(in);
        try {
          inflater.inflate(in, 0, in.length, out, 0, out.length);
        } catch (DataFormatException e) {
          refused++;
        }
      }
    }
    assertTrue(refused > 1900);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("tools")
  void refusesRangesOutsideOfTheArrays(Library library) {
    byte[] deflated = deflated(new byte[100]);
    try (ClusterInflater inflater = library.open()) {
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> inflater.inflate(deflated, 1, deflated.length, new byte[100], 0, 100));
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> inflater.inflate(deflated, 0, deflated.length, new byte[100], 1, 100));
    }
  }

  private static Random seeded() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    return new Random(seed);
  }

  private static byte[] data(Random random, int size) {
    byte[] data = new byte[size];
    for (int i = 0; i < size; i++) {
      data[i] = (byte) (i % 1000 < 300 ? 0 : random.nextInt(20));
    }
    return data;
  }

  private static byte[] deflated(byte[] data) {
    byte[] member = Command.of("gzip", "-nc").bytes(data);
    return Arrays.copyOfRange(member, GZIP_HEADER, member.length - GZIP_TRAILER);
  }
}
