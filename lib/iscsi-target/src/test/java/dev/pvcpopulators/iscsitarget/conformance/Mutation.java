package dev.pvcpopulators.iscsitarget.conformance;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/// A hostile change to a valid PDU.
enum Mutation {
  /// Changes a random byte of the header.
  OCTET {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      return pdu.octet(random.nextInt(RawPdu.HEADER), random.nextInt(OCTETS)).bytes();
    }
  },
  /// Puts a boundary value into a random word of the header.
  WORD {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      int position = 4 * random.nextInt(RawPdu.HEADER / 4);
      return pdu.word(position, LIMITS[random.nextInt(LIMITS.length)]).bytes();
    }
  },
  /// Uses a random operation code.
  OPCODE {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      return pdu.octet(0, random.nextInt(OCTETS)).bytes();
    }
  },
  /// States a DataSegmentLength that is longer or shorter than the data.
  DATA_LENGTH {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      return pdu.dataLength(random.nextBoolean() ? random.nextInt(1 << 24) : random.nextInt(600))
          .bytes();
    }
  },
  /// Fills the data segment with random bytes.
  DATA {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      byte[] data = new byte[random.nextInt(20_000)];
      random.nextBytes(data);
      return new RawPdu(pdu.header(), data).dataLength(data.length).bytes();
    }
  },
  /// Adds random additional header segments, or announces segments and omits them.
  AHS {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      int words = random.nextInt(OCTETS);
      byte[] plain = pdu.octet(RawPdu.AHS_LENGTH, words).bytes();
      if (random.nextInt(4) == 0) {
        return plain;
      }
      byte[] segments = new byte[4 * words];
      random.nextBytes(segments);
      if (words > 0 && random.nextBoolean()) {
        segments[0] = 0; // AHSLength, in bytes, of an extended CDB (AHSType 1)
        segments[1] = (byte) random.nextInt(OCTETS);
        segments[2] = 1;
      }
      byte[] bytes = Arrays.copyOf(plain, plain.length + segments.length);
      System.arraycopy(segments, 0, bytes, RawPdu.HEADER, segments.length);
      System.arraycopy(
          plain,
          RawPdu.HEADER,
          bytes,
          RawPdu.HEADER + segments.length,
          plain.length - RawPdu.HEADER);
      return bytes;
    }
  },
  /// Puts random values into the flags, the expected length and some bytes of the CDB.
  CDB {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      for (int i = RawPdu.CDB; i < RawPdu.HEADER; i++) {
        if (random.nextBoolean()) {
          pdu.octet(i, random.nextInt(OCTETS));
        }
      }
      pdu.octet(RawPdu.FLAGS, random.nextInt(OCTETS));
      return pdu.word(RawPdu.EXPECTED_LENGTH, random.nextInt(1 << 22)).bytes();
    }
  },
  /// Sends only the first bytes of the PDU.
  TRUNCATED {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      byte[] bytes = pdu.bytes();
      return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }
  },
  /// Sends the same PDU twice, with the same CmdSN and task tag.
  TWICE {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      byte[] bytes = pdu.bytes();
      byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
      System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
      return twice;
    }
  },
  /// Sends random bytes instead of the PDU.
  NOISE {
    @Override
    byte[] apply(RawPdu pdu, Random random) {
      byte[] bytes = new byte[random.nextInt(500)];
      random.nextBytes(bytes);
      return bytes;
    }
  };

  private static final int OCTETS = 256;
  private static final int[] LIMITS = {
    0, 1, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x00FFFFFF, 0xFF000000
  };

  /// Generators of valid PDUs of full-feature phase.
  static final List<Function<Random, RawPdu>> FULL_FEATURE =
      List.of(
          random -> RawPdu.read10(random.nextInt(100_000), random.nextInt(64)),
          random -> RawPdu.write10(random.nextInt(100_000), 8, new byte[4096]),
          random -> RawPdu.write10(random.nextInt(100_000), 512, new byte[random.nextInt(9) * 512]),
          _ -> RawPdu.nopOut(),
          random -> RawPdu.text(0x80, "SendTargets=" + (random.nextBoolean() ? "All" : "")),
          _ -> RawPdu.logout(),
          random -> RawPdu.taskManagement(1 + random.nextInt(8), random.nextInt(4)),
          random -> RawPdu.snack(random.nextInt(4)),
          random -> RawPdu.dataOut(0x80, random.nextInt(4), RawPdu.NO_TAG, 0, 0, 512),
          _ -> RawPdu.command(0x40, 252, new byte[0], 0x12, 0, 0, 0, 252),
          _ -> RawPdu.command(0x40, 1024, new byte[0], 0xA3, 0x0C, 0, 0, 0, 0, 0, 0, 4, 0),
          _ -> RawPdu.command(0x20, 24, new byte[24], 0x5F, 0, 0, 0, 0, 0, 0, 0, 24),
          _ -> RawPdu.command(0x20, 24, new byte[24], 0x42, 0, 0, 0, 0, 0, 0, 0, 24),
          _ ->
              RawPdu.command(0x20, 64, new byte[64], 0x83, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64));

  /// Returns the bytes to send instead of the PDU.
  abstract byte[] apply(RawPdu pdu, Random random);
}
